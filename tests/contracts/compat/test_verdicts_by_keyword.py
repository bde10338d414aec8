"""Every keyword, tightened, loosened and changed: what is said at each position.

The table in docs/keyword-coverage.md is made of these cases; with UPDATE_COVERAGE=1
in the environment the test writes it, otherwise it compares.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from pi_contracts.contracts.compat.flat import FlatDocument, FlatSchema
from pi_contracts.contracts.compat.flows import FlowReport, compare_schemas
from pi_contracts.contracts.compat.verdicts import Direction, Effect, Position

PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "keyword-coverage.md"
NARROW, WIDEN, BOTH, SAME = Effect.NARROW, Effect.WIDEN, Effect.BOTH, Effect.SAME


class Case(NamedTuple):
    """A loose and a tight form of a keyword, and one that is neither."""

    keyword: str
    loose: Any
    tight: Any
    other: Any
    """Compared with the tight form."""
    changed: Effect = BOTH


def text(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def array(**more: Any) -> dict[str, Any]:
    return {"type": "array", **more}


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def make_number(**more: Any) -> dict[str, Any]:
    return {"type": "number", **more}


AB: Final = closed(a=True, b=True, c=True)
DEFINED: Final = {"long": text(), "short": text(maxLength=3), "number": {"type": "number"}}


def refer(name: str, keyword: str = "$ref") -> dict[str, Any]:
    return {keyword: f"#/$defs/{name}", "$defs": DEFINED}


CASES: Final = (
    Case("type", {"type": ["string", "null"]}, text(), {"type": "integer"}),
    Case("enum", {"enum": ["a", "b"]}, {"enum": ["a"]}, {"enum": ["b"]}),
    Case("const", True, {"const": 1}, {"const": 2}),
    Case(
        "multipleOf",
        make_number(multipleOf=2),
        make_number(multipleOf=4),
        make_number(multipleOf=6),
    ),
    Case("minimum", make_number(minimum=1), make_number(minimum=2), make_number(minimum=3), NARROW),
    Case("maximum", make_number(maximum=2), make_number(maximum=1), make_number(maximum=3), WIDEN),
    Case(
        "exclusiveMinimum",
        make_number(exclusiveMinimum=1),
        make_number(exclusiveMinimum=2),
        make_number(minimum=2),
        WIDEN,
    ),
    Case(
        "exclusiveMaximum",
        make_number(exclusiveMaximum=2),
        make_number(exclusiveMaximum=1),
        make_number(maximum=1),
        WIDEN,
    ),
    Case("minLength", text(minLength=1), text(minLength=2), text(minLength=3), NARROW),
    Case("maxLength", text(maxLength=2), text(maxLength=1), text(maxLength=3), WIDEN),
    Case("pattern", text(pattern="^a"), text(pattern="^ab"), text(pattern="^b")),
    Case("items", array(), array(items=text()), array(items={"type": "integer"})),
    Case(
        "prefixItems", array(), array(prefixItems=[text()]), array(prefixItems=[{"type": "null"}])
    ),
    Case("minItems", array(minItems=1), array(minItems=2), array(minItems=3), NARROW),
    Case("maxItems", array(maxItems=2), array(maxItems=1), array(maxItems=3), WIDEN),
    Case("uniqueItems", array(), array(uniqueItems=True), array(uniqueItems=False), WIDEN),
    Case("contains", array(), array(contains=text()), array(contains={"type": "null"})),
    Case(
        "minContains",
        array(contains=text()),
        array(contains=text(), minContains=2),
        array(contains=text(), minContains=3),
        NARROW,
    ),
    Case(
        "maxContains",
        array(contains=text()),
        array(contains=text(), maxContains=1),
        array(contains=text(), maxContains=2),
        WIDEN,
    ),
    Case("required", AB, {**AB, "required": ["a"]}, {**AB, "required": ["b"]}),
    Case("properties", closed(a=True), closed(a=text()), closed(a={"type": "null"})),
    Case(
        "additionalProperties",
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": text()},
        {"type": "object", "additionalProperties": {"type": "null"}},
    ),
    Case(
        "patternProperties",
        {**closed(), "patternProperties": {"^x": True}},
        {**closed(), "patternProperties": {"^x": text()}},
        {**closed(), "patternProperties": {"^x": {"type": "null"}}},
    ),
    Case(
        "propertyNames",
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": True, "propertyNames": {"pattern": "^a"}},
        {"type": "object", "additionalProperties": True, "propertyNames": {"pattern": "^b"}},
    ),
    Case("minProperties", AB, {**AB, "minProperties": 1}, {**AB, "minProperties": 2}, NARROW),
    Case("maxProperties", AB, {**AB, "maxProperties": 1}, {**AB, "maxProperties": 2}, WIDEN),
    Case(
        "dependentRequired",
        AB,
        {**AB, "dependentRequired": {"a": ["b"]}},
        {**AB, "dependentRequired": {"a": ["c"]}},
    ),
    Case(
        "dependentSchemas",
        AB,
        {**AB, "dependentSchemas": {"a": {"required": ["b"]}}},
        {**AB, "dependentSchemas": {"a": {"required": ["c"]}}},
    ),
    Case(
        "unevaluatedProperties",
        {"type": "object", "allOf": [{"properties": {"a": True}}]},
        {"type": "object", "allOf": [{"properties": {"a": True}}], "unevaluatedProperties": text()},
        {
            "type": "object",
            "allOf": [{"properties": {"a": True}}],
            "unevaluatedProperties": {"type": "null"},
        },
    ),
    Case(
        "unevaluatedItems",
        array(allOf=[{"prefixItems": [True]}]),
        array(allOf=[{"prefixItems": [True]}], unevaluatedItems=text()),
        array(allOf=[{"prefixItems": [True]}], unevaluatedItems={"type": "null"}),
    ),
    Case(
        "allOf",
        {"allOf": [text()]},
        {"allOf": [text(), {"maxLength": 3}]},
        {"allOf": [make_number()]},
    ),
    Case(
        "anyOf", {"anyOf": [text(), make_number()]}, {"anyOf": [text()]}, {"anyOf": [make_number()]}
    ),
    Case(
        "oneOf", {"oneOf": [text(), make_number()]}, {"oneOf": [text()]}, {"oneOf": [make_number()]}
    ),
    Case("not", {"not": {"const": 1}}, {"not": {"enum": [1, 2]}}, {"not": {"enum": [1, 3]}}),
    Case(
        "if",
        text(then={"pattern": "^a"}),
        text(**{"if": {"minLength": 3}}, then={"pattern": "^a"}),
        text(**{"if": {"minLength": 4}}, then={"pattern": "^a"}),
        WIDEN,
    ),
    Case(
        "then",
        text(**{"if": {"minLength": 3}}),
        text(**{"if": {"minLength": 3}}, then={"pattern": "^a"}),
        text(**{"if": {"minLength": 3}}, then={"pattern": "^b"}),
    ),
    Case(
        "else",
        text(**{"if": {"minLength": 3}}),
        text(**{"if": {"minLength": 3}, "else": {"pattern": "^a"}}),
        text(**{"if": {"minLength": 3}, "else": {"pattern": "^b"}}),
    ),
    Case("format, where it is checked", text(), text(format="date"), text(format="ipv4")),
    Case("$ref, $defs", refer("long"), refer("short"), refer("number")),
    *(
        Case(name, text(), text(**{name: value}), text(**{name: other}), SAME)
        for name, value, other in (
            ("title", "a", "b"),
            ("description", "a", "b"),
            ("default", "a", "b"),
            ("examples", ["a"], ["b"]),
            ("deprecated", True, False),
            ("readOnly", True, False),
            ("writeOnly", True, False),
            ("$comment", "a", "b"),
            ("format", "date", "ipv4"),
            ("contentEncoding", "base64", "base16"),
            ("contentMediaType", "text/plain", "text/html"),
            ("contentSchema", True, {"type": "null"}),
        )
    ),
)
CHECKED: Final = "format, where it is checked"


def compare(case: Case, old: Any, new: Any, position: Position) -> FlowReport:
    checks = case.keyword == CHECKED
    ends = [FlatSchema(FlatDocument(one, asserts_format=checks)) for one in (old, new)]
    return compare_schemas(ends[0], ends[1], position)


def list_edits(case: Case) -> dict[str, tuple[Any, Any, Effect]]:
    is_note = case.changed is SAME
    return {
        "tightened": (case.loose, case.tight, SAME if is_note else NARROW),
        "loosened": (case.tight, case.loose, SAME if is_note else WIDEN),
        "changed": (case.tight, case.other, case.changed),
    }


EDITS: Final = [(case, edit) for case in CASES for edit in ("tightened", "loosened", "changed")]
EXPECTED: Final = {
    SAME: (True, True),
    NARROW: (False, True),
    WIDEN: (True, False),
    BOTH: (False, False),
}
"""Of an argument, whether old and new consumers are safe; of all else it is the reverse."""


@pytest.mark.parametrize("position", Position)
@pytest.mark.parametrize(("case", "edit"), EDITS, ids=lambda one: getattr(one, "keyword", one))
def test_a_keyword_has_the_effect_that_it_should(case: Case, edit: str, position: Position) -> None:
    old, new, effect = list_edits(case)[edit]
    flow = compare(case, old, new, position)
    safe = EXPECTED[effect]
    wanted = safe if position.is_sent_by_consumer else safe[::-1]
    assert flow.effect is effect
    assert tuple(kind == "compatible" for kind in flow.verdicts.values()) == wanted


def say(flow: FlowReport) -> str:
    return " / ".join(flow.verdicts[one].value for one in Direction)


def render() -> str:
    rows: list[str] = []
    for case, edit in EDITS:
        old, new, effect = list_edits(case)[edit]
        sent = say(compare(case, old, new, Position.ARGUMENT))
        received = {
            say(compare(case, old, new, one)) for one in Position if not one.is_sent_by_consumer
        }
        (one,) = received
        rows.append(f"| {case.keyword} | {edit} | {effect.value} | {sent} | {one} |")
    return "\n".join(
        [
            "# Keywords and verdicts",
            "",
            "What `pi-contracts compat` says when one keyword of a schema is made tighter, looser,",
            "or something else: of old consumers / of new consumers. The effect is on the set of",
            "values. Each row is a pair of schemas in a test, which writes this page:",
            "`tests/contracts/compat/test_verdicts_by_keyword.py`.",
            "",
            "| keyword | edit | effect | argument | result, state, event, error |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def test_the_page_says_what_is_so() -> None:
    text = render()
    if os.environ.get("UPDATE_COVERAGE"):
        PAGE.write_text(text, "utf-8")
    assert PAGE.read_text("utf-8") == text
