"""One edit is one cause: what only follows from it is no finding of its own."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.codegen.source_compat import compare_sources
from pi_contracts.contracts.comparison import compare_sides
from pi_contracts.contracts.sides import Side

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = {"type": "string"}
SHOP: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "shop", "mode": "singleton", "version": 3},
    "members": {
        "buy": {"kind": "method", "params": {"what": TEXT}, "errors": ["sold_out"]},
        "stock": {"kind": "state", "value": TEXT},
    },
    "errors": {"sold_out": {"description": "Nothing is left."}},
}
DESK = {**SHOP, "service": {"id": "desk", "mode": "singleton"}}
OLD = {"shop.contract.json": SHOP, "desk.contract.json": DESK}
BREAK, NOTE = ("compat-breaking", "old-consumer"), ("compat-breaking", "new-consumer")
VERSION = ("version-not-raised", None)


def move(files: dict[str, Any]) -> None:
    files["market.contract.json"] = files.pop("shop.contract.json")


def remove(files: dict[str, Any]) -> None:
    del files["desk.contract.json"]


def name_anew(files: dict[str, Any]) -> None:
    files["shop.contract.json"]["service"]["id"] = "store"


def lower(files: dict[str, Any]) -> None:
    files["shop.contract.json"]["service"]["version"] = 2
    del files["shop.contract.json"]["members"]["stock"]


def remove_method(files: dict[str, Any]) -> None:
    del files["shop.contract.json"]["members"]["buy"]
    del files["shop.contract.json"]["errors"]


def name_member_anew(files: dict[str, Any]) -> None:
    members = files["shop.contract.json"]["members"]
    members["store"] = members.pop("stock")


def change_kind(files: dict[str, Any]) -> None:
    files["shop.contract.json"]["members"]["stock"] = {"kind": "events", "payload": TEXT}


def change_mode(files: dict[str, Any]) -> None:
    files["shop.contract.json"]["service"]["mode"] = "keyed"


def remove_error(files: dict[str, Any]) -> None:
    del files["shop.contract.json"]["errors"]
    del files["shop.contract.json"]["members"]["buy"]["errors"]


def move_and_change(files: dict[str, Any]) -> None:
    files["shop.contract.json"]["members"]["buy"]["result"] = TEXT
    move(files)


CASES: list[tuple[Callable[[dict[str, Any]], None], list[tuple[str, str | None]]]] = [
    (move, [("compat-moved", None)]),
    (remove, [BREAK]),
    (name_anew, [NOTE, BREAK]),
    (lower, [VERSION, BREAK]),
    (remove_method, [VERSION, BREAK]),
    (name_member_anew, [VERSION, BREAK, NOTE]),
    (change_kind, [VERSION, BREAK, NOTE]),
    (change_mode, [VERSION, BREAK, NOTE]),
    (remove_error, [("compat-unnamed-error", "new-consumer")]),
    (move_and_change, [("compat-moved", None), NOTE, ("source-breaking", None)]),
]


def write(folder: Path, files: dict[str, Any]) -> Side:
    folder.mkdir()
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value))
    return Side((folder,))


@pytest.mark.parametrize(("change", "told"), CASES, ids=lambda one: getattr(one, "__name__", ""))
def test_one_edit_is_told_once(
    tmp_path: Path,
    change: Callable[[dict[str, Any]], None],
    told: list[tuple[str, str | None]],
) -> None:
    files: dict[str, Any] = json.loads(json.dumps(OLD))
    change(files)
    sides = write(tmp_path / "old", OLD), write(tmp_path / "new", files)
    more = partial(compare_sources, types="typed-dict")
    outcome = compare_sides(*sides, {}, None, base=tmp_path, more=more)
    found = [(one.rule, one.direction) for one in outcome.findings]
    assert sorted(found, key=str) == sorted(told, key=str)


def test_a_version_that_went_back_is_told_so(tmp_path: Path) -> None:
    files: dict[str, Any] = json.loads(json.dumps(OLD))
    lower(files)
    sides = write(tmp_path / "old", OLD), write(tmp_path / "new", files)
    (one,) = (
        each
        for each in compare_sides(*sides, {}, None).findings
        if each.rule == "version-not-raised"
    )
    assert one.message == '"shop" breaks old consumers, and its version went back from 3 to 2'
    assert one.fix == 'set "version" to 4 in "service"'
