"""Whole processes: streams that close, interruptions, terminals, and what gets loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLI = [sys.executable, "-P", "-m", "pi_contracts.cli"]
ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "contracts" / "library"


def test_a_reader_that_stops_reading_changes_no_verdict(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.contract.json").write_text("{")
    process = subprocess.Popen(
        [*CLI, "check", "."], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 3


@pytest.mark.usefixtures("interruptible")
def test_an_interruption_ends_without_a_traceback(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*CLI, "plan", "--facets", "-"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 20
    while not _is_waiting_for_input(process.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err


def _is_waiting_for_input(pid: int) -> bool:
    """Tell whether the process sleeps with its part of the work loaded (Linux)."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "S" and "msgspec" in maps


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colours_unless_they_are_refused(
    tmp_path: Path, env: dict[str, str], *, coloured: bool
) -> None:
    import pty

    (tmp_path / "x.contract.json").write_text("{")
    parent, child = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [*CLI, "check", "x.contract.json"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=child,
        env={**environment, "TERM": "xterm", **env},
    )
    os.close(child)
    assert process.wait() == 3
    shown = os.read(parent, 100_000)
    os.close(parent)
    assert (b"\x1b[" in shown) is coloured
    assert b"[invalid-json]" in shown


def test_standard_output_that_is_closed_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "x.schema.json").write_text("{}")
    outcome = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *CLI, "check", "."],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (outcome.returncode, outcome.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [["--help"], ["gen", "--help"], ["gen", "--chek"]])
def test_help_and_usage_load_nothing_but_the_command_line(
    tmp_path: Path, arguments: list[str]
) -> None:
    heavy = (
        "jinja2",
        "jsonschema",
        "jsonschema_rs",
        "rich",
        "pi_contracts.codegen",
        "pi_contracts.runtime",
        "pi_contracts.plugins",
    )
    code = (
        "import sys\n"
        "from pi_contracts.cli import app\n"
        "try:\n"
        "    app(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    print('LOADED', *(name for name in sys.modules), sep='|')\n"
    )
    outcome = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = outcome.stdout.partition("LOADED|")[2].split("|")
    assert [name for name in heavy if name in loaded] == []


def test_the_console_script_is_the_command_line(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("pi-contracts")
    outcome = subprocess.run(
        [script, "check", LIBRARY, "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert outcome.returncode == 0
    assert json.loads(outcome.stdout)["findings"] == []
