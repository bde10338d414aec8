from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.compat.pool import Pool

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


VALUES: list[Any] = [
    *("a", "aa", "aaaa", 1, 2.5, None),
    *(["a"], ["a", 1], [1, "a"], [1, 2]),
    *({"a": "x"}, {"a": "x", "b": 1}, {"a": 1}, {"b": "x"}),
]


@pytest.mark.parametrize(
    ("parts", "is_flat"),
    [
        ([TEXT, {"minLength": 2}, {"maxLength": 3}], True),
        ([{"items": TEXT}, {"properties": {"a": TEXT}, "additionalProperties": False}], True),
        ([{"properties": {"a": TEXT}}, {"additionalProperties": NUMBER}], False),
        ([{"patternProperties": {"a": TEXT}}, {"additionalProperties": NUMBER}], False),
        ([{"prefixItems": [TEXT]}, {"items": NUMBER}], False),
        ([{"minimum": 1}, {"minimum": 2}], False),
        ([{"contains": TEXT}, {"contains": NUMBER, "maxContains": 1}], False),
    ],
)
def test_atoms_stand_beside_each_other_where_that_says_the_same(
    parts: list[Any],
    is_flat: bool,  # noqa: FBT001
) -> None:
    pool = Pool({})
    atoms = tuple(atom for part in parts for atom in pool.make(part).atoms)
    spelled: Any = pool.intern(atoms).schema
    assert ("allOf" not in spelled) is is_flat
    given, asked = map(jsonschema_rs.Draft202012Validator, ({"allOf": parts}, spelled))
    assert [given.is_valid(one) for one in VALUES] == [asked.is_valid(one) for one in VALUES]


def test_no_atoms_accept_everything() -> None:
    pool = Pool({})
    assert pool.intern(()).schema is True
    assert pool.true.schema is True
