"""Nodes: schemas taken apart into atoms, so that equal schemas are one object.

A node is a conjunction of atoms; an atom is one thing that a keyword, or a group
of keywords that only make sense together, asks of a value. What has no effect on
any value is not in a node. How nodes are made is told in `pool`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .values import find_types

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from .node import Node

TYPES: Final = ("null", "boolean", "integer", "fraction", "string", "array", "object")
"""The types that partition all values; a fraction is a number that is no integer."""
ALL_TYPES: Final[frozenset[str]] = frozenset(TYPES)
NUMBERS: Final[frozenset[str]] = frozenset({"integer", "fraction"})
_STRING: Final = frozenset({"string"})
_ARRAY: Final = frozenset({"array"})
_OBJECT: Final = frozenset({"object"})
LENGTH, ITEMS, MEMBERS = "length", "items", "members"
_SIZED: Final = {LENGTH: _STRING, ITEMS: _ARRAY, MEMBERS: _OBJECT}
SIZE_KEYWORDS: Final = {LENGTH: "Length", ITEMS: "Items", MEMBERS: "Properties"}


@dataclass(frozen=True, slots=True)
class Never:
    """No value at all."""


@dataclass(frozen=True, slots=True)
class Types:
    """Values of some types."""

    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class Values:
    """Some values alone."""

    frozen: frozenset[Any]
    values: Mapping[Any, Any] = field(compare=False)
    """The values by their frozen forms."""
    types: frozenset[str] = field(init=False, compare=False, repr=False)
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        """Count the hash and the types once: atoms are looked up often."""
        object.__setattr__(self, "_hash", hash((self.frozen,)))
        object.__setattr__(self, "types", find_types(self.values.values()))

    def __hash__(self) -> int:
        """Return a hash that equal atoms share."""
        return self._hash


@dataclass(frozen=True, slots=True)
class Lower:
    """Numbers from a limit on, or above it."""

    limit: Fraction
    is_exclusive: bool


@dataclass(frozen=True, slots=True)
class Upper:
    """Numbers up to a limit, or below it."""

    limit: Fraction
    is_exclusive: bool


@dataclass(frozen=True, slots=True)
class Multiple:
    """Numbers that are a multiple of one."""

    of: Fraction


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Strings, arrays or objects of a size, or a greater one."""

    what: str
    count: int


@dataclass(frozen=True, slots=True)
class AtMost:
    """Strings, arrays or objects of a size, or a smaller one."""

    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """Strings in which a regular expression is found."""

    text: str


@dataclass(frozen=True, slots=True)
class Format:
    """Strings of a format, where formats are checked."""

    name: str


@dataclass(frozen=True, slots=True)
class Unique:
    """Arrays without two equal items."""


@dataclass(frozen=True, slots=True)
class Items:
    """Arrays whose first items each have a schema, and the rest another."""

    prefix: tuple[Node, ...]
    rest: Node
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        """Count the hash once: atoms are looked up often."""
        object.__setattr__(
            self,
            "_hash",
            hash(
                (
                    self.prefix,
                    self.rest,
                )
            ),
        )

    def __hash__(self) -> int:
        """Return a hash that equal atoms share."""
        return self._hash

    def get(self, index: int) -> Node:
        """Return the schema of the item at *index*."""
        return self.prefix[index] if index < len(self.prefix) else self.rest


@dataclass(frozen=True, slots=True)
class ContainsAtLeast:
    """Arrays of which a number of items, or more, have a schema."""

    node: Node
    count: int


@dataclass(frozen=True, slots=True)
class ContainsAtMost:
    """Arrays of which a number of items, or fewer, have a schema."""

    node: Node
    count: int


@dataclass(frozen=True, slots=True)
class Required:
    """Objects that have a member."""

    name: str


