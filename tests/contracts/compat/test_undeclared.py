from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.compat import undeclared
from pi_contracts.contracts.compat.budget import ExhaustedError
from pi_contracts.contracts.compat.flat import make_document
from pi_contracts.contracts.compat.undeclared import close, close_around
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
        assert close(make_document(schema), "#", "urn:x") is None


def test_a_closing_accepts_what_has_declared_members_alone() -> None:
    document = make_document({**make(a=make(b=TEXT)), "required": ["c"]})
    closed = close(document, "#", "urn:x")
    assert closed is not None
    assert closed[0] is closed[1]
    validator = Validators({"urn:x": document, "urn:closed": closed[0]}).refer("urn:closed#")
    assert validator.is_valid({"a": {"b": "x"}, "c": 1})
    assert not validator.is_valid({"a": {"b": "x", "z": 1}, "c": 1})
    assert not validator.is_valid({"c": 1, "z": 1})
    assert not validator.is_valid({"a": {}})


BRANCHES = {"oneOf": [{**make(a=TEXT), "required": ["a"]}, {**make(b=TEXT), "required": ["b"]}]}


def test_the_first_closing_accepts_all_that_the_exact_one_does() -> None:
    document = make_document(BRANCHES)
    closed = close(document, "#", "urn:x")
    assert closed is not None
    wider, exact = closed
    validators = Validators({"urn:x": document, "urn:exact": exact, "urn:wider": wider})
    judged = [
        [validators.refer(uri).is_valid(value) for uri in ("urn:exact#", "urn:wider#")]
        for value in ({"a": "x"}, {"a": "x", "b": 1}, {"a": "x", "c": 1})
    ]
    assert judged == [[True, True], [False, True], [False, False]]


AROUND: list[tuple[Any, Any, Any]] = [
    (make(a=make(b=TEXT)), {"a": {"b": "x"}}, {"a": {"c": "x"}}),
    (BRANCHES, {"b": "x"}, {"a": "x", "b": 1}),
    ({"type": "array", "items": make(a=TEXT)}, [{"a": "x"}], [{"a": "x"}, {"z": []}]),
    ({**make(), "patternProperties": {"^x": True}}, {"xa": {"any": 1}}, {"a": 1}),
    ({**make(), "additionalProperties": make(a=TEXT)}, {"z": {"a": "x"}}, {"z": {"z": "x"}}),
]


@pytest.mark.parametrize(("schema", "declared", "undeclared"), AROUND)
def test_a_closing_around_a_value_tells_whether_its_members_are_declared(
    schema: Any, declared: Any, undeclared: Any
) -> None:
    document = make_document(schema)
    validators = Validators({"urn:x": document})
    for value, is_declared in ((declared, True), (undeclared, False)):
        assert validators.refer("urn:x#").is_valid(value)
        closing = close_around(document, "#", "urn:x", value)
        assert validators.compile(closing).is_valid(value) is is_declared


def test_places_far_down_stay_open_where_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(undeclared, "_MOST_PLACES", 2)
    document = make_document(make(a=make(b=make(c=TEXT))))
    closed = close(document, "#", "urn:x")
    assert closed is not None
    validator = Validators({"urn:x": document, "urn:closed": closed[0]}).refer("urn:closed#")
    assert not validator.is_valid({"z": 1})
    assert validator.is_valid({"a": {"b": {"z": 1}}})
    with pytest.raises(ExhaustedError):
        close_around(document, "#", "urn:x", {"a": {"b": {}}})
    everywhere = make_document({"type": "array", "items": make(a=TEXT)})
    monkeypatch.setattr(undeclared, "_MOST_PLACES", 1)
    assert close(everywhere, "#", "urn:x") is not None


def test_a_break_is_not_told_from_an_undeclared_one_where_there_are_too_many_places(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[Any, Any], str]
) -> None:
    monkeypatch.setattr(undeclared, "_MOST_PLACES", 2)
    one, other = (make(a=make(b=make(**more))) for more in ({"c": TEXT}, {"c": TEXT, "d": TEXT}))
    assert ask(one, other) == "undecided"


def test_the_closing_is_a_schema_that_the_validator_takes() -> None:
    document = make_document(make(**{"a/b~c": make(**{"%": TEXT})}))
    closed = close(document, "#", "urn:x")
    assert closed is not None
    assert jsonschema_rs.meta.is_valid(closed[0].value)
