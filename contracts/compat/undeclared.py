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

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from pi_contracts.contracts.json_values import is_array, is_object

from .budget import ExhaustedError
from .flat import FlatDocument
from .parts import Part, find_item, find_member, find_pattern, find_rest, gather, get_required

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pi_contracts.contracts.drafts import Schema

    from .parts import Members, Place

_MOST_PLACES: Final = 4000


def close(
    document: FlatDocument, reference: str, uri: str
) -> tuple[FlatDocument, FlatDocument] | None:
    """Return documents whose root is the schema at *reference* with open objects closed.

    Of very many places those far down stay open, so that they accept more.

    Args:
        document: The document of the schema.
        reference: The schema's place in it.
        uri: The URI of the document, by which the result refers to it.

    Returns:
        Two documents, the second of which is exact: its branches that refuse a value
        declare nothing for it, as they should; the first accepts a little more, and is
        simpler. Without such branches they are one. None if no object is open.
    """
    closings: list[FlatDocument] = []
    for exact in (False, True):
        closer = _Closer(document, uri, exact=exact)
        root = closer.refer(frozenset({Part(reference, always=True)}))
        is_whole = closer.finish()
        if is_whole and not closer.count:
            return None
        value = {"allOf": [{"$ref": uri + reference}, {"$ref": root}], "$defs": closer.definitions}
        closings.append(FlatDocument(value, asserts_format=document.asserts_format))
        if not closer.depends:
            break
    return closings[0], closings[-1]


def close_around(document: FlatDocument, reference: str, uri: str, value: Any) -> Schema:
    """Return a schema that refuses *value* if it has undeclared members.

    It says so of no other value, and not what the schema at *reference* says itself.

    Raises:
        ExhaustedError: There are too many places to tell.
    """
    closer = _Closer(document, uri, exact=True, names=_collect_names(value))
    root = closer.refer(frozenset({Part(reference, always=True)}))
    if not closer.finish():
        raise ExhaustedError
    return {"$ref": root, "$defs": closer.definitions}


def _collect_names(value: Any) -> frozenset[str]:
    """Return the names of all members inside a value."""
    names: set[str] = set()
    pending = [value]
    while pending:
        one = pending.pop()
        if is_object(one):
            names.update(one)
            pending.extend(one.values())
        elif is_array(one):
            pending.extend(one)
    return frozenset(names)


class _Closer:
    def __init__(
        self,
        document: FlatDocument,
        uri: str,
        *,
        exact: bool,
        names: frozenset[str] | None = None,
    ) -> None:
        self.document = document
        self.uri = uri
        self.exact = exact
        self.names = names
        """The names that members can have, None if they can have any."""
        self.count = 0
        self.depends = False
        """Whether it matters for what is declared which branches accept a value."""
        self.definitions: dict[str, Schema] = {}
        self.keys: dict[Place, str] = {}
        self.pending: deque[Place] = deque()

    def refer(self, place: Place) -> str:
        """Return a reference to the closing of a place."""
        if place not in self.keys:
            self.keys[place] = str(len(self.keys))
            self.pending.append(place)
        return f"#/$defs/{self.keys[place]}"

    def finish(self) -> bool:
        """Close the places that are referred to, and say whether none had to be left open."""
        while self.pending and not self.is_full:
            place = self.pending.popleft()
            self.definitions[self.keys[place]] = self.close(place)
        self.definitions.update((self.keys[place], True) for place in self.pending)
        return not self.pending

    def select(self, names: Iterable[str]) -> list[str]:
        """Return those of some names that a member can have."""
        return [name for name in names if self.names is None or name in self.names]

    def close(self, place: Place) -> Schema:
        """Return a schema that refuses undeclared members at a place and below."""
        members = gather(self.document, place)
        below = self.close_below(members)
        if not members.is_open:
            return below
        self.count += 1
        names = dict.fromkeys(self.select(members.names), True)
        patterns = dict.fromkeys(members.patterns, True)
        depends = any(not part.always for part, _ in members.schemas)
        self.depends |= depends
        if self.exact and depends and not members.has_true:
            always = [{"$ref": self.uri + part.pointer} for part in sorted(place) if part.always]
            others = gather(self.document, frozenset(part for part in place if not part.always))
            return {
                # twice not: what it says counts, what it evaluates does not
                "allOf": [*always, {"not": {"not": below}}],
                "properties": dict.fromkeys(
                    self.select((*others.names, *get_required(members))), True
                ),
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
        named = [
            (name, [] if self.is_full else find_member(members, name))
            for name in self.select(members.names)
        ]
        patterns = {text: find_pattern(members, text) for text in members.patterns}
        rest = find_rest(members)
        if named or patterns or rest:
            result["properties"] = {name: self.refer_all(found) for name, found in named}
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

    @property
    def is_full(self) -> bool:
        """Whether there are so many places that no more are closed."""
        return len(self.keys) >= _MOST_PLACES
