"""Signatures: what can be told of a schema's values at a glance, to keep branches apart.

A signature is wider than its schema: it says nothing that does not hold of every
value. Where two of them have no value in common, neither have the schemas.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from .nodes import (
    ALL_TYPES,
    AnyOf,
    Members,
    Never,
    Node,
    Not,
    OneOf,
    Reference,
    Required,
    Types,
    Values,
)
from .values import freeze, get_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .nodes import Atom
    from .pool import Pool

_OBJECT: Final = frozenset({"object"})


@dataclass(frozen=True, slots=True)
class Signature:
    """Types, a few values, and what members there are."""

    types: frozenset[str] = ALL_TYPES
    values: Mapping[Any, Any] | None = None
    """The values by their frozen forms, where they are few."""
    members: Mapping[str, Signature] = ()  # type: ignore[assignment]
    required: frozenset[str] = frozenset()
    allowed: frozenset[str] | None = None
    """The names that members can have, where they are few."""

    def __and__(self, other: Signature) -> Signature:
        """Return the signature of the values that both are of."""
        if other is ANYTHING:
            return self
        if self is ANYTHING:
            return other
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            values = {key: self.values[key] for key in self.values if key in other.values}
        members = self.members if not other.members else dict(other.members)
        if self.members and other.members:
            members = {**self.members, **other.members}
            for name in self.members.keys() & other.members.keys():
                members[name] = self.members[name] & other.members[name]
        allowed = self.allowed if other.allowed is None else other.allowed
        if self.allowed is not None and other.allowed is not None:
            allowed = self.allowed & other.allowed
        required = self.required | other.required
        return Signature(self.types & other.types, values, members, required, allowed)

    def __or__(self, other: Signature) -> Signature:
        """Return the signature of the values that one of both is of."""
        if self is NOTHING:
            return other
        values = None
        if self.values is not None and other.values is not None:
            values = {**self.values, **other.values}
        first = self if "object" in self.types else None
        second = other if "object" in other.types else None
        both = first and second
        source = first or second
        if not both or first is None or second is None:
            members: Mapping[str, Signature] = source.members if source else {}
            required = source.required if source else frozenset[str]()
            allowed = source.allowed if source else None
        else:
            members = {
                name: first.members[name] | second.members[name]
                for name in first.members
                if name in second.members
            }
            required = first.required & second.required
            allowed = None
            if first.allowed is not None and second.allowed is not None:
                allowed = first.allowed | second.allowed
        return Signature(self.types | other.types, values, members, required, allowed)

    def is_disjoint(self, other: Signature) -> bool:
        """Whether no value is of both."""
        types = self.types & other.types
        if not types:
            return True
        if self.values is not None and other.values is not None:
            return not self.values.keys() & other.values.keys()
        if types != _OBJECT:
            return False
        for name in self.required | other.required:
            for one in (self, other):
                if one.allowed is not None and name not in one.allowed:
                    return True
            mine, others = self.members.get(name), other.members.get(name)
            if mine is not None and others is not None and mine.is_disjoint(others):
                return True
        return False

    @property
    def is_nothing(self) -> bool:
        """Whether there is certainly no such value."""
        if not self.types or (self.values is not None and not self.values):
            return True
        return self.types == _OBJECT and any(
            (name in self.members and self.members[name].is_nothing)
            or (self.allowed is not None and name not in self.allowed)
            for name in self.required
        )


ANYTHING: Final = Signature(members={})
NOTHING: Final = Signature(types=frozenset(), members={})


class Signatures:
    """The signatures of a pool's nodes."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: dict[Node, Signature] = {}
        self._of_atoms: dict[Atom, Signature] = {}

    def get(self, node: Node) -> Signature:
        """Return the signature of a node."""
        signature = self._known.get(node)
        if signature is None:
            self._known[node] = ANYTHING  # for what is met again below itself
            signature = self._known[node] = self.combine(node.atoms)
        return signature

    def combine(self, atoms: Iterable[Atom]) -> Signature:
        """Return the signature of a conjunction of atoms."""
        signature = ANYTHING
        for atom in atoms:
            signature = signature & self.get_of_atom(atom)
        return signature

    def get_of_atom(self, atom: Atom) -> Signature:
        """Return the signature of an atom."""
        signature = self._of_atoms.get(atom)
        if signature is None:
            signature = self._of_atoms[atom] = self._read(atom)
        return signature

    def _read(self, atom: Atom) -> Signature:
        match atom:
            case Never():
                return NOTHING
            case Types(types):
                return replace(ANYTHING, types=types)
            case Values(_, values):
                return Signature(
                    frozenset(map(get_type, values)), {freeze(value): value for value in values}, {}
                )
            case Required(name):
                return replace(ANYTHING, required=frozenset({name}))
            case Members(named, patterns, rest):
                return self._read_members(named, patterns, rest)
            case AnyOf(branches) | OneOf(branches):
                signature = NOTHING
                for branch in branches:
                    signature = signature | self.get(branch)
                return signature
            case Not(Node(_, (Types(types),), _)):
                return replace(ANYTHING, types=ALL_TYPES - types)
            case Reference():
                return self.get(self._pool.open(atom))
            case _:
                return ANYTHING

    def _read_members(
        self,
        named: tuple[tuple[str, Node], ...],
        patterns: tuple[tuple[str, Node], ...],
        rest: Node,
    ) -> Signature:
        members = {name: self.get(node) for name, node in named}
        closed = not patterns and any(isinstance(atom, Never) for atom in rest.atoms)
        allowed = None
        if closed:
            allowed = frozenset(name for name, node in named if node is not self._pool.false)
        return Signature(ALL_TYPES, None, members, frozenset(), allowed)
