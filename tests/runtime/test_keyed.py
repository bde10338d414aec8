"""The owner's side of keyed services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import BACKGROUND, InvalidImplementation, InvalidKey
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable


class Watcher:
    def __init__(self) -> None:
        self.log: list[str] = []

    def take_spawned(self, instance: Any) -> None:
        self.log.append(f"+{instance.key}{instance.generation}")

    def take_closed(self, instance: Any) -> None:
        self.log.append(f"-{instance.key}{instance.generation}")


KEYS: dict[str, tuple[Any, str]] = {
    "an empty text": ("", "a key is a string of at least 1 character"),
    "no text": (5, "a key is a string of at least 1 character"),
    "a lone surrogate": ("\ud800", "the key has a lone surrogate"),
    "one that is live": ("live", "an instance under this key is live"),
}


@pytest.mark.parametrize(("key", "problem"), KEYS.values(), ids=KEYS)
def test_a_refused_spawn_changes_nothing_and_takes_no_generation(
    sample: Any, key: Any, problem: str
) -> None:
    """KEY-3, KEY-14, FLT-12."""
    dialogs = Registry().provide_keyed(sample.DIALOGS)
    live = dialogs.spawn("live", sample.Catalogue())
    with pytest.raises(InvalidKey) as caught:
        dialogs.spawn(key, sample.Catalogue())
    assert str(caught.value) == f'an instance of "dialogs" cannot be spawned: {problem}'
    assert (dialogs.latest, dialogs.live) == (1, {"live": live})


def test_an_implementation_is_held_to_the_member_table(sample: Any) -> None:
    """CON-1, CON-4, CON-6."""
    dialogs = Registry().provide_keyed(sample.DIALOGS)
    bad: tuple[Any, ...] = (None, [], {}, object())
    for implementation in bad:
        with pytest.raises(InvalidImplementation):
            dialogs.spawn("a", implementation)
    assert (dialogs.latest, dialogs.live) == (0, {})


def test_a_contract_may_have_a_schema_for_its_keys(sample: Any) -> None:
    token = rt.Keyed(
        id="dialogs",
        version=1,
        digest="",
        members=sample.DIALOGS.members,
        proxy=sample.DIALOGS.proxy,
        key=rt.Validator(sample.SCHEMAS, "#/$defs/key"),
    )
    dialogs = Registry().provide_keyed(token)
    dialogs.spawn("ab", sample.Catalogue())
    with pytest.raises(InvalidKey, match="the key is refused: expected a string that matches"):
        dialogs.spawn("AB", sample.Catalogue())


def test_generations_rise_for_the_whole_service(sample: Any) -> None:
    """KEY-4, KEY-5, KEY-14: and a close is idempotent."""
    registry, watcher = Registry(), Watcher()
    dialogs = registry.provide_keyed(sample.DIALOGS)
    dialogs.watchers[watcher] = None
    one = dialogs.spawn("a", sample.Catalogue())
    two = dialogs.spawn("b", sample.Catalogue())
    one.close()
    one.close()
    three = dialogs.spawn("a", sample.Catalogue())
    one.close()
    assert [one.generation, two.generation, three.generation] == [1, 2, 3]
    dialogs.close()
    dialogs.close()
    assert watcher.log == ["+a1", "+b2", "-a1", "+a3", "-b2", "-a3"]
    assert registry.find("dialogs", "") is None


def test_instances_are_spawned_between_activation_and_disposal(sample: Any) -> None:
    """KEY-1, KEY-2."""
    dialogs = Registry().provide_keyed(sample.DIALOGS, active=False)
    with pytest.raises(InvalidKey, match="its provider is not active yet"):
        dialogs.spawn("a", sample.Catalogue())
    dialogs.activate()
    dialogs.spawn("a", sample.Catalogue())
    dialogs.close()
    with pytest.raises(InvalidKey, match="its provider has ended"):
        dialogs.spawn("b", sample.Catalogue())
    assert not BACKGROUND.cancelled


class Reacting(Watcher):
    """Does something when an instance comes or goes, before others are told of it."""

    def __init__(self, act: Callable[[str], None]) -> None:
        super().__init__()
        self._act = act

    def take_spawned(self, instance: Any) -> None:
        super().take_spawned(instance)
        self._act(self.log[-1])

    def take_closed(self, instance: Any) -> None:
        super().take_closed(instance)
        self._act(self.log[-1])


def test_everybody_learns_in_order_of_what_a_watcher_spawns_and_closes(sample: Any) -> None:
    """KEY-8, KEY-19: a key that comes again at once too."""
    dialogs = Registry().provide_keyed(sample.DIALOGS)
    late = Watcher()

    def act(news: str) -> None:
        if news == "-a1":
            dialogs.spawn("a", sample.Catalogue())
        elif news == "+a2":
            dialogs.watchers[late] = None
            dialogs.live["a"].close()
        elif news == "-a2":
            dialogs.watchers.pop(leaving)

    first, leaving, last = Reacting(act), Watcher(), Watcher()
    dialogs.watchers.update(dict.fromkeys((first, leaving, last)))
    dialogs.spawn("a", sample.Catalogue()).close()
    assert first.log == last.log == ["+a1", "-a1", "+a2", "-a2"]
    assert leaving.log == ["+a1", "-a1", "+a2"]
    assert late.log == ["-a2"]
    assert dialogs.live == {}


class Name(str):
    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return True


def test_a_key_counts_as_the_text_that_it_extends(sample: Any) -> None:
    """CON-10, KEY-20."""
    dialogs = Registry().provide_keyed(sample.DIALOGS)
    for key in (Name("b"), Name("a")):
        dialogs.spawn(key, sample.Catalogue())
    assert [type(key) for key in dialogs.live] == [str, str]
    with pytest.raises(InvalidKey, match="is live"):
        dialogs.spawn("a", sample.Catalogue())


def test_an_owner_that_has_been_followed_withdraws_nothing_of_its_successor(sample: Any) -> None:
    registry = Registry()
    first = registry.provide_keyed(sample.DIALOGS)
    instance = first.spawn("a", sample.Catalogue())
    successors: list[Any] = []

    class Following(Watcher):
        def take_closed(self, instance: Any) -> None:
            super().take_closed(instance)
            successors.append(registry.provide_keyed(sample.DIALOGS))

    first.watchers[Following()] = None
    registry.withdraw(sample.DIALOGS)
    instance.close()
    first.close()
    slot = registry.find("dialogs", "")
    assert slot is not None
    assert [slot.keyed] == successors


def test_a_watcher_that_fails_hurts_neither_the_others_nor_the_owner(
    sample: Any, caplog: pytest.LogCaptureFixture
) -> None:
    dialogs = Registry().provide_keyed(sample.DIALOGS)

    def fail(news: str) -> None:
        raise ValueError(news)

    failing, other = Reacting(fail), Watcher()
    dialogs.watchers.update(dict.fromkeys((failing, other)))
    dialogs.spawn("a", sample.Catalogue()).close()
    assert failing.log == other.log == ["+a1", "-a1"]
    assert caplog.text.count('one who follows "dialogs" failed') == 2
