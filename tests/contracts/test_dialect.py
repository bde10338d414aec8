from __future__ import annotations

import json
from typing import Any

import pytest
from pi_contracts.contracts.dialect import check_contract, get_meta_schema, make_contract
from pi_contracts.contracts.documents import Document
from pi_contracts.contracts.drafts import Dialect, Draft
from pi_contracts.contracts.model import (
    Contract,
    Deprecation,
    ErrorCase,
    Events,
    Location,
    Method,
    Mode,
    Parameter,
    Stability,
    State,
)
from pi_contracts.contracts.source import parse_source

URI = "file:///m.contract.json"
SERVICE = {"id": "m", "mode": "singleton"}
BASE: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": SERVICE,
    "members": {"a": {"kind": "method"}},
}
KEYED = {"service": {**SERVICE, "mode": "keyed", "key": {"minLength": 1}}}


def make_document(value: Any) -> Document:
    source = parse_source(json.dumps(value), "m.contract.json")
    return Document(URI, URI, "m.contract.json", source, Dialect(Draft.DRAFT202012), "contract")


def member(**facts: Any) -> dict[str, Any]:
    return {**BASE, "members": {"a": {"kind": "method", **facts}}}


def service(**facts: Any) -> dict[str, Any]:
    return {**BASE, "service": {**SERVICE, **facts}}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in BASE.items() if key != name}


