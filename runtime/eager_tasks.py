"""Tasks whose first step runs at once, so that what never waits costs no turn of the loop.

From Python 3.12 on this is asyncio's own eager start. Before that the step runs in the
name of a task that begins only once there is something to wait for.
"""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import operator
import sys
import types
from typing import TYPE_CHECKING, Any, Final

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
    """A task that is the current one before it has begun.

    Unlike others it is not among ``asyncio.all_tasks()`` until then.
    """

    __slots__ = ("work",)

    work: Work

    def get_coro(self) -> Work:
        """Return what runs in the task; before it has begun, asyncio's own crashes."""
        return self.work

    def get_name(self) -> str:
        """Return its name; one that has not begun gets it only now."""
        name = _get_name(self)
        if name is None:
            name = f"Task-early-{next(_NUMBERS)}"
            self.set_name(name)
        return name

    def __repr__(self) -> str:
        state = "finished" if self.done() else "running"
        return f"<Task {state} name={self.get_name()!r} coro={self.work!r}>"


_NUMBERS: Final = itertools.count(1)


def _run_first_step(loop: asyncio.AbstractEventLoop, work: Work) -> asyncio.Task[None]:
    task = _EarlyTask.__new__(_EarlyTask)
    _init_future(task, loop=loop)  # all that can be made of it without scheduling a step
    task.work = work
    context = contextvars.copy_context()
    asyncio.tasks._enter_task(loop, task)  # noqa: SLF001 - documented for implementations of tasks
    raised: BaseException | None = None
    awaited: Any = None
    try:
        awaited = context.run(work.send, None)
    except StopIteration:
        if not _is_cancelled(task):
            _set_result(task, None)
        else:
            _cancel_future(task, msg=_get_message(task))
        return task
    except BaseException as error:  # noqa: BLE001 - the task ends with whatever it is
        raised = error
    finally:
        asyncio.tasks._leave_task(loop, task)  # noqa: SLF001 - documented for implementations of tasks
    rest: Any
    if raised is None:
        rest = _go_on(work, awaited)
        rest.send(None)
    else:
        rest = _raise(raised)
    is_cancelled = raised is None and _is_cancelled(task)
    requests, message = task.cancelling(), _get_message(task)
    _begin(task, rest, loop, context)
    if is_cancelled:
        for _ in range(max(requests, 1)):
            task.cancel(message)
        if not requests:  # a cancellation that was taken back comes all the same
            task.uncancel()
    return task


def _begin(
    task: _EarlyTask,
    rest: Coroutine[Any, Any, None],
    loop: asyncio.AbstractEventLoop,
    context: contextvars.Context,
) -> None:
    """Schedule *rest* as the second step; the name and callbacks of the first one stay."""
    callbacks, name = _get_callbacks(task), _get_name(task)
    _init_task(task, rest, loop=loop, name=name, context=context)
    for callback, its_context in callbacks or ():
        task.add_done_callback(callback, context=its_context)


# A task refuses to be given a result, and to be made again by its own method.
_init_future: Callable[..., None] = asyncio.Future[None].__init__
_init_task: Callable[..., None] = asyncio.Task[None].__init__
_set_result: Callable[..., None] = asyncio.Future[None].set_result
_cancel_future: Callable[..., bool] = asyncio.Future[None].cancel
_get_name: Callable[[_EarlyTask], str | None] = asyncio.Task[None].get_name
_is_cancelled: Callable[[_EarlyTask], bool] = operator.attrgetter("_must_cancel")
_get_message: Callable[[_EarlyTask], object] = operator.attrgetter("_cancel_message")
_get_callbacks: Callable[[_EarlyTask], list[Any] | None] = operator.attrgetter("_callbacks")


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
