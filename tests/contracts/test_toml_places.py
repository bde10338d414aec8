from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.source import Place
from pi_contracts.contracts.toml_places import Path, find_places

TEXT = '''\
top = 1 # not = this
[tool.a-b] # a comment with "quotes" and ]
  list = [
    1, # one = 1
    "x = 2",
  ]
text = """
fake = 1
[not.a.table]
"""
raw = \'\'\'
[nor.this]
\'\'\'
"quoted.key" = {inner = 1, other = [2]}
dotted.key = true
[[array]]
n = 1
[[array]]
n = 2
[array.below]
m = 3
[ "odd] name" . x ]
y = "#"
'''


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("top",), 1, 1),
        (("tool", "a-b"), 2, 1),
        (("tool", "a-b", "list"), 3, 3),
        (("tool", "a-b", "text"), 7, 1),
        (("tool", "a-b", "raw"), 11, 1),
        (("tool", "a-b", "quoted.key"), 14, 1),
        (("tool", "a-b", "dotted", "key"), 15, 1),
        (("array", 0), 16, 1),
        (("array", 0, "n"), 17, 1),
        (("array", 1), 18, 1),
        (("array", 1, "n"), 19, 1),
        (("array", 1, "below", "m"), 21, 1),
        (("odd] name", "x", "y"), 23, 1),
    ],
    ids=str,
)
def test_keys_and_tables_are_found(path: Path, line: int, column: int) -> None:
    assert find_places(TEXT)[path] == Place(line, column)


def test_what_stands_in_strings_and_comments_is_no_key() -> None:
    names = {name for path in find_places(TEXT) for name in path}
    assert names.isdisjoint({"fake", "not", "nor", "one", "inner"})


def test_a_text_without_a_line_end_is_read_to_its_end() -> None:
    assert find_places("[a]\nb = 1")["a", "b"] == Place(2, 1)


def test_an_empty_text_has_no_places() -> None:
    assert find_places("") == {}


_KEYS = st.text(st.sampled_from("ab-_=[]{}#.' é"), min_size=1, max_size=6)


@given(st.lists(st.tuples(_KEYS, _KEYS, st.sampled_from(["1", '"]"', "[1,\n2]"])), max_size=6))
def test_every_key_of_the_parser_is_found(rows: list[tuple[str, str, str]]) -> None:
    text = ""
    seen: set[str] = set()
    for table, key, value in rows:
        if table not in seen:
            seen.add(table)
            text += f"# note [x]\n['{table}']\n" if "'" not in table else f'["{table}"]\n'
            text += f'"{key}" = {value}\n'
    document: dict[str, Any] = tomllib.loads(text)
    places = find_places(text)
    lines = text.split("\n")
    for table, content in document.items():
        assert lines[places[table,].line - 1].startswith("[")
        for key in content:
            assert lines[places[table, key].line - 1].startswith(f'"{key}"')