@dataclass(frozen=True, slots=True)
class Members:
    """Objects whose members have a schema by name, by pattern, or as all the rest."""

    named: tuple[tuple[str, Node], ...]
    patterns: tuple[tuple[str, Node], ...]
    rest: Node
    by_name: Mapping[str, Node] = field(init=False, compare=False, repr=False)
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        """Count the hash once: atoms are looked up often."""
        object.__setattr__(
            self,
            "_hash",
            hash(
                (
                    self.named,
                    self.patterns,
                    self.rest,
                )
            ),
        )
        object.__setattr__(self, "by_name", dict(self.named))

    def __hash__(self) -> int:
        """Return a hash that equal atoms share."""
        return self._hash


@dataclass(frozen=True, slots=True)
class Names:
    """Objects whose members' names have a schema."""

    node: Node


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Values of at least one branch."""

    branches: tuple[Node, ...]
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        """Count the hash once: atoms are looked up often."""
        object.__setattr__(self, "_hash", hash((self.branches,)))

    def __hash__(self) -> int:
        """Return a hash that equal atoms share."""
        return self._hash


@dataclass(frozen=True, slots=True)
class OneOf:
    """Values of exactly one branch."""

    branches: tuple[Node, ...]
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        """Count the hash once: atoms are looked up often."""
        object.__setattr__(self, "_hash", hash((self.branches,)))

    def __hash__(self) -> int:
        """Return a hash that equal atoms share."""
        return self._hash


@dataclass(frozen=True, slots=True)
class Not:
    """Values that a schema refuses."""

    node: Node


@dataclass(frozen=True, slots=True)
class If:
    """Values of one schema where a condition holds, and of another where it does not."""

    condition: Node
    then: Node
    otherwise: Node
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        """Count the hash once: atoms are looked up often."""
        object.__setattr__(
            self,
            "_hash",
            hash(
                (
                    self.condition,
                    self.then,
                    self.otherwise,
                )
            ),
        )

    def __hash__(self) -> int:
        """Return a hash that equal atoms share."""
        return self._hash


@dataclass(frozen=True, slots=True)
class Reference:
    """Values of a recursive definition."""

    key: int
    target: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Values of a schema that is not taken apart."""

    text: str
    schema: Any = field(compare=False)


Typed: TypeAlias = (
    Lower
    | Upper
    | Multiple
    | AtLeast
    | AtMost
    | Pattern
    | Format
    | Unique
    | Items
    | ContainsAtLeast
    | ContainsAtMost
    | Required
    | Members
    | Names
)
"""Atoms that say something of some types, and accept every value of the others."""
Literal: TypeAlias = Never | Types | Values | Opaque | Typed
"""Atoms that are no connective."""
Atom: TypeAlias = Literal | AnyOf | OneOf | Not | If | Reference
TYPED: Final = (
    Lower,
    Upper,
    Multiple,
    AtLeast,
    AtMost,
    Pattern,
    Format,
    Unique,
    Items,
    ContainsAtLeast,
    ContainsAtMost,
    Required,
    Members,
    Names,
)
LITERALS: Final = (Never, Types, Values, Opaque, *TYPED)


def is_list(node: Node) -> bool:
    """Whether a node is a list of values and no more."""
    return not node.is_deferred and len(node.atoms) == 1 and isinstance(node.atoms[0], Values)


def is_of_types(node: Node) -> bool:
    """Whether a node says of which types a value is and no more."""
    return not node.is_deferred and len(node.atoms) == 1 and isinstance(node.atoms[0], Types)


def get_types(atom: Typed) -> frozenset[str]:
    """Return the types that a typed atom says something of."""
    if isinstance(atom, Lower | Upper | Multiple):
        return NUMBERS
    if isinstance(atom, AtLeast | AtMost):
        return _SIZED[atom.what]
    if isinstance(atom, Pattern | Format):
        return _STRING
    if isinstance(atom, Unique | Items | ContainsAtLeast | ContainsAtMost):
        return _ARRAY
    return _OBJECT
