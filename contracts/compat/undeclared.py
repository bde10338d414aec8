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
_MOST_LOOKED_AT: Final = 30_000
"""How many of them are looked at, whether there is something to close below them or not."""


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
    names, longest = _measure(value)
    closer = _Closer(document, uri, exact=True, names=names, longest=longest)
    root = closer.refer(frozenset({Part(reference, always=True)}))
    if not closer.finish():
        raise ExhaustedError
    return {"$ref": root, "$defs": closer.definitions}


def _measure(value: Any) -> tuple[frozenset[str], int]:
    """Return the names of all members inside a value, and how long its longest array is."""
    names: set[str] = set()
    longest = 0
    pending = [value]
    while pending:
        one = pending.pop()
        if is_object(one):
            names.update(one)
            pending.extend(one.values())
        elif is_array(one):
            longest = max(longest, len(one))
            pending.extend(one)
    return frozenset(names), longest


def _is_plain(schema: Schema) -> bool:
    """Whether a schema says in so many words that there is nothing to close below it."""
    if isinstance(schema, bool):
        return True
    given: str | list[str] = schema.get("type", [])
    types = [given] if isinstance(given, str) else given
    return bool(types) and _PLAIN.issuperset(types)


_PLAIN: Final = frozenset({"null", "boolean", "integer", "number", "string"})


class _Closer:
    def __init__(
        self,
        document: FlatDocument,
        uri: str,
        *,
        exact: bool,
        names: frozenset[str] | None = None,
        longest: int | None = None,
    ) -> None:
        self.document = document
        self.uri = uri
        self.exact = exact
        self.names = names
        """The names that members can have, None if they can have any."""
        self.longest = longest
        """How many items an array can have, None if it can have any number."""
        self.count = 0
        self.looked_at = 0
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
        return not self.pending and not self.is_full

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
            (name, self.refer_all([] if self.is_full else find_member(members, name)))
            for name in self.select(members.names)
        ]
        patterns = {
            text: self.refer_all([] if self.is_full else find_pattern(members, text))
            for text in members.patterns
        }
        rest = find_rest(members)
        if named or patterns or rest:
            result["properties"] = dict(named)
            result["patternProperties"] = patterns
        if rest:
            result["additionalProperties"] = self.refer_all(rest)
        prefix = max((len(one.get("prefixItems", ())) for _, one in members.schemas), default=0)
        most = prefix if self.longest is None else min(prefix, self.longest)
        for index in range(most + 1):
            found = [] if self.is_full else find_item(members, index)
            if index < prefix:
                result.setdefault("prefixItems", []).append(self.refer_all(found))
            elif found:
                result["items"] = self.refer_all(found)
        return result

    def refer_all(self, parts: list[Part]) -> Schema:
        self.looked_at += 1
        if all(_is_plain(self.document.get(part.pointer)) for part in parts):
            return True
        return {"$ref": self.refer(frozenset(parts))}

    @property
    def is_full(self) -> bool:
        """Whether there are so many places that no more are closed."""
        return len(self.keys) >= _MOST_PLACES or self.looked_at >= _MOST_LOOKED_AT
