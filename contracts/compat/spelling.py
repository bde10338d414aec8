"""Spelling: schemas that say what atoms say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .nodes import (
    NUMBERS,
    SIZE_KEYWORDS,
    TYPES,
    AnyOf,
    AtLeast,
    AtMost,
    ContainsAtLeast,
    ContainsAtMost,
    Format,
    If,
    Items,
    Lower,
    Members,
    Multiple,
    Names,
    Never,
    Not,
    OneOf,
    Opaque,
    Pattern,
    Reference,
    Required,
    Types,
    Unique,
    Upper,
    Values,
)
from .values import to_number

if TYPE_CHECKING:
    from pi_contracts.contracts.drafts import Schema

    from .nodes import Atom


def spell(atoms: tuple[Atom, ...]) -> Schema:
    """Return a schema that says what some atoms say together, nested as little as can be."""
    whole: dict[str, Any] = {}
    others: list[Schema] = []
    kinds: set[type[Atom]] = {Opaque}
    for atom in atoms:
        part = to_schema(atom)
        # what "the others" are depends on what stands beside it
        if isinstance(part, bool) or type(atom) in kinds or part.keys() & whole.keys():
            others.append(part)
        else:
            whole.update(part)
            kinds.add(type(atom))
    if not others:
        return whole or True
    if not whole and len(others) == 1:
        return others[0]
    return {"allOf": [whole, *others] if whole else others}


def to_schema(atom: Atom) -> Schema:  # noqa: C901, PLR0912 # one case an atom
    """Return a schema that says what an atom says."""
    match atom:
        case Never():
            return False
        case Types(types):
            names = [name for name in TYPES if name in types and name not in NUMBERS]
            if "fraction" not in types:
                return {"type": [*names, "integer"] if "integer" in types else names}
            number: Schema = {"type": "number"}
            if "integer" not in types:
                number = {"type": "number", "not": {"type": "integer"}}
            return {"anyOf": [{"type": names}, number]} if names else number
        case Values(_, values):
            return {"enum": list(values.values())}
        case Lower(limit, exclusive):
            return {"exclusiveMinimum" if exclusive else "minimum": to_number(limit)}
        case Upper(limit, exclusive):
            return {"exclusiveMaximum" if exclusive else "maximum": to_number(limit)}
        case Multiple(of):
            return {"multipleOf": to_number(of)}
        case AtLeast(what, count):
            return {f"min{SIZE_KEYWORDS[what]}": count}
        case AtMost(what, count):
            return {f"max{SIZE_KEYWORDS[what]}": count}
        case Pattern(text):
            return {"pattern": text}
        case Format(name):
            return {"format": name}
        case Unique():
            return {"uniqueItems": True}
        case Items(prefix, rest):
            first = {"prefixItems": [node.schema for node in prefix]} if prefix else {}
            return first if rest.schema is True else {**first, "items": rest.schema}
        case ContainsAtLeast(node, count):
            return {"contains": node.schema, "minContains": count}
        case ContainsAtMost(node, count):
            return {"contains": node.schema, "minContains": 0, "maxContains": count}
        case Required(name):
            return {"required": [name]}
        case Members(named, patterns, rest):
            properties = {name: node.schema for name, node in named}
            by_pattern = {text: node.schema for text, node in patterns}
            return {
                **({"properties": properties} if properties else {}),
                **({"patternProperties": by_pattern} if by_pattern else {}),
                **({} if rest.schema is True else {"additionalProperties": rest.schema}),
            }
        case Names(node):
            return {"propertyNames": node.schema}
        case AnyOf(branches):
            return {"anyOf": [node.schema for node in branches]}
        case OneOf(branches):
            return {"oneOf": [node.schema for node in branches]}
        case Not(node):
            return {"not": node.schema}
        case If(condition, then, otherwise):
            return {"if": condition.schema, "then": then.schema, "else": otherwise.schema}
        case Reference(_, target):
            return {"$ref": target}
        case Opaque(_, schema):
            return cast("Schema", schema)