NO_MEMBERS = "the contract has no members: nobody can do anything with the service"
# Of each contract: the rule, pointer, message and way out.
MISTAKES: list[tuple[Any, str, str, str, str | None]] = [
    (
        without("service"),
        "invalid-keyword",
        "",
        'a contract needs the keyword "service"',
        'add "service"',
    ),
    (
        without("$schema"),
        "invalid-keyword",
        "",
        'a contract needs the keyword "$schema"',
        'add "$schema": "urn:pi-contracts:dialect:1"',
    ),
    (True, "invalid-keyword", "", "a contract takes an object, found a boolean", None),
    (
        {**BASE, "membres": {}},
        "unknown-keyword",
        "/membres",
        'a contract has no keyword "membres"; did you mean "members"?',
        'write "members"',
    ),
    (
        {**BASE, "$schema": "urn:x"},
        "invalid-keyword",
        "/$schema",
        '"$schema" takes "urn:pi-contracts:dialect:1"',
        None,
    ),
    (
        {**BASE, "$id": "x#y"},
        "invalid-keyword",
        "/$id",
        '"$id" takes a reference without a fragment',
        None,
    ),
    (
        {**BASE, "service": 5},
        "invalid-keyword",
        "/service",
        '"service" takes an object, found a number',
        None,
    ),
    (
        {**BASE, "service": {"id": "m"}},
        "invalid-keyword",
        "/service",
        '"service" needs the keyword "mode"',
        'add "mode"',
    ),
    (
        service(mod=1),
        "unknown-keyword",
        "/service/mod",
        '"service" has no keyword "mod"; did you mean "mode"?',
        'write "mode"',
    ),
    (
        service(zzz=1),
        "unknown-keyword",
        "/service/zzz",
        '"service" has no keyword "zzz"',
        "known are id, key, mode, scopes, stability, version",
    ),
    (
        service(mode="x"),
        "invalid-keyword",
        "/service/mode",
        '"mode" takes singleton or keyed or reference',
        None,
    ),
    (
        service(id=""),
        "invalid-keyword",
        "/service/id",
        '"id" takes a string that is not empty',
        None,
    ),
    (
        service(id="$x"),
        "invalid-keyword",
        "/service/id",
        '"id" begins with $: such names are reserved',
        None,
    ),
    (
        service(scopes=["local"]),
        "invalid-keyword",
        "/service/scopes/0",
        'item 0 of "scopes" is no scope of a contract: what is "local" never leaves its process',
        None,
    ),
    (
        service(scopes=[]),
        "invalid-keyword",
        "/service/scopes",
        '"scopes" takes an array that is not empty',
        None,
    ),
    (
        service(scopes=["a", "a"]),
        "invalid-keyword",
        "/service/scopes",
        '"scopes" takes an array in which nothing stands twice',
        None,
    ),
    (
        service(scopes=[5]),
        "invalid-keyword",
        "/service/scopes/0",
        'item 0 of "scopes" takes a string, found a number',
        None,
    ),
    (
        service(version=0),
        "invalid-keyword",
        "/service/version",
        '"version" takes a whole number from 1',
        None,
    ),
    (
        service(version="1"),
        "invalid-keyword",
        "/service/version",
        '"version" takes an integer, found a string',
        "write it without quotes",
    ),
    (
        service(key=5),
        "invalid-keyword",
        "/service/key",
        '"key" takes a schema, found a number',
        None,
    ),
    (
        service(key={}),
        "invalid-keyword",
        "/service/key",
        '"key" belongs to services of mode keyed, and this one is singleton',
        'remove "key", or write "mode": "keyed"',
    ),
    (
        {**BASE, "members": {"": {"kind": "method"}}},
        "invalid-keyword",
        "/members/",
        'a name in "members" is empty',
        "choose another name",
    ),
    (
        {**BASE, "members": {"$a": {"kind": "method"}}},
        "invalid-keyword",
        "/members/$a",
        'a name in "members" begins with $: such names are reserved',
        "choose another name",
    ),
    (
        {**BASE, "members": {"a/b": 5}},
        "invalid-keyword",
        "/members/a~1b",
        '"a/b" takes an object, found a number',
        None,
    ),
    (
        member(kind="x"),
        "invalid-keyword",
        "/members/a/kind",
        '"kind" takes method or state or events',
        None,
    ),
    (
        member(kind="state"),
        "invalid-keyword",
        "/members/a",
        '"a" needs the keyword "value"',
        'add "value"',
    ),
    (
        member(value={}),
        "unknown-keyword",
        "/members/a/value",
        '"a" has no keyword "value"',
        (
            "known are $comment, deprecated, deprecation, description, errors, kind, optional,"
            " params, result, returns, title"
        ),
    ),
    (
        member(params={"p": 5}),
        "invalid-keyword",
        "/members/a/params/p",
        '"p" takes a schema, found a number',
        None,
    ),
    (
        member(params=5),
        "invalid-keyword",
        "/members/a/params",
        '"params" takes an object, found a number',
        None,
    ),
    (
        member(result={}, returns="m"),
        "invalid-keyword",
        "/members/a",
        '"a" says "result" and "returns", which exclude each other',
        None,
    ),
    (
        member(params={"page": {}}, optional=["pgae"]),
        "invalid-keyword",
        "/members/a/optional/0",
        '"optional" names "pgae", which is no parameter; did you mean "page"?',
        'write "page"',
    ),
    (
        member(optional=["x"]),
        "invalid-keyword",
        "/members/a/optional/0",
        '"optional" names "x", which is no parameter',
        "declare it, or remove it here",
    ),
    (
        member(errors=["gone"]),
        "invalid-keyword",
        "/members/a/errors/0",
        'the error "gone" is not declared in this contract\'s "errors"',
        "declare it, or remove it here",
    ),
    (
        {**BASE, "errors": {"e": {"data": 5}}},
        "invalid-keyword",
        "/errors/e/data",
        '"data" takes a schema, found a number',
        None,
    ),
    (
        {**BASE, "errors": []},
        "invalid-keyword",
        "/errors",
        '"errors" takes an object, found an array',
        'declare each error under its code: {"not_found": {"description": "…"}}',
    ),
    (
        {**BASE, "errors": {"e": 5}},
        "invalid-keyword",
        "/errors/e",
        '"e" takes an object, found a number',
        None,
    ),
    (
        {**BASE, "$defs": {"X": 5}},
        "invalid-keyword",
        "/$defs/X",
        '"X" takes a schema, found a number',
        None,
    ),
    (
        {**BASE, "$defs": 5},
        "invalid-keyword",
        "/$defs",
        '"$defs" takes an object, found a number',
        None,
    ),
    ({**BASE, "formats": "x"}, "invalid-keyword", "/formats", '"formats" takes assert', None),
    (
        {**BASE, "deprecated": 5},
        "invalid-keyword",
        "/deprecated",
        '"deprecated" takes a boolean, found a number',
        None,
    ),
    (
        {**BASE, "members": []},
        "invalid-keyword",
        "/members",
        '"members" takes an object, found an array',
        None,
    ),
    ({**BASE, "members": {}}, "no-members", "/members", NO_MEMBERS, "add methods, state or events"),
    (without("members"), "no-members", "", NO_MEMBERS, "add methods, state or events"),
]


