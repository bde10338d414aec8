from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.compat.flat import make_document
from pi_contracts.contracts.compat.undeclared import close
from pi_contracts.contracts.compat.validators import Validators

if TYPE_CHECKING:
    from collections.abc import Callable

YES, NO, OPEN = "compatible", "breaking", "breaking-undeclared"
TEXT, NUMBER = {"type": "string"}, {"type": "number"}
OBJECT = {"type": "object"}


def make(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


ROWS: list[tuple[str, Any, Any, str]] = [
    ("an open object gains an optional member", make(a=TEXT), make(a=TEXT, b=TEXT), OPEN),
    (
        "an open object is closed",
        make(a=TEXT),
        {**make(a=TEXT), "additionalProperties": False},
        OPEN,
    ),
    (
        "true is as open as nothing",
        {**make(a=TEXT), "additionalProperties": True},
        {**make(a=TEXT), "additionalProperties": False},
        OPEN,
    ),
    (
        "a map is not open",
        {**make(a=TEXT), "additionalProperties": TEXT},
        {**make(a=TEXT), "additionalProperties": False},
        NO,
    ),
    ("a required name counts as declared", {**OBJECT, "required": ["b"]}, make(b=TEXT), NO),
    (
        "a name of a dependency counts as declared",
        {**OBJECT, "dependentRequired": {"a": ["b"]}},
        make(b=TEXT),
        NO,
    ),
    ("a declared member that is narrowed", make(a={}), make(a=TEXT), NO),
    ("a required member", make(a=TEXT), {**make(a=TEXT, b=TEXT), "required": ["b"]}, NO),
    (
        "deep inside",
        make(a={"type": "array", "items": make(b=TEXT)}),
        make(a={"type": "array", "items": make(b=TEXT, c=NUMBER)}),
        OPEN,
    ),
    (
        "parts of an object are closed as one",
        {"allOf": [make(a=TEXT), make(b=TEXT)]},
        {"allOf": [make(a=TEXT), make(b={"minLength": 2})]},
        NO,
    ),
    (
        "a member of one branch alone is undeclared for the other",
        {
            "oneOf": [
                {**make(k={"const": 1}), "required": ["k"]},
                {**make(k={"const": 2}, b=TEXT), "required": ["k"]},
            ]
        },
        {
            "oneOf": [
                {**make(k={"const": 1}, b=NUMBER), "required": ["k"]},
                {**make(k={"const": 2}, b=TEXT), "required": ["k"]},
            ]
        },
        OPEN,
    ),
    (
        "a branch adds to what is declared",
        {**make(a=TEXT), "if": {"required": ["a"]}, "then": {"properties": {"b": TEXT}}},
        make(b=NUMBER),
        NO,
    ),
    (
        "a member that a branch describes too",
        {
            **make(a=make(x=TEXT)),
            "if": {"required": ["a"]},
            "then": {"properties": {"a": make(y=TEXT)}},
        },
        make(a=make(y=NUMBER)),
        NO,
    ),
    (
        "nothing is closed inside not",
        {**OBJECT, "not": make(a=TEXT)},
        {**OBJECT, "not": make(a=TEXT, b=TEXT)},
        YES,
    ),
    (
        "what a pattern names is declared",
        {**OBJECT, "patternProperties": {"^x": {}}},
        {**OBJECT, "patternProperties": {"^x": TEXT}},
        NO,
    ),
    ("a value of any type has no members to declare", {}, make(a=TEXT), NO),
    (
        "places of a tuple",
        {"type": "array", "prefixItems": [make(a=TEXT)], "items": make(b=TEXT)},
        {"type": "array", "prefixItems": [make(a=TEXT, c=TEXT)], "items": make(b=TEXT, c=TEXT)},
        OPEN,
    ),
    (
        "a map of open objects",
        {**OBJECT, "additionalProperties": make(a=TEXT)},
        {**OBJECT, "additionalProperties": make(a=TEXT, b=TEXT)},
        OPEN,
    ),
    (
        "an object of a pattern",
        {**OBJECT, "patternProperties": {"^x": make(a=TEXT)}},
        {**OBJECT, "patternProperties": {"^x": make(a=TEXT, b=TEXT)}},
        OPEN,
    ),
    (
        "recursive",
        {"$ref": "#/$defs/N", "$defs": {"N": make(next={"$ref": "#/$defs/N"})}},
        {"$ref": "#/$defs/N", "$defs": {"N": make(next={"$ref": "#/$defs/N"}, v=TEXT)}},
        OPEN,
    ),
    (
        "a dependent schema",
        {**make(a=TEXT), "dependentSchemas": {"a": make(b=TEXT)}},
        make(b=NUMBER),
        NO,
    ),
]


@pytest.mark.parametrize(
    ("sender", "receiver", "kind"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_breaks_that_only_undeclared_members_cause_are_told_apart(
    ask: Callable[[Any, Any], str], sender: Any, receiver: Any, kind: str
) -> None:
    assert ask(sender, receiver) == kind


def test_a_schema_without_open_objects_has_no_closing() -> None:
    for schema in (True, TEXT, {**make(a=TEXT), "additionalProperties": False}):
        for exact in (True, False):
            assert close(make_document(schema), "#", "urn:x", exact=exact) is None


@pytest.mark.parametrize("exact", [True, False])
def test_a_closing_accepts_what_has_declared_members_alone(exact: bool) -> None:  # noqa: FBT001
    document = make_document({**make(a=make(b=TEXT)), "required": ["c"]})
    closed = close(document, "#", "urn:x", exact=exact)
    assert closed is not None
    validator = Validators({"urn:x": document, "urn:closed": closed}).refer("urn:closed#")
    assert validator.is_valid({"a": {"b": "x"}, "c": 1})
    assert not validator.is_valid({"a": {"b": "x", "z": 1}, "c": 1})
    assert not validator.is_valid({"c": 1, "z": 1})
    assert not validator.is_valid({"a": {}})


def test_a_wider_closing_accepts_all_that_an_exact_one_does() -> None:
    document = make_document(
        {"oneOf": [{**make(a=TEXT), "required": ["a"]}, {**make(b=TEXT), "required": ["b"]}]}
    )
    exact, wider = (close(document, "#", "urn:x", exact=one) for one in (True, False))
    assert exact is not None
    assert wider is not None
    validators = Validators({"urn:x": document, "urn:exact": exact, "urn:wider": wider})
    judged = [
        [validators.refer(uri).is_valid(value) for uri in ("urn:exact#", "urn:wider#")]
        for value in ({"a": "x"}, {"a": "x", "b": 1}, {"a": "x", "c": 1})
    ]
    assert judged == [[True, True], [False, True], [False, False]]


def test_schemas_with_too_many_places_are_not_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    from pi_contracts.contracts.compat import undeclared

    monkeypatch.setattr(undeclared, "_MOST_PLACES", 1)
    assert close(make_document(make(a=make(b=TEXT))), "#", "urn:x", exact=True) is None


def test_the_closing_is_a_schema_that_the_validator_takes() -> None:
    document = make_document(make(**{"a/b~c": make(**{"%": TEXT})}))
    closed = close(document, "#", "urn:x", exact=True)
    assert closed is not None
    assert jsonschema_rs.meta.is_valid(closed.value)
