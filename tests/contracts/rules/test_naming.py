from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.check import lint

if TYPE_CHECKING:
    from pi_contracts.contracts.read import Reading

Find = Callable[..., list[str]]


def name(*members: str, errors: tuple[str, ...] = (), **definitions: object) -> dict[str, Any]:
    return {
        "members": {one: {"kind": "method"} for one in members},
        "errors": {one: {} for one in errors},
        "$defs": definitions,
    }


@pytest.mark.parametrize(
    ("names", "odd"),
    [
        (["listItems", "buyItem", "buy"], []),
        (["list_items", "buy_item", "buy"], []),
        (["list-items", "buy-item", "buy"], []),
        (["ListItems", "Buy"], []),
        (["LIST_ITEMS", "BUY"], []),
        (["LIST_ITEMS", "BUY_ITEM", "return"], ["return"]),
        (["ListItems", "BuyItem", "return"], ["return"]),
        (["buy", "sell"], []),
        (["listItems", "buyItem", "return_item"], ["return_item"]),
        (["list_items", "buyItem", "return_item"], ["buyItem"]),
        (["listItems", "return_item"], ["return_item"]),
        (["buy", "sell", "Return"], ["Return"]),
        (["listItems", "@type", "a.b"], []),
        (["@type"], []),
        ([], []),
    ],
    ids=str,
)
def test_names_are_in_the_style_of_most(find: Find, names: list[str], odd: list[str]) -> None:
    found = find("mixed-names", name(*names))
    assert found == [f"/members/{one}" for one in odd]


def test_members_parameters_and_properties_are_compared_with_each_other(find: Find) -> None:
    value = {"type": "object", "properties": {"unit_price": True, "itemName": True}}
    contract = {
        "members": {
            "listItems": {"kind": "method", "params": {"page_size": True}},
            "stock": {"kind": "state", "value": value},
        }
    }
    # the first style of two that are as frequent counts
    assert find("mixed-names", contract) == [
        "/members/listItems/params/page_size",
        "/members/stock/value/properties/unit_price",
    ]


def test_codes_and_definitions_are_compared_among_themselves(find: Find) -> None:
    contract = name("listItems", errors=("sold_out", "noMoney", "none_left"), ItemName={}, item={})
    assert find("mixed-names", contract) == ["/errors/noMoney", "/$defs/item"]


def test_a_name_in_two_places_is_told_once(find: Find) -> None:
    value = {"properties": {"a_b": {"properties": {"a_b": True}}, "cD": True, "eF": True}}
    contract = {"members": {"stock": {"kind": "state", "value": value}}}
    assert find("mixed-names", contract) == ["/members/stock/value/properties/a_b"]


def find_mangled(read: Callable[[dict[str, Any]], Reading], contract: dict[str, Any]) -> list[Any]:
    service = {"id": "shop", "mode": "singleton"}
    document = {"$schema": "urn:pi-contracts:dialect:1", "service": service, **contract}
    reading = read({"shop.contract.json": document})
    found = lint(reading.catalogue, reading.catalogue.documents, {})
    return [(one.pointer, one.severity.value) for one in found if one.rule == "mangled-name"]


@pytest.mark.parametrize(
    ("member", "severity"),
    [
        ("buy", None),
        ("listItems", None),
        ("class", "warning"),
        ("import", "warning"),
        ("2buy", "warning"),
        ("list", "note"),
        ("print", None),
        ("a" * 70, "note"),
    ],
)
def test_members_that_python_cannot_spell_are_told(
    read_files: Callable[[dict[str, Any]], Reading], member: str, severity: str | None
) -> None:
    expected = [(f"/members/{member}", severity)] if severity else []
    assert find_mangled(read_files, name(member)) == expected


@pytest.mark.parametrize(
    ("parameter", "severity"),
    [("item", None), ("from", "warning"), ("id", "note"), ("ctx", "note")],
)
def test_parameters_that_python_cannot_spell_are_told(
    read_files: Callable[[dict[str, Any]], Reading], parameter: str, severity: str | None
) -> None:
    contract = {"members": {"buy": {"kind": "method", "params": {parameter: True}}}}
    expected = [(f"/members/buy/params/{parameter}", severity)] if severity else []
    assert find_mangled(read_files, contract) == expected


def test_errors_that_hide_a_class_of_python_are_told(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    contract = name("buy", errors=("timeout_error", "sold_out"))
    assert find_mangled(read_files, contract) == [("/errors/timeout_error", "warning")]


def test_properties_are_notes(read_files: Callable[[dict[str, Any]], Reading]) -> None:
    value = {"properties": {"class": True, "item": True, "content-type": True}}
    contract = {"members": {"stock": {"kind": "state", "value": value}}}
    at = "/members/stock/value/properties"
    assert find_mangled(read_files, contract) == [
        (f"{at}/class", "note"),
        (f"{at}/content-type", "note"),
    ]
