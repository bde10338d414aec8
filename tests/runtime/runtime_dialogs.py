"""A keyed service over a wire, and a handler that notes which of its instances come and go."""

# pyright: reportUnknownLambdaType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pi_contracts.runtime import BACKGROUND

if TYPE_CHECKING:
    from pi_contracts.runtime import generated as rt


class Watch:
    """A handler that notes when it starts and ends, and keeps its instances."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.instances: dict[str, Any] = {}
        self.values: list[Any] = []

    async def __call__(self, instance: Any, ctx: rt.Context) -> None:
        self.log.append(f"+{instance.key}")
        self.instances[instance.key] = instance
        self.values.append(instance.service.state.value)
        instance.service.state.subscribe(lambda value, _: self.values.append(value))
        try:
            await asyncio.Event().wait()
        finally:
            assert ctx.cancelled
            self.log.append(f"-{instance.key}")


def provide(wire: Any, sample: Any) -> Any:
    """Provide the dialogs, and return what spawns them."""
    return wire.registry.provide_keyed(sample.DIALOGS, scope="session")


def make(sample: Any, *numbers: int) -> Any:
    """Return an implementation of a dialog whose state lists *numbers*."""
    made = sample.Catalogue()
    made.state.set({"list": list(numbers)}, BACKGROUND)
    return made
