"""Shapes: the types that schemas describe, as values, before any of them is printed.

Every record has a name. A shape may be wider than its schema, never narrower;
where nothing can be said it is `ANYTHING`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from .literals import quote
from .merge import Node, get_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pi_contracts.contracts.model import Location

LONGEST_LITERAL = 80
"""Texts longer than this are not named one by one in a type."""
_MOST_DIGITS = 80


class Key(NamedTuple):
    """What a named type stands for."""

    node: Node
    is_record: bool = False
    """The object among the values of the node, which may be others too."""

    @property
    def location(self) -> Location:
        """Where the first of the schemas stands."""
        return self.node[0].location


class Atom(msgspec.Struct, frozen=True):
    """A type that has a name in Python: that of a scalar, of null, or of any JSON value."""

    text: str


class Literal(msgspec.Struct, frozen=True):
    """One of several values, in source text, which tells 1 from True."""

    values: tuple[str, ...]


class ListOf(msgspec.Struct, frozen=True):
    """An array."""

    item: Shape


class MapOf(msgspec.Struct, frozen=True):
    """An object whose members are not known by name."""

    value: Shape


class Union(msgspec.Struct, frozen=True):
    """One of several shapes, none of which is a union; without any, there is no value."""

    options: tuple[Shape, ...]


class Named(msgspec.Struct, frozen=True):
    """A declared type."""

    key: Key


Shape: TypeAlias = Atom | Literal | ListOf | MapOf | Union | Named

ANYTHING = Atom("rt.JsonValue")
NOTHING = Union(())
NULL = Atom("None")
ANY_LIST = ListOf(ANYTHING)
ANY_MAP = MapOf(ANYTHING)
ATOMS: dict[str, Shape] = {
    "object": ANY_MAP,
    "array": ANY_LIST,
    "string": Atom("str"),
    "integer": Atom("int"),
    "fraction": Atom("float"),
    "boolean": Atom("bool"),
    "null": NULL,
}


class Field(msgspec.Struct, frozen=True):
    """A member of a record."""

    name: str
    shape: Shape
    required: bool
    description: str = ""


class Record(msgspec.Struct):
    """A type for objects whose members are known by name."""

    key: Key
    description: str
    fields: tuple[Field, ...] = ()
    is_closed: bool = False
    """No other members are allowed."""


class Alias(msgspec.Struct):
    """A name for any other shape."""

    key: Key
    description: str
    shape: Shape = ANYTHING


Declaration: TypeAlias = Record | Alias


def unite(shapes: Iterable[Shape]) -> Shape:
    """Return the union of *shapes*: each once, nothing that another one holds, null last."""
    options: dict[Shape, None] = {}
    for shape in shapes:
        options.update(dict.fromkeys(shape.options if isinstance(shape, Union) else (shape,)))
    if ANYTHING in options:
        return ANYTHING
    if len(options) > 1:
        options = _merge_literals(options)
        if ATOMS["fraction"] in options:
            options.pop(ATOMS["integer"], None)
        if NULL in options:
            del options[NULL]
            options[NULL] = None
    result = tuple(options)
    return result[0] if len(result) == 1 else Union(result)


def _merge_literals(options: dict[Shape, None]) -> dict[Shape, None]:
    """Return options with one literal at most, where the first stood; none for what is held."""
    literals = [option for option in options if isinstance(option, Literal)]
    if not literals:
        return options
    values = dict.fromkeys(value for literal in literals for value in literal.values)
    if values.keys() >= {"True", "False"}:
        options[ATOMS["boolean"]] = None
    names = {option.text for option in options if isinstance(option, Atom)}
    kept = tuple(value for value in values if not _is_held(value, names))
    merged: dict[Shape, None] = {}
    for option in options:
        if not isinstance(option, Literal):
            merged[option] = None
        elif option is literals[0] and kept:
            merged[Literal(kept)] = None
    return merged


def _is_held(value: str, names: set[str]) -> bool:
    if value[0] in "\"'":
        return "str" in names
    if value in {"True", "False"}:
        return "bool" in names
    return "int" in names or "float" in names


def shape_values(values: Iterable[object]) -> Shape:
    """Return the shape of listed values; those that cannot be listed are widened."""
    return unite(_shape_value(value) for value in values)


def _shape_value(value: object) -> Shape:
    kind = get_kind(value)
    shape: Shape = ATOMS[kind]
    if isinstance(value, bool):
        return Literal((str(value),))
    if isinstance(value, str) and len(text := quote(value)) <= LONGEST_LITERAL:
        return Literal((text,))
    if isinstance(value, int) and abs(value) < 10**_MOST_DIGITS:
        return Literal((str(value),))
    return ATOMS["fraction"] if isinstance(value, float) else shape


def walk(shape: Shape) -> Iterator[Shape]:
    """Yield *shape* and every shape in it, not going into declarations."""
    pending = [shape]
    while pending:
        shape = pending.pop()
        yield shape
        if isinstance(shape, ListOf):
            pending.append(shape.item)
        elif isinstance(shape, MapOf):
            pending.append(shape.value)
        elif isinstance(shape, Union):
            pending.extend(reversed(shape.options))


def get_shapes(declaration: Declaration) -> Iterator[Shape]:
    """Yield the shapes that a declaration is made of."""
    if isinstance(declaration, Alias):
        yield declaration.shape
    else:
        for one in declaration.fields:
            yield one.shape
