"""Witnesses: values that a sender's schema accepts and a receiver's refuses.

What the prover left open says where to look: a value is made for the innermost
question, pinned, and a value is made around it for each question above, up to the
whole. Nothing is yielded that the validators did not judge.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from .budget import ExhaustedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .maker import Maker
    from .node import Node
    from .steps import Frame, Step

_MOST_INNER: Final = 6
_MOST_NAMES: Final = 3
_SHARE: Final = 400
_SHARE_OF_A_LEVEL: Final = 40
"""Of how many steps one value for an open question may make use."""


def find_witnesses(
    maker: Maker, sender: Node, receiver: Node, opened: Sequence[tuple[Frame, ...]]
) -> Iterator[Any]:
    """Yield values that *sender* accepts and *receiver* refuses."""
    for frames in opened:
        wrapped = itertools.islice(_wrap(maker, frames, len(frames) - 1), _MOST_INNER)
        for value in _take(maker, wrapped, _SHARE + _SHARE_OF_A_LEVEL * len(frames)):
            if maker.validators.is_between(value, (sender,), (receiver,)):
                yield value
    yield from maker.make((sender,), (receiver,))


def _take(maker: Maker, values: Iterator[Any], steps: int) -> Iterator[Any]:
    """Yield values for as long as each takes no more than so many steps."""
    while True:
        try:
            with maker.budget.lend(steps):
                value = next(values, LookupError)
        except ExhaustedError:
            maker.budget.spend(0)
            return
        if value is LookupError:
            return
        yield value


def _wrap(maker: Maker, frames: Sequence[Frame], last: int) -> Iterator[Any]:
    """Yield values of the outermost question that hold one of the innermost."""
    frame = frames[last]
    for value in itertools.islice(maker.make(frame.left, frame.right), _MOST_INNER):
        yield from _enclose(maker, frames, last - 1, value)


def _enclose(maker: Maker, frames: Sequence[Frame], at: int, value: Any) -> Iterator[Any]:
    if at < 0:
        yield value
        return
    frame = frames[at]
    step = frame.step
    if step is None:
        yield from _enclose(maker, frames, at - 1, value)
        return
    if step.of_name:
        needs = maker.pool.make({"required": [value]})
        around = maker.make((*frame.left, needs), frame.right)
        for outer in itertools.islice(around, 1):
            yield from _enclose(maker, frames, at - 1, outer)
        return
    for key in _get_keys(maker, step):
        around = maker.make(frame.left, frame.right, {key: value})
        for outer in itertools.islice(around, 1):
            yield from _enclose(maker, frames, at - 1, outer)


def _get_keys(maker: Maker, step: Step) -> list[str | int]:
    if step.names is None:
        return [step.key]
    return list(maker.find_names(*step.names, _MOST_NAMES))
