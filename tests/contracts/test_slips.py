from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.slips import find_keyword, find_type, find_word, guess_kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.findings import Finding
    from pi_contracts.contracts.read import Reading

    ReadFiles = Callable[[dict[str, Any]], Reading]

TEXT: dict[str, Any] = {"type": "string"}
OBJECT: dict[str, Any] = {"type": "object", "properties": {"c": TEXT}, "required": ["c"]}
IN_SCHEMAS: list[tuple[dict[str, Any], str, str]] = [
    ({"optional": True}, "/members/a/params/b/optional", '"optional": ["b"]'),
    ({"required": False}, "/members/a/params/b/required", '"optional": ["b"]'),
    ({"required": True}, "/members/a/params/b/required", "remove it: a parameter is required"),
    ({"optional": False}, "/members/a/params/b/optional", "remove it: a parameter is required"),
    (
        {"properties": {"c": {"required": True}}},
        "/members/a/params/b/properties/c/required",
        'list "c" in "required" of the object',
    ),
    (
        {"properties": {"c": {"optional": True}}},
        "/members/a/params/b/properties/c/optional",
        'leave "c" out of "required"',
    ),
    (
        {"items": {"required": True}},
        "/members/a/params/b/items/required",
        'what an object needs is listed in its "required"',
    ),
    (
        {"type": "string", "nullable": True},
        "/members/a/params/b/nullable",
        'write "type": ["string", "null"]',
    ),
    (
        {"type": "string", "enum": ["x"], "nullable": True},
        "/members/a/params/b/nullable",
        'write "anyOf": [{…}, {"type": "null"}]',
    ),
    ({"nullable": True}, "/members/a/params/b/nullable", 'write "anyOf"'),
    ({"nullable": False}, "/members/a/params/b/nullable", "remove it: null has to be allowed"),
    ({"type": "int"}, "/members/a/params/b/type", 'write "integer"'),
    ({"type": "str"}, "/members/a/params/b/type", 'write "string"'),
    ({"type": "float"}, "/members/a/params/b/type", 'write "number"'),
    ({"type": "bool"}, "/members/a/params/b/type", 'write "boolean"'),
    ({"type": "list"}, "/members/a/params/b/type", 'write "array"'),
    ({"type": ["Dict", "None"]}, "/members/a/params/b/type/0", 'write "object"'),
    ({"type": "any"}, "/members/a/params/b/type", 'leave "type" out'),
    (
        {"type": "datetime"},
        "/members/a/params/b/type",
        'write "type": "string", "format": "date-time"',
    ),
    ({"type": "email"}, "/members/a/params/b/type", '"format": "email"'),
    ({"type": "zzz"}, "/members/a/params/b/type", 'where any type will do, leave "type" out'),
    ({"enum": "x"}, "/members/a/params/b/enum", '"enum": ["x"]'),
    ({"required": "x"}, "/members/a/params/b/required", '"required": ["x"]'),
    ({"items": "string"}, "/members/a/params/b/items", 'write {"type": "string"}'),
    (
        {"properties": {"c": "#/$defs/C"}},
        "/members/a/params/b/properties/c",
        'write {"$ref": "#/$defs/C"}',
    ),
    ({"items": "Card"}, "/members/a/params/b/items", 'write a schema, such as {"type": "string"}'),
    ({"minLength": "3"}, "/members/a/params/b/minLength", "write it without quotes"),
    ({"uniqueItems": "true"}, "/members/a/params/b/uniqueItems", "write it without quotes"),
    ({"discriminator": "kind"}, "/members/a/params/b/discriminator", 'beside "payload"'),
]
IN_MEMBERS: list[tuple[dict[str, Any], str, str]] = [
    ({"kind": "event", "payload": {}}, "kind", 'write "events"'),
    ({"kind": "methods"}, "kind", 'write "method"'),
    ({"kind": "stream", "payload": {}}, "kind", 'write "events"'),
    ({"kind": "function"}, "kind", 'write "method"'),
    ({"kind": "method", "params": OBJECT}, "params", 'what stands in "properties"'),
    (
        {"kind": "method", "params": {"type": "object", "properties": {}}},
        "params",
        'what stands in "properties"',
    ),
    ({"kind": "method", "params": {"$ref": "#/$defs/C"}}, "params", "each parameter by its name"),
    ({"kind": "method", "params": {"c": "int"}}, "params/c", 'write {"type": "integer"}'),
    ({"kind": "method", "result": "string"}, "result", 'write {"type": "string"}'),
    (
        {"kind": "method", "errors": {"lost": {"description": "x"}}},
        "errors",
        'list their codes here: ["lost"]',
    ),
    ({"kind": "method", "errors": "lost"}, "errors", '["lost"]'),
    ({"kind": "method", "optional": True}, "optional", '"optional": ["name"]'),
    ({"kind": "method", "returns": {"type": "string"}}, "returns", 'write "result"'),
    ({"kind": "method", "arguments": {}}, "arguments", 'write "params"'),
    ({"kind": "method", "return": {}}, "return", 'write "result"'),
    ({"kind": "method", "throws": []}, "throws", 'write "errors"'),
    ({"kind": "state", "value": {}, "minimum": 1}, "minimum", 'put it into "value"'),
    ({"kind": "events", "payload": {}, "oneOf": []}, "oneOf", 'put it into "payload"'),
    (
        {"kind": "events", "payload": {"discriminator": {"propertyName": "x"}}},
        "payload/discriminator",
        'beside "payload" in the member',
    ),
]


