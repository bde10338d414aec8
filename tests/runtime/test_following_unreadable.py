"""Values that cannot be read, or that the contract does not allow."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import json
from typing import Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    ProtocolError,
)

TWICE = b'{"list":[],"list":[1]}'
UNREADABLE = {
    "a snapshot": b'{"type":"snapshot","id":1,"version":1,"digest":"","members":{},"states":'
    b'{"state":' + TWICE + b"}}",
    "an update": b'{"type":"update","id":1,"number":1,"member":"state","value":' + TWICE + b"}",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_a_value_that_cannot_be_read_makes_the_service_unusable(
    make_wire: Any, run: Any, sample: Any, text: bytes
) -> None:
    """CON-10: a name that stands twice in a value is never resolved by chance."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_client.inject(text)
            await sample.settle()
            with pytest.raises(ProtocolError, match="cannot be read"):
                _ = models.state.value
            assert wire.pair.server.connection.served.subscriptions == {}

    run(test)


def test_an_update_of_a_member_that_is_not_known_here_is_ignored(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-18."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        update = {"type": "update", "id": 1, "number": 1, "member": "later", "value": 1}
        async with wire.connect():
            wire.link.to_client.inject(json.dumps(update).encode())
            assert models.state.value == {"list": []}

    run(test)


def test_a_value_outside_its_contract_fails_the_service_and_is_not_seen(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-11: until there is another connection."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        seen = sample.Seen()
        models.state.subscribe(seen)
        async with wire.connect():
            wire.link.to_client.inject(
                b'{"type":"update","id":1,"number":1,"member":"state","value":{"list":["x"]}}'
            )
            await sample.settle()
            assert seen == [{"list": []}]
            with pytest.raises(ProtocolError, match="/list/0: expected a number"):
                _ = models.state.value
            with pytest.raises(ProtocolError):
                await models.refresh(BACKGROUND)
        async with wire.connect():
            await models.refresh(BACKGROUND)
            assert models.state.value == {"list": []}

    run(test)
