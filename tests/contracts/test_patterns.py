"""Patterns mean what ECMA-262 says, whatever the validator's engine would make of them."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.keywords import find_pattern_problem
from pi_contracts.contracts.patterns import (
    escape_lone_brackets,
    rewrite_pattern,
    rewrite_patterns,
)

MEANINGS: dict[str, tuple[str, list[str], list[str]]] = {
    "a boundary of words is one of ASCII": (r"\bo", ["éo", "o", "a o"], ["ao", "_o"]),
    "no boundary of words": (r"a\B", ["ab", "a_"], ["a", "aé"]),
    "digits after an assertion": (r"(?<=x)\d", ["x1"], ["x٣", "1"]),
    "words after an assertion": (r"^(?!a)\w+$", ["bc"], ["bé", "ab"]),
    "spaces beside a negated assertion": (r"^(?!x)\s$", [" ", "\ufeff", "\xa0"], ["\x1c"]),
    "a dot beside an assertion": (r"^(?=.).$", ["a", "\U0001f680"], ["\r", "\n", "\u2028"]),
    "negated sets beside an assertion": (r"^(?!x)\D\W\S$", ["é é", "٣٣٣"], ["1 a", "a  "]),
    "sets in a class": (r"^(?!x)[\d\s]+$", ["1 2", "\ufeff"], ["٣", "\x1c"]),
    "negated sets in a class": (r"^(?!x)[^\W\D]$", ["1"], ["a", "é", "٣"]),
    "operators of other engines in a class": (r"^(?!x)[a&&b~~\-c]+$", ["a&b~c-"], ["x"]),
    "brackets in a class": (r"^(?!x)[[^]+$", ["[^["], ["a"]),
    "a class of nothing": (r"a[]|b", ["b"], ["a", "a[]"]),
    "a class of anything": (r"^[^]$", ["\n", "a", "\U0001f680"], ["", "ab"]),
    "the character zero": (r"^\0[\0]$", ["\0\0"], ["00", "\0"]),
    "a backspace": (r"^[\b]$", ["\b"], ["b", ""]),
    "a pair of surrogates": (r"^\ud83d\ude80+$", ["\U0001f680" * 2], ["\U0001f681"]),
    "a pair in a class": (r"^[\uD83D\uDE80-\uD83D\uDE82]$", ["\U0001f681"], ["\U0001f683"]),
    "a control character": (r"^(?=\cA)[\cA\cb]$", ["\x01"], ["\x02", "A"]),
    "a named reference": (r"^(?<q>['x])a\k<q>$", ["xax", "'a'"], ["'ax", "xa"]),
    "a reference beside a digit": (r"^(?<q>a)\k<q>0$", ["aa0"], ["aa", "a0"]),
    "digits beside a reference": (r"^(\d)\1$", ["11"], ["12", "٣٣"]),
    "a reference ahead of its group": (r"^\1(a)$", ["a"], ["aa"]),
    "a reference inside of its group": (r"^(a\1)$", ["a"], ["aa"]),
    "brackets that close nothing": (r"^a]b}$", ["a]b}"], ["a]b"]),
    "the same beside an assertion": (r"^(?=a)a]}$", ["a]}"], ["a"]),
    "counts and groups": (r"^(?:(?=a)a{1,2}(b){2}(?:c){1,})+$", ["abbc"], ["ab"]),
    "properties of characters": (r"^(?!x)\p{Lu}[\P{L}\u0041]$", ["ÉA", "É1"], ["éA", "ÉB"]),
    "escaped syntax": (r"^(?!x)\(\[\.\]\)\\$", ["([.])\\"], ["[.]"]),
}
PLAIN = ["", "a", "^[a-z]+$", r"^\d+\.\w*$", r"^[\w.-]+@[\w-]+$", "^.{1,3}$", r"\p{L}", "(?:a|b)?"]
PROBLEMS = {
    "a name in Python's spelling": r"(?P<year>\d+)",
    "an end in Python's spelling": r"a\Z",
    "a start in Python's spelling": r"\Aa",
    "a flag for all": r"(?i)a",
    "a possessive quantifier": "a++",
    "an escape of a letter": r"\h",
    "an open class": "[a",
    "an open group": "(a",
    "nothing to repeat": "*a",
    "a reference to no group": r"\1",
    "a name that no group has": r"\k<a>",
    "a class of another engine": "[[:alpha:]]",
    "a count that is none": "a{,3}",
    "a backslash alone": "\\",
}


@pytest.mark.parametrize(("pattern", "fitting", "others"), MEANINGS.values(), ids=MEANINGS)
def test_a_pattern_means_what_the_standard_says(
    pattern: str, fitting: list[str], others: list[str]
) -> None:
    assert find_pattern_problem(pattern) is None
    rewritten = rewrite_pattern(pattern)
    validator = jsonschema_rs.validator_for({"pattern": rewritten})
    assert [text for text in fitting if not validator.is_valid(text)] == []
    assert [text for text in others if validator.is_valid(text)] == []
    assert jsonschema_rs.is_valid({"format": "regex"}, rewritten, validate_formats=True)
    assert jsonschema_rs.validator_for({"pattern": rewrite_pattern(rewritten)}).is_valid(fitting[0])


@pytest.mark.parametrize("pattern", PLAIN)
def test_a_pattern_that_all_read_alike_stays_as_it_is(pattern: str) -> None:
    assert rewrite_pattern(pattern) == pattern


@pytest.mark.parametrize("pattern", PROBLEMS.values(), ids=PROBLEMS)
def test_what_is_no_pattern_of_the_standard_is_a_problem(pattern: str) -> None:
    assert find_pattern_problem(pattern) is not None


def test_names_that_become_one_pattern_stay_two() -> None:
    schema: dict[str, Any] = {
        "pattern": "a",
        "patternProperties": {r"^(?=a)\w": {"minLength": 1}, "^(?=a)[0-9A-Za-z_]": False, "b": {}},
    }
    rewrite_patterns(schema)
    assert schema == {
        "pattern": "a",
        "patternProperties": {
            "^(?=a)[0-9A-Za-z_]": {"minLength": 1},
            "(?:^(?=a)[0-9A-Za-z_])": False,
            "b": {},
        },
    }


@given(st.text(st.sampled_from("ab\\[](){}^$?<>=!:-|dwsk012u,.\n"), max_size=30))
def test_any_text_is_rewritten_or_refused(text: str) -> None:
    assert isinstance(rewrite_pattern(text), str)
    if find_pattern_problem(text) is None:
        jsonschema_rs.validator_for({"pattern": rewrite_pattern(text)})
    assert escape_lone_brackets(escape_lone_brackets(text)) == escape_lone_brackets(text)
