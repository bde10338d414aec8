from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.contracts.compat.flat import FlatDocument
from pi_contracts.contracts.compat.pool import Pool
from pi_contracts.contracts.compat.signature import (
    ANYTHING,
    NOTHING,
    Signature,
    Signatures,
    join,
    meet,
)

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def read(schema: Any) -> Signature:
    pool = Pool({"urn:0": FlatDocument(schema)})
    return Signatures(pool).get(pool.get("urn:0#"))


def tagged(tag: Any, *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"k": {"const": tag}}, "required": [*required], **more}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TEXT, NUMBER),
        ({"const": 1}, {"enum": [2, 3]}),
        ({"not": TEXT}, TEXT),
        (tagged(1, "k"), tagged(2)),
        (tagged(1, "k"), {"anyOf": [tagged(2), tagged(3)]}),
        (tagged(1, "x"), tagged(1, additionalProperties=False)),
        (tagged({"a": 1}, "k"), tagged({"a": 2}, "k")),
        ({"$ref": "#", "type": "string"}, NUMBER),
    ],
)
def test_signatures_without_a_common_value_are_disjoint(one: Any, other: Any) -> None:
    assert read(one).is_disjoint(read(other))
    assert meet((read(one), read(other))).is_nothing


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, TEXT),
        (tagged(1), tagged(2)),
        (
            {**tagged(1, "k"), "type": ["object", "string"]},
            {**tagged(2), "type": ["object", "string"]},
        ),
        ({"const": 1}, {"minimum": 5}),
        ({"anyOf": [tagged(1, "k"), TEXT]}, {"anyOf": [tagged(2, "k"), TEXT]}),
    ],
)
def test_signatures_that_may_have_a_common_value_are_not(one: Any, other: Any) -> None:
    assert not read(one).is_disjoint(read(other))


def test_a_choice_has_what_its_branches_share() -> None:
    both = read({"anyOf": [tagged(1, "k"), tagged(2, "k", "x")]})
    assert sorted(both.members["k"].values or ()) == [1, 2]
    assert both.required == {"k"}
    assert join((NOTHING, both)) is both
    assert meet((both, ANYTHING)) is both
    one = read({"anyOf": [TEXT, tagged(1, "k", additionalProperties=False)]})
    assert one.required == {"k"}
    assert one.allowed == {"k"}
    closed = [
        tagged(1, additionalProperties=False),
        {"type": "object", "additionalProperties": False},
    ]
    assert read({"anyOf": closed}).allowed == {"k"}
