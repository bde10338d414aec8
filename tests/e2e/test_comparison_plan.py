"""What the page that compares plans shows is what the tool says.

Run as a script, this writes the tool's words into the page.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pi_contracts.cli import app
from typer.testing import CliRunner

PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparison-plan.md"
CASE = re.compile(
    r"^### (?P<title>\d\. .+?)$.*?^```json\n(?P<facets>.*?)^```\n\n^```text\n(?P<words>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
CASES = list(CASE.finditer(PAGE.read_text("utf-8")))


def run(facets: str, folder: Path, *arguments: str) -> str:
    (folder / "assembly.json").write_text(facets, "utf-8")
    before = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(app, ["plan", "--facets", "assembly.json", *arguments]).stdout
    finally:
        os.chdir(before)


def find_in_table(row: str) -> list[str]:
    """Return the cells of a row of the table of properties, the row's name aside."""
    (line,) = re.findall(rf"^\| {re.escape(row)} \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return [cell.strip() for cell in line.split("|")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["title"])
def test_the_page_quotes_what_the_tool_says(case: re.Match[str], tmp_path: Path) -> None:
    assert run(case["facets"], tmp_path) == case["words"]


def test_there_are_eight_assemblies() -> None:
    assert len(CASES) == 8


def test_what_the_table_claims_of_this_tool_holds_for_every_finding(tmp_path: Path) -> None:
    assert [find_in_table(row)[0] for row in ("who", "all at once", "call site", "fix")] == [
        "yes"
    ] * 4
    counts: list[int] = []
    for case in CASES:
        findings: list[dict[str, Any]] = json.loads(
            run(case["facets"], tmp_path, "--format", "json")
        )["findings"]
        counts.append(len(findings))
        for finding in findings:
            named = [f"{one['plugin']}:{one['facet']}" for one in finding["subject"]["facets"]]
            assert named
            assert all(name in finding["message"] for name in named)
            assert finding["path"].endswith(".py")
            assert finding["line"]
            assert finding["fix"]
    assert counts == [1, 1, 1, 1, 1, 1, 1, 3]


def test_chains_and_near_misses_are_there_where_the_table_says(tmp_path: Path) -> None:
    assert find_in_table("chain")[0] == find_in_table("near miss")[0] == "yes"
    words = {case["title"]: run(case["facets"], tmp_path) for case in CASES}
    first, slip, scope, *_ = words.values()
    assert "screen:tui\n          session/page <- pages:session\n" in first
    assert 'provides "session/models", a similar id' in slip
    assert 'it in scope "session"' in scope


def write_page() -> None:
    """Write the tool's words into the page."""

    def fill(case: re.Match[str]) -> str:
        with TemporaryDirectory() as folder:
            words = run(case["facets"], Path(folder))
        start, end = (place - case.start() for place in case.span("words"))
        return case[0][:start] + words + case[0][end:]

    PAGE.write_text(CASE.sub(fill, PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    write_page()
