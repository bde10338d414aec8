"""The judge is mypy: a user's file fails with the new package exactly where something is said."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pi_contracts.codegen.generate import generate
from pi_contracts.codegen.source_compat import compare_sources
from pi_contracts.contracts.read import read

ROOT = Path(__file__).resolve().parents[2]
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
OLD: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "shop", "mode": "singleton"},
    "members": {
        "buy": {
            "kind": "method",
            "params": {"item": {"$ref": "#/$defs/Item"}, "count": NUMBER, "note": TEXT},
            "optional": ["note"],
            "result": {"$ref": "#/$defs/Size"},
            "errors": ["sold_out"],
        },
        "stock": {"kind": "state", "value": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
        "sold": {"kind": "events", "payload": {"$ref": "#/$defs/Item"}},
    },
    "errors": {"sold_out": {"description": "Nothing is left.", "data": {"$ref": "#/$defs/Size"}}},
    "$defs": {
        "Item": {
            "type": "object",
            "properties": {"name": TEXT, "size": {"$ref": "#/$defs/Size"}, "colour": TEXT},
            "required": ["name", "size"],
            "additionalProperties": False,
        },
        "Size": {"enum": ["small", "large"]},
    },
}
USER = """
from __future__ import annotations

import typing as t

from pi_contracts.runtime import generated as rt

from .made import shop


class Shop(shop.ShopProvider):
    async def buy(
        self,
        item: shop.Item,
        count: int,
        ctx: rt.Context,
        *,
        note: str | rt.Unset = rt.UNSET,
    ) -> shop.Size:
        if count < 1:
            raise shop.SoldOut("nothing is left", data="small")
        return "small"


def make_item() -> shop.Item:
    return {"name": "bag", "size": "large"}


def make_whole_item() -> shop.Item:
    return {"name": "bag", "size": "large", "colour": "red"}


def read_item(item: shop.Item) -> tuple[str, t.Literal["small", "large"]]:
    return item["name"], item["size"]


def get_code(error: shop.SoldOut) -> t.Literal["small", "large"]:
    return error.data


async def use(service: shop.Shop, ctx: rt.Context) -> t.Literal["small", "large"]:
    stock: list[shop.Item] = service.stock.value
    events: rt.Events[shop.Item] = service.sold
    await service.buy(item=stock[0], count=1, ctx=ctx)
    return await service.buy(make_item(), 1, ctx, note="wrapped")


