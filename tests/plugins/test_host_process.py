from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import IO

import pytest
from pi_contracts.plugins.host_process import Watch, kill, name_end, send
from pi_contracts.plugins.outcomes import Order

SLEEP = "import time; time.sleep(60)"


def start(
    program: str, *, stdin: int | None = None, stdout: int | IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", program], start_new_session=True, stdin=stdin, stdout=stdout
    )


@pytest.mark.parametrize(
    ("code", "text"), [(0, "exit code 0"), (3, "exit code 3"), (-9, "SIGKILL"), (-99, "signal 99")]
)
def test_the_end_of_a_process_is_named(code: int, text: str) -> None:
    assert name_end(code) == text


def test_a_process_that_tells_nothing_is_ended() -> None:
    with tempfile.TemporaryFile() as told:
        process = start(SLEEP)
        watch = Watch(process, told.fileno(), 0.05)
        assert process.wait(30) == -9
        watch.stop()
        assert watch.is_late


def test_a_process_that_goes_on_telling_may_go_on() -> None:
    program = "import os, time\nfor _ in range(20): os.write(1, b'x'); time.sleep(0.05)"
    with tempfile.TemporaryFile() as told:
        process = start(program, stdout=told)
        watch = Watch(process, told.fileno(), 0.6)
        assert process.wait(30) == 0
        watch.stop()
        assert not watch.is_late


def test_ending_a_process_ends_what_it_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {SLEEP!r}])\n"
        "print(child.pid, flush=True); child.wait()"
    )
    process = start(program, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    kill(process)
    assert process.wait(30) == -9
    assert process.stdout.read() == b""  # nobody holds the pipe any more
    process.stdout.close()
    kill(process)
    kill(None)
    monkeypatch.delattr("os.killpg")
    other = start(SLEEP)
    kill(other)
    assert other.wait(30) == -9


def test_a_process_that_has_ended_already_is_told_nothing() -> None:
    process = start("import os; os._exit(0)", stdin=subprocess.PIPE)
    process.wait(30)
    send(process, Order([], ["x" * 1_000_000], 1.0))
    assert process.poll() == 0
