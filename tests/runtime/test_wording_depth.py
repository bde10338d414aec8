"""Violations deep in a value are worded, or refused all the same."""

from __future__ import annotations

import pytest
from runtime_violations import SECRET, refuse


def nest(levels: int, leaf: object) -> object:
    for _ in range(levels):
        leaf = [leaf]
    return leaf


DEEP: dict[str, tuple[object, object, str, str]] = {
    "at the top": (
        {"type": "integer"},
        nest(300, 1),
        "",
        "expected an integer, found an array",
    ),
    "beside": (
        {"properties": {"left": {"type": "integer"}, "right": {}}},
        {"left": "x", "right": nest(510, {"a": 1})},
        "/left",
        "expected an integer, found a string",
    ),
    "far in": (
        {"type": ["integer", "array"], "items": {"$ref": "#/$defs/root"}},
        nest(220, {"a": nest(280, SECRET)}),
        "",
        "expected a value that fits the schema, found one that does not, below 200 levels",
    ),
}


@pytest.mark.parametrize(("schema", "value", "pointer", "sentence"), DEEP.values(), ids=DEEP)
def test_what_is_deeper_than_an_error_can_hold_is_refused_all_the_same(
    schema: object, value: object, pointer: str, sentence: str
) -> None:
    violation = refuse(schema, value)
    assert violation.pointer == pointer
    assert str(violation).endswith(sentence)
