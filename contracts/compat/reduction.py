"""Reductions: what two large schemas say alike, left out of the question about them.

A keyword whose entries each say something of their own is a conjunction. What the
sender's schema says as well the receiver's need not be asked for, and an entry that
is left out of the sender's makes the question harder and never wrong. So a proof of
the reduced question is one of the whole; a value that refutes it is completed with
what was left out, and is a witness if the validators of the whole say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import msgspec
from pi_contracts.contracts.drafts import ANNOTATIONS
from pi_contracts.contracts.json_values import is_array, is_object, unescape

from .flat import FlatDocument
from .samples import Sampler
from .unchanged import LARGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pi_contracts.contracts.drafts import Schema

    from .unchanged import Texts

_MOST_DEPTH: Final = 60
_MOST_KEPT: Final = 4000
"""Of how many bytes what a sender's schema says alone may be, if it is said alike."""
_MOST_DEFINITIONS: Final = 2000
_MAPS: Final = ("properties", "patternProperties", "dependentRequired", "dependentSchemas")
_GROUPS: Final = (("if", "then", "else"), ("contains", "minContains", "maxContains"))
_GROUP_OF: Final[Mapping[str, tuple[str, ...]]] = {one: group for group in _GROUPS for one in group}
_DESCENDED: Final = frozenset(
    (*_MAPS, "required", "allOf", "prefixItems", "items", "additionalProperties", "$ref", "$defs")
)


class Reduction:
    """A question about two large schemas, without what both say alike."""

    def __init__(
        self,
        documents: Mapping[str, FlatDocument],
        texts: Texts,
        sender: tuple[str, str],
        receiver: tuple[str, str],
    ) -> None:
        """Reduce the question about the schemas at two places, each a URI and a pointer.

        Raises:
            LookupError: What differs is large as well, or refers to what is no definition.
        """
        self._texts = texts
        self._from, self._to = documents[sender[0]], documents[receiver[0]]
        self._uris = sender[0], receiver[0]
        self._sampler = Sampler(self._from)
        self._met: set[tuple[str, str]] = set()
        self.hides_declared = False
        """Whether what was left out may say which members are declared below a place."""
        self._whole = self._from.get(sender[1])
        self._left, right = self._reduce(self._whole, self._to.get(receiver[1]), 0)
        encode = msgspec.json.encode
        if max(len(encode(self._left)), len(encode(right))) > LARGE:
            raise LookupError
        self.sender = _collect(self._left, self._from)
        self.receiver = _collect(right, self._to)

    def complete(self, value: Any) -> Any:
        """Return a value of the sender's reduced schema with what the whole one asks for.

        Raises:
            LookupError: No value is seen at once for something that was left out.
        """
        return self._complete(self._whole, self._left, value)

    def _is_same(self, one: object, other: object) -> bool:
        texts, uris = self._texts, self._uris
        return texts.get_key(one, uris[0]) == texts.get_key(other, uris[1])

    def _reduce(self, one: Schema, other: Schema, depth: int) -> tuple[Schema, Schema]:
        if isinstance(one, bool) or isinstance(other, bool) or depth > _MOST_DEPTH:
            return one, other
        one, other = _strip(one), _strip(other)
        if one.keys() == other.keys() == {"$ref"}:
            pair = one["$ref"], other["$ref"]
            if pair in self._met:
                return one, other
            self._met.add(pair)
            targets = self._from.get(pair[0]), self._to.get(pair[1])
            return self._reduce(*targets, depth + 1)
        left, right = dict(one), dict(other)
        self._drop_equal(left, right)
        is_same_rest = self._is_rest_same(one, other)
        for keyword in one.keys() & other.keys() & set(_MAPS):
            self._reduce_map(keyword, left, right, depth)
        self._reduce_arrays(one, other, left, right, depth)
        if is_same_rest:
            for side in (left, right):
                side.pop("additionalProperties", None)
        for side in (left, right):
            if side.get("additionalProperties", True) is True:
                _drop_true(side)
        self._reduce_lists(left, right)
        return left, right

    def _drop_equal(self, left: dict[str, Any], right: dict[str, Any]) -> None:
        """Leave out of *right* what *left* says too, of that what is large out of both."""
        for keyword in list(right):
            group = _GROUP_OF.get(keyword, (keyword,))
            if keyword in _DESCENDED or keyword not in right:
                continue
            mine, others = ([side.get(one) for one in group] for side in (left, right))
            if keyword in left and self._is_same(mine, others):
                is_large = len(self._texts.get_key(mine, self._uris[0])[2]) > _MOST_KEPT
                for one in group:
                    right.pop(one, None)
                    if is_large:
                        left.pop(one, None)
                self.hides_declared |= is_large

    def _is_rest_same(self, one: dict[str, Any], other: dict[str, Any]) -> bool:
        """Whether the same members are none of the named ones, and have the same schema."""
        rests = [side.get("additionalProperties", True) for side in (one, other)]
        return self._is_same(*rests) and all(
            one.get(keyword, {}).keys() == other.get(keyword, {}).keys()
            for keyword in ("properties", "patternProperties")
        )

    def _reduce_map(
        self, keyword: str, left: dict[str, Any], right: dict[str, Any], depth: int
    ) -> None:
        mine, others = dict(left[keyword]), dict(right[keyword])
        for name in mine.keys() & others.keys():
            pair = mine[name], others[name]
            if not self._is_same(*pair):
                if keyword != "dependentRequired":
                    mine[name], others[name] = self._reduce(*pair, depth + 1)
            elif keyword in _NAMING:
                mine[name] = others[name] = True
            else:
                del mine[name], others[name]
                self.hides_declared |= keyword == "dependentSchemas"
        left[keyword], right[keyword] = mine, others

    def _reduce_arrays(
        self,
        one: dict[str, Any],
        other: dict[str, Any],
        left: dict[str, Any],
        right: dict[str, Any],
        depth: int,
    ) -> None:
        mine, others = list(one.get("prefixItems", ())), list(other.get("prefixItems", ()))
        for index, pair in enumerate(zip(mine, others, strict=False)):
            mine[index], others[index] = (
                (True, True) if self._is_same(*pair) else self._reduce(*pair, depth + 1)
            )
        if "items" in one and "items" in other and len(mine) == len(others):
            if self._is_same(one["items"], other["items"]):
                del left["items"], right["items"]
            else:
                pair = one["items"], other["items"]
                left["items"], right["items"] = self._reduce(*pair, depth + 1)
        for side, prefix in ((left, mine), (right, others)):
            while "items" not in side and prefix and prefix[-1] is True:
                prefix.pop()
            side.pop("prefixItems", None)
            if prefix:
                side["prefixItems"] = prefix

    def _reduce_lists(self, left: dict[str, Any], right: dict[str, Any]) -> None:
        """Leave out required members and parts that both have."""
        mine, others = left.get("required", []), right.get("required", [])
        common = set(mine) & set(others)
        spoken = set[str]().union(
            *(side.get(keyword, ()) for side in (left, right) for keyword in _MAPS)
        )
        if common:
            left["required"] = [one for one in mine if one not in common or one in spoken]
            right["required"] = [one for one in others if one not in common]
        if "allOf" in left and "allOf" in right:
            keys = [
                {self._texts.get_key(part, uri): part for part in side["allOf"]}
                for side, uri in zip((left, right), self._uris, strict=True)
            ]
            shared = keys[0].keys() & keys[1].keys()
            self.hides_declared |= bool(shared)
            for side, own in zip((left, right), keys, strict=True):
                side["allOf"] = [own[key] for key in own if key not in shared]
                if not side["allOf"]:
                    del side["allOf"]

    def _complete(self, whole: Schema, reduced: Schema, value: Any) -> Any:
        if whole is reduced or isinstance(whole, bool):
            return value
        if reduced is True:
            return self._sampler.make(whole)
        if whole.keys() >= {"$ref"}:
            return self._complete(self._from.get(whole["$ref"]), reduced, value)
        if isinstance(reduced, bool) or "$ref" in reduced:
            return value
        if is_object(value):
            return self._complete_object(whole, reduced, value)
        if is_array(value):
            return self._complete_array(whole, reduced, value)
        return value

    def _complete_object(
        self, whole: dict[str, Any], reduced: dict[str, Any], value: dict[str, Any]
    ) -> dict[str, Any]:
        named, kept = whole.get("properties", {}), reduced.get("properties", {})
        result = {
            name: self._complete(named.get(name, True), kept.get(name, True), item)
            for name, item in value.items()
        }
        if any(isinstance(item, dict | list) for name, item in value.items() if name not in named):
            self.hides_declared |= not _DESCRIBING.isdisjoint(whole)
        for name in whole.get("required", ()):
            if name not in result:
                result[name] = self._sampler.make(named.get(name, True))
        return result

    def _complete_array(
        self, whole: dict[str, Any], reduced: dict[str, Any], value: list[Any]
    ) -> list[Any]:
        prefix, kept = whole.get("prefixItems", ()), reduced.get("prefixItems", ())
        rest, kept_rest = whole.get("items", True), reduced.get("items", True)
        return [
            self._complete(
                prefix[index] if index < len(prefix) else rest,
                kept[index] if index < len(kept) else kept_rest if index >= len(prefix) else True,
                item,
            )
            for index, item in enumerate(value)
        ]


