"""Generated validators agree with jsonschema on random schemas, apart from what is listed.

The differences that are meant, each with a test of its own below: patterns are those of
ECMA-262, numbers are decimal, what is no JSON is refused.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import jsonschema
import pydantic
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pi_contracts.codegen.generate import generate
from pi_contracts.contracts.read import read
from pi_contracts.runtime import ContractViolation

NAMES = st.sampled_from(["a", "b", "c", "class", "x-y", "", "__x", "\u00e9", "$ref"])
TEXTS = st.sampled_from(["", "a", "ab", "abc", "A", "1", "\U0001f680", "a b", "\n"])
NUMBERS = st.integers(-3, 5) | st.sampled_from([0.5, 1.0, -0.0, 2.5, 1e3, 2**53, 10**20])
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(NAMES, below, max_size=4),
    max_leaves=8,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
COUNTS = st.integers(0, 3)
# read alike by every engine
PATTERNS = st.sampled_from(["a", "^a", "b{2}", "^[a-c]*$|^1", "", "x|^$"])
DEFINITIONS = ("one", "two", "a/b~c d", "class")
ANCHORS = ("#here", "#there")


def make_schemas() -> st.SearchStrategy[Any]:
    """Return a strategy for schemas, which may refer to four definitions and two anchors."""
    references = st.sampled_from(
        [f"#/$defs/{name.replace('~', '~0').replace('/', '~1')}" for name in DEFINITIONS]
        + [*ANCHORS, "#"]
    ).map(lambda text: text.replace(" ", "%20"))
    nothing: dict[str, Any] = {}
    leaves: st.SearchStrategy[Any] = (
        st.booleans() | st.just(nothing) | TYPES.map(lambda name: {"type": name})
    )

    def extend(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        many = st.lists(below, min_size=1, max_size=3)
        named = st.dictionaries(NAMES, below, max_size=3)
        keywords: dict[str, st.SearchStrategy[Any]] = {
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "const": VALUES,
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "minimum": NUMBERS,
            "exclusiveMaximum": NUMBERS,
            "multipleOf": st.sampled_from([1, 2, 3]),
            "minLength": COUNTS,
            "maxLength": COUNTS,
            "pattern": PATTERNS,
            "format": st.sampled_from(["date", "email", "unknown"]),
            "minItems": COUNTS,
            "maxItems": COUNTS,
            "uniqueItems": st.booleans(),
            "prefixItems": many,
            "items": below,
            "contains": below,
            "minContains": COUNTS,
            "maxContains": COUNTS,
            "unevaluatedItems": below,
            "minProperties": COUNTS,
            "maxProperties": COUNTS,
            "required": st.lists(NAMES, max_size=3, unique=True),
            "dependentRequired": st.dictionaries(
                NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=2
            ),
            "properties": named,
            "patternProperties": st.dictionaries(PATTERNS, below, max_size=2),
            "additionalProperties": below,
            "propertyNames": below,
            "dependentSchemas": named,
            "unevaluatedProperties": below,
            "allOf": many,
            "anyOf": many,
            "oneOf": many,
            "not": below,
            "if": below,
            "then": below,
            "else": below,
            "$ref": references,
            "title": TEXTS,
            "description": TEXTS,
            "default": VALUES,
        }
        keyword = st.sampled_from(sorted(keywords))
        chosen = st.lists(keyword, min_size=1, max_size=4, unique=True)
        return chosen.flatmap(
            lambda names: st.fixed_dictionaries({name: keywords[name] for name in names})
        )

    return st.recursive(leaves, extend, max_leaves=6)


SCHEMAS = make_schemas()


def make_document(root: Any, here: Any, there: Any, others: tuple[Any, ...]) -> dict[str, Any]:
    return {
        **(root if isinstance(root, dict) else {"allOf": [root]}),
        "$defs": {
            **dict(zip(DEFINITIONS, others, strict=True)),
            "here": {"$anchor": "here", "allOf": [here]},
            "there": {"$anchor": "there", "allOf": [there]},
        },
    }


DOCUMENTS = st.builds(make_document, SCHEMAS, SCHEMAS, SCHEMAS, st.tuples(*[SCHEMAS] * 4))


def load(schema: Any, kind: Any) -> Any:
    """Return the module that is generated for a schema; None if the schema is refused."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "random.schema.json")
        file.write_text(json.dumps(schema), "utf-8")
        reading = read([file])
        if not reading.is_sound:
            rules = {one.rule for one in reading.findings if one.severity == "error"}
            assert rules == {"impossible-schema"}, reading.findings
            return None
        source = generate(reading.catalogue, types=kind)["random.py"]
    module = types.ModuleType(f"generated_random_{kind}")
    sys.modules[module.__name__] = module  # where pydantic looks names up
    exec(compile(source, "random.py", "exec"), module.__dict__)
    return module


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(DOCUMENTS, st.lists(VALUES, min_size=8, max_size=8))
def test_generated_validators_agree_with_jsonschema(document: Any, values: list[Any]) -> None:
    plain, models = load(document, "typed-dict"), load(document, "pydantic")
    if plain is None or models is None:
        return
    reference: Any = jsonschema.Draft202012Validator(document)
    for value in values:
        verdict = reference.is_valid(value)
        assert plain.is_valid(value) is verdict, value
        assert models.is_valid(value) is verdict, value
        if not verdict:
            with pytest.raises(ContractViolation):
                plain.validate(value)
            continue
        loaded = models.validate(value)
        if isinstance(loaded, pydantic.BaseModel):
            dumped = loaded.model_dump(exclude_unset=True)
            assert json.dumps(dumped, sort_keys=True) == json.dumps(value, sort_keys=True)