@pytest.mark.parametrize(
    ("value", "rule", "pointer", "message", "fix"), MISTAKES, ids=lambda one: str(one)[-40:]
)
def test_a_mistake_is_worded_with_its_place_and_a_way_out(
    value: Any, rule: str, pointer: str, message: str, fix: str | None
) -> None:
    (finding,) = check_contract(make_document(value))
    assert (finding.rule, finding.pointer) == (rule, pointer)
    assert (finding.message, finding.fix) == (message, fix)


def test_every_mistake_is_told_in_one_run() -> None:
    value: dict[str, Any] = {
        **service(mod=1, version=0),
        "titel": "",
        "members": {"a": {"kind": "state"}},
    }
    pointers = [finding.pointer for finding in check_contract(make_document(value))]
    assert sorted(map(str, pointers)) == [
        "/members/a",
        "/service/mod",
        "/service/version",
        "/titel",
    ]


def test_a_healthy_contract_has_no_findings() -> None:
    value: dict[str, Any] = {
        **BASE,
        **KEYED,
        "members": {
            "a": {"kind": "method", "params": {"p": True}, "optional": ["p"], "errors": ["e"]},
            "b": {"kind": "state", "value": {}},
            "c": {"kind": "events", "payload": {}},
        },
        "errors": {"e": {"data": {"type": "no matter"}}},
        "$defs": {"X": False},
    }
    assert check_contract(make_document(value)) == ()


def test_the_model_says_what_the_file_says() -> None:
    old = {"since": "2", "use": "b", "reason": "slow"}
    value: dict[str, Any] = {
        **BASE,
        "title": "M",
        "description": "About m.",
        "deprecated": True,
        "formats": "assert",
        "service": {
            **KEYED["service"],
            "scopes": ["session"],
            "version": 2.0,
            "stability": "beta",
        },
        "members": {
            "go": {
                "kind": "method",
                "description": "Go.",
                "params": {"p": {"description": "Where."}, "q": True},
                "optional": ["q"],
                "result": {},
                "errors": ["gone"],
                "deprecation": old,
            },
            "start": {"kind": "method", "returns": "job"},
            "now": {"kind": "state", "value": {}, "description": "Now."},
            "log": {"kind": "events", "payload": {}, "discriminator": "type"},
        },
        "errors": {"gone": {"description": "It is gone.", "data": {}}, "other": {}},
    }
    root = Location(URI, "")
    go = root / "members" / "go"
    assert make_contract(make_document(value)) == Contract(
        document=URI,
        service_id="m",
        mode=Mode.KEYED,
        key=root / "service" / "key",
        scopes=("session",),
        version=2,
        stability=Stability.BETA,
        title="M",
        description="About m.",
        members=(
            Method(
                "go",
                (
                    Parameter("p", go / "params" / "p", required=True, description="Where."),
                    Parameter("q", go / "params" / "q", required=False),
                ),
                go / "result",
                None,
                ("gone",),
                "Go.",
                Deprecation("2", "b", "slow"),
            ),
            Method("start", (), None, "job", (), None, None),
            State("now", root / "members" / "now" / "value", "Now.", None),
            Events("log", root / "members" / "log" / "payload", "type", None, None),
        ),
        errors=(
            ErrorCase("gone", "It is gone.", root / "errors" / "gone" / "data"),
            ErrorCase("other", None, None),
        ),
        deprecation=Deprecation(),
        asserts_format=True,
    )


def test_what_a_file_leaves_out_has_its_default() -> None:
    contract = make_contract(make_document({**BASE, "members": {}}))
    assert (contract.version, contract.scopes, contract.key) == (1, None, None)
    assert (contract.members, contract.errors, contract.deprecation) == ((), (), None)
    assert not contract.asserts_format


def test_the_meta_schema_names_the_dialect() -> None:
    assert get_meta_schema()["$id"] == "urn:pi-contracts:dialect:1"
