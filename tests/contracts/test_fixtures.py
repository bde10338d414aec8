from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.fixtures import check_fixtures
from pi_contracts.contracts.read import read
from pi_contracts.runtime.wording import find_violation

if TYPE_CHECKING:
    from pi_contracts.contracts.findings import Finding

ITEM = {
    "type": "object",
    "properties": {"id": {"type": "string", "format": "uuid"}, "size": {"type": "integer"}},
    "required": ["id"],
    "additionalProperties": False,
}
CONTRACT: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "shop", "mode": "keyed", "key": {"maxLength": 3}},
    "members": {
        "stock": {"kind": "state", "value": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
        "sold": {"kind": "events", "payload": {"$ref": "#/$defs/Item"}},
        "buy": {
            "kind": "method",
            "params": {"item": {"$ref": "#/$defs/Item"}, "count": {"type": "integer"}},
            "optional": ["count"],
            "result": {"type": "boolean"},
            "errors": ["sold_out", "closed"],
        },
        "close": {"kind": "method"},
    },
    "errors": {"sold_out": {"data": {"type": "integer"}}, "closed": {}},
    "$defs": {"Item": ITEM, "a.b": {"type": "null"}},
}


def write(folder: Path, name: str, value: object) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, indent=1), "utf-8")
    return file


def write_text(folder: Path, name: str, text: str) -> None:
    write(folder, name, None).write_text(text, "utf-8")


def judge(folder: Path, *paths: Path) -> list[Finding]:
    given = list(paths) or [folder]
    reading = read(given, base=folder)
    return list(check_fixtures(reading, given, find_violation, folder).findings)


GOOD = {"id": "x"}
PAYLOADS: list[tuple[str, object, object]] = [
    ("stock", [GOOD], [{}]),
    ("sold", GOOD, {}),
    ("buy.params", {"item": GOOD}, {"item": GOOD, "ctx": 1}),
    ("buy.result", True, 1),
    ("close.params", {}, {"x": 1}),
    ("sold_out.error", 3, "3"),
    ("Item", GOOD, {"id": 1}),
    ("a.b", None, 0),
    ("$key", "abc", "abcd"),
]


@pytest.mark.parametrize(("subject", "valid", "invalid"), PAYLOADS, ids=str)
@pytest.mark.parametrize("folder", ["", "fixtures/"])
def test_each_payload_of_a_contract_is_judged(
    tmp_path: Path, folder: str, subject: str, valid: object, invalid: object
) -> None:
    write(tmp_path, "shop.contract.json", CONTRACT)
    write(tmp_path, f"{folder}shop.{subject}.valid.json", valid)
    write(tmp_path, f"{folder}shop.{subject}.invalid-2.json", invalid)
    assert judge(tmp_path) == []
    write(tmp_path, f"{folder}shop.{subject}.valid.json", invalid)
    write(tmp_path, f"{folder}shop.{subject}.invalid-2.json", valid)
    findings = {finding.rule: finding for finding in judge(tmp_path)}
    assert findings.keys() == {"fixture-accepted", "fixture-refused"}
    name = f'"{subject}" of shop.contract.json'
    assert findings["fixture-accepted"].message == (
        f"the fixture must be refused as {name}, and is accepted"
    )
    assert findings["fixture-refused"].message.startswith(
        f"the fixture must be accepted as {name}, and is refused: "
    )
    assert all(one.path and one.path.startswith(f"{folder}shop.") for one in findings.values())


def test_a_refusal_has_the_place_in_the_fixture_and_that_of_the_schema(tmp_path: Path) -> None:
    write(tmp_path, "shop.contract.json", CONTRACT)
    write_text(tmp_path, "fixtures/shop.sold.valid.json", '{\n  "id": "x",\n  "size": "big"\n}')
    (finding,) = judge(tmp_path)
    assert (finding.line, finding.column, finding.pointer) == (3, 11, "/size")
    assert "at /size: expected an integer, found a string" in finding.message
    assert "big" not in finding.message
    (related,) = finding.related
    source = (tmp_path / "shop.contract.json").read_text().splitlines()
    assert related.path == "shop.contract.json"
    assert related.line is not None
    assert source[related.line - 1].strip() == '"sold": {'


