"""Which addresses of calls and subscriptions lead somewhere, and what the others are told."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import json
from typing import Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    ServiceNotAllowed,
)

ADDRESSES: dict[str, tuple[dict[str, Any], str]] = {
    "another scope": ({"service": "models", "scope": "server"}, "unknown_service"),
    "another service": ({"service": "other"}, "unknown_service"),
    "a local service": ({"service": "store"}, "service_not_allowed"),
    "our own service": ({"service": "$control"}, "unknown_service"),
    "a binding that is over": ({"service": "models", "binding": 3}, "not_attached"),
    "an instance of a singleton": (
        {"service": "models", "key": "a", "generation": 1},
        "mode_mismatch",
    ),
    "a keyed service without an instance": ({"service": "dialogs"}, "mode_mismatch"),
    "an instance that is gone": (
        {"service": "dialogs", "key": "a", "generation": 1},
        "stale_instance",
    ),
    "an instance under another key": (
        {"service": "dialogs", "key": "z", "generation": 2},
        "stale_instance",
    ),
    "a generation that never was": (
        {"service": "dialogs", "key": "a", "generation": 3},
        "unknown_instance",
    ),
    "another member": ({"service": "models", "member": "other"}, "unknown_member"),
    "a state": ({"service": "models", "member": "state"}, "unknown_member"),
    "a source of events": ({"service": "models", "member": "changed"}, "unknown_member"),
    "what is private": ({"service": "models", "member": "_member"}, "unknown_member"),
    "a dunder": ({"service": "models", "member": "__class__"}, "unknown_member"),
    "what is inherited": ({"service": "models", "member": "act"}, "unknown_member"),
    "a Python name": ({"service": "models", "member": "select"}, "unknown_member"),
    "a forged reference": ({"reference": "forged"}, "stale_reference"),
}


@pytest.mark.parametrize(("address", "code"), ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_that_leads_nowhere_has_a_code_of_its_own(
    make_wire: Any, run: Any, sample: Any, address: dict[str, Any], code: str
) -> None:
    """ERR-2, ERR-6, SNG-15, SNG-16, KEY-14, KEY-15, TOK-5, TOK-7, CON-5, SEC-2, SEC-3, REF-3."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        wire.registry.provide(rt_local("store"), object())
        dialogs = wire.registry.provide_keyed(sample.DIALOGS, scope="session")
        dialogs.spawn("a", sample.Catalogue()).close()
        dialogs.spawn("a", sample.Catalogue())
        async with wire.connect():
            answer = await wire.call(**address)
            assert answer.error.code == code
            assert catalogue.calls == []
            if address.get("member") == "state":
                assert answer.error.message == '"models.state" is a state, not a method'
            if address.get("member") == "changed":
                assert (
                    answer.error.message == '"models.changed" is a source of events, not a method'
                )

    run(test)


def rt_local(name: str) -> Any:
    from pi_contracts.runtime import local_service

    return local_service(name)


def test_only_what_the_plan_allows_may_be_used(make_wire: Any, run: Any, sample: Any) -> None:
    """SEC-1, SNG-15: allowed and not provided is another thing than not allowed."""

    async def test() -> None:
        wire = make_wire(allowed={"session": ["dialogs"]})
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(ready=False):
            with pytest.raises(ServiceNotAllowed):
                await wire.namespace.ready(BACKGROUND)
            with pytest.raises(ServiceNotAllowed):
                await models.refresh(BACKGROUND)
            answer = await wire.call(service="dialogs", scope="session")
            assert answer.error.code == "unknown_service"
            answer = await wire.call(service="dialogs", scope="server")
            assert answer.error.code == "service_not_allowed"

    run(test)


MISFITS: dict[str, dict[str, Any]] = {
    "a singleton as a reference": {"mode": "reference", "service": "models"},
    "a singleton as a keyed service": {"mode": "keyed", "service": "models"},
    "a keyed service as a singleton": {"mode": "singleton", "service": "dialogs"},
    "a keyed service as a reference": {"mode": "reference", "service": "dialogs"},
    "events of no instance": {"mode": "keyed", "service": "dialogs", "member": "changed"},
    "events of an instance of a singleton": {
        "mode": "keyed",
        "service": "models",
        "key": "k",
        "generation": 1,
        "member": "changed",
    },
    "an instance as a singleton": {
        "mode": "singleton",
        "service": "dialogs",
        "key": "k",
        "generation": 1,
        "member": "changed",
    },
    "a reference as a singleton": {"mode": "singleton", "reference": "R"},
    "a reference as a keyed service": {"mode": "keyed", "reference": "R"},
}


@pytest.mark.parametrize("fields", MISFITS.values(), ids=MISFITS)
def test_nothing_is_followed_in_another_mode(
    make_wire: Any, run: Any, sample: Any, fields: dict[str, Any]
) -> None:
    """TOK-9."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        keyed = wire.registry.provide_keyed(sample.DIALOGS, scope="session")
        keyed.spawn("k", sample.Catalogue())
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            held = await models.start(BACKGROUND)
            names = list(wire.pair.server._handler._references)
            frame = {"type": "subscribe", "id": 5, "version": 1, "digest": "", **fields}
            if "reference" in fields:
                frame["reference"] = names[0]
            else:
                frame["scope"] = "session"
            wire.link.to_server.inject(json.dumps(frame).encode())
            await sample.settle()
            (ended,) = [one.content for one in wire.link.frames if one.content["type"] == "ended"]
            assert (ended["id"], ended["error"]["code"]) == (5, "mode_mismatch")
            await held.release()

    run(test)
