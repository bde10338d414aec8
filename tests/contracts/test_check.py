from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from pi_contracts.contracts.check import check, lint, list_suppressible
from pi_contracts.contracts.read import read
from pi_contracts.contracts.rule_index import list_pages
from pi_contracts.runtime.wording import find_violation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pi_contracts.contracts.read import Reading

STABLE: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "description": "Sells.",
    "service": {"id": "shop", "mode": "singleton", "stability": "stable"},
    "members": {
        "s": {"kind": "state", "description": "x", "value": {"$ref": "t.schema.json#/$defs/T"}}
    },
}
TEXT = {"$defs": {"T": {"type": "string"}}}


def rename(service: str) -> dict[str, Any]:
    return {**STABLE, "service": {**STABLE["service"], "id": service}}


def test_a_schema_that_two_contracts_lead_to_is_judged_once(
    read_files: Callable[[dict[str, Any]], Reading],
) -> None:
    files = {"a.contract.json": rename("a"), "b.contract.json": rename("b"), "t.schema.json": TEXT}
    catalogue = read_files(files).catalogue
    found = lint(catalogue, catalogue.documents, {})
    assert [one.path for one in found if one.rule == "unbounded-string"] == ["t.schema.json"]


def test_a_contract_with_an_error_is_not_judged_further(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path
) -> None:
    broken = {**STABLE, "errors": {"x": {"data": {"type": "strin"}}}}
    sound = {**STABLE, "service": {"id": "other", "mode": "singleton"}}
    files = {"a.contract.json": broken, "b.contract.json": sound, "t.schema.json": TEXT}
    found = check(read_files(files), [tmp_path], find_violation, base=tmp_path)
    by_path = {path: {one.rule for one in found if one.path == path} for path in files}
    assert by_path["a.contract.json"] == {"unknown-type"}
    assert by_path["b.contract.json"] == {"missing-fixture"}


def test_mistakes_that_do_not_follow_from_each_other_are_told_in_one_run(
    read_files: Callable[[dict[str, Any]], Reading], tmp_path: Path
) -> None:
    contract: dict[str, Any] = {
        **STABLE,
        "members": {
            "call": {"kind": "method", "optional": ["c"], "errors": ["zz"], "returns": "nope"},
            "news": {"kind": "event", "payload": {}},
            "now": {"kind": "state", "value": {"type": "integer"}},
        },
    }
    reading = read_files({"a.contract.json": contract})
    for name in ("a.now.valid.json", "a.news.invalid.json", "a.call.params.invalid.json"):
        (tmp_path / name).write_text('"x"')
    found = check(reading, [tmp_path], find_violation, base=tmp_path)
    assert {(one.path, one.rule, one.pointer) for one in found} == {
        ("a.contract.json", "invalid-keyword", "/members/call/optional/0"),
        ("a.contract.json", "invalid-keyword", "/members/call/errors/0"),
        ("a.contract.json", "unresolved-ref", "/members/call/returns"),
        ("a.contract.json", "invalid-keyword", "/members/news/kind"),
        ("a.now.valid.json", "fixture-refused", ""),
    }


def test_what_a_mapped_prefix_brings_in_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "vendor").mkdir()
    (tmp_path / "own").mkdir()
    vendored: dict[str, Any] = {**STABLE, "$defs": {"Unused": {}}}
    (tmp_path / "vendor/shop.contract.json").write_text(json.dumps(vendored))
    (tmp_path / "vendor/t.schema.json").write_text(json.dumps(TEXT))
    own = {"$ref": "https://x.test/shop.contract.json#/members/s/value"}
    (tmp_path / "own/own.schema.json").write_text(json.dumps(own))
    paths, mapped = [tmp_path / "own"], {"https://x.test/": tmp_path / "vendor"}
    reading = read(paths, mapped=mapped, base=tmp_path)
    assert reading.is_sound
    assert check(reading, paths, find_violation, base=tmp_path) == ()


def test_a_path_that_is_not_there_is_told_by_reading_alone(tmp_path: Path) -> None:
    paths = [tmp_path / "none"]
    found = check(read(paths, base=tmp_path), paths, find_violation, base=tmp_path)
    assert [one.rule for one in found] == ["unreadable-file"]


def test_what_comments_can_answer_is_explained_and_no_error() -> None:
    pages = list_pages()
    for rule in list_suppressible():
        assert "check" in pages[rule].commands
    # a ring through required members is a warning, one of references alone an error; so is a
    # reference that leads nowhere where it counts
    errors = {rule for rule in list_suppressible() if pages[rule].severity == "error"}
    assert errors == {"ambiguous-ref", "impossible-schema", "unresolved-ref"}


MESSY: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "shop", "mode": "keyed", "stability": "stable"},
    "deprecated": True,
    "members": {
        "import": {"kind": "method", "params": {"item_name": {}, "howMany": {}, "from": {}}},
        "sales": {
            "kind": "events",
            "payload": {"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {}}]},
        },
        "stock": {
            "kind": "state",
            "value": {"additionalProperties": {"type": ["array", "null"]}, "type": "object"},
        },
    },
    "errors": {"timeout_error": {}, "none": {}},
    "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {}, "c": {}},
}


def test_the_report_is_the_same_for_every_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "shop.contract.json").write_text(json.dumps(MESSY))
    told: set[bytes] = set()
    for seed in ("0", "1", "2"):
        result = subprocess.run(
            [sys.executable, "-P", "-m", "pi_contracts.cli", "check", ".", "--format", "json"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        )
        told.add(result.stdout)
    (report,) = told
    findings = json.loads(report)["findings"]
    assert len({one["rule"] for one in findings}) >= 10
    assert len({one["fingerprint"] for one in findings}) == len(findings)


def test_fingerprints_stay_when_lines_move(tmp_path: Path) -> None:
    told: list[set[str]] = []
    for indent in (None, 2):
        (tmp_path / "shop.contract.json").write_text(json.dumps(MESSY, indent=indent))
        found = check(read([tmp_path], base=tmp_path), [tmp_path], find_violation, base=tmp_path)
        told.append({one.fingerprint for one in found})
    assert told[0] == told[1]