@pytest.mark.parametrize(
    ("draft", "keyword"),
    [
        ("http://json-schema.org/draft-04/schema#", "definitions"),
        ("http://json-schema.org/draft-07/schema#", "definitions"),
        ("https://json-schema.org/draft/2019-09/schema", "$defs"),
        ("https://json-schema.org/draft/2020-12/schema", "$defs"),
    ],
    ids=str,
)
def test_wire_documents_of_every_draft_are_judged(tmp_path: Path, draft: str, keyword: str) -> None:
    schema = {
        "$schema": draft,
        "type": "array",
        "items": {"$ref": f"#/{keyword}/Item"},
        keyword: {"Item": ITEM},
    }
    write(tmp_path, "sub/queue-v1.schema.json", schema)
    write(tmp_path, "sub/fixtures/queue-v1.valid.json", [GOOD])
    write(tmp_path, "sub/fixtures/queue-v1.invalid.json", [1])
    write(tmp_path, "sub/fixtures/queue-v1.Item.valid.json", GOOD)
    write(tmp_path, "sub/fixtures/queue-v1.Item.invalid.json", [])
    assert judge(tmp_path) == []
    write(tmp_path, "sub/fixtures/queue-v1.valid-2.json", [1])
    (finding,) = judge(tmp_path)
    assert finding.message.startswith(
        "the fixture must be accepted as sub/queue-v1.schema.json, and is refused: at /0: "
    )


def test_the_definitions_of_another_file_are_followed(tmp_path: Path) -> None:
    write(tmp_path, "common.schema.json", {"$defs": {"Item": ITEM}})
    write(tmp_path, "queue.schema.json", {"$ref": "common.schema.json#/$defs/Item"})
    write(tmp_path, "queue.valid.json", {})
    (finding,) = judge(tmp_path)
    assert (finding.rule, finding.path) == ("fixture-refused", "queue.valid.json")


@pytest.mark.parametrize("formats", [None, "assert"])
def test_formats_count_only_where_they_are_asserted(tmp_path: Path, formats: str | None) -> None:
    write(tmp_path, "shop.contract.json", {**CONTRACT, **({"formats": formats} if formats else {})})
    write(tmp_path, "shop.sold.valid.json", {"id": "no uuid"})
    assert [one.rule for one in judge(tmp_path)] == (["fixture-refused"] if formats else [])


@pytest.mark.parametrize(
    ("name", "problem", "close"),
    [
        ("shop.stok.valid.json", '"shop" has no "stok"', "stock"),
        ("shop.buy.valid.json", '"shop" has no "buy"', None),
        ("shop.closed.error.valid.json", '"shop" has no "closed.error"', None),
        ("shop.valid.json", '"shop" is a contract, and a fixture names one of its payloads', None),
        ("shp.stock.valid.json", "no contract or schema beside it has this name", "shop"),
        ("other.valid.json", "no contract or schema beside it has this name", None),
        ("shop.stock.vaild.json", "its name does not end in .valid.json", None),
        ("shop.stock.valid-x.json", "its name does not end in .valid.json", None),
        ("valid.json", "its name does not end in .valid.json", None),
    ],
    ids=str,
)
def test_a_fixture_that_belongs_to_nothing_is_told(
    tmp_path: Path, name: str, problem: str, close: str | None
) -> None:
    write(tmp_path, "shop.contract.json", CONTRACT)
    write(tmp_path, f"fixtures/{name}", 1)
    (finding,) = judge(tmp_path)
    assert finding.rule == "unmatched-fixture"
    assert finding.path == f"fixtures/{name}"
    assert problem in finding.message
    if close is not None:
        assert f'did you mean "{close}"' in finding.message


def test_fixtures_of_documents_that_are_not_judged_are_left_alone(tmp_path: Path) -> None:
    file = write(tmp_path, "shop.contract.json", CONTRACT)
    write(tmp_path, "shop.extra.schema.json", {})
    write(tmp_path, "plain.json", {})
    for name in ("shop.extra.valid.json", "shop.extra.Thing.valid.json", "plain.valid.json"):
        write(tmp_path, f"fixtures/{name}", 1)
    assert judge(tmp_path, file) == []


def test_a_folder_for_fixtures_without_documents_beside_it_is_looked_into(tmp_path: Path) -> None:
    write(tmp_path, "deep/shop.contract.json", CONTRACT)
    write(tmp_path, "fixtures/shop.stock.valid.json", [])
    write(tmp_path, ".hidden/fixtures/shop.stock.valid.json", [])
    write_text(tmp_path, "fixtures/README.md", "")
    (tmp_path / "fixtures" / "folder.json").mkdir()
    (finding,) = judge(tmp_path)
    assert (finding.rule, finding.path) == ("unmatched-fixture", "fixtures/shop.stock.valid.json")


