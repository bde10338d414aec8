"""What transports within a process have of their own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pi_contracts.runtime.transports import MemoryAddress, listen_memory, make_memory_pair


def test_one_at_a_time_listens_at_an_address(run: Any) -> None:
    async def main() -> None:
        address = MemoryAddress()
        stop = await listen_memory(address)(lambda _: None)
        with pytest.raises(OSError, match="somebody listens at this address in memory already"):
            await listen_memory(address)(lambda _: None)
        await stop()
        again = await listen_memory(address)(lambda _: None)
        await again()

    run(main)


def test_what_is_sent_in_one_turn_arrives_as_one_chunk(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        client, server = make_memory_pair()
        notes = make_notes()
        server.start(notes)
        client.start(make_notes())
        for text in (b"a", b"b", b"c"):
            client.send([text])
        await asyncio.sleep(0)
        assert notes.chunks == [b"abc"]
        client.close()
        await server.wait_closed()

    run(main)
