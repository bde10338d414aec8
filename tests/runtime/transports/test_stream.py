"""Stream transports share one buffer a loop, and what they hand on is nobody else's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import uvloop
from pi_contracts.runtime import transports
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.transports.stream import StreamTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pi_contracts.runtime.transport import Transport


def describe_nothing(transport: asyncio.Transport) -> Mapping[str, object]:
    del transport
    return {}


async def fill_two(path: Path, make_notes: Any, size: int) -> None:
    """Let two connections receive in turns, and look at all that has come in the end."""
    accepted: asyncio.Queue[Transport] = asyncio.Queue()
    stop = await transports.listen_unix(path)(accepted.put_nowait)
    ends: list[tuple[Transport, Transport]] = []
    for _ in range(2):
        client = await transports.connect_unix(path)(BACKGROUND)
        ends.append((client, await accepted.get()))
    await stop()
    notes = [make_notes() for _ in ends]
    for (client, server), note in zip(ends, notes, strict=True):
        client.start(make_notes())
        server.start(note)
    sent = [[bytes([65 + 16 * number + n]) * size for n in range(8)] for number in range(2)]
    for texts in zip(*sent, strict=True):
        for (client, _), text in zip(ends, texts, strict=True):
            client.send([text])
        await asyncio.sleep(0)
    for note, texts in zip(notes, sent, strict=True):
        await note.wait_for_bytes(8 * size)
        assert note.data == b"".join(texts)
    for client, server in ends:
        client.close()
        await asyncio.gather(client.wait_closed(), server.wait_closed())


@pytest.mark.parametrize("size", [1, 300_000])
@pytest.mark.parametrize(
    "factory", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)
def test_what_was_received_stays_when_others_receive(
    factory: Callable[[], asyncio.AbstractEventLoop], size: int, make_notes: Any, tmp_path: Path
) -> None:
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(fill_two(tmp_path / "s", make_notes, size))


def test_one_loop_has_one_buffer(run: Any) -> None:
    buffers: list[memoryview] = []

    async def main() -> None:
        made = [StreamTransport(describe=describe_nothing) for _ in range(2)]
        buffers.extend(transport.get_buffer(-1) for transport in made)

    run(main)
    run(main)
    assert buffers[0] is buffers[1]
    assert buffers[2] is buffers[3]
    assert buffers[0] is not buffers[2]
