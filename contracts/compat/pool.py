"""The pool: makes one node of all schemas that say the same, of both sides.

Annotations and keywords without effect go; ``allOf`` and references that are not
recursive are opened; recursive definitions are compared as automata are, by
refining classes until they stand still, so that renamed ones are equal.
"""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Any, Final

from .budget import ExhaustedError
from .flat import absolve, make_absolute
from .nodes import (
    ALL_TYPES,
    ITEMS,
    LENGTH,
    MEMBERS,
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
    Node,
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
from .recursion import find_recursive
from .spelling import to_schema
from .unevaluated import expand_unevaluated
from .values import freeze, to_fraction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pi_contracts.contracts.drafts import Schema

    from .flat import FlatDocument
    from .nodes import Atom

_TYPES: Final[Mapping[str, frozenset[str]]] = {
    "integer": frozenset({"integer"}),
    "number": frozenset({"integer", "fraction"}),
}
_LIMITS: Final[Mapping[str, tuple[type[Lower | Upper], bool]]] = {
    "minimum": (Lower, False),
    "exclusiveMinimum": (Lower, True),
    "maximum": (Upper, False),
    "exclusiveMaximum": (Upper, True),
}
_SIZES: Final[Mapping[str, tuple[type[AtLeast | AtMost], str]]] = {
    "minLength": (AtLeast, LENGTH),
    "maxLength": (AtMost, LENGTH),
    "minItems": (AtLeast, ITEMS),
    "maxItems": (AtMost, ITEMS),
    "minProperties": (AtLeast, MEMBERS),
    "maxProperties": (AtMost, MEMBERS),
}


class Pool:
    """The nodes of some flat documents, each of which has a URI here."""

    def __init__(self, documents: Mapping[str, FlatDocument], until: float = math.inf) -> None:
        """Take in the documents; nodes are made when they are asked for.

        Args:
            documents: By their URIs.
            until: The moment of the monotonic clock after which no schema is taken apart.

        Raises:
            ExhaustedError: The recursive definitions alone take longer.
        """
        self.documents = dict(documents)
        self.until = until
        self._nodes: dict[frozenset[Atom], Node] = {}
        self._made: dict[str, Node] = {}
        """Nodes by the absolute reference of what they were made of."""
        self._classes: dict[str, int] = {}
        """Of each recursive definition, by its absolute reference, its class."""
        self._bodies: dict[int, Node] = {}
        self.true = self._intern((), True)
        self.false = self._intern((Never(),), False)
        self._classify(find_recursive(self.documents, until))

    def get(self, reference: str) -> Node:
        """Return the node of the schema at an absolute reference.

        Raises:
            ExhaustedError: Making it takes longer than it may.
        """
        if reference in self._classes:
            return self._bodies[self._classes[reference]]
        return self._follow(reference)

    def open(self, reference: Reference) -> Node:
        """Return the node that a recursive reference stands for."""
        return self._bodies[reference.key]

    def make(self, schema: Schema) -> Node:
        """Return the node of a schema whose references are absolute."""
        return self._make(schema, "")

    def single(self, atom: Atom) -> Node:
        """Return the node of one atom."""
        return self._intern((atom,))

    def join(self, nodes: tuple[Node, ...]) -> Node:
        """Return the conjunction of some nodes."""
        nodes = tuple(dict.fromkeys(nodes))
        if len(nodes) == 1:
            return nodes[0]
        schema: Schema = {"allOf": [node.schema for node in nodes]} if nodes else True
        return self._intern(tuple(atom for node in nodes for atom in node.atoms), schema)

    def either(self, nodes: tuple[Node, ...]) -> Node:
        """Return the disjunction of some nodes."""
        return self._intern(tuple(self._any_of(nodes)))

    def _classify(self, recursive: list[str]) -> None:
        """Give each recursive definition the class of those that say the same."""
        self._classes = dict.fromkeys(recursive, 0)
        count = 0
        while recursive:
            bodies = {reference: self._make_target(reference) for reference in recursive}
            numbers: dict[int, int] = {}
            for node in bodies.values():
                numbers.setdefault(node.id, len(numbers))
            self._bodies = {numbers[node.id]: node for node in bodies.values()}
            self._made.clear()
            if len(numbers) == count:
                return
            count = len(numbers)
            self._classes = {name: numbers[node.id] for name, node in bodies.items()}

    def _follow(self, reference: str) -> Node:
        if reference in self._classes:
            return self._intern((Reference(self._classes[reference], reference),))
        node = self._made.get(reference)
        if node is None:
            node = self._made[reference] = self._make_target(reference)
        return node

    def _make_target(self, reference: str) -> Node:
        uri, _, pointer = reference.partition("#")
        schema = self.documents[uri].get("#" + pointer)
        if isinstance(schema, bool) or not _REFERRING & schema.keys():
            return self._make(schema, uri)
        return self._intern(tuple(self._take_apart(schema, uri)), {"$ref": reference})

    def _intern(self, atoms: tuple[Atom, ...], schema: Schema | None = None) -> Node:
        distinct = tuple(dict.fromkeys(atoms))
        if len(distinct) > 1 and any(isinstance(atom, Never) for atom in distinct):
            return self.false
        key = frozenset(distinct)
        node = self._nodes.get(key)
        if node is None:
            if schema is None:
                parts = [to_schema(atom) for atom in distinct]
                schema = parts[0] if len(parts) == 1 else {"allOf": parts} if parts else True
            node = self._nodes[key] = Node(len(self._nodes), distinct, schema)
        return node

    def _make(self, schema: Schema, uri: str) -> Node:
        if isinstance(schema, bool):
            return self.true if schema else self.false
        if time.monotonic() > self.until:
            raise ExhaustedError
        says = None if _REFERRING & schema.keys() else schema  # else it may stand anywhere
        return self._intern(tuple(self._take_apart(schema, uri)), says)

    def _take_apart(self, schema: dict[str, Any], uri: str) -> Iterator[Atom]:
        yield from self._take_values(schema)
        yield from self._take_sizes(schema)
        yield from self._take_connectives(schema, uri)
        if "format" in schema and uri and self.documents[uri].asserts_format:
            yield Format(schema["format"])
        yield from self._take_arrays(schema, uri)
        yield from self._take_objects(schema, uri)
        yield from self._take_unevaluated(schema, uri)

    def _take_values(self, schema: dict[str, Any]) -> Iterator[Atom]:
        if "type" in schema:
            given: Any = schema["type"]
            names: list[str] = [given] if isinstance(given, str) else given
            types = frozenset[str]().union(*(_TYPES.get(name, frozenset({name})) for name in names))
            if not types:
                yield Never()
            elif types != ALL_TYPES:
                yield Types(types)
        for values in (schema.get("enum"), [schema["const"]] if "const" in schema else None):
            if values is not None:
                distinct = {freeze(value): value for value in values}
                yield Values(frozenset(distinct), tuple(distinct.values())) if values else Never()

    def _take_sizes(self, schema: dict[str, Any]) -> Iterator[Atom]:
        for keyword, (limit, is_exclusive) in _LIMITS.items():
            if keyword in schema:
                yield limit(to_fraction(schema[keyword]), is_exclusive)
        if "multipleOf" in schema:
            yield Multiple(to_fraction(schema["multipleOf"]))
        for keyword, (kind, what) in _SIZES.items():
            if keyword in schema and not (kind is AtLeast and schema[keyword] <= 0):
                yield kind(what, int(schema[keyword]))
        if "pattern" in schema:
            yield Pattern(schema["pattern"])

    def _take_connectives(self, schema: dict[str, Any], uri: str) -> Iterator[Atom]:
        if "$ref" in schema:
            yield from self._follow(absolve(schema["$ref"], uri)).atoms
        for part in schema.get("allOf", ()):
            yield from self._make(part, uri).atoms
        if "anyOf" in schema:
            yield from self._any_of(tuple(self._make(part, uri) for part in schema["anyOf"]))
        if "oneOf" in schema:
            yield from self._one_of(tuple(self._make(part, uri) for part in schema["oneOf"]))
        if "not" in schema:
            yield from self.negate(self._make(schema["not"], uri)).atoms
        if "if" in schema:
            then = self._make(schema.get("then", True), uri)
            otherwise = self._make(schema.get("else", True), uri)
            yield from self._if(self._make(schema["if"], uri), then, otherwise)
        for name, needed in schema.get("dependentRequired", {}).items():
            if needed:
                then = self._make({"required": needed}, "")
                yield from self._if(self._make({"required": [name]}, ""), then, self.true)
        for name, part in schema.get("dependentSchemas", {}).items():
            condition = self._make({"type": "object", "required": [name]}, "")
            yield from self._if(condition, self._make(part, uri), self.true)

    def negate(self, node: Node) -> Node:
        """Return the node of the values that *node* refuses."""
        match node.atoms:
            case ():
                return self.false
            case (Never(),):
                return self.true
            case (Not(inner),):
                return inner
            case _:
                return self.single(Not(node))

    def _any_of(self, branches: tuple[Node, ...]) -> Iterator[Atom]:
        flat: dict[Node, None] = {}
        for branch in branches:
            match branch.atoms:
                case (AnyOf(inner),):
                    flat.update(dict.fromkeys(inner))
                case (Never(),):
                    pass
                case _:
                    flat[branch] = None
        if self.true in flat:
            return
        if len(flat) > 1:
            yield AnyOf(tuple(sorted(flat, key=hash)))
        else:
            yield from next(iter(flat), self.false).atoms

    def _one_of(self, branches: tuple[Node, ...]) -> Iterator[Atom]:
        possible = tuple(branch for branch in branches if branch is not self.false)
        if len(possible) > 1:
            yield OneOf(tuple(sorted(possible, key=hash)))
        else:
            yield from (possible[0] if possible else self.false).atoms

    def _if(self, condition: Node, then: Node, otherwise: Node) -> Iterator[Atom]:
        if then is otherwise or condition is self.true:
            yield from then.atoms
        elif condition is self.false:
            yield from otherwise.atoms
        else:
            yield If(condition, then, otherwise)

    def _take_arrays(self, schema: dict[str, Any], uri: str) -> Iterator[Atom]:
        if schema.get("uniqueItems") is True:
            yield Unique()
        rest = self._make(schema.get("items", True), uri)
        prefix = [self._make(part, uri) for part in schema.get("prefixItems", ())]
        while prefix and prefix[-1] is rest:
            prefix.pop()
        if prefix or rest is not self.true:
            yield Items(tuple(prefix), rest)
        if "contains" not in schema:
            return
        node = self._make(schema["contains"], uri)
        at_least, at_most = int(schema.get("minContains", 1)), schema.get("maxContains")
        if at_least > 0:
            whole = node is self.true
            yield AtLeast(ITEMS, at_least) if whole else ContainsAtLeast(node, at_least)
        if at_most is not None:
            whole = node is self.true
            yield AtMost(ITEMS, int(at_most)) if whole else ContainsAtMost(node, int(at_most))

    def _take_objects(self, schema: dict[str, Any], uri: str) -> Iterator[Atom]:
        for name in schema.get("required", ()):
            yield Required(name)
        if "propertyNames" in schema:
            node = self._make(schema["propertyNames"], uri)
            if node is not self.true:
                yield Names(node) if node is not self.false else AtMost(MEMBERS, 0)
        rest = self._make(schema.get("additionalProperties", True), uri)
        named = {name: self._make(part, uri) for name, part in schema.get("properties", {}).items()}
        patterns = {
            text: self._make(part, uri)
            for text, part in schema.get("patternProperties", {}).items()
        }
        yield from self.members(named, patterns, rest)

    def members(
        self, named: Mapping[str, Node], patterns: Mapping[str, Node], rest: Node
    ) -> Iterator[Members]:
        """Yield the atom of a group of member schemas, unless it accepts every object."""
        if rest is self.true:
            patterns = {text: node for text, node in patterns.items() if node is not self.true}
        if not patterns:
            named = {name: node for name, node in named.items() if node is not rest}
        if named or patterns or rest is not self.true:
            yield Members(tuple(sorted(named.items())), tuple(sorted(patterns.items())), rest)

    def _take_unevaluated(self, schema: dict[str, Any], uri: str) -> Iterator[Atom]:
        for keyword in ("unevaluatedProperties", "unevaluatedItems"):
            if keyword not in schema or schema[keyword] is True:
                continue
            expanded = expand_unevaluated(self, schema, uri, keyword)
            if expanded is None:
                whole = make_absolute(schema, uri)
                yield Opaque(json.dumps(whole, sort_keys=True), whole)
            else:
                yield from expanded.atoms

    def make_at(self, schema: Schema, uri: str) -> Node:
        """Return the node of a schema that stands in a document."""
        return self._make(schema, uri)


_REFERRING: Final = frozenset(
    """$ref allOf anyOf oneOf not if properties patternProperties additionalProperties propertyNames
    items prefixItems contains dependentSchemas unevaluatedProperties unevaluatedItems $defs
    """.split()
)
