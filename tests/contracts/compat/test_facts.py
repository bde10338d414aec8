from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.contracts.compat.facts import is_part, split_parts
from pi_contracts.contracts.compat.pool import Pool

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
GROUPS: list[Any] = [
    {"properties": {"a": TEXT, "b": NUMBER}},
    {"properties": {"a": TEXT}, "additionalProperties": False},
    {"properties": {"a": TEXT}, "patternProperties": {"^b": NUMBER}},
    {"prefixItems": [TEXT, NUMBER]},
    {"prefixItems": [TEXT], "items": False},
    {"minimum": 1},
]


@pytest.mark.parametrize("schema", GROUPS)
def test_the_parts_of_a_group_and_no_others_are_its_parts(schema: Any) -> None:
    pool = Pool({})
    (group,) = pool.make(schema).atoms
    parts = [atom for part in split_parts(pool, group) for atom in part.atoms]
    assert parts
    assert all(is_part(one, group) for one in parts)
    for other in GROUPS:
        (one,) = pool.make(other).atoms
        if one is not group:
            strange = {atom for part in split_parts(pool, one) for atom in part.atoms} - {*parts}
            assert not any(is_part(atom, group) for atom in strange)


def test_parts_that_hold_anyway_are_left_out() -> None:
    pool = Pool({})
    known = pool.make({"properties": {"a": TEXT}, "prefixItems": [TEXT]}).atoms
    for schema in (GROUPS[0], GROUPS[3]):
        (group,) = pool.make(schema).atoms
        assert len(list(split_parts(pool, group))) == 2
        assert len(list(split_parts(pool, group, known))) == 1
