"""The page that compares answers: what it says of ours is what ours says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pi_contracts.contracts.compat.flat import FlatSchema, make_document
from pi_contracts.contracts.compat.flows import compare_schemas
from pi_contracts.contracts.compat.verdicts import Direction, Position

PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparison-compat.md"
OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
ONE_PART: dict[str, Any] = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}
TWO_PARTS: dict[str, Any] = {
    "allOf": [
        {"type": "object", "properties": {"a": {}}, "required": ["a"]},
        {"properties": {"b": {}}},
    ]
}
FAMILY = {"patternProperties": {"^i_": {"type": "integer"}}}
NOT_EMPTY = {"type": "string", "not": {"enum": [""]}}
LEVELS = {"enum": ["NORMAL", "CRITICAL"]}
OVERLAP: dict[str, Any] = {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 0}]}
ALONE: dict[str, Any] = {"oneOf": [{"type": "integer"}]}

CHANGES: dict[str, tuple[str, Any, Any, str, Any]] = {
    "a longer enum in a result": (
        *("result", LEVELS, {"enum": ["NORMAL", "CRITICAL", "BROKEN"]}),
        *("breaking", "BROKEN"),
    ),
    "a longer enum in an argument": (
        *("argument", LEVELS, {"enum": ["NORMAL", "CRITICAL", "BROKEN"]}),
        *("compatible", None),
    ),
    "a dot": ("argument", NOT_EMPTY, {"type": "string", "pattern": ".+"}, "breaking", "\n"),
    "branches that overlap": ("argument", OVERLAP, ALONE, "breaking", 0.5),
    "an object in two parts": ("argument", TWO_PARTS, ONE_PART, "compatible", None),
    "a family of names": (
        *("argument", OPEN, {**OPEN, **FAMILY}, "breaking-undeclared", {"i_": None}),
    ),
}


@pytest.mark.parametrize(
    ("position", "old", "new", "verdict", "witness"), CHANGES.values(), ids=CHANGES
)
def test_the_page_tells_the_verdict_and_the_witness(
    position: str, old: Any, new: Any, verdict: str, witness: Any
) -> None:
    before, after = (FlatSchema(make_document(one)) for one in (old, new))
    flow = compare_schemas(before, after, Position(position))
    breaks = [one for one in flow.breaks if one.direction is Direction.OLD_CONSUMER]
    assert flow.verdicts[Direction.OLD_CONSUMER] == verdict
    assert [one.witness for one in breaks] == ([] if verdict == "compatible" else [witness])


@pytest.mark.parametrize("shown", [LEVELS, NOT_EMPTY, OVERLAP, ALONE, "BROKEN", "\n", {"i_": None}])
def test_the_page_shows_what_is_tested(shown: Any) -> None:
    assert f"`{json.dumps(shown)}`" in PAGE.read_text("utf-8")


def test_the_page_shows_the_family_of_names() -> None:
    assert json.dumps(FAMILY).strip("{}") in PAGE.read_text("utf-8")
