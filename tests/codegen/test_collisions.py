from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pi_contracts.codegen.collisions import find_name_collisions
from pi_contracts.codegen.generate import generate
from pi_contracts.contracts.findings import Finding, Severity
from pi_contracts.contracts.read import read

SHOP: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "shop", "mode": "singleton"},
    "members": {"m": {"kind": "method"}},
}
CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}}


def find(folder: Path, documents: dict[str, object]) -> tuple[tuple[Finding, ...], dict[str, str]]:
    for name, value in documents.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    reading = read([folder], base=folder)
    assert reading.is_sound
    findings = find_name_collisions(reading.catalogue)
    assert all(one.severity is Severity.WARNING for one in findings)
    assert all(one.rule == "name-collision" for one in findings)
    return findings, generate(reading.catalogue, types="typed-dict")


@pytest.mark.parametrize(
    ("changes", "pointer", "other", "name"),
    [
        (
            {"members": {"fooBar": {"kind": "method"}, "foo_bar": {"kind": "method"}}},
            "/members/fooBar",
            'the member "foo_bar"',
            "foo_bar",
        ),
        (
            {"members": {"m": {"kind": "method", "params": {"x-y": True, "x_y": True}}}},
            "/members/m/params/x-y",
            'the parameter "x_y"',
            "x_y",
        ),
        ({"$defs": {"Shop": CLOSED}}, "/service/id", "the type at /$defs/Shop", "Shop"),
        (
            {"$defs": {"ShopProvider": CLOSED}},
            "/service/id",
            "the type at /$defs/ShopProvider",
            "ShopProvider",
        ),
        (
            {"errors": {"gone": {}}, "$defs": {"Gone": CLOSED}},
            "/errors/gone",
            "the type at /$defs/Gone",
            "Gone",
        ),
        (
            {"$defs": {"an-item": CLOSED, "AnItem": CLOSED}},
            "/$defs/an-item",
            "the type at /$defs/AnItem",
            "AnItem",
        ),
    ],
    ids=["members", "parameters", "service", "provider", "error", "types"],
)
def test_both_places_and_the_name_given_are_told(
    tmp_path: Path, changes: dict[str, Any], pointer: str, other: str, name: str
) -> None:
    findings, files = find(tmp_path, {"shop.contract.json": {**SHOP, **changes}})
    (finding,) = findings
    assert finding.pointer == pointer
    assert f'{other} both become "{name}" in Python' in finding.message
    (related,) = finding.related
    assert related.message == f"this is {other}"
    given = finding.message.rpartition(' is called "')[2].removesuffix('"')
    assert given.startswith(f"{name}_")
    assert given in files["shop.py"]


WAYS_OUT: list[tuple[dict[str, Any], str]] = [
    (
        {"$defs": {"Shop": CLOSED}},
        'call the definition "Shop" something else, such as "ShopData"',
    ),
    (
        {"members": {"buy": {"kind": "method", "result": CLOSED}}, "errors": {"BuyResult": {}}},
        'choose its name yourself: move the schema to "#/$defs/NAME"',
    ),
    (
        {"members": {"buyIt": {"kind": "method"}, "buy_it": {"kind": "method"}}},
        "give one of the two a name that differs in more than case and punctuation",
    ),
]


@pytest.mark.parametrize(("changes", "fix"), WAYS_OUT, ids=["definition", "inline", "members"])
def test_the_way_out_says_how_to_choose_a_name_that_is_not_on_the_wire(
    tmp_path: Path, changes: dict[str, Any], fix: str
) -> None:
    findings, _ = find(tmp_path, {"shop.contract.json": {**SHOP, **changes}})
    assert findings
    assert all((one.fix or "").startswith(fix) for one in findings)


def test_names_that_the_file_spells_in_two_other_ways_both_change(tmp_path: Path) -> None:
    members = {"foo-bar": {"kind": "method"}, "fooBar": {"kind": "method"}}
    findings, _ = find(tmp_path, {"shop.contract.json": {**SHOP, "members": members}})
    assert [one.pointer for one in findings] == ["/members/foo-bar", "/members/fooBar"]


@pytest.mark.parametrize("service", ["x", "问题"])
def test_an_id_that_gives_one_name_twice_is_no_warning(tmp_path: Path, service: str) -> None:
    contract = {**SHOP, "service": {"id": service, "mode": "singleton"}}
    assert find(tmp_path, {"shop.contract.json": contract})[0] == ()


def test_files_and_folders_that_become_one_module_are_told(tmp_path: Path) -> None:
    findings, files = find(
        tmp_path,
        {
            "sub/a-b.schema.json": CLOSED,
            "sub/a_b.schema.json": CLOSED,
            "sub/c-d/x.schema.json": CLOSED,
            "sub/c_d/x.schema.json": CLOSED,
        },
    )
    assert [one.path for one in findings] == ["sub/a-b.schema.json", "sub/c-d"]
    assert findings[0].related[0].path == "sub/a_b.schema.json"
    for finding in findings:
        given = finding.message.rpartition(' is called "')[2].removesuffix('"')
        assert any(f"/{given}" in path for path in files)


def test_files_in_a_ring_are_told_once(tmp_path: Path) -> None:
    ring = {
        "$defs": {"an-item": CLOSED, "AnItem": CLOSED, "Next": {"$ref": "b.schema.json#/$defs/N"}}
    }
    back = {
        "$defs": {
            "N": {"type": "object", "properties": {"n": {"$ref": "a.schema.json#/$defs/Next"}}}
        }
    }
    findings, _ = find(tmp_path, {"a.schema.json": ring, "b.schema.json": back})
    assert [one.pointer for one in findings] == ["/$defs/an-item"]


def test_the_shipped_contracts_have_no_collisions() -> None:
    library = Path(__file__).resolve().parents[2] / "contracts" / "library"
    assert find_name_collisions(read([library]).catalogue) == ()
