"""The page about services between processes: its files run, and print what it says."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {"pi-contracts": ["-m", "pi_contracts.cli"], "python": []}


@pytest.fixture
def page(tmp_path: Path) -> tuple[Path, list[tuple[str, str]]]:
    """Write the page's files; give the folder, and each command with what it prints."""
    steps: list[tuple[str, str]] = []
    for language, title, text in FENCE.findall((ROOT / "docs" / "runtime.md").read_text("utf-8")):
        if title:
            (tmp_path / title).write_text(text, "utf-8")
        elif language == "console":
            for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, expected = step.partition("\n")
                steps.append((command, expected))
    return tmp_path, steps


def start(command: str, folder: Path) -> subprocess.Popen[str]:
    program, *arguments = command.removesuffix(" &").split()
    return subprocess.Popen(
        [sys.executable, *PROGRAMS[program], *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_provider_and_a_consumer_in_two_processes(
    page: tuple[Path, list[tuple[str, str]]],
) -> None:
    folder, steps = page
    behind: list[subprocess.Popen[str]] = []
    try:
        for command, expected in steps:
            process = start(command, folder)
            if command.endswith("&"):
                behind.append(process)
                assert process.stdout is not None
                printed = "".join(process.stdout.readline() for _ in expected.splitlines())
            else:
                printed, _ = process.communicate(timeout=30)
            assert printed == expected, command
        for process in behind:
            process.send_signal(signal.SIGINT)  # Ctrl-C
            printed, _ = process.communicate(timeout=30)
            assert (printed, process.returncode) == ("", 0)
    finally:
        for process in behind:
            process.kill()
            process.communicate()
    assert len(steps) == 3


def test_the_test_that_it_shows_passes(page: tuple[Path, list[tuple[str, str]]]) -> None:
    folder, steps = page
    generation = start(steps[0][0], folder)
    generation.communicate(timeout=30)
    provider = (folder / "provider.py").read_text("utf-8")
    implementation = provider.partition("async def main")[0]
    (folder / "provider_of_tests.py").write_text(implementation, "utf-8")
    outcome = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_counter.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
