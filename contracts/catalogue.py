"""The catalogue: every schema of a run by its location, and where references lead.

Bases, anchors and identifiers are those of the draft of each resource (core
specification, sections 8 and 9). Nothing is fetched: what is not among the
documents does not exist.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from .drafts import KEYWORDS, Dialect, Draft, Schema, find_draft, subschemas
from .json_values import (
    ABSENT,
    escape_token,
    find_nearest,
    is_object,
    is_schema,
    look_up,
    unescape,
)
from .model import Contract, Location
from .places import find_contract_schemas
from .uris import join, normalize_file, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .documents import Document


__all__ = (
    "REFERENCES",
    "Catalogue",
    "Duplicate",
    "Node",
    "Reference",
    "find_embedded_draft",
    "unescape",
)


class Node(NamedTuple):
    """What holds for one schema: its resource, the resource's URI, and its dialect."""

    schema: Schema
    resource: Location
    base: str
    dialect: Dialect


class Duplicate(NamedTuple):
    """A name given twice: an identifier or an anchor, as the second place writes it."""

    rule: str
    name: str
    first: Location
    second: Location


class Reference(NamedTuple):
    """One reference and where it leads; of a broken one, why it leads nowhere."""

    location: Location
    keyword: str
    value: str
    uri: str
    """What it means by identifier."""
    file: str
    """What it means by path."""
    target: Location | None = None
    rule: str = ""
    problem: str = ""
    is_found: bool = True
    """Whether at least the file or identifier is there."""


REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
"""The keywords that refer to other schemas."""


