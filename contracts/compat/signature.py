"""Signatures: what can be told of a schema's values at a glance, to keep branches apart.

A signature is wider than its schema: it says nothing that does not hold of every
value. Where two of them have no value in common, neither have the schemas.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from .flat import absolve, cut_reference
from .node import DeferredNode, Node
from .nodes import (
    ALL_TYPES,
    AnyOf,
    Members,
    Never,
    Not,
    OneOf,
    Reference,
    Required,
    Types,
    Values,
    is_of_types,
)
from .values import are_disjoint, find_types, freeze_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pi_contracts.contracts.drafts import Schema

    from .nodes import Atom
    from .pool import Pool

_OBJECT: Final = frozenset({"object"})
_MOST_REFERENCES: Final = 4
_MOST_MEMBERS: Final = 1000
_DEEPEST: Final = 4
"""How far down members are looked at together; below that less is told, and nothing wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """Types, a few values, and what members there are."""

    types: frozenset[str] = ALL_TYPES
    values: Mapping[Any, Any] | None = None
    """The values by their frozen forms, where they are few."""
    members: Mapping[str, Signature] = ()  # type: ignore[assignment]
    required: frozenset[str] = frozenset()
    allowed: frozenset[str] | None = None
    """The names that members can have, where they are few."""
    _is_nothing: bool | None = field(default=None, init=False, repr=False)

    def is_disjoint(self, other: Signature, depth: int = 0) -> bool:
        """Whether no value is of both, as far as is seen from *depth* on."""
        if depth > _DEEPEST:
            return False
        types = self.types & other.types
        if not types:
            return True
        if self.values is not None and other.values is not None:
            return are_disjoint(self.values, other.values)
        if types != _OBJECT:
            return False
        for one, another in ((self, other), (other, self)):
            if another.allowed is not None and not one.required <= another.allowed:
                return True
        few, many = sorted((self.members, other.members), key=len)
        return any(
            name in many
            and (name in self.required or name in other.required)
            and few[name].is_disjoint(many[name], depth + 1)
            for name in few
        )

    @property
    def is_nothing(self) -> bool:
        """Whether there is certainly no such value."""
        if self._is_nothing is None:
            # counted once, since members are often shared
            object.__setattr__(self, "_is_nothing", self._find_nothing())
        return bool(self._is_nothing)

    def _find_nothing(self) -> bool:
        if not self.types or (self.values is not None and not self.values):
            return True
        return self.types == _OBJECT and any(
            (name in self.members and self.members[name].is_nothing)
            or (self.allowed is not None and name not in self.allowed)
            for name in self.required
        )


def meet(signatures: Iterable[Signature], depth: int = 0) -> Signature:
    """Return the signature of the values that are of all *signatures*."""
    parts = [one for one in dict.fromkeys(signatures) if one is not ANYTHING]
    if len(parts) < 2 or depth > _DEEPEST:  # noqa: PLR2004 # nothing meets
        return parts[0] if parts else ANYTHING
    given = sorted((one.values for one in parts if one.values is not None), key=len)
    values = given[0] if given else None
    for others in given[1:]:
        values = {key: value for key, value in (values or {}).items() if key in others}
    groups = [one.members for one in parts if one.members]
    found: dict[str, list[Signature]] = {}
    for group in groups if len(groups) > 1 else ():
        for name, member in group.items():
            found.setdefault(name, []).append(member)
    allowed = [one.allowed for one in parts if one.allowed is not None]
    return Signature(
        ALL_TYPES.intersection(*(one.types for one in parts)),
        values,
        {name: meet(some, depth + 1) for name, some in found.items()}
        or (groups[0] if groups else {}),
        frozenset[str]().union(*(one.required for one in parts)),
        allowed[0].intersection(*allowed[1:]) if allowed else None,
    )


