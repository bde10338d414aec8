"""Provide the models of the library over one transport; ``provider.py KIND ADDRESS``.

What it prints on its one line is where it listens.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_contracts.plugins.library.services.models import MODELS, ModelRef, ModelsProvider
from pi_contracts.plugins.library.services.models import UnknownModel as Unknown
from pi_contracts.runtime.acceptor import Acceptor
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.transports import (
    listen_stdio,
    listen_tcp,
    listen_unix,
    listen_websocket,
)

if TYPE_CHECKING:
    from pi_contracts.runtime import Context
    from pi_contracts.runtime.transport import Listen

FIXTURES = Path(__file__).resolve().parents[3] / "contracts" / "library" / "fixtures"


class Models(ModelsProvider):
    """Selects what is offered; a refresh never ends."""

    async def cycle_thinking(self, ctx: Context) -> None:
        """Fail in a way that the contract does not announce."""
        raise RuntimeError(f"the password is hunter2, {ctx}")

    async def refresh(self, ctx: Context) -> None:
        """Show that it runs, and that it was cancelled."""
        self.state.set({**self.state.value, "refresh": {"status": "refreshing"}}, ctx)
        try:
            await asyncio.Event().wait()
        finally:
            self.state.set({**self.state.value, "refresh": {"status": "idle"}}, ctx)

    async def select(self, model: ModelRef, ctx: Context) -> None:
        """Select a model that is offered."""
        state = self.state.value
        offered = [(one["provider"], one["modelId"]) for one in state["catalog"]["availableModels"]]
        if (model["provider"], model["modelId"]) not in offered:
            raise Unknown(data=model)
        configuration = {**state["configuration"], "model": model}
        changed: Any = {**state, "configuration": configuration}
        self.state.set(changed, ctx)


def make_listen(kind: str, address: str) -> Listen:
    """Return how to listen."""
    if kind == "unix":
        return listen_unix(address)
    if kind == "tcp":
        return listen_tcp("127.0.0.1", int(address), tls=False)
    if kind == "websocket":
        return listen_websocket("127.0.0.1", int(address), tls=False, origins=["null"])
    return listen_stdio()


async def main(kind: str, address: str) -> None:
    """Provide until killed; over stdio until the parent has gone."""
    state: Any = json.loads((FIXTURES / "models.state.valid.json").read_text("utf-8"))
    registry = Registry()
    registry.provide(MODELS, Models(state=state))
    acceptor = Acceptor(make_listen(kind, address), registry)
    stop: Any = await acceptor.start()
    print(stop.addresses[0], flush=True)  # noqa: T201 - whoever started this reads it
    while kind != "stdio" or acceptor.peers:  # noqa: ASYNC110 - a program that ends with its parent
        await asyncio.sleep(0.05)
    await acceptor.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