class Catalogue:
    """The documents of a run; documents are added while reading, and then it stands still."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self.contracts: dict[str, Contract] = {}
        self.duplicates: list[Duplicate] = []
        self._nodes: dict[Location, Node] = {}
        self._schemas: dict[str, list[Location]] = {}
        """Of each document its schemas: in the order of the text, then those entered later."""
        self._references: list[tuple[Location, str]] = []
        self._resources: dict[str, Location] = {}
        """By identifier; documents without one are found by their path."""
        self._anchors: dict[tuple[Location, str], Location] = {}
        self._bases: dict[str, str] = {}
        self._dynamic: dict[Location, dict[str, Location]] = {}
        self._targets: dict[tuple[Location, str], Reference] = {}
        self._misses = 0

    @property
    def documents(self) -> Mapping[str, Document]:
        """The documents by their URI, in the order of their paths."""
        return self._documents

    def add(self, document: Document) -> None:
        """Take in a document: every schema in it, with its base, anchors and dialect."""
        self._documents[document.uri] = document
        self._schemas[document.uri] = []
        root = Location(document.uri, "")
        base = document.base
        if base != document.uri:
            self._resources.setdefault(base, root)
        value = document.value
        if document.role == "contract":
            identifier = value.get("$id") if is_object(value) else None
            if isinstance(identifier, str):
                base = split(join(base, identifier))[0]
                self._name_resource(base, root, identifier)
            self._bases[document.uri] = base
            for location, schema in find_contract_schemas(root, value):
                self._walk(location, Node(schema, root, base, document.dialect))
        elif is_schema(value):
            self._walk(root, Node(value, root, base, document.dialect))
            self._bases[document.uri] = self._nodes[root].base

    def get(self, location: Location) -> Schema:
        """Return the schema at *location*, which is one of this catalogue's."""
        return self.get_node(location).schema

    def get_draft(self, location: Location) -> Draft:
        """Return the draft that the schema at *location* is written in."""
        return self.get_node(location).dialect.draft

    def get_node(self, location: Location) -> Node:
        """Return what holds for the schema at *location*."""
        node = self._nodes.get(location)
        return node if node is not None else self._enter(location)

    def get_schemas(self, document: Document) -> Iterator[tuple[Location, Node]]:
        """Yield every schema of a document, in the order of the text."""
        for location in tuple(self._schemas[document.uri]):
            yield location, self._nodes[location]

    def find_value(self, location: Location) -> object:
        """Return whatever stands at *location*, None if nothing does."""
        return look_up(self._documents[location.document].value, location.pointer)

    def name_document(self, uri: str, document: str) -> None:
        """Let *uri* be another name of a document that is here."""
        self._resources.setdefault(uri, Location(document, ""))

    def get_dynamic_anchors(self, resource: Location) -> Mapping[str, Location]:
        """Return the dynamic anchors of a resource; a recursive one has an empty name."""
        return self._dynamic.get(resource, {})

    def get_path(self, location: Location) -> str:
        """Return the path that findings name the document of *location* by."""
        return self._documents[location.document].source.path

    def name_location(self, location: Location) -> str:
        """Return *location* as findings name it: ``path#pointer``."""
        path = self.get_path(location)
        return f"{path}#{location.pointer}" if location.pointer else path

    def find_target(self, location: Location, keyword: str = "$ref") -> Location | None:
        """Return where a reference of the schema at *location* leads, statically."""
        return self.resolve(location, keyword).target

    def resolve(self, location: Location, keyword: str = "$ref") -> Reference:
        """Return where a reference leads, or why it leads nowhere."""
        key = (location, keyword)
        reference = self._targets.get(key)
        if reference is None:
            reference = self._targets[key] = self._resolve(location, keyword)
        return reference

    def get_references(self) -> Iterator[Reference]:
        """Yield every reference of every document, also of those added meanwhile."""
        index = 0
        while index < len(self._references):
            yield self.resolve(*self._references[index])
            index += 1

    def settle(self) -> None:
        """Put the documents in the order of their paths, and resolve references anew.

        Targets that stand where a draft expects no schema are schemas from then on.
        """
        ordered = sorted(self._documents.items(), key=lambda item: (item[1].path, item[0]))
        self._documents = dict(ordered)
        self._targets = {
            key: reference
            for key, reference in self._targets.items()
            # what stays within a resource does not depend on other documents
            if reference.target and reference.uri == self._nodes[key[0]].base
        }
        for _ in self.get_references():
            pass

    def _walk(self, location: Location, start: Node) -> None:
        """Take in the schema at *location* and all below it, in the order of the text."""
        document, nodes, schemas = location.document, self._nodes, self._schemas[location.document]
        pending: list[tuple[str, Schema, Node]] = [(location.pointer, start.schema, start)]
        while pending:
            pointer, schema, above = pending.pop()
            where = Location(document, pointer)
            if where in nodes:
                continue
            node = self._open(where, schema, above)
            nodes[where] = node
            schemas.append(where)
            if isinstance(schema, bool):
                continue
            draft = node.dialect.draft
            for keyword in REFERENCES:
                if keyword in KEYWORDS[draft] and isinstance(schema.get(keyword), str):
                    self._references.append((where, keyword))
            first = len(pending)
            for tokens, inner in subschemas(schema, draft):
                below = pointer + "".join(f"/{escape_token(token)}" for token in tokens)
                pending.append((below, inner, node))
            pending[first:] = pending[first:][::-1]

    def _open(self, location: Location, schema: Schema, above: Node) -> Node:
        """Return the node with the resource, base and dialect that its schema begins."""
        _, resource, base, dialect = above
        if isinstance(schema, bool):
            return Node(schema, resource, base, dialect)
        keyword = dialect.draft.id_keyword
        if location.pointer and (draft := find_embedded_draft(schema, dialect.draft)):
            dialect = Dialect(draft)
            keyword = "$id" if isinstance(schema.get("$id"), str) else draft.id_keyword
        draft = dialect.draft
        if draft.has_lone_refs and "$ref" in schema:
            return Node(schema, resource, base, dialect)
        identifier = schema.get(keyword)
        if isinstance(identifier, str):
            uri, fragment = split(join(base, identifier))
            if not identifier.startswith("#"):
                resource, base = location, uri
                self._name_resource(uri, location, identifier)
            if fragment and not fragment.startswith("/") and draft.has_lone_refs:
                self._name_anchor(resource, fragment, location)
        if not draft.has_lone_refs:
            self._note_anchors(location, resource, schema, draft)
        return Node(schema, resource, base, dialect)

    def _note_anchors(
        self, location: Location, resource: Location, schema: dict[str, object], draft: Draft
    ) -> None:
        for keyword in ("$anchor", "$dynamicAnchor"):
            name = schema.get(keyword)
            if isinstance(name, str) and keyword in KEYWORDS[draft]:
                self._name_anchor(resource, name, location)
                if keyword == "$dynamicAnchor":
                    self._dynamic.setdefault(resource, {})[name] = location
        if (
            schema.get("$recursiveAnchor") is True
            and location == resource
            and draft is Draft.DRAFT201909
        ):
            self._dynamic.setdefault(resource, {})[""] = location

    def _name_resource(self, uri: str, location: Location, identifier: str) -> None:
        first = self._resources.setdefault(uri, location)
        if first != location:
            self.duplicates.append(Duplicate("duplicate-id", identifier, first, location))

    def _name_anchor(self, resource: Location, name: str, location: Location) -> None:
        first = self._anchors.setdefault((resource, name), location)
        if first != location:
            self.duplicates.append(Duplicate("duplicate-anchor", name, first, location))

    def _enter(self, location: Location) -> Node:
        """Take in a schema that stands where the draft expects none."""
        schema = look_up(self._documents[location.document].value, location.pointer)
        above = self._find_node_above(location)
        if not is_schema(schema) or above is None:
            raise KeyError(location)
        self._walk(location, Node(schema, above.resource, above.base, above.dialect))
        return self._nodes[location]

    def _find_node_above(self, location: Location) -> Node | None:
        parent = location.pointer
        while parent:
            parent = parent.rpartition("/")[0]
            above = self._nodes.get(Location(location.document, parent))
            if above is not None:
                return above
        return None

    def _resolve(self, location: Location, keyword: str) -> Reference:
        node = self.get_node(location)
        value = "" if isinstance(node.schema, bool) else str(node.schema.get(keyword, ""))
        uri, fragment = split(join(node.base, value))
        if uri == node.base:
            reference = Reference(location, keyword, value, uri, uri)
            return self._find_fragment(reference, node.resource, fragment)
        # file names are spelled in one way, whatever the reference escapes
        file = normalize_file(split(join(location.document, value))[0])
        reference = Reference(location, keyword, value, uri, file)
        by_identifier = self._resources.get(uri)
        by_path = Location(file, "") if file in self._documents else None
        root = by_identifier or by_path
        if root is None:
            self._misses += 1
            names = [PurePosixPath(one.path).name for one in self._documents.values()]
            problem = _say_unknown(value, names if self._misses <= _HINTS else ())
            return reference._replace(rule="unresolved-ref", problem=problem, is_found=False)
        if by_identifier and by_path and by_identifier != by_path:
            problem = (
                f"the identifier leads to {self.name_location(by_identifier)},"
                f" the path to {self.name_location(by_path)}"
            )
            return reference._replace(rule="ambiguous-ref", problem=problem)
        return self._find_fragment(reference, root, fragment)

    def _find_fragment(self, reference: Reference, root: Location, fragment: str) -> Reference:
        if fragment and not fragment.startswith("/"):
            target = self._anchors.get((root, fragment))
            if target is None:
                where = self.name_location(root)
                problem = f'{where} has no anchor "{fragment}"'
                return reference._replace(rule="unresolved-ref", problem=problem)
            return reference._replace(target=target)
        target = Location(root.document, root.pointer + _respell(fragment))
        if target not in self._nodes:
            document = self._documents[root.document]
            value = look_up(document.value, target.pointer, ABSENT)
            if value is ABSENT:
                self._misses += 1
                problem = _say_missing(document, target, has_hint=self._misses <= _HINTS)
                return reference._replace(rule="unresolved-ref", problem=problem)
            if not is_schema(value) or self._find_node_above(target) is None:
                problem = f"no schema stands at {self.name_location(target)}"
                if document.role == "contract" and not target.pointer:
                    problem = "the root of a contract is no schema"
                return reference._replace(rule="unresolved-ref", problem=problem)
            self._enter(target)
        return reference._replace(target=target)


