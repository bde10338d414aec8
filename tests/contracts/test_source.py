from __future__ import annotations

import inspect
import json
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pi_contracts.contracts.source import (
    MAX_BYTES,
    MAX_DEPTH,
    Source,
    is_too_deep,
    parse_source,
)

TEXT = """{
  "a": [1, {"b/c": true}],
  "~": "é",   "🙂": null
}
"""
PLACES = [
    ("", False, (1, 1)),
    ("/a", False, (2, 8)),
    ("/a", True, (2, 3)),
    ("/a/0", False, (2, 9)),
    ("/a/1/b~1c", False, (2, 20)),
    ("/a/1/b~1c", True, (2, 13)),
    ("/~0", False, (3, 8)),
    ("/🙂", True, (3, 15)),
    ("/🙂", False, (3, 20)),
    ("/a/7/x", False, (2, 8)),
    ("/x/y", False, (1, 1)),
]
MALFORMED = [
    ("", 1, 1, "a value, found the end of the text", None),
    ("   ", 1, 4, "a value, found the end of the text", None),
    ('{"a": }', 1, 7, 'a value, found "}"', None),
    ('{"a": 1,}', 1, 9, 'a key in double quotes, found "}"', "remove the comma before it"),
    ("[1,\n 2,]", 2, 4, 'a value, found "]"', "remove the comma before it"),
    ("[", 1, 2, "a value or ], found the end of the text", None),
    ("[x]", 1, 2, 'a value, found "x"', None),
    ("[1 2]", 1, 4, 'a comma or the closing bracket, found "2"', None),
    ('["a" "b"]', 1, 6, "a comma or the closing bracket", "a comma is missing before it"),
    ("[1}", 1, 3, 'a comma or the closing bracket, found "}"', None),
    ('{"a" 1}', 1, 6, 'a colon, found "1"', None),
    ("{1: 2}", 1, 2, 'a key in double quotes or }, found "1"', None),
    ("{} x", 1, 4, 'the end of the text, found "x"', None),
    ("{} {}", 1, 4, 'the end of the text, found "{"', None),
    ("{'a': 1}", 1, 2, "", "JSON strings stand in double quotes"),
    ('{"a": 1 // x\n}', 1, 9, "", "JSON has no comments; use the keyword $comment"),
    ("[NaN]", 1, 2, "", "JSON has no such number; use null or leave the member out"),
    ("[-Infinity]", 1, 2, "", "JSON has no such number; use null or leave the member out"),
    ("[True]", 1, 2, "", "in JSON it is true, false and null"),
    ("[+1]", 1, 2, "", "JSON numbers begin with a digit or a minus sign"),
    ("[01]", 1, 3, "", "JSON numbers have no leading zeros"),
    ("[00]", 1, 3, "", "JSON numbers have no leading zeros"),
    ('["a\nb"]', 1, 2, "", "the string is not closed on this line, or has a wrong escape"),
    ('["\\x"]', 1, 2, "", "the string is not closed on this line, or has a wrong escape"),
    ("\ufeff\ufeff{}", 1, 1, 'a value, found "\\ufeff"', None),
]
FAULTS = [
    ('{"a": 1,\n "a": 2}', "duplicate-key", 2, 2, "/a", 'the key "a" stands twice'),
    ('[{"b": {"c": 1, "c": 2}}]', "duplicate-key", 1, 17, "/0/b/c", "first on line 1"),
    ('["\\ud800"]', "lone-surrogate", 1, 2, "/0", "U+D800"),
    ('{"\\udfff": 1}', "lone-surrogate", 1, 2, "/\\udfff", "U+DFFF"),
    ("[1e999]", "invalid-json", 1, 2, "/0", "too large for a double"),
    (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "invalid-json",
        1,
        1,
        "",
        "the pointer that Git LFS keeps in place of the file",
    ),
    ("[" + "1" * 5000 + "]", "invalid-json", 1, 2, "/0", "5000 digits"),
    ('{"a": "x", "b": [' + "[" * 600, "too-deep", 1, 528, "", "deeper than 512 levels"),
    (b'{"a": "\xff"}', "invalid-json", 1, 8, "", "byte 0xff"),
    (b" " * (MAX_BYTES + 1), "too-large", 1, 1, "", f"{MAX_BYTES + 1} bytes"),
]
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # a lone surrogate is no text
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(("pointer", "of_key", "place"), PLACES)
def test_every_part_of_a_text_has_a_place(
    pointer: str,
    of_key: bool,  # noqa: FBT001 # a column of the table
    place: tuple[int, int],
) -> None:
    assert parse_source(TEXT, "x").find_place(pointer, of_key=of_key) == place


