"""The pool: makes one node of all schemas that say the same, of both sides.

Annotations and keywords without effect go; ``allOf`` and references that are not
recursive are opened; recursive definitions are compared as automata are, by
refining classes until they stand still, so that renamed ones are equal.
"""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from .algebra import Algebra
from .budget import ExhaustedError
from .flat import absolve, cut_reference, make_absolute
from .node import DeferredNode, Node
from .nodes import (
    ALL_TYPES,
    ITEMS,
    LENGTH,
    MEMBERS,
    AtLeast,
    AtMost,
    ContainsAtLeast,
    ContainsAtMost,
    Format,
    Items,
    Lower,
    Multiple,
    Names,
    Never,
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
from .unchanged import Texts
from .unevaluated import expand_unevaluated
from .values import freeze_all, to_fraction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pi_contracts.contracts.drafts import Schema

    from .flat import FlatDocument
    from .nodes import Atom
    from .unchanged import Key

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


class Pool(Algebra):
    """The nodes of some flat documents, each of which has a URI here."""

    def __init__(self, documents: Mapping[str, FlatDocument], until: float = math.inf) -> None:
        """Take in the documents; nodes are made when they are asked for.

        Args:
            documents: By their URIs.
            until: How long the thread may have run when a schema is taken apart.

        Raises:
            ExhaustedError: The recursive definitions alone take longer.
        """
        super().__init__()
        self.documents = dict(documents)
        self.until = until
        self._made_count = 0
        self._made: dict[str, Node] = {}
        """Nodes by the absolute reference of what they were made of."""
        self._classes: dict[str, int] = {}
        """Of each recursive definition, by its absolute reference, its class."""
        self._bodies: dict[int, Node] = {}
        self._deferred: dict[Key, DeferredNode] = {}
        """Nodes of large documents, which are taken apart when they are looked into."""
        self.texts = Texts(self.documents)
        if not self.texts.are_large:
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
            return self.intern((Reference(self._classes[reference], reference),))
        node = self._made.get(reference)
        if node is None:
            node = self._made[reference] = self._make_target(reference)
        return node

    def _defer(self, schema: dict[str, Any], uri: str, reference: str = "") -> DeferredNode:
        """Return a node that is taken apart when it is looked into."""
        key = self.texts.get_key(schema, uri)
        node = self._deferred.get(key)
        if node is None:
            node = DeferredNode(next(self._numbers), (schema, uri), self._open, reference)
            self._deferred[key] = node
        return node

    def _open(self, node: DeferredNode) -> tuple[Atom, ...]:
        self._watch()
        atoms = tuple(dict.fromkeys(self._take_apart(*node.source)))
        if any(isinstance(atom, Never) for atom in atoms):
            return self.false.atoms
        self._nodes.setdefault(frozenset(atoms), node)
        return atoms

    def _make_target(self, reference: str) -> Node:
        uri, pointer = cut_reference(reference)
        schema = self.documents[uri].get(pointer)
        if self.texts.are_large and not isinstance(schema, bool):
            return self._defer(schema, uri, reference)
        if isinstance(schema, bool) or not _REFERRING & schema.keys():
            return self._make(schema, uri)
        return self.intern(tuple(self._take_apart(schema, uri)), {"$ref": reference})

    def _make(self, schema: Schema, uri: str) -> Node:
        if isinstance(schema, bool):
            return self.true if schema else self.false
        if uri and self.texts.are_large and not _AT_ONCE & schema.keys():
            if "$ref" in schema and len(schema) == 1:
                return self._follow(absolve(schema["$ref"], uri))
            return self._defer(schema, uri)
        self._watch()
        says = None if _REFERRING & schema.keys() else schema  # else it may stand anywhere
        return self.intern(tuple(self._take_apart(schema, uri)), says)

    def _watch(self) -> None:
        """Stop now and then to look whether there is time left."""
        self._made_count += 1
        if self._made_count % _NODES_A_LOOK == 1 and time.thread_time() > self.until:
            raise ExhaustedError

    def _take_apart(self, schema: dict[str, Any], uri: str) -> Iterator[Atom]:
        yield from self._take_values(schema)
        yield from self._take_sizes(schema)
        yield from self._take_connectives(schema, uri)
        if "format" in schema and uri and self.documents[uri].asserts_format:
            yield Format(schema["format"])
        yield from self._take_arrays(schema, uri)
        yield from self._take_objects(schema, uri)
        yield from self._take_unevaluated(schema, uri)

    @staticmethod
    def read_types(schema: dict[str, Any]) -> frozenset[str]:
        """Return the types that a schema's ``type`` allows."""
        if "type" not in schema:
            return ALL_TYPES
        given: Any = schema["type"]
        names: Iterable[str] = (given,) if isinstance(given, str) else given
        return frozenset[str]().union(*(_TYPES.get(name, {name}) for name in names))

    @staticmethod
    def read_lists(schema: dict[str, Any]) -> Iterator[list[Any]]:
        """Yield the lists of values that a schema's ``enum`` and ``const`` allow."""
        if "enum" in schema:
            yield schema["enum"]
        if "const" in schema:
            yield [schema["const"]]

    def _take_values(self, schema: dict[str, Any]) -> Iterator[Atom]:
        types = self.read_types(schema)
        if not types:
            yield Never()
        elif types != ALL_TYPES:
            yield Types(types)
        for values in self.read_lists(schema):
            distinct = freeze_all(values)
            yield Values(frozenset(distinct), distinct) if values else Never()

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
            if isinstance(part, bool) or "$ref" in part:
                yield from self._make(part, uri).atoms
            else:
                self._watch()
                yield from self._take_apart(part, uri)
        if "anyOf" in schema:
            yield from self.any_of(self._make_branches(schema["anyOf"], uri))
        if "oneOf" in schema:
            yield from self.one_of(self._make_branches(schema["oneOf"], uri))
        if "not" in schema:
            yield from self.negate(self._make(schema["not"], uri)).atoms
        if "if" in schema:
            then = self._make(schema.get("then", True), uri)
            otherwise = self._make(schema.get("else", True), uri)
            yield from self.choose(self._make(schema["if"], uri), then, otherwise)
        for name, needed in schema.get("dependentRequired", {}).items():
            if needed:
                then = self._make({"required": needed}, "")
                yield from self.choose(self._make({"required": [name]}, ""), then, self.true)
        for name, part in schema.get("dependentSchemas", {}).items():
            condition = self._make({"type": "object", "required": [name]}, "")
            yield from self.choose(condition, self._make(part, uri), self.true)

    def _make_branches(self, parts: list[Schema], uri: str) -> tuple[Node, ...]:
        """Return the nodes of branches; those of one value each, if they differ, as one."""
        values = [part["const"] for part in parts if _is_constant(part)]
        distinct = freeze_all(values)
        if len(distinct) < 2 or len(distinct) < len(values):  # noqa: PLR2004 # none to join
            return tuple(self._make(part, uri) for part in parts)
        others = tuple(self._make(part, uri) for part in parts if not _is_constant(part))
        return (self.single(Values(frozenset(distinct), distinct)), *others)

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


def _is_constant(schema: Schema) -> TypeGuard[dict[str, Any]]:
    return isinstance(schema, dict) and len(schema) == 1 and "const" in schema


_NODES_A_LOOK: Final = 32
_AT_ONCE: Final = frozenset({"const", "enum", "not"})
"""Keywords of schemas that are small, or that matter to what they stand in."""
_REFERRING: Final = frozenset(
    """$ref allOf anyOf oneOf not if properties patternProperties additionalProperties propertyNames
    items prefixItems contains dependentSchemas unevaluatedProperties unevaluatedItems $defs
    """.split()
)
