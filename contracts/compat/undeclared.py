"""Undeclared members: a sender's schema with every open object closed.

A sender built from a contract sends only members that the contract names. What
stands at one place of a value, brought together by ``allOf``, references and the
branches of its parents, is closed once; inside ``not``, ``contains`` and below an
``if`` nothing is. Names that are required count as declared, and a map, whose
further members have a schema, is not open.

The closing is a schema of its own beside the sender's: a tree of member schemas
that only says which names there may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .flat import FlatDocument
from .parts import Part, find_item, find_member, find_pattern, find_rest, gather, get_required

if TYPE_CHECKING:
    from pi_contracts.contracts.drafts import Schema

    from .parts import Members, Place

_MOST_PLACES: Final = 4000


def close(document: FlatDocument, reference: str, uri: str, *, exact: bool) -> FlatDocument | None:
    """Return a document whose root is the schema at *reference* with open objects closed.

    Args:
        document: The document of the schema.
        reference: The schema's place in it.
        uri: The URI of the document, by which the result refers to it.
        exact: Whether branches that refuse a value declare nothing for it, as they
            should; otherwise the result accepts a little more, and is simpler.

    Returns:
        None if no object is open, or if there are too many places to tell.
    """
    closer = _Closer(document, uri, exact=exact)
    root = closer.refer(frozenset({Part(reference, always=True)}))
    closer.finish()
    if not closer.count or closer.pending:
        return None
    value = {"allOf": [{"$ref": uri + reference}, {"$ref": root}], "$defs": closer.definitions}
    return FlatDocument(value, asserts_format=document.asserts_format)


class _Closer:
    def __init__(self, document: FlatDocument, uri: str, *, exact: bool) -> None:
        self.document = document
        self.uri = uri
        self.exact = exact
        self.count = 0
        self.definitions: dict[str, Schema] = {}
        self.keys: dict[Place, str] = {}
        self.pending: list[Place] = []

    def refer(self, place: Place) -> str:
        """Return a reference to the closing of a place."""
        if place not in self.keys:
            self.keys[place] = str(len(self.keys))
            self.pending.append(place)
        return f"#/$defs/{self.keys[place]}"

    def finish(self) -> None:
        while self.pending and len(self.keys) < _MOST_PLACES:
            place = self.pending.pop()
            self.definitions[self.keys[place]] = self.close(place)

    def close(self, place: Place) -> Schema:
        """Return a schema that refuses undeclared members at a place and below."""
        members = gather(self.document, place)
        below = self.close_below(members)
        if not members.is_open:
            return below
        self.count += 1
        names = dict.fromkeys(members.names, True)
        patterns = dict.fromkeys(members.patterns, True)
        if self.exact and not members.has_true:
            always = [{"$ref": self.uri + part.pointer} for part in sorted(place) if part.always]
            others = gather(self.document, frozenset(part for part in place if not part.always))
            return {
                # twice not: what it says counts, what it evaluates does not
                "allOf": [*always, {"not": {"not": below}}],
                "properties": dict.fromkeys((*others.names, *get_required(members)), True),
                "patternProperties": dict.fromkeys(others.patterns, True),
                "unevaluatedProperties": False,
            }
        closing = {
            "properties": names,
            "patternProperties": patterns,
            "additionalProperties": False,
        }
        return {"allOf": [closing, below]}

    def close_below(self, members: Members) -> dict[str, Any]:
        """Return the closings of the places below one."""
        result: dict[str, Any] = {}
        named = {name: find_member(members, name) for name in members.names}
        patterns = {text: find_pattern(members, text) for text in members.patterns}
        rest = find_rest(members)
        if named or patterns or rest:
            result["properties"] = {name: self.refer_all(found) for name, found in named.items()}
            result["patternProperties"] = {
                text: self.refer_all(found) for text, found in patterns.items()
            }
        if rest:
            result["additionalProperties"] = self.refer_all(rest)
        prefix = max((len(one.get("prefixItems", ())) for _, one in members.schemas), default=0)
        for index in range(prefix + 1):
            found = find_item(members, index)
            if index < prefix:
                result.setdefault("prefixItems", []).append(self.refer_all(found))
            elif found:
                result["items"] = self.refer_all(found)
        return result

    def refer_all(self, parts: list[Part]) -> Schema:
        return {"$ref": self.refer(frozenset(parts))} if parts else True
