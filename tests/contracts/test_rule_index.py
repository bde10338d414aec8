from __future__ import annotations

import re
from pathlib import Path

from pi_contracts.contracts.findings import UNREADABLE
from pi_contracts.contracts.read import NOT_READ
from pi_contracts.contracts.reports.report import UNWRITABLE
from pi_contracts.contracts.rule_index import DESCRIPTIONS
from pi_contracts.plugins.rules import RULES

ROOT = Path(__file__).resolve().parents[2]


def test_every_sentence_is_one() -> None:
    for rule, sentence in DESCRIPTIONS.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule)
        assert re.fullmatch(r"[A-Z][^.]+\.", sentence)


def test_rules_that_the_exit_code_depends_on_are_listed() -> None:
    assert {*UNREADABLE, *NOT_READ, UNWRITABLE} <= DESCRIPTIONS.keys()


def test_every_rule_that_the_source_names_is_listed() -> None:
    """Rules are the first argument of what makes findings, or named `rule`."""
    named = re.compile(
        r"\b(?:Finding|find|error|_fault|_report|_Fault|Duplicate|Difference|_break|_fail)"
        r"""\(\s*(?:reference,\s*)?"([a-z]+(?:-[a-z]+)+)"|\brule(?:: str)? ?= ?"([a-z-]+)\""""
    )
    found = {
        name
        for folder in ("contracts", "codegen", "plugins")
        for file in (ROOT / folder).rglob("*.py")
        for match in named.finditer(file.read_text("utf-8"))
        for name in match.groups()
        if name
    }
    assert len(found) > 15
    assert found - DESCRIPTIONS.keys() - {rule.id for rule in RULES} == set()


def test_no_rule_of_a_plan_stands_here_too() -> None:
    assert DESCRIPTIONS.keys().isdisjoint(rule.id for rule in RULES)
