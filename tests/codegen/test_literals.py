"""Whatever a contract says, the source text of it is what ruff writes and holds that value."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pi_contracts.codegen.literals import (
    WIDTH,
    explode,
    lay_out,
    measure,
    quote,
    write_comment,
    write_docstring,
    write_json,
)

RUFF = [str(Path(sys.executable).with_name("ruff"))]
HOSTILE = st.text(
    st.sampled_from(
        "ab \"'\\\n\r\t\v\f\0\x1b\x7f\x85\xa0\u200e\u202e\u2028\ud800\ufeff\U0001f680é漢N{}.-"
    )
)
TEXTS = st.one_of(HOSTILE, st.text(), st.lists(st.text('abc."\\', max_size=12)).map(" ".join))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda below: st.lists(below, max_size=6) | st.dictionaries(TEXTS, below, max_size=6),
    max_leaves=30,
)


def run_ruff(arguments: list[str], source: str) -> str:
    return subprocess.run(
        [*RUFF, *arguments, "--isolated", "--line-length=100", "--stdin-filename=x.py", "-"],
        input=source.encode("utf-8", "surrogatepass"),
        capture_output=True,
        check=False,
    ).stdout.decode("utf-8", "surrogatepass")


@given(TEXTS)
def test_a_string_literal_holds_the_text_and_no_character_that_is_not_seen(text: str) -> None:
    literal = quote(text)
    assert ast.literal_eval(literal) == text
    assert len(literal.splitlines()) == 1
    assert not any(unsafe in literal for unsafe in "\0\x1b\x85\u202e\u2028\ud800\ufeff")


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("plain", '"plain"'),
        ('say "hi"', "'say \"hi\"'"),
        ("it's", '"it\'s"'),
        ('"it\'s"', "'\"it\\'s\"'"),
        ("'\"", '"\'\\""'),
        ("a\\b\n\t\r", '"a\\\\b\\n\\t\\r"'),
        ("\x07\u202e\U000e0001", '"\\x07\\u202e\\U000e0001"'),
        ("é漢🚀", '"é漢🚀"'),
    ],
)
def test_a_string_literal_is_spelled_as_ruff_would(text: str, literal: str) -> None:
    assert quote(text) == literal
    assert run_ruff(["format"], f"x = {literal}\n") == f"x = {literal}\n"


SECTIONS = {"Args": {"x": 'Ends in "quotes"'}, "Raises": {"Y": '"""'}}


@given(TEXTS, st.sampled_from([{}, SECTIONS]))
def test_a_docstring_cannot_be_left_and_says_every_word(
    text: str, sections: dict[str, dict[str, str]]
) -> None:
    source = f"def f() -> None:\n    {write_docstring(text, 4, sections)}\n"
    (function,) = ast.parse(source.encode("utf-8", "surrogatepass")).body
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 1
    written = ast.get_docstring(function, clean=False) or ""
    said = 'Args:x:Ends in "quotes"Raises:Y:"""' if sections else ""
    assert squeeze(written) == squeeze(text + said)


@given(TEXTS, TEXTS, st.sampled_from(["", "word " * 30]))
def test_a_summary_from_elsewhere_cannot_leave_the_docstring_either(
    text: str, fallback: str, before: str
) -> None:
    docstring = write_docstring(before + text, 4, fallback=fallback)
    source = f"def f() -> None:\n    {docstring}\n"
    (function,) = ast.parse(source.encode("utf-8", "surrogatepass")).body
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 1


def squeeze(text: str) -> str:
    return "".join(text.split()).replace(".", "")


@pytest.mark.parametrize(
    ("text", "docstring"),
    [
        ("One line", '"""One line."""'),
        ("Ends well!", '"""Ends well!"""'),
        ("", '""""""'),
        ("A pattern \\d+", 'r"""A pattern \\d+"""'),
        ('"Quoted" at first', '"""\\u0022Quoted" at first."""'),
        ('Three """ of them', '"""Three \\u0022\\u0022\\u0022 of them."""'),
        ("Ends in \\", '"""Ends in \\u005c."""'),
        ("One.\n\nTwo.\n\n", '"""One.\n\n    Two.\n    """'),
        ("One\n  line.", '"""One line."""'),
        ("One.\n\n- a\n\t- b", '"""One.\n\n    - a\n        - b\n    """'),
        ("A\u2028B\x85\x0cC\x1b", '"""A B.\n\n    C\\u001b\n    """'),
        (
            f"A sentence. {'word ' * 19}end.",
            f'"""A sentence.\n\n    {"word " * 18}word\n    end.\n    """',
        ),
        (
            f"{'word ' * 20}end. Another.",
            f'"""{"word " * 17}word\n    word word end. Another.\n    """',
        ),
        ("w" * 120, f'"""{"w" * 120}."""'),
        (
            f"One.\n\n    {'word ' * 25}\n\n  end",
            f'"""One.\n\n      {"word " * 18}word\n      {"word " * 5}word\n\n    end\n    """',
        ),
    ],
)
def test_a_docstring_reads_as_if_written(text: str, docstring: str) -> None:
    assert write_docstring(text, 4) == docstring
    source = f"def f() -> None:\n    {docstring}\n"
    assert run_ruff(["format"], source) == source
    assert run_ruff(["check", "--select=D212,D301,W,E,F,PLE"], source) == "All checks passed!\n"


