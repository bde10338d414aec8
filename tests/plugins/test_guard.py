from __future__ import annotations

import _thread
import signal
import sys
import threading
import types
from typing import Any

import pytest
from pi_contracts.plugins.guard import Baseline, Guard, RefusedError, stop_alarms
from pi_contracts.plugins.ledger import Ledger


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module that counts as one of ours, with a function, a class and a number."""
    module = types.ModuleType("pi_contracts.made_up")
    module.__dict__.update(call=lambda: 1, Kind=type("Kind", (), {}), number=1, _private=len)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, []),
        ({"call": print}, ["pi_contracts.made_up.call"]),
        ({"Kind": int, "call": 3}, ["pi_contracts.made_up.Kind", "pi_contracts.made_up.call"]),
        ({"number": 2, "added": print}, []),
        ({"__getattr__": print}, []),
    ],
    ids=["nothing", "a function", "a class and a function", "data and additions", "a dunder"],
)
def test_replaced_functions_and_classes_are_told_once(
    module: types.ModuleType, change: dict[str, Any], found: list[str]
) -> None:
    baseline = Baseline(())
    vars(module).update(change)
    assert baseline.find_changes() == found
    assert baseline.find_changes() == []


def test_a_deleted_function_is_told(module: types.ModuleType) -> None:
    baseline = Baseline(())
    del module.__dict__["call"]
    assert baseline.find_changes() == ["pi_contracts.made_up.call"]


def test_a_module_whose_values_cannot_be_compared_is_looked_at_one_by_one(
    module: types.ModuleType,
) -> None:
    class Uncomparable:
        def __eq__(self, other: object) -> bool:
            raise ValueError

        def __hash__(self) -> int:
            return 0

    call = vars(module).pop("call")
    vars(module).update(value=Uncomparable(), call=call)
    baseline = Baseline(())
    vars(module)["value"] = Uncomparable()
    vars(module)["call"] = print
    assert baseline.find_changes() == ["pi_contracts.made_up.call"]


@pytest.mark.parametrize("name", ["foreign", "pi_contracts.plugins.library.made_up", "colors._x"])
def test_modules_of_others_are_their_own_business(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    module = types.ModuleType(name)
    vars(module)["call"] = print
    monkeypatch.setitem(sys.modules, name, module)
    baseline = Baseline(())
    vars(module)["call"] = len
    assert baseline.find_changes() == []


def test_a_module_that_is_loaded_later_is_compared_with_what_it_should_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    baseline = Baseline(())
    module = types.ModuleType("json.made_up")
    vars(module).update(
        own=threading.settrace, odd=types.FunctionType(compile("1", "", "eval"), {})
    )

    def foreign() -> None: ...

    vars(module)["foreign"] = foreign
    monkeypatch.setitem(sys.modules, "json.made_up", module)
    monkeypatch.setitem(sys.modules, "json.nothing", None)  # as a failed import leaves it
    assert baseline.find_changes() == ["json.made_up.foreign"]


def test_a_class_is_watched_for_additions_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = Baseline((Ledger,))
    monkeypatch.setattr(Ledger, "require", print)
    monkeypatch.setattr(Ledger, "added", print, raising=False)
    assert baseline.find_changes() == ["Ledger.added", "Ledger.require"]


def test_replaced_streams_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = Baseline(())
    monkeypatch.setattr(sys, "stdin", None)
    assert baseline.find_changes() == ["sys.stdin"]


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
