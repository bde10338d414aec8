"""Say which large schemas comparisons are measured with: pairs that differ in one edit.

The first of each pair accepts less than the second. Used by benchmarks/compat.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Pair = tuple[dict[str, Any], dict[str, Any]]


def make_record(minimum: int) -> dict[str, Any]:
    """Return the schema of a closed record."""
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": minimum % 977 + 1},
            "count": {"type": "integer", "minimum": minimum},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def make_branch(tag: int, minimum: int) -> dict[str, Any]:
    """Return one branch of a tagged union."""
    properties = {"kind": {"const": f"k{tag}"}, "v": {"type": "integer", "minimum": minimum}}
    return {"type": "object", "properties": properties, "required": ["kind"]}


def widen(entries: dict[str, Any], name: str, wide: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the entries as they are, and with one replaced or, for None, left out."""
    if wide is None:
        return entries, {one: entry for one, entry in entries.items() if one != name}
    return entries, {**entries, name: wide}


def make_objects(keyword: str, pair: tuple[Any, Any], **more: Any) -> Pair:
    """Return two schemas of objects that differ in one keyword."""
    narrow, wide = pair
    return {"type": "object", keyword: narrow, **more}, {"type": "object", keyword: wide, **more}


def make_union(keyword: str, count: int) -> Pair:
    """Return two tagged unions, of which a branch in the middle differs."""
    branches = [make_branch(index, index) for index in range(count)]
    middle = count // 2
    changed = [*branches[:middle], make_branch(middle, -5), *branches[middle + 1 :]]
    return {keyword: branches}, {keyword: changed}


def make_added_branch(count: int) -> Pair:
    """Return two tagged unions, of which one has a branch more."""
    branches = [make_branch(index, index) for index in range(count + 1)]
    return {"oneOf": branches[:-1]}, {"oneOf": branches}


def make_tuple(count: int, changed: int) -> Pair:
    """Return two tuples, of which one item differs."""
    items = [{"type": "integer", "minimum": index} for index in range(count)]
    others = [*items[:changed], {"type": "integer", "minimum": -1}, *items[changed + 1 :]]
    return {"type": "array", "prefixItems": items}, {"type": "array", "prefixItems": others}


def make_definitions(count: int) -> Pair:
    """Return two documents of definitions that are all used, of which one differs."""
    definitions = {f"d{index}": make_record(index) for index in range(count)}
    members = {f"p{index}": {"$ref": f"#/$defs/d{index}"} for index in range(count)}
    narrow, wide = widen(definitions, "d7", make_record(-1))
    uses = {"type": "object", "properties": members}
    return {**uses, "$defs": narrow}, {**uses, "$defs": wide}


def make_parts(count: int) -> Pair:
    """Return two conjunctions, of which one part differs."""
    parts = [{"properties": {f"p{index}": {"minimum": index}}} for index in range(1, count)]
    narrow, wide = ({"properties": {"p0": {"minimum": minimum}}} for minimum in (0, -1))
    return {"allOf": [narrow, *parts]}, {"allOf": [wide, *parts]}


def make_members(count: int) -> dict[str, Any]:
    """Return member schemas that are all different."""
    return {f"p{index}": make_record(index) for index in range(count)}


def make_sized(kind: str, keyword: str, inner: str, count: int) -> Pair:
    """Return two schemas of values that have very many parts."""
    narrow, wide = ({"type": name} for name in ("integer", "number"))
    sized = {"type": kind, keyword: count}
    return {**sized, inner: narrow}, {**sized, inner: wide}


LARGE: Mapping[str, Callable[[], Pair]] = {
    "100,000 required, one of them gone": lambda: make_objects(
        "required", ([f"p{i}" for i in range(100_000)], [f"p{i}" for i in range(1, 100_000)])
    ),
    "12,000 branches of oneOf": lambda: make_union("oneOf", 12_000),
    "12,000 branches of oneOf, one more": lambda: make_added_branch(12_000),
    "12,000 branches of anyOf": lambda: make_union("anyOf", 12_000),
    "50,000 dependentRequired, one gone": lambda: make_objects(
        "dependentRequired", widen({f"p{i}": [f"q{i}"] for i in range(50_000)}, "p7", None)
    ),
    "20,000 dependentSchemas, one gone": lambda: make_objects(
        "dependentSchemas",
        widen({f"p{i}": {"required": [f"q{i}"]} for i in range(20_000)}, "p7", None),
    ),
    "100,000 patternProperties": lambda: make_objects(
        "patternProperties",
        widen({f"^p{i}$": {"minimum": i} for i in range(100_000)}, "^p7$", {"minimum": -1}),
    ),
    "100,000 patternProperties, closed": lambda: make_objects(
        "patternProperties",
        widen({f"^p{i}$": {"minimum": i} for i in range(100_000)}, "^p7$", {"minimum": -1}),
        additionalProperties=False,
    ),
    "100,000 patternProperties, one gone": lambda: make_objects(
        "patternProperties",
        widen({f"^p{i}$": {"minimum": i} for i in range(100_000)}, "^p7$", None),
    ),
    "50,000 prefixItems, the first": lambda: make_tuple(50_000, 0),
    "50,000 prefixItems, one in the middle": lambda: make_tuple(50_000, 25_000),
    "100,000 properties": lambda: make_objects(
        "properties",
        widen({f"p{i}": {"minimum": i} for i in range(100_000)}, "p7", {"minimum": -1}),
    ),
    "50,000 required members of 6 MB": lambda: make_objects(
        "properties",
        widen(make_members(50_000), "p7", make_record(-1)),
        required=[f"p{i}" for i in range(50_000)],
    ),
    "50,000 definitions of 9 MB": lambda: make_definitions(50_000),
    "20,000 parts of allOf": lambda: make_parts(20_000),
    "items of 100,000": lambda: make_sized("array", "minItems", "items", 100_000),
    "members of 100,000": lambda: make_sized(
        "object", "minProperties", "additionalProperties", 100_000
    ),
    "contained items of 100,000": lambda: make_sized("array", "minContains", "contains", 100_000),
}
"""By what there is very much of."""
