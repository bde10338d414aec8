from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.places import find_contract_schemas

ROOT = Location("u", "")
CONTRACTS: list[tuple[Any, list[str]]] = [
    (5, []),
    ({}, []),
    ({"service": 5, "members": 5, "errors": [], "$defs": 5}, []),
    ({"service": {}, "members": {"a": 5, "b": {}}, "errors": {"e": 5, "f": {}}}, []),
    ({"service": {"key": "x"}, "$defs": {"a": 5, "b/c": True}}, ["/$defs/b~1c"]),
    (
        {
            "$defs": {"d": {}},
            "errors": {"e": {"data": {}}},
            "members": {
                "m": {"params": {"p": {}, "q": True}, "result": False},
                "s": {"value": {}, "payload": {}},
            },
            "service": {"key": {}},
            "other": {},
        },
        [
            "/service/key",
            "/members/m/params/p",
            "/members/m/params/q",
            "/members/m/result",
            "/members/s/value",
            "/members/s/payload",
            "/errors/e/data",
            "/$defs/d",
        ],
    ),
]


@pytest.mark.parametrize(("value", "pointers"), CONTRACTS)
def test_schemas_stand_where_the_dialect_says(value: Any, pointers: list[str]) -> None:
    found = [location.pointer for location, _ in find_contract_schemas(ROOT, value)]
    assert found == pointers