def join(signatures: Iterable[Signature], depth: int = 0) -> Signature:
    """Return the signature of the values that are of one of *signatures*."""
    parts = [one for one in dict.fromkeys(signatures) if one is not NOTHING]
    if len(parts) < 2:  # noqa: PLR2004 # nothing is joined
        return parts[0] if parts else NOTHING
    if depth > _DEEPEST:
        return ANYTHING
    values: dict[Any, Any] | None = None
    if all(one.values is not None for one in parts):
        values = {}
        for one in parts:
            values.update(one.values or {})
    objects = [one for one in parts if "object" in one.types]
    nothing: Mapping[str, Signature] = {}
    few = min((one.members for one in objects), key=len, default=nothing)
    names = [name for name in few if all(name in one.members for one in objects)]
    allowed = [one.allowed for one in objects if one.allowed is not None]
    required = [one.required for one in objects]
    return Signature(
        frozenset[str]().union(*(one.types for one in parts)),
        values,
        {name: join((one.members[name] for one in objects), depth + 1) for name in names},
        required[0].intersection(*required[1:]) if required else frozenset[str](),
        allowed[0].union(*allowed[1:]) if objects and len(allowed) == len(objects) else None,
    )


ANYTHING: Final = Signature(members={})
NOTHING: Final = Signature(types=frozenset(), members={})


class Signatures:
    """The signatures of a pool's nodes."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: dict[Node, Signature] = {}
        self._glances: dict[Node, Signature] = {}
        """Of nodes that are not taken apart, from their text."""
        self._of_atoms: dict[Atom, Signature] = {}

    def get(self, node: Node) -> Signature:
        """Return the signature of a node."""
        if isinstance(node, DeferredNode) and node.is_deferred:
            signature = self._glances.get(node)
            if signature is None:
                signature = self._glances[node] = self._glance(*node.source, _MOST_REFERENCES)
            return signature
        signature = self._known.get(node)
        if signature is None:
            self._known[node] = ANYTHING  # for what is met again below itself
            signature = self._known[node] = self.combine(node.atoms)
        return signature

    def combine(self, atoms: Iterable[Atom]) -> Signature:
        """Return the signature of a conjunction of atoms."""
        atoms = tuple(atoms)
        required = frozenset(atom.name for atom in atoms if isinstance(atom, Required))
        others = (self.get_of_atom(atom) for atom in atoms if not isinstance(atom, Required))
        mine = (Signature(ALL_TYPES, None, {}, required),) if required else ()
        return meet((*mine, *others))

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
                return Signature(atom.types, values, {})
            case Required(name):
                return Signature(ALL_TYPES, None, {}, frozenset({name}))
            case Members(named, patterns, rest):
                return self._read_members(named, patterns, rest)
            case AnyOf(branches) | OneOf(branches):
                return join(map(self.get, branches))
            case Not(node) if is_of_types(node):
                return replace(ANYTHING, types=ALL_TYPES - self.get(node).types)
            case Reference():
                return self.get(self._pool.open(atom))
            case _:
                return ANYTHING

    def _glance(self, schema: Schema, uri: str, hops: int) -> Signature:
        """Return what a schema says in so many words."""
        if isinstance(schema, bool):
            return ANYTHING if schema else NOTHING
        if "$ref" in schema:
            uri, pointer = cut_reference(absolve(schema["$ref"], uri))
            target = self._pool.documents[uri].get(pointer)
            return self._glance(target, uri, hops - 1) if hops else ANYTHING
        types, values = self._pool.read_types(schema), None
        for listed in self._pool.read_lists(schema):
            values = freeze_all(listed)
            types &= find_types(values.values())
        properties: Mapping[str, Schema] = schema.get("properties", {})
        members = {
            name: self._glance(part, uri, hops)
            for name, part in properties.items()
            if isinstance(part, dict) and ("const" in part or "enum" in part)
        }
        is_closed = schema.get("additionalProperties") is False
        allowed = None
        if is_closed and not schema.get("patternProperties"):
            allowed = frozenset(properties)
        return Signature(types, values, members, frozenset(schema.get("required", ())), allowed)

    def _read_members(
        self,
        named: tuple[tuple[str, Node], ...],
        patterns: tuple[tuple[str, Node], ...],
        rest: Node,
    ) -> Signature:
        # of very many members those are left out that would have to be looked into
        is_short = len(named) <= _MOST_MEMBERS
        members = {name: self.get(node) for name, node in named if is_short or not node.is_deferred}
        closed = not patterns and any(isinstance(atom, Never) for atom in rest.atoms)
        allowed = None
        if closed:
            allowed = frozenset(name for name, node in named if node is not self._pool.false)
        return Signature(ALL_TYPES, None, members, frozenset(), allowed)
