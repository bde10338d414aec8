"""The judge is mypy: a user's file fails with the new package exactly where something is said."""

from __future__ import annotations

import copy
import json
import os
import re
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
SHOP: dict[str, Any] = {
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
        "hire": {"kind": "method", "returns": "job"},
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
JOB: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "job", "mode": "reference"},
    "members": {"stop": {"kind": "method"}},
}
QUEUE: dict[str, Any] = {
    "$ref": "#/$defs/Task",
    "$defs": {
        "Task": {
            "type": "object",
            "properties": {"id": TEXT, "next": {"$ref": "#/$defs/Task"}},
            "required": ["id"],
        },
        "Name": TEXT,
    },
}
OLD: dict[str, Any] = {
    "shop.contract.json": SHOP,
    "job.contract.json": JOB,
    "queue.schema.json": QUEUE,
    "label.schema.json": {"type": "string", "properties": {"a": TEXT}},
}
USER = """
from __future__ import annotations

import typing as t

from pi_contracts.runtime import generated as rt

from .made import job, label, queue, shop


class Job(job.JobProvider):
    async def stop(self, ctx: rt.Context) -> None:
        return None


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
        if count > 9:
            raise shop.SoldOut(data="large")
        return "small"

    async def hire(self, ctx: rt.Context) -> job.JobProvider:
        return Job()


def make_item() -> shop.Item:
    return ITEM


def make_whole_item() -> shop.Item:
    return WHOLE_ITEM


def read_item(item: shop.Item) -> tuple[str, t.Literal["small", "large"]]:
    return NAME, SIZE


class Line(PROTOCOL):
    FIELD


def make_line(item: shop.Item) -> Line:
    return item


def get_code(error: shop.SoldOut) -> t.Literal["small", "large"]:
    return error.data


def read_task(value: object) -> queue.Task:
    return queue.validate(value)


def narrow(value: object) -> str | None:
    return value if label.is_valid(value) else None


def get_name(name: queue.Name) -> str:
    return name


async def use(service: shop.Shop, ctx: rt.Context) -> t.Literal["small", "large"]:
    stock: list[shop.Item] = service.stock.value
    events: rt.Events[shop.Item] = service.sold
    reference: rt.Reference[job.Job] = await service.hire(ctx)
    async with reference:
        await reference.service.stop(ctx)
    await service.buy(item=stock[0], count=1, ctx=ctx)
    return await service.buy(make_item(), 1, ctx, note="wrapped")


PROVIDER = Shop(stock=[make_item()])
TOKEN: rt.Singleton[shop.Shop, shop.ShopProvider] = shop.SHOP
"""
SPELLINGS = {
    "typed-dict": {
        "WHOLE_ITEM": '{"name": "bag", "size": "large", "colour": "red"}',
        "ITEM": '{"name": "bag", "size": "large"}',
        "NAME": 'item["name"]',
        "PROTOCOL": "rt.TypedDict",
        "FIELD": "name: rt.ReadOnly[str]",
        "SIZE": 'item["size"]',
    },
    "pydantic": {
        "WHOLE_ITEM": 'shop.Item(name="bag", size="large", colour="red")',
        "ITEM": 'shop.Item(name="bag", size="large")',
        "NAME": "item.name",
        "PROTOCOL": "t.Protocol",
        "FIELD": "@property\n    def name(self) -> str: ...",
        "SIZE": "item.size",
    },
}
"""What the user writes where the kinds of types differ."""


class Edit(NamedTuple):
    """A change of one file, and how each message about it begins."""

    file: str
    values: dict[str, object]
    """By pointer what to put there; the empty one is the name of the file."""
    told: tuple[str, ...]


GONE = object()
ITEM = "$defs/Item/properties"


def edit(pointer: str, value: object, *told: str, file: str = "shop.contract.json") -> Edit:
    return Edit(file, {pointer: value}, told)


