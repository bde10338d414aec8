"""Context: what accompanies one invocation, handed over explicitly, never ambient.

A Context is immutable; deriving one leaves its parent as it was. Cancelling goes
through the `Cancellation` that a Context was derived with. One event loop's
thread only.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, overload

from .errors import Cancelled
from .failures import FAILURES, report

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
D = TypeVar("D")


class ContextKey(Generic[T]):
    """A typed key of Context values; two keys are the same only if they are one object."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: Final = name

    def __repr__(self) -> str:
        return f"ContextKey({self.name!r})"


TRACE: Final[ContextKey[dict[str, str]]] = ContextKey("trace")
"""The carrier of trace metadata, all of a Context that travels with what it caused."""

CLIENT: Final[ContextKey[str]] = ContextKey("client")
"""Who a call is made by, as its connection was authenticated; set by the provider's side."""


class Cancellation:
    """A switch that cancels each Context derived with it; once thrown, it stays thrown."""

    __slots__ = ("_callbacks", "_cancelled")

    def __init__(self) -> None:
        self._cancelled = False
        self._callbacks: dict[object, Callable[[], object]] = {}

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Cancel; a second time does nothing.

        Every callback runs, in the order of registration; failures are reported
        and stop neither the others nor the caller.
        """
        if self._cancelled:
            return
        self._cancelled = True
        callbacks, self._callbacks = self._callbacks, {}
        for callback in callbacks.values():
            try:
                callback()
            except FAILURES as error:
                report("a callback of a cancellation failed", error)

    def add(self, token: object, callback: Callable[[], object]) -> None:
        """Keep *callback* under *token* until it is removed or cancelled."""
        self._callbacks[token] = callback

    def remove(self, token: object) -> None:
        """Forget what was added under *token*."""
        self._callbacks.pop(token, None)


class CancelSubscription:
    """A callback that waits for a Context's cancellation; closing it is idempotent."""

    __slots__ = ("_callback", "_cancellations")

    def __init__(
        self, cancellations: tuple[Cancellation, ...], callback: Callable[[], object]
    ) -> None:
        self._cancellations = cancellations
        self._callback: Callable[[], object] | None = callback
        for cancellation in cancellations:
            cancellation.add(self, self.run)

    def close(self) -> None:
        """Forget the callback."""
        self._callback = None
        for cancellation in self._cancellations:
            cancellation.remove(self)

    def run(self) -> None:
        """Close, and call the callback unless that has happened."""
        callback = self._callback
        self.close()
        if callback is not None:
            callback()