def test_files_beside_a_contract_that_are_no_fixtures_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, "shop.contract.json", CONTRACT)
    write(tmp_path, "package.json", {})
    assert judge(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("shop.Item.valid-x.json", "error"),
        ("shop.Item.vaild.json", "error"),
        ("shop.Item.Valid.json", "error"),
        ("shop.stock.json", "error"),
        ("shop.stock.1.json", "error"),
        ("shop.stok.invald-2.json", "error"),
        ("shop.valid.old.json", "error"),
        ("shop.notes.json", "warning"),
        ("shop.json", None),
        ("shopping.valid-x.json", None),
        ("wire.valid-x.json", None),
        ("shop.b.schema.json", None),
        ("shop.read.json", None),
    ],
)
def test_a_file_beside_a_contract_that_has_its_name_is_meant_as_a_fixture(
    tmp_path: Path, name: str, severity: str | None
) -> None:
    file = write(tmp_path, "shop.contract.json", CONTRACT)
    schema = write(tmp_path, "wire.schema.json", {"$ref": "shop.read.json"})
    read_too = write(tmp_path, "shop.read.json", {})
    write(tmp_path, name, {})
    findings = judge(tmp_path, file, schema, read_too)
    assert [(one.rule, one.path, one.severity) for one in findings] == (
        [("unmatched-fixture", name, severity)] if severity else []
    )


def test_a_file_named_outright_has_fixtures_too_and_may_look_like_one(tmp_path: Path) -> None:
    schema = write(tmp_path, "point.json", {"type": "integer"})
    odd = write(tmp_path, "odd.valid.json", {"type": "string"})
    write(tmp_path, "point.valid.json", "x")
    write(tmp_path, "odd.valid.invalid.json", "text")
    findings = judge(tmp_path, schema, odd)
    assert [(one.rule, one.path) for one in findings] == [
        ("fixture-accepted", "odd.valid.invalid.json"),
        ("fixture-refused", "point.valid.json"),
    ]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"id": "x", "id": "y"}', "duplicate-key"),
        ('{"id": NaN}', "invalid-json"),
        ('"\\ud800"', "lone-surrogate"),
        ("[" * 600 + "]" * 600, "too-deep"),
    ],
    ids=str,
)
@pytest.mark.parametrize("verdict", ["valid", "invalid"])
def test_fixtures_are_strict_json(tmp_path: Path, text: str, rule: str, verdict: str) -> None:
    write(tmp_path, "shop.contract.json", CONTRACT)
    write_text(tmp_path, f"shop.sold.{verdict}.json", text)
    (finding,) = judge(tmp_path)
    assert (finding.rule, finding.path) == (rule, f"shop.sold.{verdict}.json")


def test_a_fixture_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    write(tmp_path, "shop.contract.json", CONTRACT)
    (tmp_path / "shop.sold.valid.json").symlink_to(tmp_path / "nowhere")
    (finding,) = judge(tmp_path)
    assert finding.rule == "unreadable-file"
    assert finding.message == "the fixture cannot be read: No such file or directory"


def test_a_member_comes_before_a_definition_of_its_name(tmp_path: Path) -> None:
    contract = {**CONTRACT, "$defs": {**CONTRACT["$defs"], "sold": {"type": "null"}}}
    write(tmp_path, "shop.contract.json", contract)
    write(tmp_path, "shop.sold.valid.json", GOOD)
    assert judge(tmp_path) == []


def test_broken_documents_and_what_refers_to_them_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "broken.schema.json", {"$defs": {"X": {"type": "strin"}}})
    write_text(tmp_path, "unread.schema.json", "{")
    write(tmp_path, "above.schema.json", {"$ref": "middle.schema.json"})
    write(tmp_path, "middle.schema.json", {"$ref": "broken.schema.json#/$defs/X"})
    write(tmp_path, "beside.schema.json", {"$ref": "unread.schema.json"})
    write(tmp_path, "sound.schema.json", {"type": "integer"})
    for name in ("broken", "unread", "above", "middle", "beside", "sound"):
        write(tmp_path, f"fixtures/{name}.valid.json", "text")
    assert [one.path for one in judge(tmp_path)] == ["fixtures/sound.valid.json"]


def test_a_path_that_leads_nowhere_is_the_readers_to_tell(tmp_path: Path) -> None:
    assert judge(tmp_path, tmp_path / "nowhere") == []


def test_a_schema_that_the_validator_does_not_take_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ValueError("too large\nmore")

    monkeypatch.setattr(jsonschema_rs, "validator_for", refuse)
    write(tmp_path, "queue.schema.json", {"type": "integer"})
    write(tmp_path, "queue.valid.json", 1)
    (finding,) = judge(tmp_path)
    assert finding.rule == "uncompilable-schema"
    assert finding.message == "the schema of queue.schema.json does not compile: too large"


SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"


@pytest.mark.skipif(not SHARED.exists(), reason="the folder shared is not beside the checkout")
def test_the_fixtures_of_the_wire_catalogue_are_right() -> None:
    catalogue = SHARED / "data" / "wire-catalog"
    assert judge(catalogue) == []
