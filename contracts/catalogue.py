"""The catalogue: every schema of a run by its location, and where references lead.

Bases, anchors and identifiers are those of the draft of each resource (core
specification, sections 8 and 9). Nothing is fetched: what is not among the
documents does not exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urljoin

from .drafts import Dialect, Draft, Schema, find_draft, subschemas
from .model import Contract, Location

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .documents import Document


class Node(NamedTuple):
    """What holds for one schema: its resource, the resource's URI, and its dialect."""

    schema: Schema
    resource: Location
    base: str
    dialect: Dialect


class Duplicate(NamedTuple):
    """A name given twice: an identifier or an anchor."""

    rule: str
    name: str
    first: Location
    second: Location


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference and where it leads; of a broken one, why it leads nowhere."""

    location: Location
    keyword: str
    value: str
    uri: str
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
        self._resources: dict[str, Location] = {}
        self._anchors: dict[tuple[str, str], Location] = {}
        self._bases: dict[str, str] = {}
        self._dynamic: dict[Location, dict[str, Location]] = {}
        self._targets: dict[tuple[Location, str], Reference] = {}

    @property
    def documents(self) -> Mapping[str, Document]:
        """The documents by their URI, in the order of their paths."""
        return self._documents

    def add(self, document: Document) -> None:
        """Take in a document: every schema in it, with its base, anchors and dialect."""
        self._documents[document.uri] = document
        root = Location(document.uri, "")
        self._resources.setdefault(document.base, root)
        self._resources.setdefault(document.uri, root)
        self._bases[document.uri] = document.base
        if document.role == "schema":
            if isinstance(document.value, dict | bool):
                start = Node(document.value, root, document.base, document.dialect)
                self._walk(root, start)
            return
        base = document.base
        if isinstance(document.value, dict):
            identifier = document.value.get("$id")
            if isinstance(identifier, str):
                base = _join(base, identifier).partition("#")[0]
                self._name_resource(base, root)
                self._bases[document.uri] = base
        for location, schema in _contract_schemas(document):
            self._walk(location, Node(schema, root, base, document.dialect))

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
        for location, node in list(self._nodes.items()):
            if location.document == document.uri:
                yield location, node

    def find_value(self, location: Location) -> object:
        """Return whatever stands at *location*, None if nothing does."""
        return _look_up(self._documents[location.document].value, location.pointer)

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
        if key not in self._targets:
            self._targets[key] = self._resolve(location, keyword)
        return self._targets[key]

    def get_references(self) -> Iterator[Reference]:
        """Yield every reference of every document; targets outside schemas are entered."""
        seen: set[Location] = set()
        while len(seen) < len(self._nodes):
            for location in [one for one in self._nodes if one not in seen]:
                seen.add(location)
                schema = self._nodes[location].schema
                for keyword in REFERENCES:
                    if isinstance(schema, dict) and isinstance(schema.get(keyword), str):
                        yield self.resolve(location, keyword)

    def settle(self) -> None:
        """Put the documents in the order of their paths, and resolve references anew."""
        ordered = sorted(self._documents.items(), key=lambda item: (item[1].path, item[0]))
        self._documents = dict(ordered)
        self._targets.clear()

    def _walk(self, location: Location, node: Node) -> None:
        pending = [(location, node)]
        while pending:
            where, parent = pending.pop()
            if where in self._nodes:
                continue
            node = self._open(where, parent)
            self._nodes[where] = node
            below = [
                (_below(where, tokens), Node(schema, node.resource, node.base, node.dialect))
                for tokens, schema in subschemas(node.schema, node.dialect.draft)
            ]
            pending.extend(reversed(below))

    def _open(self, location: Location, node: Node) -> Node:
        """Return the node with the resource, base and dialect that its schema begins."""
        schema = node.schema
        if isinstance(schema, bool):
            return node
        dialect = node.dialect
        declared = schema.get("$schema")
        if location.pointer and isinstance(declared, str) and (draft := find_draft(declared)):
            dialect = Dialect(draft) if draft is not dialect.draft else dialect
        draft = dialect.draft
        identifier = schema.get(draft.id_keyword)
        if draft.has_lone_refs and "$ref" in schema:
            return Node(schema, node.resource, node.base, dialect)
        if isinstance(identifier, str):
            uri, _, fragment = _join(node.base, identifier).partition("#")
            if not identifier.startswith("#"):
                node = Node(schema, location, uri, dialect)
                self._name_resource(uri, location)
            if fragment and not fragment.startswith("/") and draft.has_lone_refs:
                self._name_anchor(uri, fragment, location)
        if not draft.has_lone_refs:
            self._note_anchors(location, node, schema)
        return Node(schema, node.resource, node.base, dialect)

    def _note_anchors(self, location: Location, node: Node, schema: dict[str, object]) -> None:
        for keyword in ("$anchor", "$dynamicAnchor"):
            name = schema.get(keyword)
            if isinstance(name, str):
                self._name_anchor(node.base, name, location)
                if keyword == "$dynamicAnchor":
                    self._dynamic.setdefault(node.resource, {})[name] = location
        if schema.get("$recursiveAnchor") is True:
            self._dynamic.setdefault(node.resource, {})[""] = location

    def _name_resource(self, uri: str, location: Location) -> None:
        first = self._resources.setdefault(uri, location)
        if first != location:
            self.duplicates.append(Duplicate("duplicate-id", uri, first, location))

    def _name_anchor(self, base: str, name: str, location: Location) -> None:
        first = self._anchors.setdefault((base, name), location)
        if first != location:
            self.duplicates.append(Duplicate("duplicate-anchor", name, first, location))

    def _enter(self, location: Location) -> Node:
        """Take in a schema that stands where the draft expects none."""
        schema = _look_up(self._documents[location.document].value, location.pointer)
        if not isinstance(schema, dict | bool):
            raise KeyError(location)
        above, parent = None, location.pointer
        while above is None and parent:
            parent = parent.rpartition("/")[0]
            above = self._nodes.get(Location(location.document, parent))
        if above is None:
            document = self._documents[location.document]
            root = Location(document.uri, "")
            above = Node(True, root, self._bases[document.uri], document.dialect)
        self._walk(location, Node(schema, above.resource, above.base, above.dialect))
        return self._nodes[location]

    def _resolve(self, location: Location, keyword: str) -> Reference:
        node = self.get_node(location)
        value = node.schema[keyword] if isinstance(node.schema, dict) else ""
        uri, _, fragment = _join(node.base, value).partition("#")
        reference = Reference(location, keyword, value, uri)
        if uri == node.base:
            return self._find_fragment(reference, node.resource, fragment)
        by_identifier = self._resources.get(uri)
        path = _join(location.document, value).partition("#")[0]
        by_path = self._resources.get(path) if path in self._documents else None
        root = by_identifier or by_path
        if root is None:
            problem = "no file given has this name or identifier"
            return replace(reference, rule="unresolved-ref", problem=problem, is_found=False)
        if by_identifier and by_path and by_identifier != by_path:
            problem = (
                f"the identifier leads to {self.name_location(by_identifier)},"
                f" the path to {self.name_location(by_path)}"
            )
            return _break(reference, "ambiguous-ref", problem)
        return self._find_fragment(reference, root, fragment)

    def _find_fragment(self, reference: Reference, root: Location, fragment: str) -> Reference:
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            base = self._nodes[root].base if root in self._nodes else self._bases[root.document]
            target = self._anchors.get((base, fragment))
            if target is None:
                return _break(reference, "unresolved-ref", f'there is no anchor "{fragment}" there')
        else:
            target = Location(root.document, root.pointer + fragment)
            document = self._documents[root.document]
            if target not in self._nodes:
                value = _look_up(document.value, target.pointer, _ABSENT)
                if value is _ABSENT:
                    return _break(reference, "unresolved-ref", self._say_missing(document, target))
                if not isinstance(value, dict | bool) or (
                    document.role == "contract" and not target.pointer
                ):
                    return _break(reference, "unresolved-ref", "no schema stands there")
                self._enter(target)
        return replace(reference, target=target)

    def _say_missing(self, document: Document, target: Location) -> str:
        """Say how far a pointer leads, and what it may have meant."""
        parent, _, last = target.pointer.rpartition("/")
        while parent and _look_up(document.value, parent, _ABSENT) is _ABSENT:
            parent, _, last = parent.rpartition("/")
        near = ""
        siblings = _look_up(document.value, parent, None)
        if isinstance(siblings, dict):
            import difflib  # noqa: PLC0415 # only where something is wrong

            close = difflib.get_close_matches(unescape(last), siblings, n=1)
            near = f'; did you mean "{close[0]}"?' if close else ""
        where = document.source.path + (f"#{parent}" if parent else "")
        return f'{where} has no "{unescape(last)}"{near}'


_ABSENT = object()
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def unescape(token: str) -> str:
    """Return the name that a token of a JSON pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~")


