"""Whatever code the page about services between processes shows passes strict type checkers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

CONTRACTS = {
    "card": {
        "service": {"id": "card", "mode": "keyed"},
        "members": {"title": {"kind": "state", "value": {"type": "string"}}},
    },
    "board": {
        "service": {"id": "board", "mode": "singleton"},
        "members": {"startExport": {"kind": "method", "returns": "export"}},
    },
    "export": {
        "service": {"id": "export", "mode": "reference"},
        "members": {
            "progress": {"kind": "state", "value": {"type": "integer"}},
            "wait": {"kind": "method", "result": {"type": "string"}},
        },
    },
}
"""What the fragments speak of besides the counter."""

SURROUNDINGS = """
from __future__ import annotations

import asyncio
import sys

from opentelemetry.trace import Span
from pi_contracts.runtime import (
    BACKGROUND, CLIENT, Cancellation, Context, Instance, NotAuthorized,
)
from pi_contracts.runtime.acceptor import Acceptor
from pi_contracts.runtime.binding import Binding, RemoteNamespace
from pi_contracts.runtime.reconnect import Connector
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.telemetry import OpenTelemetryTracer, with_span
from pi_contracts.runtime.transport import Connect, Transport
from pi_contracts.runtime.transports import listen_tcp, listen_unix

from services.board import Board
from services.card import CARD, Card, CardProvider
from services.counter import Counter


class TextCard(CardProvider):
    pass


def show_title(title: str, ctx: Context) -> None: ...
def show_progress(progress: int, ctx: Context) -> None: ...


async def fragment(
    registry: Registry,
    namespace: RemoteNamespace,
    binding: Binding,
    board: Board,
    counter: Counter,
    connect: Connect,
    task: asyncio.Task[None],
    ctx: Context,
    span: Span,
    expected: str,
    path: str | None,
) -> None:
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page's files, each fragment as a function, and the services of both."""
    pytest.importorskip("opentelemetry", reason="one of the fragments makes traces")
    folder = tmp_path_factory.mktemp("page")
    for name, contract in CONTRACTS.items():
        document = {"$schema": "urn:pi-contracts:dialect:1", "$id": f"{name}.contract.json"}
        text = json.dumps({**document, **contract})
        (folder / f"{name}.contract.json").write_text(text, "utf-8")
    page = (ROOT / "docs" / "runtime.md").read_text("utf-8")
    for number, (language, title, text) in enumerate(FENCE.findall(page)):
        if title:
            (folder / title).write_text(text, "utf-8")
        elif language == "python":
            body = textwrap.indent(text, "    ")
            (folder / f"fragment_{number}.py").write_text(SURROUNDINGS + body, "utf-8")
    provider = (folder / "provider.py").read_text("utf-8").partition("async def main")[0]
    (folder / "provider_of_tests.py").write_text(provider, "utf-8")
    contracts = sorted(path.name for path in folder.glob("*.contract.json"))
    generation = [sys.executable, "-m", "pi_contracts.cli", "gen", *contracts, "--out", "services"]
    outcome = subprocess.run(generation, cwd=folder, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return folder


def test_mypy_has_nothing_to_say(folder: Path) -> None:
    outcome = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert len(list(folder.glob("fragment_*.py"))) > 5


def test_pyright_has_nothing_to_say(folder: Path) -> None:
    settings = {
        "typeCheckingMode": "strict",
        "pythonVersion": f"{sys.version_info.major}.{sys.version_info.minor}",
        "extraPaths": [str(ROOT / ".links")],
        "reportUnusedImport": False,  # the surroundings are one for all fragments
        "reportUnusedFunction": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    checker = str(Path(sys.executable).with_name("basedpyright"))
    outcome = subprocess.run(
        [checker, "--pythonpath", sys.executable, "--project", "pyrightconfig.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
