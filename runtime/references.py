"""Private references: what all of them have in common, wherever their object is.

The object itself is held by a count of the references to it in this process. With the
last one its method ``on_release`` is called, if it has one.
"""

from __future__ import annotations

import abc
import asyncio
import inspect
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from .errors import StaleReference
from .failures import FAILURES, report

if TYPE_CHECKING:
    from types import TracebackType

    from .tokens import Referenced


class PrivateReference(abc.ABC):
    """A reference to a service that a method returned; released at the end of its block."""

    def __init__(self, token: Referenced[Any]) -> None:
        self.token: Final = token
        self._ended = False

    async def release(self) -> None:
        """Give the reference up; a second time does nothing."""
        self.end(f'the reference to "{self.token.id}" was released')

    def end(self, why: str) -> None:
        """Let every later use be stale; a second time does nothing."""
        if not self._ended:
            self._ended = True
            self._finish(StaleReference(why))

    @abc.abstractmethod
    def _finish(self, ending: StaleReference) -> None:
        """Part from the object; *ending* is what later uses raise."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.release()


class HeldReference(PrivateReference):
    """A reference to an object of this process, one of those that *known* has."""

    def __init__(
        self, token: Referenced[Any], implementation: object, known: KnownReferences
    ) -> None:
        super().__init__(token)
        self._implementation = implementation
        self._known = known
        known[id(implementation), token.id] = self
        hold(implementation)

    def _finish(self, ending: StaleReference) -> None:
        """Forget the object."""
        del ending
        del self._known[id(self._implementation), self.token.id]
        give_up(self._implementation)


KnownReferences: TypeAlias = dict[tuple[int, str], HeldReference]
"""References by the identity of their object and the id of its service."""


_HELD: Final[dict[int, tuple[object, int]]] = {}
"""The objects that references lead to, by identity, and how many do."""
_TASKS: Final[set[asyncio.Future[Any]]] = set()


def hold(implementation: object) -> None:
    """Count a private reference to *implementation*."""
    _, count = _HELD.get(id(implementation), (implementation, 0))
    _HELD[id(implementation)] = (implementation, count + 1)


def give_up(implementation: object) -> None:
    """Count one reference less; with the last, ``on_release`` is called if there is one."""
    _, count = _HELD.pop(id(implementation))
    if count > 1:
        _HELD[id(implementation)] = (implementation, count - 1)
        return
    on_release = getattr(implementation, "on_release", None)
    if callable(on_release):
        _run(on_release)


def _run(callback: Any) -> None:
    try:
        outcome = callback()
        if inspect.isawaitable(outcome):
            task = asyncio.ensure_future(outcome)
            _TASKS.add(task)
            task.add_done_callback(_finish)
    except FAILURES as error:
        report("the callback of a released reference failed", error)


def _finish(task: asyncio.Future[Any]) -> None:
    _TASKS.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        report("the callback of a released reference failed", error)
