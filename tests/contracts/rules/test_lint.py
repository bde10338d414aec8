from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pi_contracts.contracts.rules.lint import Lint

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.read import Reading

CONTRACT: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "shop", "mode": "singleton"},
    "members": {
        "stock": {
            "kind": "state",
            "value": {
                "allOf": [{"$ref": "#/$defs/A"}, True],
                "if": {"properties": {"a": {}}},
                "items": {"not": {}},
            },
        }
    },
    "$defs": {
        "A": {"allOf": [{"$ref": "#/$defs/B"}]},
        "B": {"$ref": "#/$defs/A", "type": ["null"]},
    },
}


def look_at(read: Callable[[dict[str, Any]], Reading]) -> Lint:
    catalogue = read({"shop.contract.json": CONTRACT}).catalogue
    (contract,) = catalogue.contracts.values()
    return Lint(catalogue, contract, {})


def test_schemas_come_in_the_order_of_the_text_without_conditions(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    places = [place.pointer for place, _ in look_at(read_files).schemas]
    value = "/members/stock/value"
    assert places == [
        value,
        f"{value}/allOf/0",
        f"{value}/items",
        "/$defs/A",
        "/$defs/A/allOf/0",
        "/$defs/B",
    ]


def test_parts_follow_references_and_come_to_an_end(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    lint = look_at(read_files)
    parts = [part.pointer for part in lint.find_parts(lint.payloads[0])]
    value = "/members/stock/value"
    assert parts == [
        value,
        f"{value}/allOf/0",
        "/$defs/A",
        "/$defs/A/allOf/0",
        "/$defs/B",
        f"{value}/allOf/1",
    ]


def test_types_are_names_in_either_form(read_files: Callable[[dict[str, Any]], Reading]) -> None:
    lint = look_at(read_files)
    assert lint.list_types(lint.root / "$defs" / "B") == ("null",)
    assert lint.list_types(lint.root / "$defs" / "A") == ()
