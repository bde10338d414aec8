from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

YES, NO, OPEN = "compatible", "breaking", "breaking-undeclared"
TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def closed(*required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def mapped(rest: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": rest, **more}


BOTH_WAYS: list[tuple[str, Any, Any, str, str]] = [
    ("a closed object gains a member", closed(a=TEXT), closed(a=TEXT, b=TEXT), YES, NO),
    ("a member becomes required", closed("a", a=TEXT), closed(a=TEXT), YES, NO),
    ("a member is narrowed", closed(a={"enum": ["x"]}), closed(a=TEXT), YES, NO),
    ("a closed object and a map", closed(a=TEXT, b=TEXT), mapped(TEXT), YES, NO),
    ("naming a member of a map", mapped(TEXT, properties={"a": TEXT}), mapped(TEXT), YES, YES),
    ("a member that cannot be there", closed(a=False, b=TEXT), closed(b=TEXT), YES, YES),
    ("a required member that cannot be there", closed("a", a=False), False, YES, YES),
    (
        "a required member of contradictory schemas",
        {"allOf": [closed("a", a=TEXT), {"properties": {"a": NUMBER}}]},
        False,
        YES,
        YES,
    ),
    (
        "all that there can be must be there",
        mapped(False, properties={"a": TEXT, "b": TEXT}, minProperties=2),
        closed("a", "b", a=TEXT, b=TEXT),
        YES,
        YES,
    ),
    (
        "fewer than there must be",
        mapped(False, properties={"a": TEXT}, minProperties=2),
        False,
        YES,
        YES,
    ),
    (
        "more required than there may be",
        closed("a", "b", a=TEXT, b=TEXT) | {"maxProperties": 1},
        False,
        YES,
        YES,
    ),
    (
        "room for the required ones alone",
        {"type": "object", "required": ["a"], "maxProperties": 1, "properties": {"a": TEXT}},
        closed("a", a=TEXT),
        YES,
        YES,
    ),
    (
        "room for the required ones alone, by names",
        {"type": "object", "required": ["a"], "maxProperties": 1},
        {"type": "object", "propertyNames": {"const": "a"}, "required": ["a"]},
        YES,
        YES,
    ),
    ("sizes", mapped(TEXT, minProperties=2), mapped(TEXT, minProperties=1), YES, NO),
    (
        "a family of names",
        mapped(False, patternProperties={"^x": TEXT}),
        mapped(TEXT, propertyNames={"pattern": "^x"}),
        YES,
        YES,
    ),
    (
        "a family of names in another",
        mapped(False, patternProperties={"^xy": TEXT}),
        mapped(False, patternProperties={"^x": TEXT}),
        YES,
        NO,
    ),
    (
        "two families that meet",
        mapped(False, patternProperties={"^x": TEXT, "y$": {"minLength": 1}}),
        mapped(TEXT, propertyNames={"pattern": "^x|y$"}),
        NO,
        NO,
    ),
    (
        "a named member that a pattern reaches",
        {
            "type": "object",
            "properties": {"xa": TEXT},
            "patternProperties": {"^x": {"minLength": 2}},
            "additionalProperties": False,
            "required": ["xa"],
        },
        mapped({"minLength": 2}),
        YES,
        NO,
    ),
    (
        "rules for names",
        mapped(TEXT, propertyNames={"maxLength": 3}),
        mapped(TEXT, propertyNames={"maxLength": 4}),
        YES,
        NO,
    ),
    (
        "a closed object's names",
        closed(ab=TEXT, c=TEXT),
        mapped(True, propertyNames={"pattern": "^[a-c]+$"}),
        YES,
        NO,
    ),
    (
        "names that none can have",
        mapped(TEXT, propertyNames=False),
        mapped(TEXT, maxProperties=0),
        YES,
        YES,
    ),
    (
        "a dependency on what is not there",
        closed(a=TEXT),
        {**closed(a=TEXT), "dependentRequired": {"b": ["a"]}},
        YES,
        YES,
    ),
    (
        "a dependency",
        {**closed(a=TEXT, b=TEXT), "dependentRequired": {"a": ["b"]}},
        closed(a=TEXT, b=TEXT),
        YES,
        NO,
    ),
    (
        "a dependent schema",
        {**closed(a=TEXT, b=TEXT), "dependentSchemas": {"a": {"required": ["b"]}}},
        {**closed(a=TEXT, b=TEXT), "dependentRequired": {"a": ["b"]}},
        YES,
        YES,
    ),
    (
        "parts of a closed object, by unevaluated members",
        {
            "allOf": [{"properties": {"a": TEXT}}, {"properties": {"b": TEXT}}],
            "type": "object",
            "unevaluatedProperties": False,
        },
        closed(a=TEXT, b=TEXT),
        YES,
        YES,
    ),
    (
        "branches of a closed object, by unevaluated members",
        {
            "type": "object",
            "oneOf": [
                closed("k", k={"const": 1}) | {"additionalProperties": True},
                {"properties": {"k": {"const": 2}, "b": TEXT}, "required": ["k"]},
            ],
            "unevaluatedProperties": False,
        },
        {"type": "object", "required": ["k"]},
        YES,
        NO,
    ),
    (
        "a member beside a closed part",
        {"allOf": [closed(a=TEXT), {"type": "object", "properties": {"b": TEXT}}]},
        closed(a=TEXT),
        YES,
        YES,
    ),
]


@pytest.mark.parametrize(
    ("one", "other", "forth", "back"),
    [row[1:] for row in BOTH_WAYS],
    ids=[row[0] for row in BOTH_WAYS],
)
def test_sets_of_objects_are_compared(
    ask_both: Callable[[Any, Any], tuple[str, str]], one: Any, other: Any, forth: str, back: str
) -> None:
    judged = tuple(kind.replace(OPEN, NO) for kind in ask_both(one, other))
    assert judged == (forth, back)


def test_many_patterns_are_not_combined(ask: Callable[[Any, Any], str]) -> None:
    many = {f"^{one}": TEXT for one in "abcdefg"}
    one = mapped(False, patternProperties=many)
    assert ask(one, {**one, "patternProperties": {**many, "^a": {}}}) == YES
    assert ask(one, mapped(TEXT)) == YES
    assert ask(one, mapped({"minLength": 1})) == NO
    some = {"patternProperties": {"^z": {"minLength": 1}}}
    assert ask({**one, "allOf": [some]}, mapped({"type": "string"}, **some)) == "undecided"
