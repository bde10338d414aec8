from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from compat_edits import edit
from compat_schemas import make_document as make_random
from compat_schemas import make_value
from hypothesis import given, note, settings
from hypothesis import strategies as st
from pi_contracts.contracts.compat import decide as module
from pi_contracts.contracts.compat.budget import Budget
from pi_contracts.contracts.compat.decide import Decider, Kind, Verdict, decide
from pi_contracts.contracts.compat.flat import FlatDocument, FlatSchema, make_document
from pi_contracts.contracts.compat.maker import Maker
from pi_contracts.contracts.compat.pool import Pool
from pi_contracts.contracts.compat.signature import Signatures
from pi_contracts.contracts.compat.validators import Validators

if TYPE_CHECKING:
    from collections.abc import Callable

YES, NO, OPEN, UNKNOWN = "compatible", "breaking", "breaking-undeclared", "undecided"
TEXT, NUMBER, NULL = {"type": "string"}, {"type": "number"}, {"type": "null"}


def tagged(tag: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"kind": {"const": tag}, **properties},
        "required": ["kind"],
        "additionalProperties": False,
    }


def with_definition(node: Any, root: Any = None) -> dict[str, Any]:
    return {"$defs": {"N": node}, **(root or {"$ref": "#/$defs/N"})}


LIST: dict[str, Any] = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/N"}},
    "additionalProperties": False,
}

BOTH_WAYS: list[tuple[str, Any, Any, str, str]] = [
    ("nothing is below anything", False, TEXT, YES, NO),
    ("true and the empty schema", True, {}, YES, YES),
    ("annotations", {**TEXT, "title": "a"}, {**TEXT, "default": "x"}, YES, YES),
    ("1 and 1.0", {"enum": [1]}, {"const": 1.0}, YES, YES),
    ("1 and true", {"const": [1]}, {"const": [True]}, NO, NO),
    (
        "values of several types",
        {"enum": ["a", 1, None]},
        {"type": ["string", "integer", "null"]},
        YES,
        NO,
    ),
    (
        "booleans can be listed",
        {"type": ["boolean", "null"]},
        {"enum": [True, False, None]},
        YES,
        YES,
    ),
    (
        "nullable in three spellings",
        {"type": ["string", "null"]},
        {"anyOf": [TEXT, NULL]},
        YES,
        YES,
    ),
    (
        "exactly one of two that cannot meet",
        {"oneOf": [TEXT, NULL]},
        {"type": ["string", "null"]},
        YES,
        YES,
    ),
    ("exactly one of two that overlap", {"oneOf": [NUMBER, {"type": "integer"}]}, NUMBER, YES, NO),
    (
        "exactly one of lists that cannot meet",
        {"oneOf": [{"enum": [1, 2]}, {"enum": [3, 4]}, TEXT]},
        {"anyOf": [{"enum": [1, 2, 3, 4]}, TEXT]},
        YES,
        YES,
    ),
    (
        "exactly one of lists that meet",
        {"oneOf": [{"enum": [1, 2]}, {"enum": [2, 3]}]},
        {"enum": [1, 3]},
        YES,
        YES,
    ),
    ("exactly one of the same twice", {"oneOf": [TEXT, TEXT]}, False, YES, YES),
    ("not of not", {"not": {"not": TEXT}}, TEXT, YES, YES),
    ("not of more", {"not": {"enum": ["a", "b"]}}, {"not": {"enum": ["a"]}}, YES, NO),
    ("not of types", {"not": TEXT}, {"not": {"type": ["string", "null"]}}, NO, YES),
    (
        "a definition under another name",
        {"$defs": {"A": TEXT}, "$ref": "#/$defs/A"},
        {"$defs": {"B": TEXT}, "$ref": "#/$defs/B"},
        YES,
        YES,
    ),
    ("a recursive type unrolled", with_definition(LIST), with_definition(LIST, {**LIST}), YES, YES),
    (
        "a recursive type that forbids more",
        with_definition({**LIST, "properties": {**LIST["properties"], "v": TEXT}}),
        with_definition({**LIST, "properties": {**LIST["properties"], "v": NUMBER}}),
        NO,
        NO,
    ),
    (
        "recursive types that differ in name",
        with_definition(LIST),
        {
            "$defs": {"M": {**LIST, "properties": {"next": {"$ref": "#/$defs/M"}}}},
            "$ref": "#/$defs/M",
        },
        YES,
        YES,
    ),
    (
        "a tree that no value can be",
        with_definition({**LIST, "required": ["next"]}),
        False,
        YES,
        YES,
    ),
    (
        "a union gains a tag",
        {"oneOf": [tagged("a")]},
        {"oneOf": [tagged("a"), tagged("b")]},
        YES,
        NO,
    ),
    (
        "a union as branches by a list of tags",
        {"oneOf": [tagged("a"), tagged("b")]},
        {**tagged("a"), "properties": {"kind": {"enum": ["a", "b"]}}},
        YES,
        YES,
    ),
    (
        "a change inside one branch",
        {"oneOf": [tagged("a", v=TEXT), tagged("b")]},
        {"oneOf": [tagged("a", v={}), tagged("b")]},
        YES,
        NO,
    ),
    (
        "a tag that may be left out",
        {
            "type": "object",
            "properties": {"kind": {"enum": ["a", "b"]}},
            "additionalProperties": False,
        },
        {"anyOf": [tagged("a"), tagged("b"), {"type": "object", "maxProperties": 0}]},
        YES,
        YES,
    ),
    (
        "a condition that holds",
        {
            **tagged("a", v={}),
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"required": ["v"]},
        },
        {"type": "object", "required": ["v"]},
        YES,
        NO,
    ),
    (
        "a condition is the choice of two",
        {"if": TEXT, "then": {"minLength": 2}, "else": {"type": "integer"}},
        {"anyOf": [{**TEXT, "minLength": 2}, {"type": "integer"}]},
        YES,
        YES,
    ),
    ("a condition without consequence", {"if": TEXT}, True, YES, YES),
    ("a condition that never holds", {"if": False, "then": False, "else": TEXT}, TEXT, YES, YES),
    (
        "either of two members, exactly",
        {
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            "type": "object",
            "properties": {"a": TEXT, "b": TEXT},
            "additionalProperties": False,
        },
        {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "properties": {"a": TEXT, "b": TEXT},
            "additionalProperties": False,
        },
        YES,
        YES,
    ),
]


