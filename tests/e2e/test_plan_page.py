"""What docs/plan.md shows of a command on the shipped manifest is what that command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from pi_contracts.cli import app
from pi_contracts.plugins import plan
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.findall(
    r"^```\n\$ pi-contracts (plan .+?)\n(.*?)^```$",
    (ROOT / "docs" / "plan.md").read_text("utf-8"),
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.skipif(
    Path(plan.__file__).parent != ROOT / "plugins",
    reason="the package is not that of the checkout, so that places have other paths",
)
@pytest.mark.parametrize(("command", "words"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_page_shows_what_is_printed(
    command: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert CliRunner().invoke(app, shlex.split(command)).stdout == words


def test_the_page_shows_two_questions() -> None:
    assert [command.split()[1] for command, _ in SHOWN] == ["--why", "--without"]
