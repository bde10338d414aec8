"""Random schemas over all keywords of 2020-12, and random values to try on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

NAMES = ("a", "b", "c", "xa")
PATTERNS = ("^x", "a$", "^[a-b]+$", "b", "^(a|xa)$", "^.{1,2}$", "c?", r"^\d+$", "^(?!x)")
STRINGS = ("", "a", "b", "c", "xa", "ab", "xb", "1", "aa", "x\n")
TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")


def make_value(rng: random.Random, depth: int = 3) -> Any:
    """Return a random value of few names, strings and numbers."""
    kind = rng.randrange(8 if depth else 6)
    if kind == 0:
        return None
    if kind == 1:
        return rng.choice((True, False))
    if kind == 2:
        return rng.choice((0, 1, 2, 3, 4, 6, -1, 10))
    if kind == 3:
        return rng.choice((0.5, 1.0, 1.5, 2.5, -0.25, 4.0))
    if kind in {4, 5}:
        return rng.choice(STRINGS)
    if kind == 6:
        return [make_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    names = rng.sample(NAMES, rng.randrange(len(NAMES) + 1))
    return {name: make_value(rng, depth - 1) for name in names}


def make_schema(rng: random.Random, depth: int = 3, *, recursive: bool = False) -> Any:
    """Return a random schema; a recursive one may refer to ``#/$defs/N``."""
    if depth <= 0 or rng.random() < 0.05:
        return rng.choice((True, False, {"type": rng.choice(TYPES)}, {"const": make_value(rng, 1)}))
    if recursive and rng.random() < 0.15:
        return {"$ref": "#/$defs/N"}
    schema: dict[str, Any] = {}
    if rng.random() < 0.7:
        kinds = rng.sample(TYPES, rng.choice((1, 1, 1, 2, 3)))
        schema["type"] = kinds[0] if len(kinds) == 1 else kinds

    def below(less: int = 1) -> Any:
        return make_schema(rng, depth - less, recursive=recursive)

    for name in rng.sample(list(KEYWORDS), rng.choice((1, 1, 2, 2, 3, 4))):
        KEYWORDS[name](schema, rng, below)
    return schema


def make_document(rng: random.Random, depth: int = 3) -> dict[str, Any]:
    """Return a random document with a definition that may be recursive."""
    body: Any = {"allOf": [make_schema(rng, depth, recursive=True)]}
    node = make_schema(rng, depth - 1, recursive=False)
    node = (
        {"allOf": [node], "properties": {"b": {"$ref": "#/$defs/N"}}}
        if rng.random() < 0.6
        else node
    )
    return {"$defs": {"N": node}, **body}


def _names(rng: random.Random) -> list[str]:
    return rng.sample(NAMES, rng.randrange(1, 3))


def _set(name: str, make: Callable[[random.Random, Callable[..., Any]], Any]) -> Any:
    def put(schema: dict[str, Any], rng: random.Random, below: Callable[..., Any]) -> None:
        schema[name] = make(rng, below)

    return put


def _conditional(schema: dict[str, Any], rng: random.Random, below: Callable[..., Any]) -> None:
    schema["if"] = below()
    for name in ("then", "else"):
        if rng.random() < 0.8:
            schema[name] = below()


def _contains(schema: dict[str, Any], rng: random.Random, below: Callable[..., Any]) -> None:
    schema["contains"] = below(2)
    if rng.random() < 0.4:
        schema["minContains"] = rng.randrange(3)
    if rng.random() < 0.4:
        schema["maxContains"] = rng.randrange(3)


def _branches(rng: random.Random, below: Callable[..., Any]) -> list[Any]:
    return [below() for _ in range(rng.choice((1, 2, 2, 3)))]


KEYWORDS: dict[str, Callable[[dict[str, Any], random.Random, Callable[..., Any]], None]] = {
    "enum": _set("enum", lambda rng, _: [make_value(rng, 2) for _ in range(rng.randrange(1, 4))]),
    "const": _set("const", lambda rng, _: make_value(rng, 2)),
    "minimum": _set("minimum", lambda rng, _: rng.choice((0, 1, 1.5, 2))),
    "maximum": _set("maximum", lambda rng, _: rng.choice((1, 2, 2.5, 4))),
    "exclusiveMinimum": _set("exclusiveMinimum", lambda rng, _: rng.choice((0, 1, 2))),
    "exclusiveMaximum": _set("exclusiveMaximum", lambda rng, _: rng.choice((1, 2.5, 4))),
    "multipleOf": _set("multipleOf", lambda rng, _: rng.choice((1, 2, 3, 0.5, 1.5))),
    "minLength": _set("minLength", lambda rng, _: rng.randrange(3)),
    "maxLength": _set("maxLength", lambda rng, _: rng.randrange(4)),
    "pattern": _set("pattern", lambda rng, _: rng.choice(PATTERNS)),
    "minItems": _set("minItems", lambda rng, _: rng.randrange(3)),
    "maxItems": _set("maxItems", lambda rng, _: rng.randrange(4)),
    "uniqueItems": _set("uniqueItems", lambda rng, _: rng.random() < 0.8),
    "items": _set("items", lambda _, below: below()),
    "prefixItems": _set("prefixItems", _branches),
    "contains": _contains,
    "unevaluatedItems": _set("unevaluatedItems", lambda _, below: below(2)),
    "minProperties": _set("minProperties", lambda rng, _: rng.randrange(3)),
    "maxProperties": _set("maxProperties", lambda rng, _: rng.randrange(4)),
    "required": _set("required", lambda rng, _: _names(rng)),
    "properties": _set("properties", lambda rng, below: {name: below() for name in _names(rng)}),
    "patternProperties": _set(
        "patternProperties", lambda rng, below: {rng.choice(PATTERNS): below()}
    ),
    "additionalProperties": _set("additionalProperties", lambda _, below: below(2)),
    "propertyNames": _set(
        "propertyNames",
        lambda rng, _: rng.choice(
            ({"pattern": rng.choice(PATTERNS)}, {"maxLength": 1}, {"enum": ["a", "b"]})
        ),
    ),
    "unevaluatedProperties": _set("unevaluatedProperties", lambda _, below: below(2)),
    "dependentRequired": _set("dependentRequired", lambda rng, _: {rng.choice(NAMES): _names(rng)}),
    "dependentSchemas": _set("dependentSchemas", lambda rng, below: {rng.choice(NAMES): below()}),
    "allOf": _set("allOf", _branches),
    "anyOf": _set("anyOf", _branches),
    "oneOf": _set("oneOf", _branches),
    "not": _set("not", lambda _, below: below(2)),
    "if": _conditional,
}
