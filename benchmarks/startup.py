"""Measure what commands cost as whole processes, beside interpreters that import the same.

Of each process the processor's time counts, which other work on the machine disturbs
least. Ours and peers take turns, and the best of several runs is kept.

Run: python benchmarks/startup.py
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

RUNS = 15
LIBRARY = Path(__file__).resolve().parents[1] / "contracts" / "library"
CLI = ("-P", "-m", "pi_contracts.cli")

# Compiled modules are kept, as they are wherever software is installed.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


class Row(NamedTuple):
    """One figure: our process, the peer it is compared with, and how many times it may cost."""

    name: str
    ours: tuple[str, ...]
    peer: tuple[str, ...]
    bound: float


def measure(arguments: tuple[str, ...]) -> float:
    """Return the milliseconds of processor time that one process takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime
    return 1000 * (spent - before.ru_utime - before.ru_stime)


def compare(row: Row) -> tuple[float, float]:
    """Return the best times of ours and the peer."""
    pairs = [(measure(row.ours), measure(row.peer)) for _ in range(RUNS)]
    return min(ours for ours, _ in pairs), min(peer for _, peer in pairs)


def list_rows(package: str) -> list[Row]:
    """Return what is measured; *package* is where the library's code stands."""
    check = (*CLI, "gen", str(LIBRARY), "--out", package, "--check")
    return [
        Row("pi-contracts --help", (*CLI, "--help"), ("-c", "import typer"), 3.0),
        Row(
            "import pi_contracts.runtime",
            ("-c", "import pi_contracts.runtime"),
            ("-c", "import asyncio, msgspec, jsonschema_rs"),
            1.5,
        ),
        Row(
            "gen --check of the library",
            check,
            ("-c", "import typer, jinja2, jsonschema_rs"),
            4.0,
        ),
    ]


def main() -> int:
    """Print each ratio with its bound; return 1 if one is above it."""
    failed = False
    with TemporaryDirectory() as folder:
        package = str(Path(folder) / "services")
        measure((*CLI, "gen", str(LIBRARY), "--out", package))
        print(f"{'':28}{'ours':>10}{'peer':>10}{'ratio':>8}{'bound':>8}")
        for row in list_rows(package):
            ours, peer = compare(row)
            ratio = ours / peer
            failed = failed or ratio > row.bound
            figures = f"{ours:7.0f} ms{peer:7.0f} ms{ratio:8.2f}{row.bound:8.1f}"
            print(f"{row.name:28}{figures}{'  TOO SLOW' if ratio > row.bound else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
