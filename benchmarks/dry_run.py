"""Measure the dry run against starting interpreters that import the same modules.

Fifty plugins with a facet for each of four host kinds, and a contract of their own.
The peer is four interpreters, started as many at a time as the dry run does: each
imports the runtime and the modules of one host kind, and calls nothing. Each figure
is the best of several runs, ours and the peer's alternating.

Run: python benchmarks/dry_run.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from pi_contracts.plugins.dry_run import record_manifest
from pi_contracts.plugins.entry_points import InstalledFacets
from pi_contracts.plugins.manifest import read_manifest
from pi_contracts.plugins.plan import read_plan

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 7
PLUGINS = 50
KINDS = ("server", "session", "tui", "web")
BAR = 1.3

CONTRACT = """
from pi_contracts.runtime import generated as rt
class _Proxy:
    def __init__(self, link): self.state = link.state(_STATE)
class Provider:
    def __init__(self, state): self.state = rt.MutableState(_STATE, state)
_SCHEMAS = rt.Schemas('{"$defs": {"State": {"type": "integer"}}}')
_STATE = rt.StateMember("state", _SCHEMAS, value="#/$defs/State")
TOKEN = rt.Singleton(
    id=%(name)r, version=1, digest="sha256:%(name)s", members=(_STATE,), proxy=_Proxy
)
"""
FACETS = {
    "server": "facet.on_activate(print)",
    "session": "facet.provide(TOKEN, Provider(1))",
    "tui": "facet.own(facet.session.use(TOKEN).state.subscribe(print))",
    "web": "facet.own(facet.session.use(TOKEN).state.subscribe(print))",
}


def write_plugins(folder: Path) -> Path:
    """Write fifty packages and their manifest; return that."""
    plugins: list[dict[str, object]] = []
    for number in range(PLUGINS):
        name = f"plugin_{number}"
        package = folder / name
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "contract.py").write_text(CONTRACT % {"name": name})
        for kind, body in FACETS.items():
            text = f"from .contract import TOKEN, Provider\ndef facet(facet):\n    {body}\n"
            (package / f"{kind}.py").write_text(text)
        facets = {kind: f"{name}.{kind}:facet" for kind in KINDS}
        plugins.append({"id": f"@bench/{name}", "version": "1.0.0", "facets": facets})
    manifest = folder / "bench.manifest.json"
    manifest.write_text(json.dumps({"manifest": 1, "plugins": plugins}))
    return manifest


def start_interpreters(folder: Path, at_once: int) -> None:
    """Start one interpreter for each host kind, *at_once* of them at a time."""
    with ThreadPoolExecutor(at_once) as pool:
        for done in [pool.submit(start_interpreter, folder, kind) for kind in KINDS]:
            done.result()


def start_interpreter(folder: Path, kind: str) -> None:
    """Import the runtime and the modules of one host kind in a process of its own."""
    modules = ", ".join(f"plugin_{number}.{kind}" for number in range(PLUGINS))
    program = f"import sys; sys.path.insert(0, '.'); import pi_contracts.runtime, {modules}"
    subprocess.run([sys.executable, "-I", "-c", program], check=True, cwd=folder)


def run_dry(path: Path) -> None:
    """Run every setup, and check that each was recorded."""
    manifest, _ = read_manifest(path)
    assert manifest is not None
    folder = str(path.parent)
    recordings = record_manifest(manifest, [], InstalledFacets(folder), folder)
    assert len(recordings) == PLUGINS * len(KINDS)
    assert all(recording.report is not None for recording in recordings)


def measure(action: Callable[[], object]) -> float:
    """Return how many seconds *action* takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Print the figures and fail where the bar is missed."""
    at_once = min(len(KINDS), os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        manifest = write_plugins(folder)
        actions: dict[str, Callable[[], object]] = {
            f"four interpreters, {at_once} at a time": lambda: start_interpreters(folder, at_once),
            "dry run": lambda: run_dry(manifest),
            "four interpreters, one after another": lambda: start_interpreters(folder, 1),
            "read, run and judge": lambda: read_plan(str(manifest)),
        }
        for action in actions.values():
            action()  # compiles what is imported
        best = dict.fromkeys(actions, float("inf"))
        for _ in range(RUNS):
            for name, action in actions.items():
                best[name] = min(best[name], measure(action))
    for name, seconds in best.items():
        print(f"{name:40} {seconds * 1000:7.0f} ms")
    peer, ours, serial, _ = best.values()
    print(f"dry run to as many at a time: {ours / peer:.2f} (at most {BAR})")
    print(f"dry run to one after another: {ours / serial:.2f}")
    if ours / peer > BAR:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