def write(member: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "$schema": "urn:pi-contracts:dialect:1",
        "service": {"id": "m", "mode": "singleton"},
        "members": {"a": member},
        "$defs": {"C": {}},
        **more,
    }


def list_at(read_files: ReadFiles, contract: dict[str, Any], pointer: str) -> list[Finding]:
    findings = read_files({"m.contract.json": contract}).findings
    return [one for one in findings if one.pointer == pointer]


@pytest.mark.parametrize(("schema", "pointer", "fix"), IN_SCHEMAS, ids=str)
def test_a_slip_in_a_schema_has_the_way_out_that_is_meant(
    read_files: ReadFiles, schema: dict[str, Any], pointer: str, fix: str
) -> None:
    contract = write({"kind": "method", "params": {"b": schema}})
    (finding,) = list_at(read_files, contract, pointer)
    assert fix in (finding.fix or "")


@pytest.mark.parametrize(("member", "below", "fix"), IN_MEMBERS, ids=str)
def test_a_slip_in_a_member_is_told_once_with_the_way_out_that_is_meant(
    read_files: ReadFiles, member: dict[str, Any], below: str, fix: str
) -> None:
    (finding,) = read_files({"m.contract.json": write(member)}).findings
    assert finding.pointer == f"/members/a/{below}"
    assert fix in (finding.fix or "")


@pytest.mark.parametrize(
    ("keyword", "value", "fix"),
    [
        ("service", {"id": "m", "mode": "single"}, 'write "singleton"'),
        ("service", {"id": "m", "mode": "multiple"}, 'write "keyed"'),
        ("service", {"id": "m", "mode": "singleton", "scopes": "session"}, '["session"]'),
        ("errors", ["lost"], '{"not_found": {"description": "…"}}'),
        ("methods", {}, 'write "members"'),
        ("definitions", {}, 'write "$defs"'),
    ],
    ids=str,
)
def test_a_slip_in_a_contract_is_told_once_with_the_way_out_that_is_meant(
    read_files: ReadFiles, keyword: str, value: Any, fix: str
) -> None:
    contract = write({"kind": "method"}, **{keyword: value})
    (finding,) = read_files({"m.contract.json": contract}).findings
    assert fix in (finding.fix or "")


def test_a_discriminator_outside_of_contracts_is_a_matter_of_constants(
    read_files: ReadFiles,
) -> None:
    (finding,) = read_files({"x.schema.json": {"discriminator": {}}}).findings
    assert finding.fix == (
        'give the property that tells the branches apart a "const" in each of them'
    )


def test_parameters_may_be_called_like_keywords_of_a_schema(read_files: ReadFiles) -> None:
    params = {"type": TEXT, "properties": {}, "required": {"type": "boolean"}}
    assert (
        read_files({"m.contract.json": write({"kind": "method", "params": params})}).findings == ()
    )


@pytest.mark.parametrize(
    ("member", "kind"),
    [
        ({"kind": "method"}, None),
        ({"kind": "event"}, "events"),
        ({"kind": "event", "params": {}}, None),
        ({"kind": 5, "value": {}}, "state"),
        ({"params": {}}, "method"),
        ({"value": {}, "params": {}}, None),
        ({}, None),
    ],
    ids=str,
)
def test_a_kind_is_guessed_where_all_speaks_for_one(member: dict[str, Any], kind: str) -> None:
    assert guess_kind(member) == kind


def test_words_that_mean_nothing_here_have_no_near_one() -> None:
    assert find_type("zzz") is None
    assert find_word("kind", "zzz", ["method"]) is None
    assert find_word("kind", 5, ["method"]) is None
    assert find_keyword("zzz", ["params"]) is None