def test_sections_stand_at_the_end_of_a_docstring() -> None:
    sections = {"Args": {"x": "What\nit is.", "other": "word " * 25}, "Raises": {"Y": "\\d"}}
    docstring = write_docstring("Do it.", 4, sections)
    assert docstring == (
        'r"""Do it.\n\n    Args:\n        x: What it is.\n'
        f"        other: {'word ' * 15}word\n            {'word ' * 8}word\n\n"
        "    Raises:\n        Y: \\d\n" + '    """'
    )
    source = f"def f() -> None:\n    {docstring}\n"
    assert run_ruff(["format"], source) == source


def test_a_summary_that_is_too_long_gives_way_to_another() -> None:
    text = "word " * 25 + "end."
    assert write_docstring(text, 4, fallback="The thing.") == (
        f'"""The thing.\n\n    {"word " * 18}word\n    {"word " * 6}end.\n    """'
    )
    assert write_docstring("Short.", 4, fallback="The thing.") == '"""Short."""'
    assert write_docstring(" \n", 4, fallback="The thing.") == '"""The thing."""'


def test_a_comment_stays_a_comment() -> None:
    assert write_comment("a\nimport os\u2028b\x85") == "a\\nimport os\\u2028b\\x85"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], "call()"),
        (["a", "b=1"], "call(a, b=1)"),
        (["a" * 45, "b" * 43], f"call({'a' * 45}, {'b' * 43})"),
        (["a" * 45, "b" * 44], f"call(\n        {'a' * 45},\n        {'b' * 44},\n    )"),
        (["漢" * 44], f"call({'漢' * 44})"),
        (["漢" * 46], f"call(\n        {'漢' * 46},\n    )"),
    ],
)
def test_what_fits_on_a_line_stands_on_one(items: list[str], expected: str) -> None:
    assert lay_out("call(", items, ")", 4) == expected
    source = f"if x:\n    {expected}\n"
    assert run_ruff(["format"], source) == source


def test_exploding_puts_one_item_on_each_line() -> None:
    assert explode("f(", ["a", "b"], ")", 0) == "f(\n    a,\n    b,\n)"


def test_wide_characters_take_two_columns() -> None:
    assert (measure("abc"), measure("a漢é")) == (3, 4)


@given(JSON)
def test_json_is_the_same_value_and_cannot_end_its_literal(value: object) -> None:
    literal = write_json({"key": value})
    tree = ast.parse(f"x = {literal}\n")
    assert len(tree.body) == 1
    assert json.dumps(json.loads(ast.literal_eval(literal))) == json.dumps({"key": value})
    assert literal.isascii()
    assert literal.replace("\n", "").isprintable()


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(JSON | st.text("ab ", min_size=90, max_size=140), min_size=20, max_size=40))
def test_json_of_any_length_is_formatted_and_fits_the_line(values: list[object]) -> None:
    source = "".join(f"x = dict({write_json({'key': value})})\n" for value in values)
    assert run_ruff(["format"], source) == source
    assert run_ruff(["check", "--select=E,W,F,PLE"], source) == "All checks passed!\n"


def test_json_is_laid_out_for_people() -> None:
    value = {
        "a": {"type": "string"},
        "b": {"enum": [f"choice {number}" for number in range(9)]},
        "c": {},
        "d" * 99: {"e": ["f" * 99, "g h " * 30]},
    }
    assert write_json(value) == "\n".join(
        [
            'r"""{',
            ' "a": {"type": "string"},',
            ' "b": {',
            '  "enum": [',
            *(f'   "choice {number}",' for number in range(8)),
            '   "choice 8"',
            "  ]",
            " },",
            ' "c": {},',
            f' "{"d" * 99}":{{',
            '  "e": [',
            f'   "{"f" * 99}",',
            f'   "{"g h ".replace(" ", chr(92) + "u0020") * 30}"',
            "  ]",
            " }",
            '}"""',
        ]
    )
    assert WIDTH == 100
