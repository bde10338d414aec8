"""What comes in one chunk is handled in order, and others get their turn meanwhile."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Raw
from pi_contracts.runtime.backlog import MOST, SPAN, Backlog
from pi_contracts.runtime.protocol.codec import encode
from pi_contracts.runtime.protocol.messages import Call, Cancel, Goodbye

if TYPE_CHECKING:
    from collections.abc import Callable


class Work:
    """A backlog whose happenings take a while each, and what came of it."""

    def __init__(self, cost: float) -> None:
        self.now = 0.0
        self.soon: list[Callable[[], object]] = []
        self.cost = cost
        self.taken: list[int] = []
        self.finished: list[int] = []
        self.backlog = Backlog(
            self._take,
            lambda: self.finished.append(len(self.taken)),
            self.soon.append,
            clock=lambda: self.now,
        )

    def _take(self, happening: Any) -> None:
        self.now += self.cost
        self.taken.append(happening.id)

    def add(self, *ids: int, at_once: bool = False, size: int = 2) -> None:
        calls = [Call(number, "select", Raw(b" " * size)) for number in ids]
        self.backlog.add(list(calls), at_once=at_once)

    def turn(self) -> None:
        """Let the loop take a turn."""
        soon = list(self.soon)
        self.soon.clear()
        for callback in soon:
            callback()


def test_what_is_done_quickly_is_done_at_once() -> None:
    work = Work(cost=0)
    work.add(1)
    work.add(2, 3, 4)
    assert (work.taken, work.finished, work.soon) == ([1, 2, 3, 4], [1, 4], [])


def test_what_takes_long_gives_up_its_turn_and_keeps_its_order() -> None:
    work = Work(cost=SPAN * 0.6)
    work.add(1, 2, 3, 4, 5)
    assert (work.taken, work.finished) == ([1, 2], [2])
    work.add(6)
    work.add(7)
    assert work.taken == [1, 2]
    for taken in (4, 6, 7):
        work.turn()
        assert work.taken == list(range(1, taken + 1))
    work.turn()
    assert work.soon == []


def test_what_comes_one_by_one_in_one_turn_is_counted_together() -> None:
    work = Work(cost=SPAN * 0.3)
    for number in range(6):
        work.add(number)
    assert work.taken == [0, 1, 2, 3]
    work.turn()
    assert work.taken == [0, 1, 2, 3, 4, 5]
    work.turn()
    work.add(6)
    assert work.taken == [0, 1, 2, 3, 4, 5, 6]


def test_an_end_lets_nothing_wait() -> None:
    work = Work(cost=SPAN)
    work.add(1, 2, 3)
    assert work.taken == [1]
    work.add(4, at_once=True)
    assert work.taken == [1, 2, 3, 4]
    work.turn()
    assert (work.taken, work.soon) == ([1, 2, 3, 4], [])


@pytest.mark.parametrize(
    ("count", "size", "taken"), [(MOST + 2, 2, 2), (5, 16 * 1024 * 1024, 4)], ids=["many", "large"]
)
def test_of_a_flood_no_more_than_a_bound_waits(count: int, size: int, taken: int) -> None:
    work = Work(cost=SPAN)
    work.add(0, 1)
    assert work.taken == [0]
    work.add(*range(2, count), size=size)
    assert work.taken == list(range(taken))


def make_call(number: int) -> Call:
    """Return a call of the sample service."""
    return Call(number, "selectModel", Raw(b'{"modelId":"x"}'), service="models", scope="session")


def block(*_: object) -> str:
    """Do something that keeps the loop waiting."""
    time.sleep(SPAN / 4)
    return "done"


def receive(wire: Any, *messages: Any) -> None:
    """Let the server receive *messages*, all in one turn of the loop."""
    for message in messages:
        wire.pair.server.receive(encode(message))


def test_methods_that_block_let_others_have_their_turn(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """And a call that is cancelled before its turn never starts."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        catalogue.act = block
        wire.namespace.use(sample.MODELS)
        async with wire.connect():
            gaps: list[int] = []

            async def look() -> None:
                while len(catalogue.calls) < 50:
                    gaps.append(len(catalogue.calls))
                    await asyncio.sleep(0)

            looking = asyncio.ensure_future(look())
            await asyncio.sleep(0)
            receive(wire, *map(make_call, range(1001, 1052)))
            receive(wire, Cancel(1051))
            await looking
            await sample.settle()
            assert len(catalogue.calls) == 50
            steps = [later - earlier for earlier, later in itertools.pairwise(gaps)]
            assert max(steps) <= 5
            catalogue.act = None

    run(test)


def test_what_waits_is_not_begun_after_the_end(make_wire: Any, run: Any, sample: Any) -> None:
    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        catalogue.act = block
        wire.namespace.use(sample.MODELS)
        async with wire.connect():
            receive(wire, *map(make_call, range(1001, 1020)), Goodbye())
            began = len(catalogue.calls)
            assert began < 7
            await sample.settle()
            assert not wire.pair.server.opened
            assert len(catalogue.calls) == began

    run(test)
