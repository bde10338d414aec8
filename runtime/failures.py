"""Where failures go that have no caller: listeners, callbacks, late answers."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

LOGGER: Final = logging.getLogger("pi_contracts.runtime")


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