@pytest.mark.parametrize(
    ("one", "other", "forth", "back"),
    [row[1:] for row in BOTH_WAYS],
    ids=[row[0] for row in BOTH_WAYS],
)
def test_schemas_are_compared_as_sets_of_values(
    ask_both: Callable[[Any, Any], tuple[str, str]], one: Any, other: Any, forth: str, back: str
) -> None:
    judged = tuple(kind.replace(OPEN, NO) for kind in ask_both(one, other))
    assert judged == (forth, back)


def test_the_worst_kind_has_the_highest_rank() -> None:
    assert sorted(Kind, key=lambda kind: kind.rank) == list(Kind)
    assert [kind.value for kind in Kind] == [YES, OPEN, UNKNOWN, NO]


def test_a_question_is_answered_once() -> None:
    decider = Decider({"urn:a": FlatDocument(TEXT), "urn:b": FlatDocument(NUMBER)})
    assert decider.decide("urn:a#", "urn:b#") is decider.decide("urn:a#", "urn:b#")


def test_without_a_budget_everything_that_differs_is_undecided(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[Any, Any], str]
) -> None:
    monkeypatch.setattr(module, "STEPS", 0)

    def refuse(*_: object) -> bool:
        return False

    monkeypatch.setattr(module, "covers", refuse)
    assert ask(TEXT, {"type": ["string", "null"]}) == UNKNOWN
    assert ask({"type": "object", "properties": {"a": TEXT}}, TEXT) == UNKNOWN
    assert ask({**TEXT, "title": "a"}, TEXT) == YES


def test_a_schema_that_the_validator_does_not_take_is_undecided() -> None:
    broken = FlatSchema(FlatDocument({"pattern": "("}))
    assert decide(broken, FlatSchema(FlatDocument({"pattern": "a"}))).kind is Kind.UNDECIDED


def test_what_stays_undecided_has_a_place() -> None:
    one = {"type": "object", "properties": {"a": {**TEXT, "pattern": r"^(a+)\1$"}}}
    other = {"type": "object", "properties": {"a": {**TEXT, "pattern": r"^(aa)+\B"}}}
    verdict = decide(FlatSchema(make_document(one)), FlatSchema(make_document(other)))
    assert verdict == Verdict(Kind.UNDECIDED, place=("a",))


_EVERYDAY = 100
"""How many examples are tried unless it is the nightly run, which tries more values too."""


def make_pair(rng: random.Random) -> tuple[Any, Any]:
    one = make_random(rng)
    if rng.random() < 0.3:
        return one, make_random(rng)
    try:
        return one, edit(one, rng, tries=30)[1]
    except LookupError:
        return one, make_random(rng)


@given(st.integers(0, 2**32))
def test_no_value_refutes_what_was_proved_and_every_witness_is_one(seed: int) -> None:
    rng = random.Random(seed)
    one, other = make_pair(rng)
    note(f"{one!r}\n{other!r}")
    verdict = decide(FlatSchema(make_document(one)), FlatSchema(make_document(other)))
    accepting, refusing = map(jsonschema_rs.Draft202012Validator, (one, other))
    if verdict.has_witness:
        assert accepting.is_valid(verdict.witness)
        assert not refusing.is_valid(verdict.witness)
    assert verdict.has_witness or verdict.kind in {Kind.COMPATIBLE, Kind.UNDECIDED}
    if verdict.kind is Kind.COMPATIBLE:
        for value in make_values(one, rng):
            assert not accepting.is_valid(value) or refusing.is_valid(value)


def make_values(schema: Any, rng: random.Random) -> list[Any]:
    """Return random values, and some that the schema was asked for."""
    documents = {"urn:x": make_document(schema)}
    pool = Pool(documents)
    maker = Maker(pool, Signatures(pool), Validators(documents), Budget(2000, 5))
    made = maker.find_some((pool.get("urn:x#"),), (), 20)
    count = 20_000 if settings().max_examples > _EVERYDAY else 200
    return [*made, *(make_value(rng) for _ in range(count))]
