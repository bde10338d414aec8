from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.contracts.compat import flows as module
from pi_contracts.contracts.compat.decide import Kind
from pi_contracts.contracts.compat.flat import FlatDocument, FlatSchema, make_document
from pi_contracts.contracts.compat.flows import (
    FlowComparer,
    FlowReport,
    compare_schemas,
    get_digest,
)
from pi_contracts.contracts.compat.verdicts import Direction, Effect, Position

OLD, NEW = Direction
TEXT = {"type": "string"}


def compare(old: Any, new: Any, position: str) -> FlowReport:
    before, after = (FlatSchema(make_document(schema)) for schema in (old, new))
    return compare_schemas(before, after, Position(position))


@pytest.mark.parametrize(
    ("position", "old", "new"),
    [
        ("argument", "compatible", "breaking"),
        ("result", "breaking", "compatible"),
        ("state", "breaking", "compatible"),
        ("event", "breaking", "compatible"),
        ("error", "breaking", "compatible"),
    ],
)
def test_widening_breaks_who_receives(position: str, old: str, new: str) -> None:
    flow = compare(TEXT, {"type": ["string", "null"]}, position)
    assert flow.verdicts == {OLD: old, NEW: new}
    assert flow.effect is Effect.WIDEN
    (one,) = flow.breaks
    assert one.witness is None
    assert one.has_witness


def test_equal_documents_are_not_looked_at() -> None:
    flow = compare(TEXT, dict(TEXT), "argument")
    assert flow == FlowReport("argument", Position.ARGUMENT, flow.verdicts, Effect.SAME, ())
    assert set(flow.verdicts.values()) == {Kind.COMPATIBLE}


def test_an_undecided_flow_has_no_explanation() -> None:
    flow = compare({**TEXT, "pattern": r"^(a+)\1$"}, {**TEXT, "pattern": r"^(aa)+\B"}, "argument")
    assert flow.effect is Effect.UNKNOWN
    assert [one.explanation for one in flow.breaks if not one.has_witness] != []


def test_a_digest_holds_what_a_schema_reaches_and_nothing_else() -> None:
    def digest(used: Any, unused: Any) -> str:
        definitions = {"A": {"$ref": "#/$defs/B"}, "B": used, "C": unused}
        return get_digest(make_document({"$defs": definitions}), "#/$defs/A")

    assert digest(TEXT, TEXT) == digest(TEXT, {"type": "null"})
    assert digest(TEXT, TEXT) != digest({"type": "null"}, TEXT)


@pytest.mark.parametrize(("old", "new"), [([1], [True]), ([0], [False]), ({"a": 1}, {"a": True})])
def test_what_python_calls_equal_is_not_taken_for_unchanged(old: Any, new: Any) -> None:
    ends = [FlatSchema(make_document({"const": one})) for one in (old, new)]
    flow = compare_schemas(ends[0], ends[1], Position.ARGUMENT)
    assert flow.effect is Effect.BOTH


def test_a_flow_that_is_unchanged_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(module, "Decider")
    ring = {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/A"}]}
    same = {"A": {"properties": {"next": {"$ref": "#/$defs/R"}}}, "R": ring}
    old, new = ({"$defs": {**same, "B": {"type": kind}}} for kind in ("string", "integer"))
    comparer = FlowComparer(make_document(old), make_document(new))
    flow = comparer.compare("a", Position.STATE, "#/$defs/A", "#/$defs/A")
    assert flow.effect is Effect.SAME


def test_formats_that_are_now_checked_are_a_change() -> None:
    schema = {"format": "date"}
    old, new = FlatDocument(schema), FlatDocument(schema, asserts_format=True)
    flow = compare_schemas(FlatSchema(old), FlatSchema(new), Position.ARGUMENT)
    assert flow.effect is not Effect.SAME


def test_a_large_schema_has_a_digest_of_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    document = make_document({"enum": ["a", 1.0]})
    small = get_digest(document, "#")
    monkeypatch.setattr(module, "_LARGEST", 0)
    assert get_digest(document, "#") != small
    other = make_document({"enum": ["a", "c"]})
    assert get_digest(document, "#") != get_digest(other, "#")