DIFFERENCES: dict[str, tuple[Any, Any, bool]] = {
    "the end of a pattern is the end of the text": ({"pattern": "^a$"}, "a\n", False),
    "digits are those of ASCII": ({"pattern": r"^\d$"}, "\u0663", False),
    "words are those of ASCII": ({"pattern": r"^\w$"}, "\u00e9", False),
    "spaces are those of ECMAScript": ({"pattern": r"^\s$"}, "\ufeff", True),
    "boundaries are those of ASCII words": ({"pattern": r"a\b"}, "a\u00e9", True),
    "a dot refuses each end of a line": ({"pattern": "^.$"}, "\u2028", False),
    "a class may be empty": ({"pattern": "^[^]$"}, "\n", True),
    "steps are decimal": ({"multipleOf": 0.01}, 4.02, True),
    "steps of large numbers are exact": ({"multipleOf": 11.0}, 9007199254740995, True),
    "NaN is no JSON": ({"type": "number"}, float("nan"), False),
    "an infinite number is no JSON": ({}, float("inf"), False),
    "bytes are no JSON": ({}, b"a", False),
    "a name is a string": ({}, {1: 1}, False),
    "a lone surrogate is no text": ({"type": "string"}, "\ud800", False),
    "a tuple is an array": ({"type": "array"}, (1,), True),
}


@pytest.mark.parametrize(("schema", "value", "verdict"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_what_differs_from_jsonschema_is_meant(schema: Any, value: Any, verdict: Any) -> None:
    assert load(schema, "typed-dict").is_valid(value) is verdict
    reference: Any = jsonschema.Draft202012Validator(schema)
    try:
        assert reference.is_valid(value) is not verdict
    except re.error:
        assert schema["pattern"] == "^[^]$"


FRAGMENTS = [
    *("raise SystemExit", "a", "_", "b c", "1", "\U0001f680", "\u6f22", "\ufb01", "__x__"),
    *('"', "'", '"""', "'''", "\\", "\n", "\r", "\t", "\0", "\x1b", "\x85", "\f", ";"),
    *("\u2028", "\u202e", "\u2066", "{", "}", "%s", "#", "[", ")", "\\N{DASH}", "\\u0041"),
]
"""Texts that want to be code; running any of it would end the test."""
HOSTILE = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join)


@pytest.mark.parametrize("kind", ["typed-dict", "pydantic"])
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(HOSTILE, HOSTILE, min_size=1, max_size=4))
def test_any_names_titles_and_texts_give_modules_that_import(
    kind: str, names: dict[str, str]
) -> None:
    schema: dict[str, Any] = {
        "title": "\n".join(names),
        "description": '"""\n' + "".join(names.values()),
        "type": "object",
        "properties": {
            name: {
                "title": text,
                "description": text + name,
                "enum": [text, {name: text}, 1],
                "not": {"pattern": "never", "$comment": text},
            }
            for name, text in names.items()
        },
        "required": list(names)[:1],
        "$defs": {name: {"type": "object", "properties": {name: {}}} for name in names},
    }
    module = load(schema, kind)
    value = dict(names)
    assert module.is_valid(value)
    loaded = module.validate(value)
    dumped = loaded.model_dump(exclude_unset=True) if kind == "pydantic" else loaded
    assert dumped == value
    assert not module.is_valid(dict.fromkeys(names, False))
