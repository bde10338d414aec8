"""Bundles: what some schemas need, as one flat schema document.

In a bundle every reference is ``#/$defs/KEY``: no identifiers, no anchors, no
other files. A dynamic reference is resolved by making one definition for each
dynamic scope that it is reached in. Validation, digests and comparison all
work on bundles. See docs/design/bundle.md.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from .catalogue import REFERENCES
from .documents import get_stem
from .drafts import (
    ANNOTATIONS,
    KEYWORDS,
    Dialect,
    Draft,
    Schema,
    modernize,
    split_dependencies,
    subschemas,
)
from .json_values import escape_token, unescape
from .model import Location
from .patterns import rewrite_patterns
from .scopes import Scope, enter, follow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Arguments:
    """The closed object of a method's arguments, made of its parameters' schemas."""

    properties: Mapping[str, Location]
    required: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """One flat schema document, and where its roots stand in it."""

    document: dict[str, Any]
    """``{"$schema": …, "$defs": {…}}``; with ``"formats": "assert"`` formats are checked."""
    pointers: Mapping[str, str]
    """Of each root's name, its reference: ``#/$defs/KEY``."""
    places: Mapping[str, Location]
    """Of each definition's reference, where it stands in its file; arguments stand nowhere."""


def make_bundle(
    catalogue: Catalogue, roots: Mapping[str, Location | Arguments], home: str
) -> Bundle:
    """Return what *roots* need, each under a name; *home* is the document they belong to.

    Definitions of the home document keep their names; others are named after their
    file. A root that only refers to a definition is that definition.
    """
    is_contract = catalogue.documents[home].role == "contract"
    bundler = _Bundler(catalogue, home, modern=is_contract)
    bundle = bundler.bundle(roots)
    modern = is_contract or len(bundler.drafts) > 1
    unseen = bundler.keywords >= {"dependencies", "unevaluatedProperties"}
    if modern is bundler.modern and not unseen:
        return bundle
    return _Bundler(catalogue, home, modern=modern, unseen=unseen).bundle(roots)


_Key: TypeAlias = tuple[Location, Scope]
_DROPPED = ANNOTATIONS | {
    *REFERENCES,
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$schema",
    "$vocabulary",
    "definitions",
    "id",
}


