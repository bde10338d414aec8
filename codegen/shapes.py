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

LONGEST_LITERAL = 80
"""Texts longer than this are not named one by one in a type."""
_MOST_DIGITS = 80


class Key(NamedTuple):
    """What a named type stands for."""

    node: Node
    is_record: bool = False
    """The object among the values of the node, which may be others too."""


class Atom(msgspec.Struct, frozen=True):
    """A type that Python has: ``str``, ``int``, ``float``, ``bool``, ``None``, or any JSON value."""

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
ATOMS = {
    "string": Atom("str"),
    "integer": Atom("int"),
    "fraction": Atom("float"),
    "boolean": Atom("bool"),
    "null": NULL,
    "array": ANY_LIST,
    "object": ANY_MAP,
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
    values: dict[str, None] = {}
    for shape in shapes:
        for option in shape.options if isinstance(shape, Union) else (shape,):
            if option == ANYTHING:
                return ANYTHING
            if isinstance(option, Literal):
                values.update(dict.fromkeys(option.values))
            options[option] = None
    if len(options) == 1:
        return next(iter(options))
    if values.keys() >= {"True", "False"}:
        options[ATOMS["boolean"]] = None
    names = {option.text for option in options if isinstance(option, Atom)}
    if "float" in names:
        options.pop(Atom("int"), None)
    if values:
        kept = tuple(value for value in values if not _is_held(value, names))
        literals = [option for option in options if isinstance(option, Literal)]
        result: list[Shape] = []
        for option in options:
            if option is literals[0] and kept:
                result.append(Literal(kept))
            if not isinstance(option, Literal):
                result.append(option)
    else:
        result = list(options)
    if NULL in options and result[-1] != NULL:
        result.remove(NULL)
        result.append(NULL)
    return result[0] if len(result) == 1 else Union(tuple(result))


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
    if isinstance(value, bool):
        return Literal((str(value),))
    if isinstance(value, str) and len(text := quote(value)) <= LONGEST_LITERAL:
        return Literal((text,)) if _is_sound(value) else ATOMS[kind]
    if isinstance(value, int) and abs(value) < 10**_MOST_DIGITS:
        return Literal((str(value),))
    return ATOMS["fraction"] if isinstance(value, float) else ATOMS[kind]


def _is_sound(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


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