PROVIDER = Shop(stock=[make_item()])
TOKEN: rt.Singleton[shop.Shop] = shop.SHOP
"""


class Edit(NamedTuple):
    pointer: str
    value: object
    told: tuple[str, ...] = ()


GONE = object()
ITEM = "$defs/Item/properties"
EDITS = {
    "nothing": Edit("title", "A shop."),
    "a tighter limit": Edit(f"{ITEM}/name", {**TEXT, "maxLength": 9}),
    "the order of values": Edit("$defs/Size/enum", ["large", "small"]),
    "an optional member more": Edit(f"{ITEM}/weight", NUMBER),
    "an event more": Edit("members/returned", {"kind": "events", "payload": NUMBER}),
    "a type written out where it is used": Edit(
        "errors/sold_out/data", {"enum": ["large", "small"]}
    ),
    "a definition more": Edit("$defs/Colour", TEXT),
    "a value more": Edit("$defs/Size/enum", ["small", "large", "huge"], ("shop.Size",)),
    "a value less": Edit("$defs/Size/enum", ["small"], ("shop.Size",)),
    "a member that has to be given": Edit(
        "$defs/Item/required", ["name", "size", "colour"], ("shop.Item.colour",)
    ),
    "a member of another type": Edit(f"{ITEM}/name", NUMBER, ("shop.Item.name",)),
    "a member that is gone": Edit(f"{ITEM}/colour", GONE, ("shop.Item.colour",)),
    "a parameter that has to be given": Edit("members/buy/optional", [], ("shop.Shop.buy",)),
    "a parameter that may be left out": Edit(
        "members/buy/optional", ["note", "count"], ("shop.Shop.buy",)
    ),
    "a parameter of another type": Edit("members/buy/params/count", TEXT, ("shop.Shop.buy",)),
    "a parameter that is gone": Edit("members/buy/params/count", GONE, ("shop.Shop.buy",)),
    "a required parameter more": Edit("members/buy/params/to", TEXT, ("shop.Shop.buy",)),
    "another result": Edit("members/buy/result", NUMBER, ("shop.Shop.buy",)),
    "no result": Edit("members/buy/result", GONE, ("shop.Shop.buy",)),
    "a method more": Edit("members/sell", {"kind": "method"}, ("shop.ShopProvider.sell",)),
    "a method less": Edit("members/buy", GONE, ("shop.Shop.buy", "shop.SoldOut")),
    "a state more": Edit(
        "members/open", {"kind": "state", "value": TEXT}, ("shop.ShopProvider.__init__",)
    ),
    "an event less": Edit("members/sold", GONE, ("shop.Shop.sold",)),
    "another mode": Edit("service/mode", "keyed", ("shop.SHOP",)),
    "another id": Edit("service/id", "store", ("shop.SHOP", "shop.Shop", "shop.ShopProvider")),
}


def apply(edit: Edit) -> dict[str, Any]:
    document = copy.deepcopy(OLD)
    *parents, last = edit.pointer.split("/")
    place = document
    for token in parents:
        place = place[token]
    if edit.value is GONE:
        del place[last]
        if last == "buy":
            del document["errors"]
    else:
        place[last] = edit.value
    return document


def write(folder: Path, document: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    (folder / "shop.contract.json").write_text(json.dumps(document))
    return folder


def compare(folder: Path, new: dict[str, Any]) -> list[Any]:
    readings = [read([write(folder / side, doc)]) for side, doc in (("old", OLD), ("new", new))]
    before, after = (one.catalogue for one in readings)
    return list(compare_sources(before, after, "typed-dict"))


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what mypy says of the user's file with the package of each edit."""
    folder = tmp_path_factory.mktemp("judged")
    for number, edit in enumerate(EDITS.values()):
        home = folder / f"case{number}"
        catalogue = read([write(folder / f"contracts{number}", apply(edit))]).catalogue
        for path, text in generate(catalogue, types="typed-dict").items():
            file = home / "made" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (home / "__init__.py").write_text("")
        (home / "user.py").write_text(USER)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "."],
        cwd=folder,
        env={**os.environ, "MYPYPATH": f"{ROOT / '.links'}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, list[str]] = {name: [] for name in EDITS}
    for line in done.stdout.splitlines():
        if ": error: " in line:
            number = int(line.partition("/")[0].removeprefix("case"))
            found[list(EDITS)[number]].append(line)
    return found


@pytest.mark.parametrize("name", EDITS)
def test_something_is_said_exactly_where_mypy_complains(
    name: str, tmp_path: Path, complaints: dict[str, list[str]]
) -> None:
    findings = compare(tmp_path, apply(EDITS[name]))
    told = {one.message.removeprefix("code that uses ").partition(" has")[0] for one in findings}
    assert bool(findings) is bool(complaints[name]), (findings, complaints[name])
    assert set(EDITS[name].told) <= told
    assert bool(EDITS[name].told) is bool(told)
    assert {(one.rule, one.severity) for one in findings} <= {("source-breaking", "note")}
    assert len({one.fingerprint for one in findings}) == len(findings)


def test_a_module_that_is_gone_is_told_at_the_old_file(tmp_path: Path) -> None:
    old, new = write(tmp_path / "old", OLD), write(tmp_path / "new", OLD)
    (new / "shop.contract.json").rename(new / "store.contract.json")
    before, after = (read([side]).catalogue for side in (old, new))
    (one,) = compare_sources(before, after, "typed-dict")
    assert one.message == "code that uses shop has to follow: the module is gone"
    assert one.path is not None
    assert one.path.endswith("old/shop.contract.json")
