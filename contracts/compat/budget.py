"""Budgets: how much work a question may cost, in steps, which are the same everywhere."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


class ExhaustedError(Exception):
    """The budget is spent, or a part of it that an attempt was given."""


class Budget:
    """Steps that may still be taken, and times at which to stop in any case.

    Seconds are those of the thread, so that a busy machine changes no verdict.
    """

    def __init__(self, steps: int, seconds: float, until: float = math.inf) -> None:
        self.spent = 0
        self._limit = steps
        self._deadline = min(time.thread_time() + seconds, until)

    def spend(self, steps: int = 1) -> None:
        """Take some steps.

        Raises:
            ExhaustedError: There are no more.
        """
        before = self.spent
        self.spent += steps
        if self.spent > self._limit:
            raise ExhaustedError
        if before >> 4 != self.spent >> 4 and self._is_late():
            self._limit = 0
            raise ExhaustedError

    def _is_late(self) -> bool:
        return time.thread_time() > self._deadline

    @contextmanager
    def lend(self, steps: int) -> Generator[None]:
        """Allow only so many steps inside; who runs out of them alone may go on outside."""
        outer = self._limit
        self._limit = min(outer, self.spent + steps)
        try:
            yield
        finally:
            self._limit = outer if self._limit else 0
