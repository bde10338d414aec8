"""Checking an object against the member table of the service that it is to provide."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

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

_NO_OBJECTS = (Mapping, Sequence, AbstractSet, ModuleType, type, int, float)


def check_implementation(token: RemoteToken[Any], implementation: object) -> None:
    """Raise `InvalidImplementation`, naming every problem, unless the table is implemented.

    What the table does not name is the implementation's own.
    """
    if implementation is None or isinstance(implementation, _NO_OBJECTS):
        kind = type(cast("object", implementation)).__name__
        raise InvalidImplementation(
            token.id, (f"expected an object with the members of the contract, found a {kind}",)
        )
    problems = [_find_problem(member, implementation) for member in token.members]
    found = tuple(problem for problem in problems if problem is not None)
    if found:
        raise InvalidImplementation(token.id, found)


def _find_problem(member: Member, implementation: object) -> str | None:
    name = member.attribute
    # A property must not run only because somebody looks at it.
    static = inspect.getattr_static(implementation, name, None)
    if static is None:
        return f'the {_name_kind(member)} "{name}" is missing'
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
        return _find_signature_problem(member, value)
    fitting = _FITTING.setdefault(function, set())
    if member in fitting:
        return None
    problem = _find_signature_problem(member, value)
    if problem is None:
        fitting.add(member)
    return problem


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


def _name_kind(member: Member) -> str:
    if isinstance(member, Method):
        return "method"
    return "source of events" if isinstance(member, EventsMember) else "state"


def _describe(member: Member) -> str:
    if isinstance(member, Method):
        return "an asynchronous method"
    return "an EventSource" if isinstance(member, EventsMember) else "a MutableState"
