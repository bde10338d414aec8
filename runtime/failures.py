"""Where failures go that have no caller: listeners, callbacks, late answers."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final

LOGGER: Final = logging.getLogger("pi_contracts.runtime")

FAILURES: Final = (Exception, asyncio.CancelledError)
"""What code of a user may raise, on its own account, that concerns nobody else.

A function that is called, not awaited, raises CancelledError only by itself.
"""


def is_being_cancelled() -> bool:
    """Tell whether somebody cancels the current task.

    If not, a CancelledError that comes out of an await is a failure like any other.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def find_current_task() -> asyncio.Task[Any] | None:
    """Return the task that runs now; None outside of tasks and loops."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def report(message: str, error: BaseException) -> None:
    """Hand *error* to the running loop's exception handler, or log it where none runs."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        LOGGER.error(  # noqa: TRY400 - the error is handed in, not being handled
            "%s", message, exc_info=error
        )
    else:
        loop.call_exception_handler({"message": message, "exception": error})
