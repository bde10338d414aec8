from __future__ import annotations

import asyncio
import atexit
import faulthandler
import gc
import locale
import logging
import os
import signal
import socket
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from pi_contracts.plugins import process_state
from pi_contracts.plugins.process_state import ProcessState

if TYPE_CHECKING:
    from collections.abc import Callable


class Step(NamedTuple):
    do: Callable[[], object]
    undo: Callable[[], object]


def do_nothing(*_: object) -> None: ...


def set_policy(policy: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # later versions of Python will have none
        vars(asyncio)["set_event_loop_policy"](policy)


class Policy(asyncio.DefaultEventLoopPolicy): ...


def filter_first(action: Any, message: str = "made up") -> Step:
    def add() -> None:
        warnings.filterwarnings(action, message=message)

    return Step(add, lambda: warnings.filters.pop(0))  # type: ignore[attr-defined] # a list


HANDLER = logging.NullHandler()
OLD_PATH = list(sys.path)
OLD_MASK = os.umask(0o022)
os.umask(OLD_MASK)
CHANGES: dict[str, tuple[str, Step]] = {
    "a folder is added to the path": (
        "sys.path",
        Step(lambda: sys.path.insert(0, "x"), lambda: sys.path.remove("x")),
    ),
    "the path has become another one": (
        "sys.path",
        Step(lambda: setattr(sys, "path", tuple(OLD_PATH)), lambda: setattr(sys, "path", OLD_PATH)),
    ),
    "a finder is taken away": (
        "sys.meta_path",
        Step(
            lambda: sys.meta_path.append(sys.meta_path.pop(0)),
            lambda: sys.meta_path.insert(0, sys.meta_path.pop()),
        ),
    ),
    "a stream is another one": (
        "sys.stdin",
        Step(lambda: setattr(sys, "stdin", None), lambda: setattr(sys, "stdin", sys.__stdin__)),
    ),
    "the directory is another one": (
        "the working directory",
        Step(lambda: os.chdir(".."), lambda: os.chdir(CWD)),
    ),
    "the umask": ("the umask", Step(lambda: os.umask(0o123), lambda: os.umask(OLD_MASK))),
    "a handler": (
        "the handler of SIGUSR1",
        Step(
            lambda: signal.signal(signal.SIGUSR1, do_nothing),
            lambda: signal.signal(signal.SIGUSR1, signal.SIG_DFL),
        ),
    ),
    "the mask": (
        "the mask of signals",
        Step(
            lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2}),
            lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR2}),
        ),
    ),
    "warnings raise": ("warnings.filters", filter_first("error")),
    "the garbage collector": ("the garbage collector", Step(gc.disable, gc.enable)),
    "a trace function of threads": (
        "the trace function of threads",
        Step(lambda: threading.settrace(do_nothing), lambda: threading.settrace(None)),  # type: ignore[arg-type]
    ),
    "the level of logging": (
        "the configuration of logging",
        Step(
            lambda: logging.getLogger().setLevel("DEBUG"),
            lambda: logging.getLogger().setLevel("WARNING"),
        ),
    ),
    "a handler of logging": (
        "the configuration of logging",
        Step(
            lambda: logging.getLogger().addHandler(HANDLER),
            lambda: logging.getLogger().removeHandler(HANDLER),
        ),
    ),
    "a timeout of sockets": (
        "the default timeout of sockets",
        Step(lambda: socket.setdefaulttimeout(3), lambda: socket.setdefaulttimeout(None)),
    ),
    "a policy of loops": (
        "the event loop policy",
        Step(lambda: set_policy(Policy()), lambda: set_policy(None)),
    ),
    "the locale": (
        "the locale",
        Step(
            lambda: locale.setlocale(locale.LC_NUMERIC, "C.UTF-8"),
            lambda: locale.setlocale(locale.LC_ALL, OLD_LOCALE),
        ),
    ),
    "the switch interval": (
        "the switch interval",
        Step(lambda: sys.setswitchinterval(1), lambda: sys.setswitchinterval(0.005)),
    ),
}
CWD = Path.cwd()
OLD_LOCALE = locale.setlocale(locale.LC_ALL, None)


@pytest.mark.parametrize("case", CHANGES)
def test_what_makes_later_facets_fail_is_told_once(case: str) -> None:
    name, step = CHANGES[case]
    state = ProcessState()
    step.do()
    try:
        changes = state.find_changes()
        assert [(change.name, change.is_harmless) for change in changes] == [(name, False)]
        assert state.find_changes() == []
    finally:
        step.undo()
    assert [change.name for change in state.find_changes()] == [name]


