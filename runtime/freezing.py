"""Freezing: a switch that turns a forbidden change of a borrowed value into an error.

Values of states and events are shared, not copied, and nobody may change one. While
the switch is on, cells hand out frozen copies of what is set and emitted. That costs
a copy each, so it is for tests and for looking for a culprit.
"""

from __future__ import annotations

import os
from typing import Any, NoReturn, TypeVar, cast

T = TypeVar("T")

_enabled = os.environ.get("PI_CONTRACTS_FREEZE", "") not in {"", "0"}


def freeze_values(*, enabled: bool) -> None:
    """Hand out frozen copies from now on, or no longer.

    The environment variable ``PI_CONTRACTS_FREEZE=1`` has the same effect from the start.
    """
    global _enabled  # noqa: PLW0603 - one switch for the process
    _enabled = enabled


def lend(value: T) -> T:
    """Return *value* as it may be shared: itself, or a frozen copy while the switch is on."""
    return cast("T", _freeze(value)) if _enabled else value


def _freeze(value: object) -> object:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return FrozenDict({name: _freeze(item) for name, item in members.items()})
    if isinstance(value, list | tuple):
        return FrozenList([_freeze(item) for item in cast("list[object]", value)])
    return value


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise TypeError("a value of a state or an event is borrowed: copy it before changing it")


class FrozenDict(dict[str, Any]):
    """A dict that refuses to be changed."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return dict, (dict(self),)  # so copies, shallow and deep, can be changed


class FrozenList(list[Any]):
    """A list that refuses to be changed."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return list, (list(self),)  # so copies, shallow and deep, can be changed