def find_embedded_draft(schema: dict[str, object], outer: Draft) -> Draft | None:
    """Return the other draft that a schema inside a document switches to, None if it does not.

    ``$schema`` counts only beside an identifier: at the root of a resource.
    """
    declared = schema.get("$schema")
    draft = find_draft(declared) if isinstance(declared, str) else None
    if draft is None or draft is outer:
        return None
    names = {"$id", outer.id_keyword, draft.id_keyword}
    return draft if any(isinstance(schema.get(name), str) for name in names) else None


def _respell(fragment: str) -> str:
    """Return a JSON pointer with each token escaped in the one right way."""
    if "~" not in fragment:
        return fragment
    return "".join(f"/{escape_token(unescape(one))}" for one in fragment.split("/")[1:])


def _say_unknown(value: str, names: Iterable[str]) -> str:
    """Say what is wrong with a reference that leads to none of the files of these names."""
    if "\\" in value:
        return "folders of a reference are separated by /, not by \\"
    near = find_nearest(split(value)[0].rpartition("/")[2], names, cutoff=0.85)
    hint = f'; did you mean "{near}"?' if near else ""
    return f"no file given has this name or identifier{hint}"


_ALIASES = {"$defs": "definitions", "definitions": "$defs"}
"""What definitions are called in other drafts."""
_HINTS = 200
"""Of how many broken references near names are looked for, which takes its time."""


def _say_missing(document: Document, target: Location, *, has_hint: bool) -> str:
    """Say how far a pointer leads, and what it may have meant."""
    parent, _, last = target.pointer.rpartition("/")
    while parent and look_up(document.value, parent, ABSENT) is ABSENT:
        parent, _, last = parent.rpartition("/")
    siblings = look_up(document.value, parent)
    near = None
    if is_object(siblings) and _ALIASES.get(last) in siblings:
        near = _ALIASES[last]
    elif is_object(siblings) and has_hint:
        near = find_nearest(unescape(last), siblings)
    where = document.source.path + (f"#{parent}" if parent else "")
    hint = f'; did you mean "{near}"?' if near else ""
    return f'{where} has no "{unescape(last)}"{hint}'
