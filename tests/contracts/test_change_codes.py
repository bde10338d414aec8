from __future__ import annotations

import re
from pathlib import Path

import pytest
from pi_contracts.contracts.change_codes import CHANGE_CODES, hyphenate
from pi_contracts.contracts.rule_index import UnknownRuleError, list_pages, render

ROOT = Path(__file__).resolve().parents[2]
_CODE = re.compile('"([a-z]+(?:-[a-z]+)+)"')


def list_codes_of_source() -> set[str]:
    files = ("explain.py", "services.py")
    text = "".join((ROOT / "contracts/compat" / file).read_text("utf-8") for file in files)
    return set(_CODE.findall(text))


def test_every_code_that_the_source_names_has_a_meaning() -> None:
    found = list_codes_of_source()
    assert len(found) > 50
    assert found - CHANGE_CODES.keys() == set()


def test_every_code_belongs_to_a_rule_that_has_a_page() -> None:
    assert {one.rule for one in CHANGE_CODES.values()} <= list_pages().keys()
    assert CHANGE_CODES.keys() & list_pages().keys() == set()
    for code, one in CHANGE_CODES.items():
        assert one.code == code
        assert re.fullmatch(r"[A-Z][^.]+\.", one.meaning)


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("limit-tightened", "compat-breaking"),
        ("pattern-changed", "compat-breaking"),
        ("unevaluated-properties-added", "compat-breaking"),
        ("not-decided", "compat-undecided"),
        ("error-added", "compat-unnamed-error"),
    ],
)
def test_a_code_is_explained_with_the_page_of_its_rule(code: str, rule: str) -> None:
    text = render(code, "text")
    assert text.startswith(f"`{code}` is a code of findings of `compat`: {CHANGE_CODES[code][1]}")
    assert text.endswith(list_pages()[rule].text)
    assert f'"rule": "{rule}"' in render(code, "json")


def test_a_slip_in_a_code_is_recognized() -> None:
    with pytest.raises(UnknownRuleError, match='did you mean "limit-tightened"'):
        render("limit-tighted", "text")


def test_a_keyword_is_spelled_in_small_letters() -> None:
    assert hyphenate("dependentSchemas") == "dependent-schemas"
