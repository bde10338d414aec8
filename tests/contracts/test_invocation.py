from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from pi_contracts.contracts.findings import Finding, Severity
from pi_contracts.contracts.invocation import Invocation, list_rules, refuse_usage
from pi_contracts.contracts.rule_index import list_pages

WARNING = Finding("no-members", Severity.WARNING, "x")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def invoke(*, strict: bool = False, config: Path | None = None) -> Invocation:
    return Invocation("check", "json", quiet=False, strict=strict, config=config)


def end(run: Invocation, *findings: Finding, is_stopped: bool = False) -> int:
    with pytest.raises(SystemExit) as ended:
        run.finish(findings, is_stopped=is_stopped)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_a_report_ends_the_process_with_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert end(invoke(), WARNING) == 0
    assert end(invoke(strict=True), WARNING) == 1
    first = capsys.readouterr().out.partition("\n}\n")[0] + "}"
    assert json.loads(first)["tool"] == "check"


def test_no_level_hides_what_stopped_a_command() -> None:
    Path("pyproject.toml").write_text(
        '[tool.pi-contracts]\nrules = {unknown-type = "off", nothing-found = "off"}\n'
    )
    found = Finding("unknown-type", Severity.ERROR, "x")
    nothing = Finding("nothing-found", Severity.WARNING, "x")
    assert end(invoke(), found, nothing) == 0
    assert end(invoke(), found, is_stopped=True) == 1
    assert end(invoke(), nothing, is_stopped=True) == 1


def test_settings_that_are_invalid_end_it_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text('[tool.pi-contracts]\nrules = {no-memers = "off"}\n')
    with pytest.raises(SystemExit) as ended:
        invoke()
    assert ended.value.code == 3
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["message"] == 'unknown rule "no-memers"; did you mean "no-members"?'


def test_a_report_that_cannot_be_written_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    class Full(io.TextIOWrapper):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    with (tmp_path / "out").open("wb") as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Full(file, "utf-8"))
        code = end(invoke())
        patch.setattr(Full, "flush", io.TextIOWrapper.flush)
        sys.stdout.close()
    assert code == 4
    assert "the report cannot be written: No space left on device" in capsys.readouterr().err


def test_wrong_usage_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        refuse_usage("say more")
    assert ended.value.code == 2
    assert capsys.readouterr().err == "pi-contracts: say more\n"


def test_rules_are_those_that_have_pages() -> None:
    assert list_rules().keys() == list_pages().keys()