EDITS = {
    "nothing": edit("service/id", "shop"),
    "a title": edit("title", "A shop."),
    "a tighter limit": edit(f"{ITEM}/name", {**TEXT, "maxLength": 9}),
    "the order of values": edit("$defs/Size/enum", ["large", "small"]),
    "an optional member more": edit(f"{ITEM}/weight", NUMBER),
    "an event more": edit("members/returned", {"kind": "events", "payload": NUMBER}),
    "a type written out where it is used": edit(
        "errors/sold_out/data", {"enum": ["large", "small"]}
    ),
    "a definition more": edit("$defs/Colour", TEXT),
    "a definition less": edit(
        "$defs/Name", GONE, "queue.Name: it is gone", file="queue.schema.json"
    ),
    "a value more": edit(
        "$defs/Size/enum", ["small", "large", "huge"], "shop.Size: it is another type"
    ),
    "a value less": edit("$defs/Size/enum", ["small"], "shop.Size: it is another type"),
    "a type for an object": edit("$defs/Item", TEXT, "shop.Item: it is a thing of another kind"),
    "a member that has to be given": edit(
        "$defs/Item/required",
        ["name", "size", "colour"],
        "shop.Item.colour: it has to be given now",
    ),
    "a member more that has to be given": Edit(
        "shop.contract.json",
        {f"{ITEM}/weight": NUMBER, "$defs/Item/required": ["name", "size", "weight"]},
        ("shop.Item.weight: it is new and has to be given",),
    ),
    "a member that may be absent": edit(
        "$defs/Item/required", ["size"], "shop.Item.name: it may be absent now"
    ),
    "a member of another type": edit(
        f"{ITEM}/name", NUMBER, "shop.Item.name: it is of another type"
    ),
    "a member that is gone": edit(f"{ITEM}/colour", GONE, "shop.Item.colour: it is gone"),
    "a parameter that has to be given": edit(
        "members/buy/optional", [], 'shop.Shop.buy: the parameter "note" has to be given now'
    ),
    "a parameter that may be left out": edit(
        "members/buy/optional",
        ["note", "count"],
        'shop.Shop.buy: the parameter "count" can only be given by name now',
    ),
    "a parameter of another type": edit(
        "members/buy/params/count", TEXT, 'shop.Shop.buy: the parameter "count" is of another type'
    ),
    "a parameter that is gone": edit(
        "members/buy/params/count", GONE, 'shop.Shop.buy: the parameter "count" is gone'
    ),
    "a required parameter more": edit(
        "members/buy/params/to",
        TEXT,
        'shop.Shop.buy: the parameter "to" is new and has to be given',
    ),
    "parameters in another order": edit(
        "members/buy/params",
        {"count": NUMBER, "item": {"$ref": "#/$defs/Item"}, "note": TEXT},
        "shop.Shop.buy: its parameters have moved: item, count, ctx are now count, item, ctx",
    ),
    "another result": edit(
        "members/buy/result", NUMBER, "shop.Shop.buy: what it returns is of another type"
    ),
    "no result": edit(
        "members/buy/result", GONE, "shop.Shop.buy: what it returns is of another type"
    ),
    "a method more": edit(
        "members/sell",
        {"kind": "method"},
        "shop.ShopProvider.sell: it is new, and a provider has to",
    ),
    "a method less": edit("members/buy", GONE, "shop.Shop.buy: it is gone"),
    "a state more": edit(
        "members/empty",
        {"kind": "state", "value": TEXT},
        'shop.ShopProvider.__init__: the parameter "empty" is new and has to be given',
    ),
    "the first state": edit(
        "members/progress",
        {"kind": "state", "value": NUMBER},
        'job.JobProvider.__init__: the parameter "progress" is new and has to be given',
        file="job.contract.json",
    ),
    "no state and no events": Edit(
        "shop.contract.json",
        {"members/stock": GONE, "members/sold": GONE},
        ('shop.ShopProvider.__init__: the parameter "stock" is gone',),
    ),
    "a state less": edit(
        "members/stock",
        GONE,
        "shop.Shop.stock: it is gone",
        'shop.ShopProvider.__init__: the parameter "stock" is gone',
    ),
    "a state of another type": edit(
        "members/stock/value",
        NUMBER,
        "shop.Shop.stock: what it returns is of another type",
        'shop.ShopProvider.__init__: the parameter "stock" is of another type',
    ),
    "an event less": edit("members/sold", GONE, "shop.Shop.sold: it is gone"),
    "a member of another kind": edit(
        "members/sold",
        {"kind": "method"},
        "shop.ShopProvider.sold: it is new, and a provider has to",
    ),
    "an error less": Edit(
        "shop.contract.json",
        {"errors": GONE, "members/buy/errors": GONE},
        ("shop.SoldOut: it is gone",),
    ),
    "an optional parameter more": Edit(
        "shop.contract.json",
        {"members/buy/params/wrap": TEXT, "members/buy/optional": ["note", "wrap"]},
        ('shop.ShopProvider.buy: the parameter "wrap" is new, and a provider has to take it',),
    ),
    "another file": edit("", "market.contract.json", "shop: the module is market now"),
    "another folder": edit("", "sub/shop.contract.json", "shop: the module is sub.shop now"),
    "another file of a reference": edit(
        "", "task.contract.json", "job: the module is task now", file="job.contract.json"
    ),
    "another file and something else": Edit(
        "shop.contract.json",
        {"": "market.contract.json", "$defs/Size/enum": ["small"]},
        ("shop: the module is market now", "shop.Size: it is another type"),
    ),
    "a file less": edit("", GONE, "queue: the module is gone", file="queue.schema.json"),
    "another file of schemas": edit(
        "", "tasks.schema.json", "queue: the module is gone", file="queue.schema.json"
    ),
    "an error without data": edit(
        "errors/sold_out/data", GONE, 'shop.SoldOut.__init__: the parameter "data" is gone'
    ),
    "an error with other data": edit(
        "errors/sold_out/data", NUMBER, 'shop.SoldOut.__init__: the parameter "data" is of another'
    ),
    "another mode": edit("service/mode", "keyed", "shop.SHOP: it is another type"),
    "another id": edit("service/id", "store", "shop.SHOP: it is gone", "shop.Shop: it is gone"),
    "a method of a reference more": edit(
        "members/go",
        {"kind": "method"},
        "job.JobProvider.go: it is new, and a provider has to",
        file="job.contract.json",
    ),
    "a method of a reference less": edit(
        "members/stop", GONE, "job.Job.stop: it is gone", file="job.contract.json"
    ),
    "another root": edit(
        "$ref",
        "#/$defs/Name",
        "queue.Queue: it is another type",
        file="queue.schema.json",
    ),
    "an object for a type": edit(
        "type", "object", "label.Label: it is a", file="label.schema.json"
    ),
}
TOLD: list[tuple[tuple[str, str | None, str], str, list[str]]] = [
    (("shop", None, "moved"), "another file", []),
    (("shop", None, "moved"), "a method less", ["shop.Shop.buy: it is gone"]),
    (("shop", "buy", "member-removed"), "a method less", []),
    (("job", "buy", "member-removed"), "a method less", ["shop.Shop.buy: it is gone"]),
    (("shop", "sell", "member-added"), "a method more", []),
    (("shop", "empty", "member-added"), "a state more", []),
    (("shop", "stock", "member-removed"), "a state less", []),
    (("shop", "sold", "kind-changed"), "a member of another kind", []),
    (("shop", "buy", "error-removed"), "an error less", []),
    (("shop", "hire", "error-removed"), "an error less", ["shop.SoldOut: it is gone"]),
    (("shop", None, "mode-changed"), "another mode", []),
    (("shop", None, "service-removed"), "another id", []),
    (("shop", None, "service-removed"), "a file less", ["queue: the module is gone"]),
]
"""A change of the wire, an edit, and what is left to say."""
KINDS = ("typed-dict", "pydantic")
CASES = [(kind, name) for kind in KINDS for name in EDITS]


