"""Tasks whose first step runs at once, so that what never waits costs no turn of the loop.

From Python 3.12 on this is asyncio's own eager start. Before that the step runs in the
name of a task that begins only once there is something to wait for.
"""

from __future__ import annotations

import asyncio
import contextvars
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    Work = Coroutine[Any, Any, None]


def start_task(loop: asyncio.AbstractEventLoop, work: Work) -> asyncio.Task[None]:
    """Return a task for *work*, whose first step has been run, in a context of its own.

    If there can be no such step now (a task is running, or the loop has a factory of
    tasks), the task is an ordinary one.
    """
    if loop.get_task_factory() is not None or asyncio.current_task(loop) is not None:
        return loop.create_task(work)
    if sys.version_info >= (3, 12):
        return asyncio.Task(work, loop=loop, eager_start=True)
    return _run_first_step(loop, work)


class _EarlyTask(asyncio.Task[None]):
    """A task that is the current one before it has begun."""

    __slots__ = ("work",)

    work: Work

    def get_coro(self) -> Work:
        """Return what runs in the task; before it has begun, asyncio's own crashes."""
        return self.work

    def __repr__(self) -> str:
        return f"<Task running {self.work!r}>"


def _run_first_step(loop: asyncio.AbstractEventLoop, work: Work) -> asyncio.Task[None]:
    task = _EarlyTask.__new__(_EarlyTask)
    _init_future(task, loop=loop)  # all that can be made of it without scheduling a step
    task.work = work
    context = contextvars.copy_context()
    asyncio.tasks._enter_task(loop, task)  # noqa: SLF001 - documented for implementations of tasks
    rest: Any
    try:
        awaited = context.run(work.send, None)
    except StopIteration:
        _set_result(task, None)
        return task
    except BaseException as error:  # noqa: BLE001 - the task ends with whatever it is
        rest = _raise(error)
    else:
        rest = _go_on(work, awaited)
        rest.send(None)
    finally:
        asyncio.tasks._leave_task(loop, task)  # noqa: SLF001 - documented for implementations of tasks
    requests = task.cancelling()
    _init_task(task, rest, loop=loop, context=context)
    for _ in range(requests):
        task.cancel()
    return task


# A task refuses to be given a result, and to be made again by its own method.
_init_future: Callable[..., None] = asyncio.Future[None].__init__
_init_task: Callable[..., None] = asyncio.Task[None].__init__
_set_result: Callable[..., None] = asyncio.Future[None].set_result


@types.coroutine
def _go_on(work: Work, awaited: Any) -> Generator[Any, Any, None]:
    """Go on with *work*, which waits for the future *awaited*, or for a turn if that is None."""
    value: object = None
    raised: BaseException | None = None
    try:
        yield  # begun at once: a cancellation would end unseen what has not begun
    except asyncio.CancelledError as error:
        if awaited is None or not awaited.cancel(*error.args):  # as tasks do with what they await
            raised = error
    while True:
        if raised is None:
            try:
                value = yield awaited
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:  # noqa: BLE001 - for the work to judge
                raised = error
        try:
            awaited = work.send(value) if raised is None else work.throw(raised)
        except StopIteration:
            return
        raised = None


async def _raise(error: BaseException) -> None:
    raise error
