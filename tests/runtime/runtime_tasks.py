"""Tasks whose first step runs at once, started as a transport does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pi_contracts.runtime.eager_tasks import start_task

if TYPE_CHECKING:
    from collections.abc import Coroutine


async def start(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Start *work* where no task is running, as a transport does."""
    loop = asyncio.get_running_loop()
    started: asyncio.Future[asyncio.Task[None]] = loop.create_future()
    loop.call_soon(lambda: started.set_result(start_task(loop, work)))
    return await started


def get_task() -> asyncio.Task[Any]:
    """Return the task that runs now."""
    task = asyncio.current_task()
    assert task is not None
    return task
