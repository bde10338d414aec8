from __future__ import annotations

import json
from typing import Any

import pytest
from pi_contracts.contracts.documents import Document
from pi_contracts.contracts.drafts import Dialect, Draft
from pi_contracts.contracts.meaning import check_meaning, list_calls
from pi_contracts.contracts.source import parse_source

URI = "file:///m.contract.json"


def find(value: Any) -> list[str | None]:
    source = parse_source(json.dumps(value), "m.contract.json")
    document = Document(URI, URI, "m.contract.json", source, Dialect(Draft.DRAFT202012), "contract")
    return [one.pointer for one in check_meaning(document)]


def member(**facts: Any) -> dict[str, Any]:
    return {"service": 5, "members": {"a": facts}}


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        (5, []),
        ({"members": []}, []),
        ({}, [""]),
        ({"service": {"mode": "singleton", "key": {}}}, ["/service/key", ""]),
        ({"service": {"mode": "zzz", "key": {}}}, [""]),
        (member(kind="event", optional=["c"]), ["/members/a/optional/0"]),
        (member(kind="state", optional=["c"]), []),
        (member(kind="method", optional=["c", 5], params=5), []),
        (member(kind="method", optional=["c"], errors=["e"], params={"d": 5}), None),
        ({**member(kind="method", errors=["e"]), "errors": []}, []),
    ],
    ids=str,
)
def test_each_part_is_judged_where_its_form_allows(value: Any, pointers: list[str] | None) -> None:
    expected = ["/members/a/optional/0", "/members/a/errors/0"] if pointers is None else pointers
    assert find(value) == expected


def test_the_parameters_of_an_object_schema_are_those_that_can_be_optional() -> None:
    params: dict[str, Any] = {"type": "object", "properties": {"c": {}}}
    pointers = find(member(kind="method", params=params, optional=["c", "d"]))
    assert pointers == ["/members/a/params", "/members/a/optional/1"]
    assert find(member(kind="method", params={"$ref": "#"}, optional=["c"])) == [
        "/members/a/params"
    ]


def test_calls_are_the_members_of_no_other_kind() -> None:
    members = {"a": {"kind": "state"}, "b": {"kind": "zzz"}, "c": 5, "d": {"kind": "method"}}
    assert [name for name, _ in list_calls({"members": members})] == ["b", "d"]
    assert [*list_calls({"members": 5}), *list_calls(5)] == []
