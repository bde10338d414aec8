"""Shapes of the schemas that most schemas are: a type, a list of values, an array of such."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.json_values import is_array, is_schema

from .merge import BEARING, get_kind, get_type_kinds
from .shapes import ANYTHING, ATOMS, NOTHING, ListOf, Shape, shape_values, unite

if TYPE_CHECKING:
    from collections.abc import Collection

    from pi_contracts.contracts.drafts import Schema
    from pi_contracts.contracts.model import Location

_LISTED = (frozenset({"enum"}), frozenset({"const"}), frozenset({"type", "enum"}))
_ARRAY = frozenset({"type", "items"})
_DEEPEST = 4


def shape_leaf(
    schema: Schema,
    location: Location,
    named: Collection[Location],
    depth: int = 0,
) -> Shape | None:
    """Return the shape of a schema that holds no others but items; None for any other schema.

    Items that have a name, being among *named*, make it another schema too.
    """
    if isinstance(schema, bool):
        return ANYTHING if schema else NOTHING
    says = BEARING.intersection(schema)
    if not says:
        return ANYTHING
    kind = schema.get("type")
    if len(says) == 1 and isinstance(kind, str):
        return ATOMS["fraction" if kind == "number" else kind]
    if says in _LISTED:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        kinds = None if kind is None else get_type_kinds(kind)
        return shape_values(one for one in values if kinds is None or get_kind(one) in kinds)
    if len(says) == 1 and is_array(kind):
        kinds = get_type_kinds(kind)
        return unite(atom for one, atom in ATOMS.items() if one in kinds)
    if depth < _DEEPEST and says == _ARRAY and kind == "array" and is_schema(schema["items"]):
        below = location / "items"
        item = None if below in named else shape_leaf(schema["items"], below, named, depth + 1)
        return None if item is None else ListOf(ANYTHING if item == NOTHING else item)
    return None