@pytest.mark.parametrize(("text", "line", "column", "message", "fix"), MALFORMED)
def test_malformed_text_is_refused_with_place_and_hint(
    text: str, line: int, column: int, message: str, fix: str | None
) -> None:
    (finding,) = parse_source(text, "x.json").findings
    assert (finding.rule, finding.path) == ("invalid-json", "x.json")
    assert (finding.line, finding.column, finding.fix) == (line, column, fix)
    assert finding.message.startswith("malformed JSON: expected ")
    assert message in finding.message


@pytest.mark.parametrize(("text", "rule", "line", "column", "pointer", "message"), FAULTS)
def test_text_that_is_no_strict_json_is_refused(  # noqa: PLR0917 # a row of the table
    text: str | bytes, rule: str, line: int, column: int, pointer: str, message: str
) -> None:
    source = parse_source(text, "x.json")
    (finding,) = source.findings
    assert (finding.rule, finding.line, finding.column) == (rule, line, column)
    assert finding.pointer == pointer
    assert message in finding.message
    assert not source.is_readable
    assert source.value is None


def test_every_fault_of_a_text_is_told_in_one_run() -> None:
    text = '{"a": 1, "a": "\\ud800", "b": 1e999,\n "a": 3, "c" 4}'
    rules = [finding.rule for finding in parse_source(text, "x").findings]
    assert rules == [
        "duplicate-key",
        "lone-surrogate",
        "invalid-json",
        "duplicate-key",
        "invalid-json",
    ]


def test_a_key_that_stands_twice_hides_what_is_below_it() -> None:
    findings = parse_source('{"a": {"b": 1}, "a": {"b": 2}}', "x").findings
    assert [finding.pointer for finding in findings] == ["/a"]


def test_pairs_of_surrogates_and_a_byte_order_mark_are_text() -> None:
    assert parse_source('["\\ud83d\\ude00"]', "x").value == ["😀"]
    assert parse_source(b"\xef\xbb\xbf[1]", "x").value == [1]
    assert parse_source("\ufeff[1]", "x").value == [1]


@pytest.mark.parametrize(("open_", "close"), [("[", "]"), ('{"[":', "}")])
def test_the_deepest_text_is_read_and_one_level_more_is_not(open_: str, close: str) -> None:
    def nest(depth: int) -> str:
        return open_ * depth + "0" + close * depth

    assert parse_source(nest(MAX_DEPTH), "x").is_readable
    assert [f.rule for f in parse_source(nest(MAX_DEPTH + 1), "x").findings] == ["too-deep"]
    assert [f.rule for f in parse_source(nest(10_000), "x").findings] == ["too-deep"]
    assert [f.rule for f in parse_source(nest(11), "x", max_depth=10).findings] == ["too-deep"]


def test_brackets_in_strings_and_side_by_side_do_not_nest() -> None:
    assert not is_too_deep('["' + "[" * 600 + '"]')
    assert not is_too_deep("[" + "[]," * 600 + "[]]")


def test_a_stack_that_is_nearly_used_up_ends_in_a_finding() -> None:
    text = "[" * 500 + "]" * 500

    def descend(levels: int) -> Source:
        return descend(levels - 1) if levels else parse_source(text, "x")

    depth = len(inspect.stack(context=0))
    (finding,) = descend(sys.getrecursionlimit() - depth - 300).findings
    assert finding.rule == "too-deep"
    assert "stack" in finding.message


@given(values)
def test_what_json_writes_is_read_as_it_was(value: Any) -> None:
    source = parse_source(json.dumps(value), "x")
    assert source.is_readable
    assert source.value == value


@given(values, st.data())
@example([1], None)
def test_a_changed_text_is_read_as_json_reads_it_or_refused(value: Any, data: Any) -> None:
    text = json.dumps(value)
    if data is not None:
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.text('[]{},:"\\ 0e.-nul', max_size=2)) + text[at + 1 :]
    source = parse_source(text, "x")
    try:
        expected = json.loads(text)
    except ValueError:
        assert not source.is_readable
        return
    # json accepts more: numbers that are none, keys that stand twice
    assert source.value == expected or {f.rule for f in source.findings} <= {
        "duplicate-key",
        "invalid-json",
        "lone-surrogate",
    }
    assert source.is_readable or source.value is None


def test_a_finding_says_where_and_about_what_and_cuts_what_has_no_end() -> None:
    source = parse_source(TEXT, "x.json")
    finding = source.find("some-rule", "m" * 9000, "/a", fix="do it")
    assert (finding.path, finding.line, finding.column) == ("x.json", 2, 8)
    assert (finding.subject.document, finding.fix) == ("x.json", "do it")
    assert len(finding.message) == 2000
