"""Setups that are run by the command, and what a user is told of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "app.py": (
        "import socket\ndef facet(facet):\n    socket.create_connection(('localhost', 7))\n"
    ),
    "app.manifest.json": (
        '{"manifest": 1, "plugins": [\n'
        '  {"id": "@pi/question", "facets": {"session": "app:facet", "tui": "gone:facet"}}]}'
    ),
}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    for name, text in FILES.items():
        folder.joinpath(name).write_text(text)
    return subprocess.run(
        [sys.executable, "-P", "-m", "pi_contracts.cli", "plan", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_faults_of_setups_are_errors_at_their_lines(tmp_path: Path) -> None:
    result = run(tmp_path, "app.manifest.json", "--format", "json")
    assert (result.returncode, result.stderr) == (1, "")
    findings = json.loads(result.stdout)["findings"]
    assert [(f["rule"], f["path"], f["line"]) for f in findings] == [
        ("unresolvable-entry-point", "app.manifest.json", 2),
        ("setup-failed", "app.py", 3),
    ]


def test_what_is_told_for_people_shows_the_line_and_the_way_out(tmp_path: Path) -> None:
    result = run(tmp_path, "app.manifest.json")
    assert "socket.create_connection" in result.stdout
    assert "help: do it in a callback given to on_activate()" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr


@pytest.mark.parametrize("options", [(), ("--boundaries",)])
def test_the_manifest_of_the_coding_agent_is_clean(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    manifest = ROOT / "plugins" / "library" / "coding-agent.manifest.json"
    contracts = ROOT / "contracts" / "library"
    result = run(tmp_path, str(manifest), "--contracts", str(contracts), "--strict", *options)
    assert result.returncode == 0, result.stdout
    assert "Order of activation:" in result.stdout


@pytest.mark.parametrize(
    ("options", "settings"),
    [(("--timeout", "0.5"), ""), ((), "timeout = 0.5"), (("--timeout", "0.5"), "timeout = 30")],
)
def test_a_setup_that_takes_longer_than_allowed_is_told_with_its_line(
    tmp_path: Path, options: tuple[str, ...], settings: str
) -> None:
    tmp_path.joinpath("pyproject.toml").write_text(f"[tool.pi-contracts]\n{settings}\n")
    tmp_path.joinpath("slow.py").write_text(
        "import time\ndef facet(facet):\n    time.sleep(60)\ndef good(facet): pass\n"
    )
    tmp_path.joinpath("slow.json").write_text(
        '{"manifest": 1, "plugins": [{"id": "a", "facets": {"tui": "slow:facet"}},'
        '{"id": "b", "facets": {"tui": "slow:good"}}]}'
    )
    result = run(tmp_path, "slow.json", "--format", "json", *options)
    (finding,) = json.loads(result.stdout)["findings"]
    assert finding["message"] == 'the setup of "a:tui" did not return within 0.5 s'
    assert (finding["path"], finding["line"]) == ("slow.py", 3)
    assert "--timeout" in finding["fix"]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "3601", "soon"])
def test_a_time_that_nobody_can_be_given_is_a_mistake_of_usage(
    tmp_path: Path, seconds: str
) -> None:
    result = run(tmp_path, "app.manifest.json", "--timeout", seconds)
    assert result.returncode == 2
    assert "--timeout" in result.stderr
    assert "Traceback" not in result.stderr