class Context:
    """Immutable layers of values and cancellation over `BACKGROUND`."""

    __slots__ = ("_cancellations", "_key", "_parent", "_value")

    _parent: Context | None
    _key: ContextKey[Any] | None
    _value: Any
    _cancellations: tuple[Cancellation, ...]

    def __init__(self) -> None:
        raise TypeError("a Context is derived from another, at last from BACKGROUND")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f'a Context is immutable: "{name}" cannot be set; derive another')

    def with_value(self, key: ContextKey[T], value: T) -> Context:
        """Return a Context that also has *value* under *key*; it hides an outer one."""
        return _derive(self, key, value, self._cancellations)

    def with_cancellation(self, cancellation: Cancellation) -> Context:
        """Return a Context that is cancelled as soon as this one or *cancellation* is."""
        return _derive(self, None, None, (*self._cancellations, cancellation))

    def without_cancellation(self) -> Context:
        """Return a Context that keeps the values and is never cancelled.

        For cleanup that must run, and for nothing else.
        """
        return _derive(self, None, None, ())

    @overload
    def get(self, key: ContextKey[T]) -> T | None: ...
    @overload
    def get(self, key: ContextKey[T], default: D) -> T | D: ...
    def get(self, key: ContextKey[T], default: D | None = None) -> T | D | None:
        """Return the innermost value under *key*, else *default*."""
        layer: Context | None = self
        while layer is not None:
            if layer._key is key:  # noqa: SLF001 - another Context
                value: T = layer._value  # noqa: SLF001 - another Context
                return value
            layer = layer._parent  # noqa: SLF001 - another Context
        return default

    @property
    def cancelled(self) -> bool:
        """Whether a cancellation that this Context hangs on was thrown."""
        for cancellation in self._cancellations:  # noqa: SIM110 - `any` costs a generator a call
            if cancellation.cancelled:
                return True
        return False

    @property
    def may_be_cancelled(self) -> bool:
        """Whether there is a cancellation that this Context hangs on."""
        return bool(self._cancellations)

    def check(self) -> None:
        """Raise `Cancelled` if this Context is cancelled."""
        if self.cancelled:
            raise Cancelled

    def on_cancel(self, callback: Callable[[], object]) -> CancelSubscription:
        """Call *callback* once when this Context is cancelled; at once if it already is."""
        subscription = CancelSubscription(self._cancellations, callback)
        if self.cancelled:
            subscription.run()
        return subscription

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Await *awaitable* until it is done or this Context is cancelled.

        Raises `Cancelled` then, to this waiter only: a future or task that others
        may await as well goes on, a coroutine, which nobody else holds, is cancelled.
        """
        if self.cancelled:
            if inspect.iscoroutine(awaitable):
                awaitable.close()
            raise Cancelled
        if not self._cancellations:
            return await asyncio.shield(awaitable) if _is_shared(awaitable) else await awaitable
        loop = asyncio.get_running_loop()
        future = asyncio.ensure_future(awaitable)
        cancelled: asyncio.Future[None] = loop.create_future()
        subscription = self.on_cancel(functools.partial(cancelled.set_result, None))
        taken = False
        try:
            waited: set[asyncio.Future[Any]] = {future, cancelled}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not future.done():
                raise Cancelled
            taken = True
            return future.result()
        finally:
            subscription.close()
            cancelled.cancel()
            if not taken and not _is_shared(awaitable):
                future.cancel()
                future.add_done_callback(_report_late)

    def __repr__(self) -> str:
        inner = "" if self._parent is None else f"{self._parent!r} > "
        return inner + self._describe()

    def _describe(self) -> str:
        # Keys only: a value may be a secret, and this text ends up in logs.
        if self._parent is None:
            return "background"
        if self._key is not None:
            return self._key.name
        if self._cancellations:
            return "cancelled" if self._cancellations[-1].cancelled else "cancellation"
        return "without cancellation"


def _is_shared(awaitable: Awaitable[object]) -> bool:
    return asyncio.isfuture(awaitable)


def _report_late(future: asyncio.Future[Any]) -> None:
    """Report what a coroutine raised whose wait was over."""
    if not future.cancelled() and (error := future.exception()) is not None:
        report("a wait was cancelled, and what it waited for failed", error)


# Each call derives a Context, and the class itself refuses to be written to.
_NEW: Final = object.__new__
_SET_PARENT, _SET_KEY, _SET_VALUE, _SET_CANCELLATIONS = (
    vars(Context)[name].__set__ for name in ("_parent", "_key", "_value", "_cancellations")
)


def _derive(
    parent: Context | None,
    key: ContextKey[Any] | None,
    value: object,
    cancellations: tuple[Cancellation, ...],
) -> Context:
    context = _NEW(Context)
    _SET_PARENT(context, parent)
    _SET_KEY(context, key)
    _SET_VALUE(context, value)
    _SET_CANCELLATIONS(context, cancellations)
    return context


BACKGROUND: Final = _derive(None, None, None, ())
"""The empty root: no value, never cancelled."""


def check_context(ctx: object) -> None:
    """Raise TypeError unless *ctx* is a Context."""
    if not isinstance(ctx, Context):
        raise TypeError(f"expected a Context, found an object of type {type(ctx).__name__}")


def make_delivery_context(source: Context, scope: Context) -> Context:
    """Return a fresh Context for a delivery that *source* caused, within *scope*.

    It takes the trace metadata of *source* and nothing else: neither its other
    values nor its cancellation, which may be settled long before the delivery.
    """
    carrier = source.get(TRACE)
    return scope if carrier is None else scope.with_value(TRACE, carrier)
