from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pi_contracts.plugins.ledger import LateAcquisition, Ledger, WrongToken
from pi_contracts.plugins.library.services.diff_review import DIFF_REVIEW
from pi_contracts.plugins.library.services.git import GIT
from pi_contracts.plugins.library.services.index import INDEX
from pi_contracts.plugins.library.services.models import MODELS, ModelsProvider
from pi_contracts.plugins.recording import CalledInSetup, make_context
from pi_contracts.runtime import (
    BACKGROUND,
    InvalidImplementation,
    Local,
    NotHydrated,
    local_service,
)

STORE: Local[object] = local_service("store")
STATE: Any = {
    "catalog": {"revision": 0, "availableModels": []},
    "configuration": {"model": None, "thinkingLevel": "off"},
    "refresh": {"status": "idle"},
}


class Picker(ModelsProvider):
    async def cycle_thinking(self, ctx: Any) -> None: ...

    async def refresh(self, ctx: Any) -> None: ...

    async def select(self, model: Any, ctx: Any) -> None: ...


def make(kind: str) -> tuple[Any, Ledger]:
    ledger = Ledger("a", kind)
    return make_context(ledger), ledger


@pytest.mark.parametrize(
    ("kind", "namespaces"),
    [("server", ()), ("session", ("server",)), ("tui", ("server", "session")), ("x", ("session",))],
)
def test_a_context_has_the_namespaces_of_its_kind(kind: str, namespaces: tuple[str, ...]) -> None:
    context, _ = make(kind)
    for name in ("server", "session"):
        assert hasattr(context, name) or name not in namespaces
    assert hasattr(context, "session") == (kind not in {"server", "session"})
    with pytest.raises(AttributeError):
        context.commands  # noqa: B018 - that it is not there is the point
    with pytest.raises(AttributeError):
        context.provide = None


def test_every_call_is_in_the_ledger_of_its_facet() -> None:
    """PLN-4: provide and use, provide_keyed and observe."""
    context, ledger = make("session")
    context.provide(MODELS, Picker(state=STATE))
    context.provide(STORE, object())
    context.provide_keyed(DIFF_REVIEW)
    context.use(STORE)
    context.server.use(GIT)
    context.observe(DIFF_REVIEW, print).close()
    assert [f"{d.scope}/{d.service} {d.mode}" for d in ledger.provides] == [
        "session/models singleton",
        "local/store singleton",
        "session/diff-review keyed",
    ]
    assert [f"{d.scope}/{d.service} {d.mode}" for d in ledger.requires] == [
        "local/store singleton",
        "server/git singleton",
        "session/diff-review keyed",
    ]


def test_an_implementation_without_the_members_of_its_contract_is_refused() -> None:
    """CON-4, CON-6: as a host refuses it."""
    context, _ = make("session")
    with pytest.raises(InvalidImplementation, match="missing"):
        context.provide(MODELS, object())


def test_a_remote_view_is_cold_and_can_be_subscribed_to() -> None:
    """SNG-3, SNG-13."""
    context, _ = make("tui")
    models, git = context.session.use(MODELS), context.session.use(GIT)
    assert not models.state.ready
    with pytest.raises(NotHydrated):
        models.state.value  # noqa: B018 - reading raises
    context.own(models.state.subscribe(print))
    context.own(git.events.on("head_changed", print))
    with pytest.raises(CalledInSetup, match=r'"models.refresh" is called during setup'):
        asyncio.run(models.refresh(BACKGROUND))
    with pytest.raises(CalledInSetup, match=r'"index.start" is called'):
        asyncio.run(context.session.use(INDEX).start("/", BACKGROUND))


def test_a_local_view_is_cold_and_can_be_subscribed_to() -> None:
    context, _ = make("tui")
    store = context.use(STORE)
    assert not store.size.ready
    assert store.size.last(3) == 3
    store.size.subscribe(print).close()
    store.changes.on("added", print).close()
    with pytest.raises(NotHydrated):
        store.size.value  # noqa: B018 - reading raises
    with pytest.raises(CalledInSetup, match=r'"store.load" is called during setup'):
        store.load()
    with pytest.raises(TypeError, match=r"subscribe\(\) takes a listener"):
        store.size.subscribe(None)
    assert not hasattr(store, "__len__")


def test_no_instance_is_spawned_during_setup() -> None:
    """KEY-2."""
    context, _ = make("session")
    with pytest.raises(CalledInSetup, match='an instance of "diff-review" is spawned'):
        context.provide_keyed(DIFF_REVIEW).spawn("1", object())


def test_callbacks_are_kept_and_never_called() -> None:
    """PLN-21: nothing is activated."""
    context, _ = make("tui")
    called: list[str] = []
    context.on_activate(lambda: called.append("activate"))
    context.on_dispose(lambda: called.append("dispose"))
    context.own(lambda: called.append("own"))
    assert called == []


@pytest.mark.parametrize("method", ["on_activate", "on_dispose", "own"])
def test_what_cannot_be_called_is_refused(method: str) -> None:
    context, ledger = make("tui")
    with pytest.raises(TypeError, match=rf"{method}\(\) takes a function"):
        getattr(context, method)(None)
    ledger.close()
    with pytest.raises(LateAcquisition, match=method):
        getattr(context, method)(print)


def test_a_presentation_provides_local_services_alone() -> None:
    context, ledger = make("tui")
    context.provide(STORE, object())
    with pytest.raises(WrongToken):
        context.provide(MODELS, Picker(state=STATE))
    with pytest.raises(TypeError, match="takes a handler"):
        context.session.observe(DIFF_REVIEW, None)
    assert [d.service for d in ledger.provides] == ["store"]
