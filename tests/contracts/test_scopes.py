from __future__ import annotations

import json
from typing import Any

from pi_contracts.contracts.catalogue import Catalogue
from pi_contracts.contracts.documents import Document
from pi_contracts.contracts.drafts import Dialect, Draft
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.scopes import enter, follow
from pi_contracts.contracts.source import parse_source

ROOT = Location("u:/a", "")


def make_catalogue(value: Any, draft: Draft = Draft.DRAFT202012) -> Catalogue:
    catalogue = Catalogue()
    source = parse_source(json.dumps(value), "a")
    catalogue.add(Document("u:/a", "u:/a", "a", source, Dialect(draft), "schema"))
    catalogue.settle()
    return catalogue


def test_the_outermost_anchor_of_a_name_stays_in_reach() -> None:
    inner = {"$id": "b", "$dynamicAnchor": "T", "items": {"$dynamicRef": "#T", "$ref": "#T"}}
    catalogue = make_catalogue({"$dynamicAnchor": "T", "not": inner, "if": {"$dynamicAnchor": "U"}})
    at = ROOT / "not" / "items"
    outside = enter(catalogue, (), ROOT)
    inside = enter(catalogue, outside, at)
    assert dict(inside) == {"T": ROOT, "U": ROOT / "if"}
    assert follow(catalogue, inside, at, "$dynamicRef") == ROOT
    assert follow(catalogue, inside, at, "$ref") == ROOT / "not"
    assert follow(catalogue, enter(catalogue, (), at), at, "$dynamicRef") == ROOT / "not"


def test_a_dynamic_reference_to_something_else_is_a_plain_one() -> None:
    value = {
        "$dynamicAnchor": "T",
        "$defs": {"b": {"$id": "b", "$anchor": "T"}},
        "anyOf": [{"$dynamicRef": "b#T"}, {"$dynamicRef": "#/$defs/b"}, {"$dynamicRef": "#gone"}],
    }
    catalogue = make_catalogue(value)
    scope = enter(catalogue, (), ROOT)
    targets = [
        follow(catalogue, scope, ROOT / "anyOf" / index, "$dynamicRef") for index in range(3)
    ]
    assert targets == [ROOT / "$defs" / "b", ROOT / "$defs" / "b", None]


def test_recursion_ends_at_a_resource_that_is_not_recursive() -> None:
    value = {
        "$recursiveAnchor": True,
        "$defs": {
            "plain": {"$id": "plain"},
            "inner": {"$id": "inner", "$recursiveAnchor": True, "items": {"$recursiveRef": "#"}},
        },
    }
    catalogue = make_catalogue(value, Draft.DRAFT201909)
    inner = ROOT / "$defs" / "inner"
    outside = enter(catalogue, (), ROOT)
    direct = enter(catalogue, outside, inner)
    assert follow(catalogue, direct, inner / "items", "$recursiveRef") == ROOT
    broken = enter(catalogue, enter(catalogue, outside, ROOT / "$defs" / "plain"), inner)
    assert follow(catalogue, broken, inner / "items", "$recursiveRef") == inner
