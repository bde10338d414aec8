"""A binding belongs to one connector at a time, and nobody takes it away unnoticed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.errors import Disconnected, NotAuthorized
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.reconnect import Connector
from pi_contracts.runtime.testing import ControlledAddress, connect_pair, settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.runtime.context import Context
    from pi_contracts.runtime.transport import Transport


async def listen() -> ControlledAddress:
    address = ControlledAddress()
    await address.listen(lambda transport: Peer(transport, Role.SERVER).start())
    return address


def test_a_second_connector_of_a_binding_does_not_start(run: Any) -> None:
    async def main() -> None:
        address = await listen()
        binding, other = Binding(), Binding()
        one = Connector(address.connect, bindings=[binding])
        two = Connector(address.connect, bindings=[other, binding])
        three = Connector(address.connect, bindings=[other])
        one.start()
        with pytest.raises(RuntimeError, match="belongs to a connector that is at work"):
            two.start()
        peer = await one.wait_connected(BACKGROUND)
        with pytest.raises(RuntimeError, match="belongs to a connector that is at work"):
            two.start()
        await two.close()
        assert binding.attached
        assert one.peer is peer
        three.start()  # what the second one had taken is free again
        await three.wait_connected(BACKGROUND)
        assert other.attached
        await asyncio.gather(one.close(), three.close())

    run(main)


def test_nothing_else_attaches_or_detaches_what_a_connector_holds(run: Any) -> None:
    async def main() -> None:
        address = await listen()
        binding = Binding()
        connector = Connector(address.connect, bindings=[binding, binding])
        connector.start()
        peer = await connector.wait_connected(BACKGROUND)
        async with connect_pair() as pair:
            changes: list[Callable[[], None]] = [
                lambda: binding.attach(pair.client),
                binding.detach,
            ]
            for change in changes:
                with pytest.raises(RuntimeError, match="belongs to a connector"):
                    change()
            binding.attach(peer)  # as it is already
            assert binding.attached
            await connector.close()
            assert not binding.attached
            binding.attach(pair.client)
            with pytest.raises(RuntimeError, match="attached to a peer: detach it first"):
                Connector(address.connect, bindings=[binding]).start()
            assert binding.attached
            binding.detach()

    run(main)


@pytest.mark.parametrize("turns", range(4))
def test_after_a_close_at_any_time_another_connector_has_the_binding(run: Any, turns: int) -> None:
    async def main() -> None:
        address = await listen()
        binding = Binding()
        first = Connector(address.connect, bindings=[binding])
        first.start()
        for _ in range(turns):
            await asyncio.sleep(0)
        await first.close()
        with pytest.raises(RuntimeError, match="was closed: make another one"):
            first.start()
        second = Connector(address.connect, bindings=[binding])
        second.start()
        await second.wait_connected(BACKGROUND)
        assert binding.attached
        await second.close()

    run(main)


def test_one_that_has_given_up_frees_its_bindings_and_says_so_when_it_is_started(run: Any) -> None:
    async def refuse(ctx: Context) -> Transport:
        del ctx
        raise NotAuthorized

    async def main() -> None:
        address = await listen()
        binding = Binding()
        connector = Connector(refuse, bindings=[binding])
        other = Connector(address.connect, bindings=[binding])
        connector.state.subscribe(
            lambda state, _: other.start() if state.get("reason") == "not authorized" else None
        )
        connector.start()
        with pytest.raises(Disconnected, match="not authorized"):
            await connector.wait_connected(BACKGROUND)
        await settle()
        with pytest.raises(RuntimeError, match="given up for good: make another one"):
            connector.start()
        await other.wait_connected(BACKGROUND)
        await asyncio.gather(connector.close(), other.close())

    run(main)
