from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest
from pi_contracts.plugins import host_process
from pi_contracts.plugins.entry_points import find_search_path
from pi_contracts.plugins.host_process import CAN_COPY, Ended, Processes, kill, name_end
from pi_contracts.plugins.outcomes import LOST, Job, Order
from pi_contracts.plugins.seal import make_key

if TYPE_CHECKING:
    from collections.abc import Iterator

SLEEP = "import time; time.sleep(60)"
WAYS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not CAN_COPY, reason="no copies on this system")),
]


def start(program: str, *, stdout: int | IO[bytes] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program], start_new_session=True, stdout=stdout)


@pytest.fixture(params=WAYS, ids=lambda way: "copies" if way else "interpreters")
def processes(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Processes]:
    with Processes(str(tmp_path), find_search_path(str(tmp_path)), can_copy=request.param) as made:
        yield made


def make_order(folder: Path, body: str, limit: float = 30.0) -> Order:
    folder.joinpath("made_up.py").write_text(f"import os, sys, time\n{body}\n")
    job = Job("p", "tui", "made_up", "facet")
    return Order([job], [os.fsencode(folder)], limit, False, make_key())


def run(processes: Processes, folder: Path, body: str, patience: float = 30.0) -> Ended:
    return processes.run(make_order(folder, body), patience)


@pytest.mark.parametrize(
    ("code", "text"), [(0, "exit code 0"), (3, "exit code 3"), (-9, "SIGKILL"), (-99, "signal 99")]
)
def test_the_end_of_a_process_is_named(code: int, text: str) -> None:
    assert name_end(code) == text


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("def facet(facet): pass", 0),
        ("os._exit(3)", 3),
        ("os.abort()", -6),
        ("os.closerange(0, 99)", LOST),
    ],
)
def test_an_order_is_run_and_its_end_is_told(
    processes: Processes, tmp_path: Path, body: str, code: int
) -> None:
    for _ in range(2):
        ended = run(processes, tmp_path, body)
        assert (ended.code, ended.is_late) == (code, False)
        assert b'"step"' in ended.told


def test_a_process_that_tells_nothing_is_ended(processes: Processes, tmp_path: Path) -> None:
    body = "import faulthandler\nfaulthandler.cancel_dump_traceback_later()\ntime.sleep(60)"
    ended = run(processes, tmp_path, body, patience=1.0)
    assert (ended.code, ended.is_late) == (-9, True)


def test_a_process_that_goes_on_telling_may_go_on(processes: Processes, tmp_path: Path) -> None:
    body = "for _ in range(20):\n    os.write(3, b'x')\n    time.sleep(0.15)"
    assert not run(processes, tmp_path, body, patience=2.0).is_late


def test_what_an_order_has_left_behind_is_ended(processes: Processes, tmp_path: Path) -> None:
    """Also what C has started, of which the interpreter tells nothing."""
    body = (
        "import ctypes\n"
        "if ctypes.CDLL(None).fork() == 0:\n"
        "    open('left', 'w').write(str(os.getpid())); time.sleep(60)\n"
        "while not os.path.exists('left'): time.sleep(0.01)"
    )
    assert run(processes, tmp_path, body).code == 0
    assert_ended(int(tmp_path.joinpath("left").read_text()))


@pytest.mark.skipif(not CAN_COPY, reason="only a warden can do this")
def test_what_has_left_the_group_of_its_process_is_ended_too(tmp_path: Path) -> None:
    body = (
        "import ctypes\n"
        "if ctypes.CDLL(None).fork() == 0:\n"
        "    os.setsid()\n"
        "    if ctypes.CDLL(None).fork() == 0:\n"
        "        open('left', 'w').write(str(os.getpid())); time.sleep(60)\n"
        "    os._exit(0)\n"
        "while not os.path.exists('left'): time.sleep(0.01)"
    )
    with Processes(str(tmp_path), find_search_path(str(tmp_path))) as processes:
        assert run(processes, tmp_path, body).code == 0
        assert_ended(int(tmp_path.joinpath("left").read_text()))


def assert_ended(pid: int) -> None:
    for _ in range(200):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, ValueError):
            return
        if state == "Z":
            return
        time.sleep(0.05)
    raise AssertionError("it runs on")


def test_stopping_ends_what_runs_and_starts_nothing_more(
    processes: Processes, tmp_path: Path
) -> None:
    order = make_order(tmp_path, "open('runs', 'w').close(); time.sleep(60)")
    found: list[Ended] = []
    thread = threading.Thread(target=lambda: found.append(processes.run(order, 50.0)))
    thread.start()
    while not tmp_path.joinpath("runs").exists():
        time.sleep(0.01)
    processes.stop()
    thread.join(30)
    assert found[0].code == -9
    assert processes.is_stopped
    assert processes.run(order, 50.0).code == -9


def test_an_installation_that_cannot_start_says_why(
    processes: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_process, "_PROGRAM", "raise SystemExit('no {}')")
    ended = run(processes, tmp_path, "")
    assert (ended.code, ended.told) == (1, b"")
    assert ended.errors.startswith("no ")


@pytest.mark.skipif(not CAN_COPY, reason="no copies on this system")
def test_a_prepared_process_that_never_answers_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_process, "_PROGRAM", SLEEP + " # {}")
    monkeypatch.setattr(host_process, "_START_LIMIT", 0.05)
    monkeypatch.setattr(host_process, "_END_LIMIT", 0.05)
    with Processes(str(tmp_path), [str(tmp_path)]) as processes:
        assert run(processes, tmp_path, "").code == -9


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
    monkeypatch.delattr("os.killpg")
    other = start(SLEEP)
    kill(other)
    assert other.wait(30) == -9