class _Bundler:
    """One bundle in the making."""

    def __init__(
        self, catalogue: Catalogue, home: str, *, modern: bool, unseen: bool = False
    ) -> None:
        self.catalogue = catalogue
        self.home = catalogue.documents[home]
        self.modern = modern
        self.unseen = unseen
        """Whether what ``dependencies`` evaluates must not count as evaluated."""
        self.definitions: dict[_Key, Schema] = {}
        self.pending: list[_Key] = []
        self.links: list[tuple[dict[str, Any], _Key]] = []
        """Schemas whose ``$ref`` is written when every definition has its name."""
        self.drafts: set[Draft] = set()
        self.keywords: set[str] = set()
        """Those met that do not get along in the words of 2020-12."""

    def bundle(self, roots: Mapping[str, Location | Arguments]) -> Bundle:
        given: dict[str, Schema] = {}
        keys: dict[str, _Key] = {}
        for name, root in roots.items():
            if isinstance(root, Location):
                keys[name] = self._reach(self._skip_references(root))
            else:
                given[name] = self._close(root)
        while self.pending:
            key = self.pending.pop()
            self.definitions[key] = self._rewrite(*key)
        names = self._name(keys, set(given))
        for schema, key in self.links:
            schema["$ref"] = refer(names[key])
        definitions = {names[key]: schema for key, schema in self.definitions.items()} | given
        draft = Draft.DRAFT202012 if self.modern or not self.drafts else min(self.drafts)
        return Bundle(
            {
                "$schema": draft.value,
                **({"formats": "assert"} if self.home.dialect.asserts_format else {}),
                "$defs": dict(sorted(definitions.items())),
            },
            {name: refer(names[keys[name]] if name in keys else name) for name in roots},
            {refer(name): location for (location, _), name in names.items()},
        )

    def _close(self, arguments: Arguments) -> Schema:
        properties = {
            name: self._rewrite(location, enter(self.catalogue, (), location))
            for name, location in arguments.properties.items()
        }
        return {
            "type": "object",
            **({"properties": properties} if properties else {}),
            **({"required": list(arguments.required)} if arguments.required else {}),
            "additionalProperties": False,
        }

    def _reach(self, key: _Key) -> _Key:
        if key not in self.definitions:
            self.definitions[key] = True
            self.pending.append(key)
        return key

    def _link(self, schema: dict[str, Any], target: Location, scope: Scope) -> None:
        """Let *schema* refer to a definition, beside what it refers to already."""
        key = self._reach((target, enter(self.catalogue, scope, target)))
        if "$ref" in schema:
            beside: dict[str, Any] = {"$ref": ""}
            schema["allOf"] = [*schema.get("allOf", ()), beside]
            schema = beside
        schema["$ref"] = ""
        self.links.append((schema, key))

    def _skip_references(self, location: Location) -> _Key:
        """Return where *location* leads while all that it says is a reference."""
        scope = enter(self.catalogue, (), location)
        seen = {location}
        while True:
            node = self.catalogue.get_node(location)
            schema = node.schema
            if isinstance(schema, bool) or "$ref" not in schema:
                return location, scope
            if schema.keys() - _DROPPED and not node.dialect.draft.has_lone_refs:
                return location, scope
            target = self._get_target(location, scope, "$ref")
            if target in seen:
                return location, scope
            seen.add(target)
            location, scope = target, enter(self.catalogue, scope, target)

    def _get_target(self, location: Location, scope: Scope, keyword: str) -> Location:
        target = follow(self.catalogue, scope, location, keyword)
        if target is None:
            raise KeyError(location)
        return target

    def _rewrite(self, location: Location, scope: Scope) -> Schema:
        """Return the schema at *location* as it stands in a bundle."""
        node = self.catalogue.get_node(location)
        schema = node.schema
        if isinstance(schema, bool):
            return schema
        draft = node.dialect.draft
        self.drafts.add(draft)
        result: dict[str, Any] = {}
        if not (draft.has_lone_refs and "$ref" in schema):
            result = {name: schema[name] for name in schema if self._counts(name, node.dialect)}
            for tokens, _ in subschemas(result, draft):
                below = location
                for token in tokens:
                    below = below / token
                put(
                    result,
                    schema,
                    tokens,
                    self._rewrite(below, enter(self.catalogue, scope, below)),
                )
            rewrite_patterns(result)
            self.keywords |= result.keys() & {"dependencies", "unevaluatedProperties"}
            if self.modern or not draft.has_lone_refs:
                result = split_dependencies(result, unseen=self.unseen)
            if self.modern:
                result = modernize(result, draft)
        for keyword in REFERENCES:
            if isinstance(schema.get(keyword), str) and keyword in KEYWORDS[draft]:
                self._link(result, self._get_target(location, scope, keyword), scope)
        return result

    def _counts(self, keyword: str, dialect: Dialect) -> bool:
        if keyword == "format":
            return self.home.dialect.asserts_format and keyword not in dialect.void
        if keyword in _DROPPED or keyword in dialect.void:
            return False
        return keyword in KEYWORDS[dialect.draft]

    def _name(self, roots: Mapping[str, _Key], taken: set[str]) -> dict[_Key, str]:
        """Give each definition a name of its own that depends on its place alone."""
        by_root = {key: name for name, key in reversed(list(roots.items()))}
        names: dict[_Key, str] = {}
        for key in sorted(self.definitions, key=self._spell):
            name = self._name_naturally(key[0], by_root.get(key))
            if name in taken:
                spelled = "\0".join(self._spell(key)).encode("utf-8", "surrogatepass")
                digest = hashlib.sha256(spelled).hexdigest()
                suffixed = (f"{name}_{digest[:length]}" for length in range(6, len(digest)))
                name = next(one for one in suffixed if one not in taken)
            taken.add(name)
            names[key] = name
        return names

    def _name_naturally(self, location: Location, root: str | None) -> str:
        tokens = [unescape(token) for token in location.pointer.split("/")[1:]]
        if len(tokens) == 2 and tokens[0] in {"$defs", "definitions"}:  # noqa: PLR2004
            tokens = tokens[1:]
        elif root is not None:
            return root
        if location.document == self.home.uri and tokens:
            return ".".join(tokens)
        return ".".join([get_stem(self.catalogue.documents[location.document].path), *tokens])

    def _spell(self, key: _Key) -> tuple[str, ...]:
        """Spell a key by paths, without a place of the machine; the home document first."""
        location, scope = key
        places = [location, *(place for _, place in scope)]
        spelled = [
            f"{self.catalogue.documents[place.document].path}#{place.pointer}" for place in places
        ]
        return ("" if location.document == self.home.uri else "~", *spelled)


def put(
    result: dict[str, Any], original: dict[str, Any], tokens: tuple[str, ...], schema: Schema
) -> None:
    """Put a rewritten schema in its place in *result*, a shallow copy of *original*.

    Containers that the two share are copied first.
    """
    keyword = tokens[0]
    if len(tokens) == 1:
        result[keyword] = schema
        return
    if result[keyword] is original[keyword]:
        result[keyword] = original[keyword].copy()
    container = result[keyword]
    container[int(tokens[1]) if isinstance(container, list) else tokens[1]] = schema


def refer(name: str) -> str:
    """Return the reference to a definition of a bundle."""
    return "#/$defs/" + quote(escape_token(name), safe="!$&'()*+,;=:@/~")
