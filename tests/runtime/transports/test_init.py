"""What all transports have in common (TRN-1 to TRN-4, TRN-12)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import transports
from pi_contracts.runtime.context import BACKGROUND, Cancellation
from pi_contracts.runtime.errors import Cancelled
from pi_contracts.runtime.protocol import Framing

if TYPE_CHECKING:
    from pi_contracts.runtime.transport import Connect, Listen, Transport


def test_all_connect_and_listen_alike(kind: Any, run: Any, make_notes: Any) -> None:
    async def main() -> None:
        make_connect, listen = kind.make()
        checked: Listen = listen
        accepted: list[Transport] = []
        stop = await checked(accepted.append)
        connect: Connect = make_connect(stop)
        client: Transport = await connect(BACKGROUND)
        notes = make_notes()
        client.start(notes)
        await stop()
        client.abort()
        await client.wait_closed()
        for one in accepted:
            one.start(make_notes())
            await one.wait_closed()

    run(main)


def test_bytes_cross_both_ways_in_order(kind: Any, run: Any, make_notes: Any) -> None:
    """TRN-4: what is sent is received, whole messages as messages, streams as streams."""

    async def main() -> None:
        async with kind.open() as ends:
            texts = [b'{"n": %d}' % n for n in range(200)]
            for sender, receiver in (ends, ends[::-1]):
                notes = make_notes()
                receiver.start(notes)
                sender.send(texts[:3])
                for text in texts[3:]:
                    sender.send([text])
                await notes.wait_for_bytes(sum(map(len, texts)))
                assert notes.data == b"".join(texts)
                if receiver.framing is Framing.MESSAGE:
                    assert notes.chunks == texts

    run(main)


def test_nothing_is_received_inside_send_or_before_the_start(
    kind: Any, run: Any, make_notes: Any
) -> None:
    async def main() -> None:
        async with kind.open() as (client, server):
            notes = make_notes()
            client.send([b"early"])
            await asyncio.sleep(0.02)
            server.start(notes)
            assert notes.told == []
            await notes.wait_for_bytes(len(b"early"))
            client.send([b"late"])
            assert notes.data == b"early"
            await notes.wait_for_bytes(len(b"earlylate"))

    run(main)


def test_a_transport_is_started_once(kind: Any, run: Any, make_notes: Any) -> None:
    async def main() -> None:
        async with kind.open() as (client, _):
            client.start(make_notes())
            with pytest.raises(RuntimeError, match="started once"):
                client.start(make_notes())

    run(main)


def test_a_close_sends_what_waits_and_both_ends_hear_of_it_once(
    kind: Any, run: Any, make_notes: Any
) -> None:
    """TRN-4: close is idempotent, and closed settles once."""

    async def main() -> None:
        async with kind.open() as (client, server):
            ours, theirs = make_notes(), make_notes()
            client.start(ours)
            server.start(theirs)
            block = b"x" * 100_000
            for _ in range(10):
                client.send([block])
            client.close()
            client.close()
            client.send([b"too late"])
            await theirs.ended.wait()
            await asyncio.gather(*[client.wait_closed() for _ in range(3)], server.wait_closed())
            assert theirs.data == block * 10
            assert theirs.error is None
            assert ours.error is None
            assert client.closed
            assert server.closed
            client.close()
            client.abort()
            server.close()
            await asyncio.sleep(0.01)
            assert theirs.told.count("lose") == ours.told.count("lose") == 1
            assert theirs.told[-1] == ours.told[-1] == "lose"
            await client.wait_closed()

    run(main)


def test_an_abort_is_told_as_an_error_to_both(kind: Any, run: Any, make_notes: Any) -> None:
    async def main() -> None:
        async with kind.open() as (client, server):
            ours, theirs = make_notes(), make_notes()
            client.start(ours)
            server.start(theirs)
            client.abort()
            client.abort()
            client.send([b"too late"])
            await theirs.ended.wait()
            await ours.ended.wait()
            assert isinstance(ours.error, ConnectionAbortedError)
            assert theirs.data == b""

    run(main)


def test_an_end_before_the_start_is_told_after_it(kind: Any, run: Any, make_notes: Any) -> None:
    async def main() -> None:
        async with kind.open() as (client, server):
            notes = make_notes()
            client.start(make_notes())
            client.abort()
            await client.wait_closed()
            await asyncio.sleep(0.02)
            server.start(notes)
            assert notes.told == []
            await server.wait_closed()
            assert notes.told[-1] == "lose"

    run(main)


def test_a_reader_that_does_not_read_pauses_the_writer(
    kind: Any, run: Any, make_notes: Any
) -> None:
    """TRN-12: a slow peer exerts backpressure, and what waits in the end arrives."""

    async def main() -> None:
        async with kind.open() as (client, server):
            ours, theirs = make_notes(), make_notes()
            client.start(ours)
            block = b"x" * 65_536
            sent = 0
            while "pause" not in ours.told:
                client.send([block, block])
                sent += 2 * len(block)
                await asyncio.sleep(0)
                assert sent < 64 * 1024 * 1024, "nobody was asked to pause"
            assert "resume" not in ours.told
            server.start(theirs)
            await ours.wait_to_be_told("resume")
            await theirs.wait_for_bytes(sent)

    run(main)


def test_the_credential_is_on_the_connecting_side_only(kind: Any, run: Any) -> None:
    """TRN-2: the host reads no address and no secret; the closure has them."""

    async def main() -> None:
        async with kind.open() as (client, server):
            assert client.credential == "secret"
            assert server.credential is None
            for end in (client, server):
                assert "secret" not in str(end.facts)
                assert {name: end.facts[name] for name in kind.known} == kind.known

    run(main)


def test_a_cancelled_context_connects_nowhere(kind: Any, run: Any) -> None:
    """TRN-1: cancelling an attempt leaves nothing open."""

    async def main() -> None:
        make_connect, listen = kind.make()
        accepted: list[Transport] = []
        stop = await listen(accepted.append)
        cancellation = Cancellation()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await make_connect(stop)(BACKGROUND.with_cancellation(cancellation))
        await asyncio.sleep(0.02)
        assert accepted == []
        await stop()

    run(main)


@pytest.mark.parametrize("by", ["context", "task"])
def test_an_attempt_that_is_cancelled_leaves_nothing_open(
    kind: Any, run: Any, make_notes: Any, by: str
) -> None:
    """TRN-1: whenever it is cancelled."""

    async def main() -> None:
        for turns in range(12):
            make_connect, listen = kind.make()
            accepted: list[Transport] = []
            stop = await listen(accepted.append)
            cancellation = Cancellation()
            ctx = BACKGROUND.with_cancellation(cancellation)
            task = asyncio.ensure_future(make_connect(stop)(ctx))
            for _ in range(turns):
                await asyncio.sleep(0)
            if by == "context":
                cancellation.cancel()
            else:
                task.cancel()
            await asyncio.wait([task])
            if task.cancelled():
                assert by == "task"
            elif task.exception() is None:
                task.result().abort()
                task.result().start(make_notes())
                await task.result().wait_closed()
            else:
                assert isinstance(task.exception(), Cancelled)
            await stop()
            await asyncio.sleep(0.01)
            for one in accepted:
                one.start(make_notes())
                await one.wait_closed()

    run(main)


def test_after_stop_nobody_is_accepted_and_the_accepted_go_on(
    kind: Any, run: Any, make_notes: Any
) -> None:
    """TRN-3: stop ends accepting; a second time does nothing."""

    async def main() -> None:
        make_connect, listen = kind.make()
        accepted: asyncio.Queue[Transport] = asyncio.Queue()
        stop = await listen(accepted.put_nowait)
        client = await make_connect(stop)(BACKGROUND)
        server = await accepted.get()
        await stop()
        await stop()
        with pytest.raises(OSError, match=r"."):
            await make_connect(stop)(BACKGROUND)
        notes = make_notes()
        server.start(notes)
        client.send([b"still here"])
        await notes.wait_for_bytes(len(b"still here"))
        assert accepted.empty()
        client.abort()
        client.start(make_notes())
        await asyncio.gather(client.wait_closed(), server.wait_closed())

    run(main)


def test_the_next_one_may_listen_after_a_stop(kind: Any, run: Any) -> None:
    async def main() -> None:
        for _ in range(2):
            async with kind.open():
                pass

    run(main)


def test_one_that_fails_to_accept_loses_that_connection_only(kind: Any, make_notes: Any) -> None:
    complaints: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context["exception"]))
        make_connect, listen = kind.make()
        accepted: list[Transport] = []
        both = asyncio.Event()

        def accept(transport: Transport) -> None:
            accepted.append(transport)
            if len(accepted) == 1:
                raise ZeroDivisionError
            both.set()

        stop = await listen(accept)
        first = await make_connect(stop)(BACKGROUND)
        notes = make_notes()
        first.start(notes)
        await notes.ended.wait()
        second = await make_connect(stop)(BACKGROUND)
        await both.wait()
        await stop()
        for one in (second, *accepted):
            one.abort()
            one.start(make_notes())
            await one.wait_closed()

    asyncio.run(main())
    assert [type(one) for one in complaints] == [ZeroDivisionError]


def test_what_is_exported_is_sorted_and_there() -> None:
    assert list(transports.__all__) == sorted(transports.__all__)
    assert all(hasattr(transports, name) for name in transports.__all__)