def _below(location: Location, tokens: tuple[str, ...]) -> Location:
    for token in tokens:
        location = location / token
    return location


def _break(reference: Reference, rule: str, problem: str) -> Reference:
    return replace(reference, rule=rule, problem=problem)


def _look_up(value: object, pointer: str, default: object = None) -> object:
    """Return what stands at *pointer*, or the default."""
    for token in pointer.split("/")[1:]:
        name = unescape(token)
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return default
    return value


def _join(base: str, reference: str) -> str:
    """Return the URI that a reference means from *base* (RFC 3986, section 5)."""
    if reference.startswith("#") or not reference:
        return base.partition("#")[0] + reference
    scheme = _SCHEME.match(base)
    if scheme is None or _SCHEME.match(reference):
        return urljoin(base, reference)
    # urljoin knows the rules, but applies them to schemes that it knows alone
    joined = urljoin("http:" + base[scheme.end() :], reference)
    return scheme[0] + joined.removeprefix("http:")


def _contract_schemas(document: Document) -> Iterator[tuple[Location, Schema]]:
    """Yield the schemas that the keywords of the dialect hold."""
    root = Location(document.uri, "")
    value = document.value if isinstance(document.value, dict) else {}
    for location, candidate in _contract_places(root, value):
        if isinstance(candidate, dict | bool):
            yield location, candidate


def _contract_places(root: Location, value: dict[str, object]) -> Iterator[tuple[Location, object]]:
    service = value.get("service")
    if isinstance(service, dict) and "key" in service:
        yield root / "service" / "key", service["key"]
    for name, member in _items(value.get("members")):
        at = root / "members" / name
        if not isinstance(member, dict):
            continue
        for parameter, schema in _items(member.get("params")):
            yield at / "params" / parameter, schema
        for keyword in ("result", "value", "payload"):
            if keyword in member:
                yield at / keyword, member[keyword]
    for code, case in _items(value.get("errors")):
        if isinstance(case, dict) and "data" in case:
            yield root / "errors" / code / "data", case["data"]
    for name, schema in _items(value.get("$defs")):
        yield root / "$defs" / name, schema


def _items(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        yield from value.items()
