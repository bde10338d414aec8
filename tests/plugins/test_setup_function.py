from __future__ import annotations

import functools
import sys
import types
from typing import Any

import pytest
from pi_contracts.plugins.outcomes import Fault, Frame, Job
from pi_contracts.plugins.setup_function import (
    Setup,
    check_name,
    find_folder,
    find_setup,
    refuse_result,
)


def setup(facet: object) -> None: ...


LINE = setup.__code__.co_firstlineno


def find(value: object, attribute: str = "f", module: object = None) -> Setup | Fault:
    if module is None:
        module = types.ModuleType("made_up")
        vars(module)["f"] = value
    return find_setup(module, Job("p", "tui", "made_up", attribute), ["/plugins"])


class Callable:
    def __call__(self, facet: object) -> None: ...


class Class:
    def __init__(self, facet: object) -> None: ...


def wrap_itself(facet: object) -> None: ...


vars(wrap_itself)["__wrapped__"] = wrap_itself


@functools.wraps(setup)
def wrapper(facet: object) -> None: ...


PARTIAL: Any = functools.partial(functools.partial(setup))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (setup, LINE),
        (PARTIAL, LINE),
        (wrapper, LINE),
        (Callable(), Callable.__call__.__code__.co_firstlineno),
        (Class, Class.__init__.__code__.co_firstlineno),
        (print, None),
        (int, None),
        (wrap_itself, None),
    ],
)
def test_whatever_can_be_called_is_a_setup_and_its_definition_is_known(
    value: object, line: int | None
) -> None:
    found = find(value)
    assert isinstance(found, Setup)
    assert found.function is value
    assert found.frames == (() if line is None else (Frame(__file__, line),))


async def coroutine(facet: object) -> None: ...


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (3, "not-callable", "int"),
        (None, "not-callable", "NoneType"),
        (coroutine, "coroutine", ""),
        (functools.partial(coroutine), "coroutine", ""),
    ],
)
def test_what_cannot_be_called_or_would_wait_is_refused(
    value: object, kind: str, text: str
) -> None:
    fault = find(value)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.text) == (kind, text)


@pytest.mark.parametrize(
    ("attribute", "module", "kind", "text"),
    [
        ("g", None, "no-attribute", ""),
        ("ff", None, "no-attribute", "f"),
        ("f.g.h", None, "no-attribute", ""),
        ("f", object(), "no-attribute", ""),
    ],
)
def test_what_is_missing_is_told_with_the_nearest_name(
    attribute: str, module: object, kind: str, text: str
) -> None:
    fault = find(setup, attribute, module)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.text) == (kind, text)


def test_names_are_read_as_python_reads_them() -> None:
    module = types.ModuleType("made_up")
    vars(module)["file"] = setup
    assert isinstance(find(None, "\ufb01le", module), Setup)


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("/python/colorsys.py", "standard"),
        ("/plugins/colorsys.py", "no-attribute"),
        (None, "standard"),
    ],
)
def test_a_module_of_python_is_told_from_one_of_that_name(file: str | None, kind: str) -> None:
    module = types.ModuleType("colorsys")
    module.__file__ = file
    fault = find_setup(module, Job("p", "tui", "colorsys", "f"), ["/plugins"])
    assert isinstance(fault, Fault)
    assert fault.kind == kind


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, RecursionError])
def test_a_module_that_raises_when_it_is_asked_is_told(error: type[BaseException]) -> None:
    def answer(name: str) -> None:
        raise error(name)

    module = types.ModuleType("made_up")
    vars(module)["__getattr__"] = answer
    fault = find(None, "f", module)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.phase) == ("attribute-raised", "import")
    assert fault.frames[0].path == __file__


@pytest.mark.parametrize(
    ("name", "is_reserved"),
    [
        ("__main__", True),
        ("pi_contracts", True),
        ("pi_contracts.runtime", True),
        ("pi_contracts.plugins.library_x", True),
        ("pi_contracts.plugins.library.git", False),
        ("pi_contracts_x", False),
        ("other.pi_contracts", False),
    ],
)
def test_modules_of_whoever_runs_a_setup_hold_none(
    name: str,
    is_reserved: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert (check_name(name) is not None) is is_reserved


class OddModule:
    @property
    def __path__(self) -> Any:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("package", "folder"),
    [
        (types.SimpleNamespace(__path__=["/a/b"]), "/a/b"),
        (types.SimpleNamespace(__file__="/a/b.py"), "/a/b.py"),
        (types.SimpleNamespace(__file__=3), None),
        (types.SimpleNamespace(), None),
        (OddModule(), None),
        (None, None),
    ],
)
def test_the_folder_of_a_package_is_known_where_it_tells_one(
    monkeypatch: pytest.MonkeyPatch, package: object, folder: str | None
) -> None:
    monkeypatch.setitem(sys.modules, "made_up", package)  # type: ignore[arg-type] # any object
    assert find_folder("made_up.inner") == folder


def test_what_was_returned_is_told_by_its_class() -> None:
    class Odd:
        @property
        def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
            raise KeyboardInterrupt

    coroutine_object = coroutine(None)
    assert refuse_result(coroutine_object) == Fault("awaitable", "coroutine")
    assert coroutine_object.cr_frame is None  # closed, so that nobody is warned of it
    assert refuse_result(3) == Fault("returned", "int")
    assert refuse_result(Odd()) == Fault("returned", "Odd")


def test_a_name_is_missing_also_where_nothing_like_it_can_be_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "difflib", None)
    assert find(setup, "ff") == Fault("no-attribute", phase="import")
