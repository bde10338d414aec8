"""What has come over a connection and waits to be handled, so that others get their turn.

One chunk can hold a thousand calls. If their first steps, or listeners, take long, the
rest of them is handled after the loop has looked after everything else.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Final

from .protocol.messages import Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from .protocol import Happening

SPAN: Final = 0.02
"""After how many seconds of handling the loop gets its turn."""

MOST: Final = 4096
"""How many happenings may wait; a flood of more is handled at once, as it comes."""

_MOST_BYTES: Final = 16 * 1024 * 1024

_BRIEF: Final = SPAN / 100
"""Up to how many seconds of handling are not worth adding up."""


class Backlog:
    """The happenings of one connection, in order: *take* handles one, *finish* follows them.

    *call_soon* calls in the loop's next turn; *clock* does not stand still within a turn.
    """

    def __init__(
        self,
        take: Callable[[Happening], None],
        finish: Callable[[], None],
        call_soon: Callable[[Callable[[], None]], object],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._take = take
        self._finish = finish
        self._call_soon = call_soon
        self._clock = clock
        self._waiting: deque[Happening] = deque()
        self._bytes = 0
        self._spent = 0.0
        """How long handling took in this turn of the loop; counted only while one is asked for."""
        self._turn_is_asked_for = False

    def add(self, happenings: list[Happening], *, at_once: bool) -> None:
        """Handle what waits and *happenings* after it; *at_once*, without giving up the turn."""
        if len(happenings) == 1 and not self._waiting and not self._spent:  # as nearly always
            began = self._clock()
            self._take(happenings[0])
            self._spend(began)
            self._finish()
            return
        for happening in happenings:
            self._waiting.append(happening)
            self._bytes += _measure(happening)
        self._run(at_once=at_once)

    def _run(self, *, at_once: bool) -> None:
        """Handle what waits, until the turn is to be given up."""
        waiting = self._waiting
        while waiting:
            if self._spent >= SPAN and not at_once and not self._is_flooded:
                break
            began = self._clock()
            happening = waiting.popleft()
            self._bytes -= _measure(happening)
            self._take(happening)
            self._spend(began)
        self._finish()

    @property
    def _is_flooded(self) -> bool:
        return len(self._waiting) > MOST or self._bytes > _MOST_BYTES

    def _spend(self, began: float) -> None:
        spent = self._clock() - began
        if spent > _BRIEF:
            self._spent += spent
            if not self._turn_is_asked_for:
                self._turn_is_asked_for = True
                self._call_soon(self._begin_turn)

    def _begin_turn(self) -> None:
        self._turn_is_asked_for = False
        self._spent = 0.0
        if self._waiting:
            self._run(at_once=False)


def _measure(happening: Happening) -> int:
    return len(happening.arguments) if isinstance(happening, Call) else 0
