"""Calls that take as long as a test wants, and how they are cancelled."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import BACKGROUND, Cancellation, Cancelled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pi_contracts.runtime import generated as rt


class Slow:
    """An action that waits until it may go on, and notes what becomes of it."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.log: list[str] = []

    def __call__(self, model: Any, _: Any, ctx: rt.Context) -> Awaitable[Any]:
        return self.run(model, ctx)

    async def run(self, model: Any, ctx: rt.Context) -> Any:
        self.log.append(f"+{model}")
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.log.append(f"-{model}" if ctx.cancelled else f"?{model}")
            raise
        self.log.append(f"={model}")
        return model


async def by_context(call: Callable[[rt.Context], Awaitable[Any]], settle: Any) -> None:
    """Begin a call, let it go as far as it can, and cancel it by its Context."""
    cancellation = Cancellation()
    task = asyncio.ensure_future(call(BACKGROUND.with_cancellation(cancellation)))
    await settle()
    cancellation.cancel()
    with pytest.raises(Cancelled):
        await task
