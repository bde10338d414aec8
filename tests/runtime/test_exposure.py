"""An implementation as peers see it: each value becomes text once."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from pi_contracts.runtime import BACKGROUND, exposure
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.exposure import Exposure, describe_members
from pi_contracts.runtime.protocol.messages import ErrorEnvelope
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import connect_pair

if TYPE_CHECKING:
    import pytest


def count_texts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that grows with each value that is turned into text."""
    spelled: list[object] = []
    encode = exposure.encode

    def note(value: object) -> bytes:
        spelled.append(value)
        return encode(value)

    monkeypatch.setattr(exposure, "encode", note)
    return spelled


def test_a_value_is_encoded_once_whatever_the_number_of_its_subscribers(
    run: Any, sample: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STA-29, EVT-7: over all connections; and there is one listener at the provider's cell."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        seen = sample.Seen()
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(5):
                pair = await stack.enter_async_context(connect_pair(server=registry))
                binding = Binding()
                models = binding.open_namespace().use(sample.MODELS)
                models.state.subscribe(seen)
                models.changed.subscribe(seen)
                binding.attach(pair.client)
            await sample.settle()
            assert len(catalogue.state._channel._subscriptions) == 1
            spelled = count_texts(monkeypatch)
            seen.clear()
            for number in range(3):
                catalogue.state.set({"list": [number]}, BACKGROUND)
                catalogue.changed.emit({"type": "a", "n": number}, BACKGROUND)
            await sample.settle()
            assert len(spelled) == 6
            assert len(seen) == 30
        assert not catalogue.state._channel.wanted

    run(test)


def test_the_current_value_is_the_same_text_until_another_is_set(sample: Any) -> None:
    catalogue = sample.Catalogue()
    exposed = Exposure(sample.MODELS, catalogue)
    first = exposed.read_states()["state"]
    assert exposed.read_states()["state"] is first
    catalogue.state.set({"list": []}, BACKGROUND)
    assert exposed.read_states()["state"] is not first


def test_followers_come_and_go_apart_from_each_other(sample: Any) -> None:
    catalogue = sample.Catalogue()
    exposed = Exposure(sample.MODELS, catalogue)
    taken: dict[str, list[bytes]] = {"one": [], "two": []}
    for name, texts in taken.items():

        def take(_: str, text: Any, __: Any, texts: list[bytes] = texts) -> None:
            texts.append(bytes(text))

        exposed.follow_states(name, take)
    catalogue.state.set({"list": [1]}, BACKGROUND)
    exposed.leave_states("one")
    exposed.leave_states("one")
    catalogue.state.set({"list": [2]}, BACKGROUND)
    exposed.leave_states("two")
    catalogue.state.set({"list": [3]}, BACKGROUND)
    assert taken == {"one": [b'{"list":[1]}'], "two": [b'{"list":[1]}', b'{"list":[2]}']}


def test_who_has_left_hears_nothing_of_the_end(sample: Any) -> None:
    exposed, heard = Exposure(sample.MODELS, sample.Catalogue()), list[str]()
    exposed.on_close("one", lambda: heard.append("one"))
    exposed.on_close("two", lambda: heard.append("two"))
    exposed.leave("one")
    exposed.close()
    exposed.close()
    assert heard == ["two"]


def test_a_member_table_is_described_and_what_it_lacks_is_named(sample: Any) -> None:
    """CON-7, SNG-16."""
    assert list(describe_members(sample.MODELS)) == [
        "changed",
        "refresh",
        "selectModel",
        "start",
        "state",
    ]
    exposed = Exposure(sample.MODELS, sample.Catalogue())
    assert exposure.describe_unknown(exposed, "other", "method") == ErrorEnvelope(
        "unknown_member", '"models" has no such member'
    )
    assert exposure.describe_unknown(exposed, "refresh", "source of events") == ErrorEnvelope(
        "unknown_member", '"models.refresh" is a method, not a source of events'
    )
