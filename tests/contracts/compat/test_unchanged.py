"""Unchanged parts of large documents: told by text, and not taken apart for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.compat import unchanged
from pi_contracts.contracts.compat.flat import make_document
from pi_contracts.contracts.compat.node import DeferredNode
from pi_contracts.contracts.compat.nodes import Members
from pi_contracts.contracts.compat.pool import Pool
from pi_contracts.contracts.compat.unchanged import Texts

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


@pytest.fixture(autouse=True)
def _every_document_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchanged, "LARGE", 0)


def make_texts(one: Any, other: Any) -> Texts:
    return Texts({"urn:a": make_document(one), "urn:b": make_document(other)})


def is_same(one: Any, other: Any, schema: Any) -> bool:
    texts = make_texts(one, other)
    return texts.get_key(schema, "urn:a") == texts.get_key(schema, "urn:b")


def refer(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"A": TEXT}, {"A": TEXT}, True),
        ({"A": TEXT}, {"A": NUMBER}, False),
        ({"A": refer("B"), "B": TEXT}, {"A": refer("B"), "B": TEXT}, True),
        ({"A": refer("B"), "B": TEXT}, {"A": refer("B"), "B": NUMBER}, False),
        ({"A": {"items": refer("A")}}, {"A": {"items": refer("A")}}, True),
        ({"A": refer("B"), "B": {"const": {"$ref": "#/x"}}}, {"A": refer("B"), "B": TEXT}, False),
    ],
)
def test_a_reference_leads_to_the_same_if_all_that_is_reached_is(
    one: Any,
    other: Any,
    same: bool,  # noqa: FBT001
) -> None:
    first, second = ({"$defs": some, **refer("A")} for some in (one, other))
    assert is_same(first, second, refer("A")) is same


def test_the_order_of_members_does_not_matter() -> None:
    texts = make_texts(TEXT, TEXT)
    one, other = {"type": "string", "maxLength": 1}, {"maxLength": 1, "type": "string"}
    assert texts.get_key(one, "urn:a") == texts.get_key(other, "urn:b")


def test_a_reference_in_a_value_leads_nowhere() -> None:
    document = {"const": {"$ref": "#/nowhere"}}
    assert not is_same(document, document, document)


def test_definitions_inside_definitions_are_not_spelled_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = {"$defs": {"A": TEXT}, **refer("A")}
    assert is_same(document, document, refer("A"))
    monkeypatch.setattr(unchanged, "_MOST_TEXT", 0)
    assert not is_same(document, document, refer("A"))


def test_what_is_alike_in_both_generations_is_one_node_and_stays_closed() -> None:
    member = {"type": "object", "properties": {"x": TEXT}}
    record = {"type": "object", "properties": {"a": member}}
    other = {**record, "required": ["a"]}
    pool = Pool({"urn:a": make_document(record), "urn:b": make_document(other)})
    members = [
        atom.by_name["a"]
        for uri in ("urn:a#", "urn:b#")
        for atom in pool.get(uri).atoms
        if isinstance(atom, Members)
    ]
    assert members[0] is members[1]
    assert isinstance(members[0], DeferredNode)
    assert members[0].is_deferred
    members[0].open()
    assert not members[0].is_deferred
    members[0].open()
    assert members[0].schema == member
    with pytest.raises(AttributeError):
        _ = members[0].other


def make(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


CASES: list[tuple[str, Any, Any, str, str]] = [
    ("a member", make(a=TEXT), make(a={}), "compatible", "breaking"),
    (
        "a branch of many",
        {"oneOf": [{"properties": {"k": {"const": i}}, "required": ["k"]} for i in range(9)]},
        {"oneOf": [{"properties": {"k": {"const": i}}, "required": ["k"]} for i in range(8)]},
        "breaking",
        "compatible",
    ),
    (
        "a branch that is another's equal by reference",
        {"$defs": {"A": TEXT}, "anyOf": [refer("A"), {"type": "null"}]},
        {"$defs": {"A": TEXT}, "type": ["string", "null"]},
        "compatible",
        "compatible",
    ),
    (
        "a ring",
        {"$defs": {"A": {"properties": {"n": refer("A"), "v": TEXT}}}, **refer("A")},
        {"$defs": {"A": {"properties": {"n": refer("A"), "v": {}}}}, **refer("A")},
        "compatible",
        "breaking",
    ),
    (
        "what never holds",
        make(a={"allOf": [False, TEXT]}),
        make(a=False),
        "compatible",
        "compatible",
    ),
    ("nothing at all", {"$defs": {"A": True, "B": False}, **refer("A")}, True, "compatible", ""),
]


@pytest.mark.parametrize(
    ("one", "other", "forth", "back"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_questions_about_large_documents_have_the_answers_of_small_ones(
    ask_both: Callable[[Any, Any], tuple[str, str]], one: Any, other: Any, forth: str, back: str
) -> None:
    assert ask_both(one, other) == (forth, back or forth)
