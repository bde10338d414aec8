from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.contracts.compat.budget import Budget, ExhaustedError
from pi_contracts.contracts.compat.flat import FlatDocument
from pi_contracts.contracts.compat.pool import Pool
from pi_contracts.contracts.compat.prover import Prover
from pi_contracts.contracts.compat.signature import Signatures
from pi_contracts.contracts.compat.validators import Validators

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def make(steps: int = 2000, **definitions: Any) -> Prover:
    documents = {"urn:0": FlatDocument({"$defs": definitions})}
    pool = Pool(documents)
    return Prover(pool, Signatures(pool), Validators(documents), Budget(steps, 10))


def prove(prover: Prover, left: list[Any], right: list[Any]) -> bool:
    sides = (tuple(map(prover.pool.make, side)) for side in (left, right))
    return prover.prove(*sides)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([False], []),
        ([TEXT, NUMBER], []),
        ([TEXT], [TEXT]),
        ([TEXT], [NUMBER, TEXT]),
        ([True], [TEXT, {"not": TEXT}]),
        ([{"minLength": 2}, TEXT], [{"minLength": 1}]),
        ([{"minimum": 3}], [{"minimum": 5}, {"maximum": 4}, {"maximum": 9}]),
        ([{"type": "integer"}], [{"minimum": 5}, {"exclusiveMaximum": 5}]),
        (
            [{"required": ["a"]}],
            [{"properties": {"a": TEXT}}, {"properties": {"a": {"not": TEXT}}}],
        ),
        ([{"anyOf": [TEXT, NUMBER]}, {"not": TEXT}], [NUMBER]),
        ([{"oneOf": [TEXT, {"minLength": 2}]}, TEXT], [{"maxLength": 1}]),
        ([{"if": TEXT, "then": {"minLength": 1}}, TEXT], [{"minLength": 1}]),
        ([TEXT], [{"oneOf": [TEXT, NUMBER]}]),
        ([{"type": ["string", "number"]}], [{"oneOf": [TEXT, NUMBER]}]),
        ([TEXT], [{"if": {"minLength": 3}, "then": {"minLength": 2}}]),
        ([{"type": ["null", "boolean"]}], [{"enum": [None, True]}, {"const": False}]),
    ],
)
def test_a_sequent_that_holds_is_proved(left: list[Any], right: list[Any]) -> None:
    prover = make()
    assert prove(prover, left, right)
    assert prover.open == []


@pytest.mark.parametrize(
    ("left", "right", "steps"),
    [
        ([TEXT], [], []),
        (
            [{"type": "object", "properties": {"a": TEXT}}],
            [{"properties": {"a": {"minLength": 1}}}],
            ["a"],
        ),
        (
            [
                {
                    "type": "array",
                    "items": {"type": "object", "required": ["b"], "properties": {"b": TEXT}},
                }
            ],
            [{"items": {"properties": {"b": {"minLength": 1}}}}],
            [0, "b"],
        ),
        (
            [{"type": "object", "additionalProperties": TEXT}],
            [{"additionalProperties": {"minLength": 1}}],
            [""],
        ),
        ([{"type": "object"}], [{"propertyNames": {"maxLength": 1}}], [""]),
        ([{"enum": [1, 2]}], [{"const": 1}], []),
    ],
)
def test_what_stays_open_is_kept_with_the_way_to_it(
    left: list[Any], right: list[Any], steps: list[Any]
) -> None:
    prover = make()
    assert not prove(prover, left, right)
    ways = [[frame.step.key for frame in frames if frame.step] for frames in prover.open]
    assert steps in ways
    assert all(frames[-1].step is None for frames in prover.open)


def node(**more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"next": {"$ref": "#/$defs/A"}, **more}}


def test_recursive_schemas_are_compared_by_induction() -> None:
    one = {"type": "object", "properties": {"next": {"$ref": "#/$defs/A"}, "v": TEXT}}
    other = {"type": "object", "properties": {"next": {"$ref": "#/$defs/B"}}}
    prover = make(A=one, B=other)
    first, second = (prover.pool.get(f"urn:0#/$defs/{name}") for name in "AB")
    assert prover.prove((first,), (second,))
    assert not prover.prove((second,), (first,))


def test_what_was_proved_from_an_assumption_that_fails_is_forgotten() -> None:
    deep = {"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}, "y": TEXT}}
    same = {"type": "object", "properties": {"x": {"$ref": "#/$defs/B"}, "y": NUMBER}}
    prover = make(A=deep, B=same)
    first, second = (prover.pool.get(f"urn:0#/$defs/{name}") for name in "AB")
    part = prover.pool.make({"type": "object", "properties": {"x": second.schema}})
    assert not prover.prove((first,), (second,))
    assert not prover.prove((first,), (part,))


def test_a_try_does_not_spend_what_it_was_not_lent() -> None:
    prover = make(steps=10_000)
    names = [f"n{index}" for index in range(400)]
    left = prover.pool.make({"type": "object", "additionalProperties": TEXT})
    right = prover.pool.make(
        {"properties": {one: {"minLength": 1, "maxLength": 9} for one in names}}
    )
    assert not prover.attempt((left,), (right,))
    assert prover.open == []
    assert prover.budget.spent < 5000


def test_a_budget_that_is_spent_ends_the_proof() -> None:
    prover = make(steps=0)
    with pytest.raises(ExhaustedError):
        prove(prover, [TEXT], [NUMBER])
    prover.begin(Budget(100, 10))
    assert not prove(prover, [TEXT], [NUMBER])


def test_another_question_keeps_what_was_proved_and_tells_again_what_stays_open() -> None:
    prover = make()
    assert not prove(prover, [TEXT], [NUMBER])
    assert len(prover.open) == 1
    prover.begin(Budget(100, 10))
    assert prover.open == []
    assert not prove(prover, [TEXT], [NUMBER])
    assert len(prover.open) == 1
