"""A child process's stdio, from both ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.context import BACKGROUND, Cancellation
from pi_contracts.runtime.errors import Cancelled
from pi_contracts.runtime.transports import connect_child
from pi_contracts.runtime.transports.child import StdioTransport

if TYPE_CHECKING:
    from collections.abc import Sequence


def make_child(code: str) -> Sequence[str]:
    return [sys.executable, "-c", code]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_child_answers_and_leaves_when_its_input_ends(
    run: Any, echo_command: Any, make_notes: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    """What the child prints goes to standard error, and spoils nothing."""

    async def main() -> None:
        child = await connect_child(echo_command, credential="secret")(BACKGROUND)
        assert child.credential == "secret"
        assert child.facts["transport"] == "child"
        notes = make_notes()
        child.start(notes)
        block = b"x" * 1_000_000
        child.send([b"a", b"b", block])
        await notes.wait_for_bytes(1_000_002)
        assert notes.data == b"ab" + block
        assert {"pause", "resume"} <= set(notes.told)
        child.close()
        child.close()
        child.send([b"too late"])
        await child.wait_closed()
        assert notes.error is None
        child.abort()
        assert not is_alive(int(str(child.facts["pid"])))

    run(main)
    heard = capfd.readouterr()
    assert heard.out == ""
    assert "heard" in heard.err
    assert "left" in heard.err


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("", "None"),
        ("raise SystemExit(3)", "the child process ended with code 3"),
        ("import os; os.kill(os.getpid(), 9)", "the child process ended with code -9"),
    ],
    ids=["in order", "with a code", "by a signal"],
)
def test_a_child_that_leaves_by_itself_tells_how(
    run: Any, make_notes: Any, code: str, error: str
) -> None:
    async def main() -> None:
        child = await connect_child(make_child(code))(BACKGROUND)
        await asyncio.sleep(0.2)
        notes = make_notes()
        child.start(notes)
        child.send([b"is anybody there"])
        await child.wait_closed()
        assert str(notes.error) == error

    run(main)


def test_what_a_child_said_before_it_left_is_received(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        code = "import sys; sys.stdout.write('x' * 300_000)"
        child = await connect_child(make_child(code))(BACKGROUND)
        await asyncio.sleep(0.1)
        notes = make_notes()
        child.start(notes)
        await child.wait_closed()
        assert notes.data == b"x" * 300_000

    run(main)


@pytest.mark.parametrize("stubborn", [False, True], ids=["terminated", "killed"])
def test_a_child_that_stays_is_made_to_leave(run: Any, make_notes: Any, *, stubborn: bool) -> None:
    async def main() -> None:
        ignore = "signal.signal(signal.SIGTERM, signal.SIG_IGN);" if stubborn else ""
        code = f"import signal, time; {ignore} print('up', flush=True); time.sleep(60)"
        child = await connect_child(make_child(code), patience=0.1)(BACKGROUND)
        notes = make_notes()
        child.start(notes)
        await notes.wait_for_bytes(len(b"up\n"))
        child.close()
        await child.wait_closed()
        number = signal.SIGKILL if stubborn else signal.SIGTERM
        assert str(notes.error) == f"the child process ended with code -{number.value}"

    run(main)


def test_an_aborted_child_is_killed(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        child = await connect_child(make_child("import time; time.sleep(60)"))(BACKGROUND)
        notes = make_notes()
        child.start(notes)
        child.abort()
        child.abort()
        await child.wait_closed()
        assert isinstance(notes.error, ConnectionAbortedError)
        assert not is_alive(int(str(child.facts["pid"])))

    run(main)


def test_a_grandchild_that_holds_the_pipes_holds_up_nobody(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        code = (
            "import subprocess, sys;"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3)']);"
            "print('up', flush=True)"
        )
        child = await connect_child(make_child(code), patience=0.1)(BACKGROUND)
        notes = make_notes()
        child.start(notes)
        await child.wait_closed()
        assert notes.data == b"up\n"

    run(main)


def test_a_command_that_does_not_exist_is_an_oserror(run: Any) -> None:
    async def main() -> None:
        with pytest.raises(FileNotFoundError):
            await connect_child(["/nowhere/to/be/found"])(BACKGROUND)

    run(main)


def test_a_cancelled_attempt_leaves_no_child(run: Any, make_notes: Any) -> None:
    """TRN-1"""

    async def main() -> None:
        for turns in (0, 1, 2, 4, 8):
            cancellation = Cancellation()
            connect = connect_child(make_child("import time; time.sleep(60)"))
            task = asyncio.ensure_future(connect(BACKGROUND.with_cancellation(cancellation)))
            for _ in range(turns):
                await asyncio.sleep(0)
            cancellation.cancel()
            if task.done():  # a child that was there already is its owner's
                task.result().abort()
                task.result().start(make_notes())
                await task.result().wait_closed()
            else:
                with pytest.raises(Cancelled):
                    await task
        await asyncio.sleep(0.05)  # until those that were killed are gone

    run(main)


def test_the_child_gets_the_folder_and_the_environment_given(
    run: Any, make_notes: Any, tmp_path: Any
) -> None:
    async def main() -> None:
        code = "import os; print(os.getcwd(), os.environ['WORD'], flush=True)"
        connect = connect_child(make_child(code), cwd=tmp_path, env={**os.environ, "WORD": "yes"})
        child = await connect(BACKGROUND)
        notes = make_notes()
        child.start(notes)
        await child.wait_closed()
        assert notes.data.decode() == f"{tmp_path.resolve()} yes\n"

    run(main)


async def open_pipes() -> tuple[StdioTransport, StdioTransport]:
    there, back = os.pipe(), os.pipe()
    ends = StdioTransport(), StdioTransport()
    await ends[0].open(back[0], there[1])
    await ends[1].open(there[0], back[1])
    return ends


def test_the_childs_end_is_a_transport_like_any_other(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        ours, theirs = await open_pipes()
        first, second = make_notes(), make_notes()
        ours.send([b"early"])
        await asyncio.sleep(0.01)
        ours.start(first)
        theirs.start(second)
        theirs.send([b"x"] * 100_000)
        await first.wait_for_bytes(100_000)
        await second.wait_for_bytes(5)
        assert ours.facts == {"transport": "stdio"}
        ours.close()
        ours.send([b"too late"])
        await asyncio.gather(ours.wait_closed(), theirs.wait_closed())
        assert (first.error, second.error) == (None, None)
        assert second.data == b"early"
        ours.abort()

    run(main)


def test_an_abort_of_the_childs_end_is_told_as_an_error(run: Any, make_notes: Any) -> None:
    async def main() -> None:
        ours, theirs = await open_pipes()
        notes = make_notes()
        ours.start(notes)
        theirs.start(make_notes())
        ours.abort()
        await asyncio.gather(ours.wait_closed(), theirs.wait_closed())
        assert isinstance(notes.error, ConnectionAbortedError)

    run(main)
