"""Finding the setup function of an entry point, and what is wrong with it before it is called.

Modules and what stands in them may run code of their own when they are looked at.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import unicodedata
from contextlib import suppress
from types import CodeType, CoroutineType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .baseline import is_shipped
from .frames import is_below
from .outcomes import Fault, Frame
from .raised import list_lines_of, make_fault, name_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .outcomes import Job

_OURS: Final = "pi_contracts"
_MISSING: Final = object()


class Setup(NamedTuple):
    """A setup function that can be called, and where it is defined."""

    function: Any
    frames: tuple[Frame, ...]


def check_name(module: str) -> Fault | None:
    """Return what is wrong with the name of a module that holds no facet of a plugin."""
    top = module.partition(".")[0]
    if top == "__main__" or (top == _OURS and not is_shipped(module)):
        return Fault("reserved", phase="import")
    return None


def find_setup(module: object, job: Job, path: Sequence[str]) -> Setup | Fault:
    """Return the setup function of a job, or why there is none.

    Args:
        module: What was imported; that may be any object.
        job: The facet.
        path: The user's folders.
    """
    try:
        top = job.module.partition(".")[0]
        if top in sys.stdlib_module_names and not is_below(_find_file(module), path):
            return Fault("standard", top, phase="import")
        setup = _find_attribute(module, job.attribute)
        if setup is _MISSING:
            return Fault("no-attribute", _find_near(module, job.attribute), phase="import")
        return _check(setup)
    except BaseException as error:  # noqa: BLE001 - code of the module that is run by a look
        return make_fault("attribute-raised", error, list_lines_of(error), "import")


def find_folder(module: str) -> str | None:
    """Return the folder of the top-level package of *module*, or of a single module's file."""
    package = sys.modules.get(module.partition(".")[0])
    try:
        places = list(getattr(package, "__path__", ()))
        place: object = places[0] if places else getattr(package, "__file__", None)
    except BaseException:  # noqa: BLE001 - a module that answers in its own way
        return None
    if type(place) is not str:
        return None
    return os.path.abspath(place) if places else place  # noqa: PTH100 - as in tracebacks


def refuse_result(result: object) -> Fault:
    """Say what is wrong with something that a setup has returned; a coroutine is closed."""
    kind = type(result)
    if issubclass(kind, CoroutineType):
        CoroutineType.close(result)  # type: ignore[arg-type] # it is one
    try:
        is_awaitable = inspect.isawaitable(result)
    except BaseException:  # noqa: BLE001 - an object that answers in its own way
        is_awaitable = False
    return Fault("awaitable" if is_awaitable else "returned", name_type(result))


def _find_attribute(module: object, path: str) -> object:
    value = module
    for name in unicodedata.normalize("NFKC", path).split("."):  # as Python reads names
        try:
            value = getattr(value, name)
        except AttributeError:
            return _MISSING
    return value


def _find_near(module: object, attribute: str) -> str:
    """Return the name in a module that is most like *attribute*; empty if none is."""
    try:
        import difflib  # noqa: PLC0415 # only where a name is wrong
    except ImportError:  # the module has changed where others are found
        return ""
    names = [name for name in _list_names(module) if not name.startswith("_")]
    return next(iter(difflib.get_close_matches(attribute, names, n=1)), "")


def _find_file(module: object) -> str:
    file: object = getattr(module, "__file__", None)
    return file if type(file) is str else ""


def _list_names(module: object) -> list[str]:
    values = vars(module) if issubclass(type(module), ModuleType) else {}
    return [name for name in values if type(name) is str]


def _check(setup: object) -> Setup | Fault:
    if not callable(setup):
        return Fault("not-callable", name_type(setup), phase="import")
    frames = _find_definition(setup)
    for is_kind, kind in (
        (inspect.iscoroutinefunction, "coroutine"),
        (inspect.isasyncgenfunction, "coroutine"),
        (inspect.isgeneratorfunction, "generator"),
    ):
        for one in (setup, getattr(type(setup), "__call__", None)):  # noqa: B004 - to look at
            if is_kind(one):
                return Fault(kind, frames=frames)
    return Setup(setup, frames)


def _find_definition(setup: object) -> tuple[Frame, ...]:
    """Return where a setup is written, if it is written in Python."""
    with suppress(ValueError):  # what wraps itself
        for one in _iter_functions(setup):
            code = getattr(one, "__code__", None)
            if type(code) is CodeType:
                return (Frame(code.co_filename, max(code.co_firstlineno, 1)),)
    return ()


def _iter_functions(setup: Any) -> Iterator[object]:
    while type(setup) is functools.partial:
        setup = setup.func
    yield inspect.unwrap(setup)
    yield getattr(setup, "__init__" if isinstance(setup, type) else "__call__", None)