_NAMING: Final = frozenset({"properties", "patternProperties"})
"""Keywords whose names matter, even where the schemas do not."""


_DESCRIBING: Final = frozenset({"patternProperties", "additionalProperties"})
"""Keywords that describe members which are not named."""


def _strip(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without annotations, and without definitions."""
    return {
        name: value
        for name, value in schema.items()
        if name not in ANNOTATIONS and name not in {"$defs", "definitions"}
    }


def _drop_true(side: dict[str, Any]) -> None:
    """Leave out the names of members that may be anything."""
    for keyword in _NAMING & side.keys():
        side[keyword] = {name: part for name, part in side[keyword].items() if part is not True}


def _collect(schema: Schema, document: FlatDocument) -> FlatDocument:
    """Return a document of a schema and of what it refers to.

    Raises:
        KeyError: A reference leads to what is no definition.
    """
    if isinstance(schema, bool):
        return FlatDocument(schema, asserts_format=document.asserts_format)
    definitions: dict[str, Any] = {}
    pending: list[object] = [schema]
    while pending:
        part = pending.pop()
        if is_array(part):
            pending.extend(part)
        elif is_object(part):
            pending.extend(part.values())
            pending.extend(_add_definition(part.get("$ref"), document, definitions))
    value = {**schema, "$defs": definitions} if definitions else schema
    return FlatDocument(value, asserts_format=document.asserts_format)


def _add_definition(
    reference: object, document: FlatDocument, definitions: dict[str, Any]
) -> Iterable[object]:
    if not isinstance(reference, str):
        return ()
    prefix, _, name = reference.rpartition("/")
    if prefix != "#/$defs":
        raise KeyError(reference)
    name = unescape(unquote(name))
    if name in definitions:
        return ()
    if len(definitions) >= _MOST_DEFINITIONS:
        raise KeyError(reference)
    definitions[name] = document.get(reference)
    return (definitions[name],)
