"""The pages that users read: their examples are run, and say what really comes of them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command: str, folder: Path) -> str:
    """Run a command of a page with the tools of this environment; return what it prints."""
    program, *arguments = shlex.split(command)
    modules = {"pi-contracts": "pi_contracts.cli", "mypy": "mypy"}
    python = [sys.executable] if program == "python" else [sys.executable, "-m", modules[program]]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    result = subprocess.run(
        [*python, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout + result.stderr


@pytest.mark.parametrize(
    ("name", "commands"), [("README.md", 4), ("docs/compatibility.md", 4), ("docs/contracts.md", 2)]
)
def test_everything_that_a_page_shows_is_what_a_user_sees(
    name: str, commands: int, tmp_path: Path
) -> None:
    ran = 0
    for language, title, text in _FENCE.findall((ROOT / name).read_text("utf-8")):
        if language == "console" and text.startswith("$ "):
            for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, expected = step.partition("\n")
                assert run(command, tmp_path).strip() == expected.strip(), command
                ran += 1
        elif title and (tmp_path / title).exists():
            assert text in (tmp_path / title).read_text("utf-8")
        elif title:
            file = tmp_path / title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    assert ran >= commands


def test_the_readme_begins_with_the_two_commands_and_stays_short() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    first = _FENCE.search(text)
    assert first
    targets = re.findall(r"^make (\w+)", first[3], re.MULTILINE)
    assert targets == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(f"^{target}:", makefile, re.MULTILINE) for target in targets)
    assert len(text.splitlines()) <= 160


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
