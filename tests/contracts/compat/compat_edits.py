"""Random single edits of schema documents, as people make them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, cast

from pi_contracts.contracts.drafts import Draft, subschemas

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Edit = Callable[[dict[str, Any], random.Random], bool]

TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]
SCHEMAS: list[Any] = [
    {"type": "string"},
    {"type": "integer"},
    {"type": "boolean"},
    {"type": "null"},
    {"enum": ["a", "b"]},
    {"type": "array", "items": {"type": "string"}},
    {"type": "object", "properties": {"k": {"type": "string"}}},
    True,
]


def get_places(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every schema object of a document that can be reached from its references."""
    found: list[dict[str, Any]] = []
    pending: list[Any] = list(document.get("$defs", {}).values())
    pending.append({name: item for name, item in document.items() if name != "$defs"})
    while pending:
        schema = pending.pop()
        if isinstance(schema, dict):
            place = cast("dict[str, Any]", schema)
            found.append(place)
            pending.extend(below for _, below in subschemas(place, Draft.DRAFT202012))
    return found


def edit(
    document: dict[str, Any], rng: random.Random, tries: int = 500
) -> tuple[str, dict[str, Any]]:
    """Return a document with one edit, and the kind of the edit.

    Raises:
        LookupError: None of the edits that were tried changes anything.
    """
    for _ in range(tries):
        changed = copy.deepcopy(document)
        places = get_places(changed)
        name = rng.choice(list(EDITS))
        for place in rng.sample(places, min(len(places), 40)):
            before = copy.deepcopy(place)
            if EDITS[name](place, rng) and place != before:
                return name, changed
    raise LookupError


def _remove_required(schema: dict[str, Any], rng: random.Random) -> bool:
    if not schema.get("required"):
        return False
    schema["required"] = list(schema["required"])
    schema["required"].remove(rng.choice(schema["required"]))
    return True


def _add_required(schema: dict[str, Any], rng: random.Random) -> bool:
    names = [
        name for name in schema.get("properties", {}) if name not in schema.get("required", ())
    ]
    if schema.get("type") != "object" and not names:
        return False
    schema["required"] = [*schema.get("required", ()), rng.choice([*names, "fresh"])]
    return True


def _add_member(schema: dict[str, Any], rng: random.Random) -> bool:
    if "properties" not in schema:
        return False
    schema["properties"]["fresh"] = copy.deepcopy(rng.choice(SCHEMAS))
    return True


def _remove_member(schema: dict[str, Any], rng: random.Random) -> bool:
    if not schema.get("properties"):
        return False
    name = rng.choice(list(schema["properties"]))
    del schema["properties"][name]
    if rng.random() < 0.7 and name in schema.get("required", ()):
        schema["required"] = [one for one in schema["required"] if one != name]
    return True


def _rename_member(schema: dict[str, Any], rng: random.Random) -> bool:
    if not schema.get("properties"):
        return False
    name = rng.choice(list(schema["properties"]))
    schema["properties"][name + "X"] = schema["properties"].pop(name)
    if name in schema.get("required", ()):
        schema["required"] = [one + "X" if one == name else one for one in schema["required"]]
    return True


def _toggle_closed(schema: dict[str, Any], rng: random.Random) -> bool:
    del rng
    if schema.get("additionalProperties") is False:
        del schema["additionalProperties"]
    elif "additionalProperties" not in schema and "properties" in schema:
        schema["additionalProperties"] = False
    else:
        return False
    return True


def _change_type(schema: dict[str, Any], rng: random.Random) -> bool:
    if "type" not in schema:
        return False
    schema["type"] = rng.choice(TYPES)
    return True


def _add_type(schema: dict[str, Any], rng: random.Random) -> bool:
    if not isinstance(schema.get("type"), str):
        return False
    schema["type"] = [schema["type"], rng.choice([one for one in TYPES if one != schema["type"]])]
    return True


def _make_nullable(schema: dict[str, Any], rng: random.Random) -> bool:
    if "$ref" not in schema or len(schema) > 1:
        return False
    keyword = rng.choice(["anyOf", "oneOf"])
    schema[keyword] = [{"$ref": schema.pop("$ref")}, {"type": "null"}]
    return True


def _change_limit(schema: dict[str, Any], rng: random.Random) -> bool:
    names = [name for name in LIMITS if name in schema]
    if not names:
        return False
    name = rng.choice(names)
    schema[name] = max(0, schema[name] + rng.choice([-1, 1, -10, 10]))
    return True


def _remove_limit(schema: dict[str, Any], rng: random.Random) -> bool:
    names = [name for name in (*LIMITS, "pattern", "uniqueItems") if name in schema]
    if not names:
        return False
    del schema[rng.choice(names)]
    return True


def _add_limit(schema: dict[str, Any], rng: random.Random) -> bool:
    limits = {
        "string": ["minLength", "maxLength"],
        "integer": ["minimum", "maximum", "multipleOf"],
        "number": ["exclusiveMinimum", "multipleOf"],
        "array": ["minItems", "maxItems"],
        "object": ["minProperties", "maxProperties"],
    }
    kinds = schema.get("type")
    names = [
        one for one in limits.get(kinds if isinstance(kinds, str) else "", ()) if one not in schema
    ]
    if not names:
        return False
    schema[rng.choice(names)] = rng.randint(1, 8)
    return True