def test_nothing_is_told_where_nothing_has_changed() -> None:
    state = ProcessState()
    set_policy(asyncio.DefaultEventLoopPolicy())  # as the first question for a loop does
    try:
        time.tzset()
        assert faulthandler.is_enabled() in {True, False}
        assert state.find_changes() == []
    finally:
        set_policy(None)


def test_what_harms_nobody_is_not_told() -> None:
    state = ProcessState()
    ignore = filter_first("ignore")
    ignore.do()
    atexit.register(do_nothing)
    try:
        assert state.find_changes() == []
    finally:
        ignore.undo()
        atexit.unregister(do_nothing)


def test_that_nothing_is_called_at_exit_any_more_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atexit, "_ncallbacks", lambda: 1)
    state = ProcessState()
    monkeypatch.setattr(atexit, "_ncallbacks", lambda: 0)
    assert state.find_changes() == [("what is called at exit", False)]


def test_what_libraries_add_while_they_are_loaded_is_told_as_harmless() -> None:
    state = ProcessState()
    ignore = filter_first("ignore", "")
    sys.meta_path.append(do_nothing)  # type: ignore[arg-type] # a finder finds nothing
    sys.path_hooks.append(do_nothing)  # type: ignore[arg-type] # as above
    ignore.do()
    try:
        changes = state.find_changes()
    finally:
        ignore.undo()
        sys.path_hooks.pop()
        sys.meta_path.pop()
    assert {change.name: change.is_harmless for change in changes} == {
        "sys.meta_path": True,
        "sys.path_hooks": True,
        "warnings.filters": True,
    }


@pytest.mark.parametrize("is_import", [False, True])
def test_an_import_may_add_to_the_environment_and_change_nothing_in_it(
    monkeypatch: pytest.MonkeyPatch,
    is_import: bool,  # noqa: FBT001 - a column of the table
) -> None:
    monkeypatch.setenv("PI_OLD", "1")
    monkeypatch.setenv("PI_GONE", "1")
    state = ProcessState()
    monkeypatch.setenv("PI_OLD", "2")
    monkeypatch.delenv("PI_GONE")
    monkeypatch.setenv("PI_NEW", "3")
    assert state.find_changes(is_import=is_import) == [
        ('os.environ["PI_GONE"]', False),
        ('os.environ["PI_NEW"]', is_import),
        ('os.environ["PI_OLD"]', False),
    ]


def test_another_environment_or_table_of_modules_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    state = ProcessState()
    old = sys.modules
    monkeypatch.setattr(os, "environ", {"A": "1"})
    monkeypatch.setattr(sys, "modules", dict(old))
    names = [change.name for change in state.find_changes()]
    assert names[-2:] == ["os.environ", "sys.modules"]
    assert sys.modules is old


def test_a_directory_that_was_deleted_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    state = ProcessState()
    folder.rmdir()
    assert [change.name for change in state.find_changes()] == ["the working directory"]


def test_values_that_cannot_be_compared_are_other_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    class Uncomparable:
        def __eq__(self, other: object) -> bool:
            raise ValueError

        def __hash__(self) -> int:
            return 0

    monkeypatch.setattr(sys, "stdin", Uncomparable())
    state = ProcessState()
    monkeypatch.setattr(sys, "stdin", Uncomparable())
    assert [change.name for change in state.find_changes()] == ["sys.stdin"]


def test_modules_that_are_not_loaded_have_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("logging", "socket", "asyncio", "asyncio.events", "resource"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    state = ProcessState()
    assert state.find_changes() == []
    monkeypatch.setitem(sys.modules, "resource", None)
    assert process_state.list_limits() == ()


def test_what_would_run_within_the_judging_code_is_taken_away() -> None:
    traced, profiled, limit = sys.gettrace(), sys.getprofile(), sys.getrecursionlimit()
    state = ProcessState()
    assert state.calm() == []
    try:
        sys.setrecursionlimit(limit + 1)
        sys.setprofile(do_nothing)
        sys.settrace(do_nothing)  # type: ignore[arg-type] # it traces nothing
        found = state.calm()
        left = sys.gettrace(), sys.getprofile(), sys.getrecursionlimit()
    finally:
        sys.settrace(traced)
        sys.setprofile(profiled)
        sys.setrecursionlimit(limit)
    assert found == ["the trace function", "the profile function", "the recursion limit"]
    assert left == (traced, profiled, limit)
    assert state.calm() == []