def apply(edit: Edit) -> dict[str, Any]:
    files = copy.deepcopy(OLD)
    document = files.pop(edit.file)
    file: object = edit.file
    for pointer, value in edit.values.items():
        *parents, last = pointer.split("/")
        place = document
        for token in parents:
            place = place[token]
        if not pointer:
            file = value
        elif value is GONE:
            del place[last]
        else:
            place[last] = value
    return files if file is GONE else {**files, str(file): document}


def write(folder: Path, files: dict[str, Any]) -> Path:
    for path, document in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(document))
    return folder


def compare(folder: Path, new: dict[str, Any], kind: Any, *told: Any) -> list[Any]:
    readings = [read([write(folder / side, files)]) for side, files in (("old", OLD), ("new", new))]
    assert all(one.is_sound for one in readings), [one.findings for one in readings]
    before, after = (one.catalogue for one in readings)
    return list(compare_sources(before, after, kind, told=frozenset(told)))


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[str]]:
    """Return what mypy says of the user's file with the package of each edit."""
    folder = tmp_path_factory.mktemp("judged")
    for number, (kind, name) in enumerate(CASES):
        home = folder / f"case{number}"
        catalogue = read([write(folder / f"contracts{number}", apply(EDITS[name]))]).catalogue
        for path, text in generate(catalogue, types=kind).items():  # type: ignore[arg-type]
            file = home / "made" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (home / "__init__.py").write_text("")
        words = re.compile(rf"\b({'|'.join(SPELLINGS[kind])})\b")
        spelled = words.sub(lambda found: SPELLINGS[kind][found[0]], USER)  # noqa: B023
        (home / "user.py").write_text(spelled)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "."],
        cwd=folder,
        env={**os.environ, "MYPYPATH": f"{ROOT / '.links'}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[tuple[str, str], list[str]] = {case: [] for case in CASES}
    for line in done.stdout.splitlines():
        judged = re.match(r"case(\d+)/.*: error: ", line)
        if judged:
            found[CASES[int(judged[1])]].append(line)
    return found


def get_text(message: str) -> str:
    return message.removeprefix("code that uses ").replace(" has to follow", "", 1)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_something_is_said_exactly_where_mypy_complains(
    kind: str, name: str, tmp_path: Path, complaints: dict[tuple[str, str], list[str]]
) -> None:
    findings = compare(tmp_path, apply(EDITS[name]), kind)
    texts = [get_text(one.message) for one in findings]
    assert bool(findings) is bool(complaints[kind, name]), (texts, complaints[kind, name])
    for begin in EDITS[name].told:
        assert any(text.startswith(begin) for text in texts), (begin, texts)
    assert bool(EDITS[name].told) is bool(texts)
    assert {(one.rule, one.severity) for one in findings} <= {("source-breaking", "note")}
    assert len({one.fingerprint for one in findings}) == len(findings)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_message_is_judged(kind: str, tmp_path: Path) -> None:
    source = (ROOT / "codegen/source_compat.py").read_text("utf-8")
    quoted = re.findall(r"""f?(?:"((?:it|its|the module|what) [^"]+)"|'(the [^']+)')""", source)
    kinds = {re.sub(r"\{[^}]*\}.*", "", double or single) for double, single in quoted}
    texts = [
        get_text(one.message).partition(": ")[2]
        for number, each in enumerate(EDITS.values())
        for one in compare(tmp_path / str(number), apply(each), kind)
    ]
    assert {one for one in kinds if not any(text.startswith(one) for text in texts)} == set()


def test_what_is_told_of_the_wire_already_is_left_out(tmp_path: Path) -> None:
    for number, (told, name, left) in enumerate(TOLD):
        findings = compare(tmp_path / str(number), apply(EDITS[name]), "typed-dict", told)
        assert [get_text(one.message) for one in findings] == left, (told, name)