def _change_pattern(schema: dict[str, Any], rng: random.Random) -> bool:
    if "pattern" not in schema:
        if schema.get("type") != "string":
            return False
        schema["pattern"] = rng.choice(["^[a-z]+$", "^[A-Za-z0-9_-]+$", "a", "^x", "z$"])
        return True
    old = schema["pattern"]
    schema["pattern"] = rng.choice(
        [old.replace("A-Z", ""), old.replace("+$", "*$"), old.replace("*$", "+$"), old.rstrip("$")]
    )
    return bool(schema["pattern"])


def _add_value(schema: dict[str, Any], rng: random.Random) -> bool:
    if "enum" not in schema:
        return False
    schema["enum"] = [*schema["enum"], rng.choice(["fresh", 7, None])]
    return True


def _remove_value(schema: dict[str, Any], rng: random.Random) -> bool:
    if len(schema.get("enum", ())) < 2:
        return False
    schema["enum"] = list(schema["enum"])
    schema["enum"].remove(rng.choice(schema["enum"]))
    return True


def _change_const(schema: dict[str, Any], rng: random.Random) -> bool:
    if "const" not in schema:
        return False
    schema["const"] = rng.choice(["fresh", 3, False])
    return True


def _const_to_enum(schema: dict[str, Any], rng: random.Random) -> bool:
    del rng
    if "const" not in schema:
        return False
    schema["enum"] = [schema.pop("const"), "fresh"]
    return True


def _remove_branch(schema: dict[str, Any], rng: random.Random) -> bool:
    names = [name for name in ("allOf", "anyOf", "oneOf") if len(schema.get(name, ())) > 1]
    if not names:
        return False
    name = rng.choice(names)
    schema[name] = list(schema[name])
    del schema[name][rng.randrange(len(schema[name]))]
    return True


def _add_branch(schema: dict[str, Any], rng: random.Random) -> bool:
    names = [name for name in ("allOf", "anyOf", "oneOf") if name in schema]
    if not names:
        return False
    name = rng.choice(names)
    schema[name] = [*schema[name], copy.deepcopy(rng.choice(SCHEMAS))]
    return True


def _one_to_any(schema: dict[str, Any], rng: random.Random) -> bool:
    del rng
    for name, other in (("oneOf", "anyOf"), ("anyOf", "oneOf")):
        if name in schema and other not in schema:
            schema[other] = schema.pop(name)
            return True
    return False


def _change_condition(schema: dict[str, Any], rng: random.Random) -> bool:
    if "if" not in schema:
        return False
    name = rng.choice([name for name in ("then", "else") if name in schema] or ["then"])
    if rng.random() < 0.5:
        schema.pop(name, None)
    else:
        schema[name] = {"required": ["fresh"]}
    return True


def _change_items(schema: dict[str, Any], rng: random.Random) -> bool:
    if schema.get("type") != "array":
        return False
    name = rng.choice(["items", "uniqueItems", "contains", "prefixItems"])
    if name == "uniqueItems":
        schema[name] = not schema.get(name, False)
    elif name == "prefixItems":
        schema[name] = [copy.deepcopy(rng.choice(SCHEMAS))]
    else:
        schema[name] = copy.deepcopy(rng.choice(SCHEMAS))
    return True


def _replace(schema: dict[str, Any], rng: random.Random) -> bool:
    if not schema.get("properties"):
        return False
    name = rng.choice(list(schema["properties"]))
    schema["properties"][name] = copy.deepcopy(rng.choice(SCHEMAS))
    return True


def _add_keyword(schema: dict[str, Any], rng: random.Random) -> bool:
    if schema.get("type") != "object":
        return False
    names = [*schema.get("properties", {}), "fresh"]
    schema.update(
        rng.choice(
            [
                {"dependentRequired": {rng.choice(names): [rng.choice(names)]}},
                {"dependentSchemas": {rng.choice(names): {"required": [rng.choice(names)]}}},
                {"propertyNames": {"maxLength": rng.choice([4, 40])}},
                {"patternProperties": {"^x": {"type": "integer"}}},
                {"unevaluatedProperties": False},
                {"not": {"required": [rng.choice(names)]}},
                {
                    "if": {"properties": {rng.choice(names): {"const": "a"}}},
                    "then": {"required": [rng.choice(names)]},
                },
            ]
        )
    )
    return True


LIMITS = (
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "maxProperties",
)
EDITS: dict[str, Edit] = {
    "required removed": _remove_required,
    "required added": _add_required,
    "member added": _add_member,
    "member removed": _remove_member,
    "member renamed": _rename_member,
    "member replaced": _replace,
    "closed or opened": _toggle_closed,
    "type changed": _change_type,
    "type added": _add_type,
    "null added": _make_nullable,
    "limit changed": _change_limit,
    "limit removed": _remove_limit,
    "limit added": _add_limit,
    "pattern changed": _change_pattern,
    "value added": _add_value,
    "value removed": _remove_value,
    "const changed": _change_const,
    "const to enum": _const_to_enum,
    "branch removed": _remove_branch,
    "branch added": _add_branch,
    "oneOf to anyOf": _one_to_any,
    "condition changed": _change_condition,
    "items changed": _change_items,
    "keyword added": _add_keyword,
}
