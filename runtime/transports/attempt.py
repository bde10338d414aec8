"""One attempt to connect: it ends with a transport, or leaves nothing open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from pi_contracts.runtime.errors import Cancelled
from pi_contracts.runtime.failures import is_being_cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pi_contracts.runtime.context import Context
    from pi_contracts.runtime.transport import Transport

    T = TypeVar("T", bound=Transport)


async def attempt(opening: Callable[[], Coroutine[object, object, T]], ctx: Context) -> T:
    """Return what *opening* opens, unless *ctx* is cancelled first.

    Raises `Cancelled` for a cancelled Context, CancelledError for a cancelled task;
    a transport that was open by then is aborted.
    """
    ctx.check()
    task = asyncio.get_running_loop().create_task(opening())
    subscription = ctx.on_cancel(task.cancel)
    try:
        transport = await task
    except asyncio.CancelledError:
        if task.done() and not task.cancelled() and task.exception() is None:
            task.result().abort()
        if ctx.cancelled and not is_being_cancelled():
            raise Cancelled from None
        raise
    finally:
        subscription.close()
    if ctx.cancelled:
        transport.abort()
        raise Cancelled
    return transport
