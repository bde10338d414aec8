"""The interfaces of transports and clocks name what is there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pi_contracts.runtime import transport
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.transports.memory import MemoryTransport

if TYPE_CHECKING:
    from pi_contracts.runtime.transport import Clock, Receiver, Transport


def list_names(interface: type) -> set[str]:
    """Return what an interface asks for."""
    return {name for name in vars(interface) if not name.startswith("_")}


def test_a_running_loop_is_a_clock() -> None:
    async def test() -> None:
        clock: Clock = asyncio.get_running_loop()
        rung = asyncio.Event()
        timer = clock.call_at(clock.time(), rung.set)
        await rung.wait()
        timer.cancel()

    asyncio.run(test())
    assert list_names(transport.Clock) == {"time", "call_at"}


def test_a_peer_is_a_receiver_and_the_pair_in_memory_are_transports() -> None:
    """TRN-4."""

    def take(_: type[Receiver], __: type[Transport]) -> None: ...

    take(Peer, MemoryTransport)
    assert list_names(transport.Receiver) <= set(dir(Peer))
    made = set(dir(MemoryTransport)) | {"framing", "credential", "facts", "closed"}
    assert list_names(transport.Transport) <= made
