"""A server that may be up or down, and a clock, for those who connect again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.reconnect import Connector
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import ControlledAddress, FakeClock, settle

EPOCH = datetime(2030, 1, 1, tzinfo=UTC)


class World:
    """A server to connect to, and a clock; the server may be up or down."""

    def __init__(self, **options: Any) -> None:
        self.clock = FakeClock(0.0)
        self.address = ControlledAddress()
        self.registry = Registry()
        self.options = options
        self.servers: list[Peer] = []

    async def go_up(self) -> None:
        await self.address.listen(self.accept)

    def accept(self, transport: Any) -> None:
        peer = Peer(
            transport, Role.SERVER, registry=self.registry, clock=self.clock, **self.options
        )
        self.servers.append(peer)
        peer.start()

    async def go_down(self) -> None:
        stop = await self.address.listen(self.accept)
        await stop()
        for peer in self.servers:
            await peer.close()
        await settle()

    def make_connector(self, **options: Any) -> Connector:
        return Connector(
            options.pop("connect", self.address.connect),
            clock=self.clock,
            chance=options.pop("chance", lambda: 1.0),
            now=lambda: EPOCH + timedelta(seconds=self.clock.time()),
            **options,
        )


def note(connector: Connector) -> list[Any]:
    """Return a list of what the connector shows, from now on."""
    shown: list[Any] = []
    connector.state.subscribe(lambda state, _: shown.append(dict(state)))
    return shown
