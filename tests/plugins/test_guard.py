from __future__ import annotations

import _thread
import json
import signal
import sys
import threading
import types
from typing import Any

import pytest
from pi_contracts.plugins.guard import Guard, RefusedError, stop_alarms


@pytest.mark.parametrize(
    ("event", "what"),
    [
        ("socket.__new__", "opens a socket"),
        ("os.fork", "starts a process"),
        ("subprocess.Popen", "starts a process"),
        ("os.kill", "sends a signal"),
    ],
)
def test_events_are_refused_while_a_facet_is_watched(event: str, what: str) -> None:
    watch = Guard()
    watch.audit(event, ())
    for phase, faults in (("import", []), ("setup", [what]), ("setup", [what])):
        watch.phase = phase  # type: ignore[assignment] # one of the two
        with pytest.raises(RefusedError, match=what):
            watch.audit(event, ())
        assert [fault.text for fault in watch.faults] == faults
    assert watch.faults[0].frames[0].path == __file__
    watch.audit("open", ())
    watch.phase = "setup"
    watch.audit("open", ())
    assert not watch.changes


def test_what_changes_the_process_is_noted_with_its_line_during_setup_alone() -> None:
    events: list[tuple[str, tuple[Any, ...], str | None]] = [
        ("os.chdir", ("/",), "the working directory"),
        ("os.putenv", (b"A", b"1"), 'os.environ["A"]'),
        ("os.unsetenv", ("B",), 'os.environ["B"]'),
        ("sys.settrace", (), "the trace function"),
        ("sys.addaudithook", (), "the audit hooks"),
        ("object.__setattr__", (json.dumps, "__code__", None), "json.dumps"),
        ("object.__setattr__", (json.dumps, "__name__", None), None),
        ("object.__setattr__", (test_threads_are_refused_during_setup_alone, "__code__", 0), None),
        ("object.__delattr__", (json, "__code__"), None),
    ]
    for event, facts, name in events:
        watch = Guard()
        for phase in (None, "import"):
            watch.phase = phase  # type: ignore[assignment] # one of the two
            watch.audit(event, facts)
            assert not watch.changes
        watch.phase = "setup"
        watch.audit(event, facts)
        assert list(watch.changes) == ([] if name is None else [name])
        assert all(frames[0].path == __file__ for frames in watch.changes.values())
        assert not watch.faults


def test_a_process_that_is_started_behind_the_back_of_the_interpreter_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What multiprocessing calls raises no event before Python 3.14."""
    spawner = types.ModuleType("_posixsubprocess")

    def list_args(*args: object) -> tuple[object, ...]:
        return args

    vars(spawner)["fork_exec"] = list_args
    monkeypatch.setitem(sys.modules, "_posixsubprocess", spawner)
    monkeypatch.setattr(sys, "addaudithook", list[Any]().append)
    for module in (_thread, threading):
        for name in [name for name in vars(module) if "start" in name]:
            monkeypatch.setattr(module, name, getattr(module, name))
    watch = Guard()
    watch.install()
    assert vars(spawner)["fork_exec"](1, 2) == (1, 2)
    for phase in ("import", "setup"):
        watch.phase = phase  # type: ignore[assignment] # one of the two
        with pytest.raises(RefusedError, match="starts a process"):
            vars(spawner)["fork_exec"](1, 2)
    monkeypatch.delitem(sys.modules, "_posixsubprocess")
    Guard().install()


def test_threads_are_refused_during_setup_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (_thread, threading):
        for name in [name for name in vars(module) if "start" in name]:
            monkeypatch.setattr(module, name, getattr(module, name))
    hooks: list[Any] = []
    monkeypatch.setattr(sys, "addaudithook", hooks.append)
    watch = Guard()
    watch.install()
    assert hooks == [watch.audit]
    watch.phase = "import"
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    watch.phase = "setup"
    with pytest.raises(RefusedError, match="starts a thread"):
        threading.Thread(target=int).start()
    watch.phase = None
    assert [fault.text for fault in watch.faults] == ["starts a thread"]


@pytest.mark.parametrize("timer", [signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF])
def test_an_alarm_that_is_left_behind_is_stopped(timer: int) -> None:
    assert not stop_alarms()
    signal.setitimer(timer, 60)
    assert stop_alarms()
    assert signal.getitimer(timer) == (0.0, 0.0)


def test_where_there_are_no_alarms_none_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    assert not stop_alarms()
