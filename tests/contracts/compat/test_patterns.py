from __future__ import annotations

import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pi_contracts.contracts.compat.patterns import find_language
from pi_contracts.contracts.compat.regular import derive, is_nullable


def accepts(pattern: str, text: str) -> bool:
    language = find_language(pattern)
    assert language is not None
    for character in text:
        language = derive(language, ord(character))
    return is_nullable(language)


def validate(pattern: str, text: str) -> bool:
    return jsonschema_rs.Draft202012Validator({"pattern": pattern}).is_valid(text)


TEXTS = [
    "",
    "a",
    "b",
    "ab",
    "ba",
    "aab",
    "abc",
    "a\n",
    "\n",
    "1",
    "x1",
    "-",
    "é",
    "😀",
    " ",
    "\t",
    "\\",
]


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "a",
        "^a",
        "a$",
        "^a$",
        "^$",
        "a|^b$",
        "^(a|b)*$",
        "^(?:a|b)+?$",
        "^(?<name>ab)?$",
        "^a{2}b{0,1}$",
        "^a{1,}",
        "(?:^|b)a",
        "a(?:b|$)",
        "(a|b$)?",
        "^[a-c]$",
        "^[^a-c]$",
        r"^[\d\-]$",
        "^[ab-]$",
        r"^\d$",
        r"^\D$",
        r"^\w+$",
        r"^\W$",
        r"^\s$",
        r"^\S$",
        "^.$",
        r"^\x61$",
        r"^\u0061$",
        r"^\u{61}$",
        r"^\cJ$",
        r"^\n|\t|\r|\f|\v$",
        r"^\\$",
        "^(?!a)",
        "^(?=a).b",
        "^(?!a|b$)",
        "^(?=.*a)(?=.*b)",
        "(?!a)b",
        "^(?!.*(?:^|x)1)",
    ],
)
def test_a_language_holds_what_the_validator_accepts(pattern: str) -> None:
    assert [accepts(pattern, text) for text in TEXTS] == [validate(pattern, text) for text in TEXTS]


@pytest.mark.parametrize(
    "pattern",
    [
        r"\bword\b",
        r"(a)\1",
        "(?<=a)b",
        "(?<!a)b",
        r"\p{L}",
        "(?i)a",
        "(?i:a)",
        "a{",
        "{",
        "(a",
        "a)",
        "[a",
        "[]",
        "[^]",
        "*",
        "a{5000}",
        "(^a)*",
        "((?=a)b)",
        "(?=a)*",
        "[z-a-c]".replace("z", r"\d"),
        r"\ud83d",
        r"\uZZZZ",
        "a(?=^b)",
        "a" * 5000,
        r"[\q]",
    ],
)
def test_what_is_not_regular_or_not_supported_has_no_language(pattern: str) -> None:
    assert find_language(pattern) is None


PIECES = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", "1", "^", "$"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        inner.map(lambda one: f"(?:{one})?"),
        inner.map(lambda one: f"(?:{one})*"),
        inner.map(lambda one: f"(?:{one}){{1,2}}"),
    ),
    max_leaves=6,
)
LOOKS = st.sampled_from(["", "^", "^(?!a)", "^(?=.*b)", "^(?!.*ab)"])


@given(LOOKS, PIECES, st.lists(st.text("ab1\n", max_size=5), min_size=20, max_size=20))
def test_random_patterns_agree_with_the_validator(look: str, body: str, texts: list[str]) -> None:
    pattern = look + body
    assume(find_language(pattern) is not None)
    assert [accepts(pattern, text) for text in texts] == [validate(pattern, text) for text in texts]
