"""Checking an object against the member table of the service that it is to provide."""

from __future__ import annotations

import dis
import functools
import inspect
import re
import weakref
from collections.abc import Awaitable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final, cast, get_origin

from .context import BACKGROUND
from .errors import InvalidImplementation
from .events import EventSource
from .members import EventsMember, Member, Method
from .state import MutableState
from .unset import UNSET

if TYPE_CHECKING:
    from collections.abc import Callable

    from .tokens import RemoteToken

_FITTING: Final[weakref.WeakKeyDictionary[FunctionType, set[Method[Any, Any]]]] = (
    weakref.WeakKeyDictionary()
)
"""Which methods a function was found to implement: looking at signatures is slow."""

_PERHAPS_AWAITABLE: Final = re.compile(r"\b(Awaitable|Coroutine|Future|Task|Any|object)\b")
"""What in the annotation of a result leaves it open whether that can be awaited."""

_NO_OBJECTS = (Mapping, Sequence, AbstractSet, ModuleType, type, int, float)


def check_implementation(token: RemoteToken[Any], implementation: object) -> None:
    """Raise `InvalidImplementation`, naming every problem, unless the table is implemented.

    What the table does not name is the implementation's own.
    """
    if implementation is None or isinstance(implementation, _NO_OBJECTS):
        kind = _describe_other(cast("object", implementation))
        raise InvalidImplementation(
            token.id, (f"expected an object with the members of the contract, found {kind}",)
        )
    found = [_find_problem(member, implementation) for member in token.members]
    problems = tuple(problem for problem in found if problem is not None)
    if problems:
        raise InvalidImplementation(token.id, problems)


def _describe_other(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}: give an instance of it"
    return f"an object of type {type(value).__name__}"


def _find_problem(member: Member, implementation: object) -> str | None:
    name = member.attribute
    # A property must not run only because somebody looks at it.
    static = inspect.getattr_static(implementation, name, None)
    if static is None:
        return (
            f'the {_name_kind(member)} "{name}" is missing{_ask_for_init(member, implementation)}'
        )
    if isinstance(static, property):
        return f'"{name}" is a property, computed on read; expected {_describe(member)}'
    value: object = getattr(implementation, name)
    if isinstance(member, Method):
        return _find_method_problem(member, value)
    expected = EventSource if isinstance(member, EventsMember) else MutableState
    if not isinstance(value, expected):
        return f'"{name}" is of type {type(value).__name__}; expected {_describe(member)}'
    return None


def _find_method_problem(member: Method[Any, Any], value: object) -> str | None:
    name = member.attribute
    if not callable(value):
        return f'"{name}" is of type {type(value).__name__}; expected {_describe(member)}'
    function = value.__func__ if isinstance(value, MethodType) else None
    if not isinstance(function, FunctionType):
        return _find_kind_problem(member, value) or _find_signature_problem(member, value)
    fitting = _FITTING.setdefault(function, set())
    if member in fitting:
        return None
    problem = _find_kind_problem(member, function) or _find_signature_problem(member, value)
    if problem is None:
        fitting.add(member)
    return problem


def _find_kind_problem(member: Method[Any, Any], value: object) -> str | None:
    """Return why what *value* returns can surely not be awaited, if that is so.

    A function without ``async`` may return an awaitable all the same: what a decorator
    made, what passes on what another function returns.
    """
    while isinstance(value, functools.partial):
        value = cast("functools.partial[object]", value).func
    if isinstance(value, MethodType):
        value = value.__func__
    if not isinstance(value, FunctionType) or inspect.iscoroutinefunction(value):
        return None
    if inspect.isasyncgenfunction(value):
        kind = "an asynchronous generator"
    elif inspect.isgeneratorfunction(value):
        if value.__code__.co_flags & inspect.CO_ITERABLE_COROUTINE:
            return None
        kind = "a generator"
    elif _may_be_awaitable(value):
        return None
    else:
        kind = "a plain function"
    return f'"{member.attribute}" is {kind}; expected {_describe(member)}, `async def`'


def _may_be_awaitable(function: FunctionType) -> bool:
    """Tell whether a plain *function* might return something to be awaited."""
    if hasattr(function, "__wrapped__") or function.__name__ == "<lambda>":
        return True
    if _encloses_callable(function):
        return True  # as what a decorator made does
    try:
        annotations = function.__annotations__
    except NameError:  # pragma: no cover - Python 3.14 looks up what only type checkers import
        return True
    if "return" in annotations:
        return _announces_awaitable(annotations["return"], function.__globals__)
    return _passes_on(function)


def _encloses_callable(function: FunctionType) -> bool:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            if name != "__class__" and callable(cell.cell_contents):
                return True
        except ValueError:  # nothing is in it yet
            continue
    return False


def _announces_awaitable(annotation: object, names: Mapping[str, object]) -> bool:
    text = annotation if isinstance(annotation, str) else repr(annotation)
    if _PERHAPS_AWAITABLE.search(text):
        return True
    if isinstance(annotation, str):
        head, *rest = annotation.partition("[")[0].strip("'\" ").split(".")
        annotation = names.get(head)
        for name in rest:
            annotation = getattr(annotation, name, None)
        if _PERHAPS_AWAITABLE.search(repr(annotation)):
            return True
    kind = get_origin(annotation) or annotation
    return isinstance(kind, type) and issubclass(kind, Awaitable)


def _passes_on(function: FunctionType) -> bool:
    """Tell whether *function* returns what a call gives just as it is."""
    before = ""
    for instruction in dis.get_instructions(function):
        if instruction.opname == "RETURN_VALUE" and before.startswith("CALL"):
            return True
        before = instruction.opname
    return False


def _find_signature_problem(member: Method[Any, Any], value: Callable[..., object]) -> str | None:
    name = member.attribute
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # a callable that does not tell
        return None
    required = [p for p in member.parameters if p.required]
    optional = {p.attribute: UNSET for p in member.parameters if not p.required}
    try:
        signature.bind(*required, BACKGROUND, **optional)
    except TypeError as error:
        parameters = [*(p.attribute for p in required), "ctx"]
        if optional:
            parameters += ["*", *(f"{attribute}=UNSET" for attribute in optional)]
        return f'"{name}" cannot be called as {name}({", ".join(parameters)}): {error}'
    return None


def _ask_for_init(member: Member, implementation: object) -> str:
    """Return the likely reason that a state or a source of events is missing, if there is one."""
    owners = [kind for kind in type(implementation).__mro__[:-1] if "__init__" in vars(kind)]
    if isinstance(member, Method) or len(owners) < 2:  # noqa: PLR2004 - its own and an inherited one
        return ""
    return f": does {owners[0].__name__}.__init__ call super().__init__?"


def _name_kind(member: Member) -> str:
    if isinstance(member, Method):
        return "method"
    return "source of events" if isinstance(member, EventsMember) else "state"


def _describe(member: Member) -> str:
    if isinstance(member, Method):
        return "an asynchronous method"
    return "an EventSource" if isinstance(member, EventsMember) else "a MutableState"
