from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from pi_contracts.cli import app
from pi_contracts.contracts.findings import UNREADABLE
from pi_contracts.contracts.read import NOT_READ
from pi_contracts.contracts.reports.report import UNWRITABLE
from pi_contracts.contracts.rule_index import (
    Page,
    describe_rules,
    find_near,
    list_pages,
    parse_page,
    render_list,
    render_table,
)
from pi_contracts.contracts.rules import RULES as LINTED
from pi_contracts.plugins.questions import RULES as ASKED
from pi_contracts.plugins.rules import RULES as PLANNED
from typer.testing import CliRunner

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = list_pages()
_SECTION = re.compile(r"^## (Bad|Good)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """What one section of a page shows: files, and commands on them."""

    files: dict[str, str]
    commands: list[list[str]]
    shown: list[str]
    """What is printed below the last command: the file, and the finding of the rule."""


def read_example(page: Page, verdict: str) -> Example:
    (text,) = [text for title, text in _SECTION.findall(page.text) if title == verdict]
    files = {name: code for language, name, code in _FENCE.findall(text) if language != "console"}
    (console,) = [code for language, _, code in _FENCE.findall(text) if language == "console"]
    lines = console.splitlines()
    commands = [shlex.split(line[2:]) for line in lines if line.startswith("$ ")]
    return Example(files, commands, lines[len(commands) :])


def run_example(example: Example) -> list[dict[str, object]]:
    """Run the commands in the working directory; return the findings of the last one."""
    for name, text in example.files.items():
        file = Path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    findings: list[dict[str, object]] = []
    for program, *arguments in example.commands:
        if program == "python":
            subprocess.run([sys.executable, *arguments], check=True)
            continue
        assert program == "pi-contracts"
        result = CliRunner().invoke(app, [*arguments, "--format", "json"], catch_exceptions=False)
        findings = json.loads(result.stdout)["findings"]
    return findings


_RAISED = ("version-not-raised", "compat-breaking")


@pytest.mark.parametrize("rule", sorted(PAGES))
def test_the_bad_example_of_a_page_breaks_its_rule(
    rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example = read_example(PAGES[rule], "Bad")
    findings = run_example(example)
    weights = {one["severity"] for one in findings if one["rule"] == rule}
    assert PAGES[rule].severity in weights
    assert len({one["fingerprint"] for one in findings}) == len(findings)
    assert example.commands[-1][1] in PAGES[rule].commands
    # a command that writes has something to write again
    run_example(Example(example.files, example.commands[:-1], []))
    printed = CliRunner().invoke(app, example.commands[-1][1:]).stdout.splitlines()
    file, finding, *below = example.shown
    assert file in printed
    assert finding.endswith(f"[{rule}]")
    first = printed.index(finding)
    assert printed[first : first + 1 + len(below)] == [finding, *below]


@pytest.mark.parametrize("rule", sorted(PAGES))
def test_the_good_example_of_a_page_does_not(
    rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    findings = run_example(read_example(PAGES[rule], "Good"))
    # what a user copies has no other error either, but that a raised version lets no break pass
    assert [
        one["message"]
        for one in findings
        if one["rule"] == rule or (one["severity"] == "error" and (rule, one["rule"]) != _RAISED)
    ] == []


@pytest.mark.parametrize("rule", sorted(PAGES))
def test_a_page_says_what_and_why_and_fits_a_terminal(rule: str) -> None:
    page = PAGES[rule]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", page.rule)
    assert re.fullmatch(r"[A-Z][^.]+\.", page.summary)
    assert page.commands
    assert page.severity in {"error", "warning", "note"}
    why = page.text.partition("Reported by ")[2].partition("\n\n")[2].partition("\n## ")[0]
    assert why.strip()
    prose = re.sub("^```console\n.*?^```$", "", page.text, flags=re.MULTILINE | re.DOTALL)
    assert max(len(line) for line in prose.splitlines()) <= 120
    assert (ROOT / "contracts/explanations" / f"{rule}.md").read_text("utf-8") == page.text


def list_named_rules() -> Iterator[str]:
    """Yield the rules that the source names where it makes findings."""
    named = re.compile(
        r"\b(?:Finding|find|error|_fault|_fail|_report|_refuse|_Fault|Duplicate|Difference|Rule|_word)"
        r"""\(\s*(?:reference,\s*|graph,\s*)?"([a-z]+(?:-[a-z]+)+)"|"""
        r"""\b(?:rule|RULE|_INVALID|UNWRITABLE|SKEW_BREAK)(?:: \w+)? ?= ?"([a-z]+(?:-[a-z]+)+)"|"""
        r"""\bKind\.\w+: "(compat-[a-z-]+)",$""",
        re.MULTILINE,
    )
    for folder in ("contracts", "codegen", "plugins"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for match in named.finditer(file.read_text("utf-8")):
                yield next(name for name in match.groups() if name)


def test_every_rule_that_the_source_names_has_a_page() -> None:
    found = set(list_named_rules())
    assert len(found) > 50
    assert found - PAGES.keys() == set()


def test_every_rule_of_lint_and_plan_has_a_page_that_weighs_as_much() -> None:
    for rule in (*LINTED, *PLANNED):
        assert PAGES[rule.id].severity == rule.severity, rule.id
    for planned in PLANNED:
        assert PAGES[planned.id].is_on is planned.is_on, planned.id
    assert ASKED.keys() <= PAGES.keys()


def test_no_page_is_left_over_from_a_rule_that_is_gone() -> None:
    known = {*list_named_rules(), *ASKED, *(rule.id for rule in (*LINTED, *PLANNED))}
    # these ids are made of parts, or are values of tables
    source = "".join(
        file.read_text("utf-8")
        for folder in ("contracts", "codegen", "plugins", "cli.py")
        for file in [*(ROOT / folder).rglob("*.py"), ROOT / "cli.py"]
    )
    assert [rule for rule in PAGES if rule not in known and f'"{rule}"' not in source] == []


def test_rules_that_the_exit_code_depends_on_have_pages() -> None:
    assert {*UNREADABLE, *NOT_READ, UNWRITABLE} <= PAGES.keys()


def test_the_table_for_readers_is_that_of_the_pages() -> None:
    text = (ROOT / "docs/rules.md").read_text("utf-8")
    assert text.endswith(render_table())


def test_the_list_names_each_rule_once_with_its_sentence() -> None:
    lines = render_list().splitlines()
    for rule, sentence in describe_rules().items():
        assert sum(line.split()[:1] == [rule] and line.endswith(sentence) for line in lines) == 1


def test_a_slip_in_a_rule_is_recognized() -> None:
    assert find_near("open-objects") == "open-object"
    assert find_near("zzzzzzzz") is None


def test_a_page_that_says_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="# x: the page does not say who reports the rule"):
        parse_page("# x\n\nA sentence.\n")


def test_reading_the_pages_costs_little() -> None:
    code = (
        "import sys\n"
        "from pi_contracts.contracts.rule_index import list_pages\n"
        "list_pages()\n"
        "print(sorted({'typer', 'jsonschema', 'jinja2', 'pydantic'} & sys.modules.keys()))\n"
    )
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout == "[]\n"
