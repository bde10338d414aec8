"""Flows: what travels between a consumer and a provider, and whether each way is safe."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
from pi_contracts.contracts.digest import encode_canonically
from pi_contracts.contracts.drafts import Draft, subschemas

from .decide import Decider, Kind, Verdict
from .explain import Explanation, explain
from .flat import cut_reference
from .recursion import get_references
from .verdicts import Direction, Effect, Position, find_effect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .flat import FlatDocument, FlatSchema

_OLD, _NEW = "urn:old", "urn:new"
_LARGEST: Final = 200_000
"""From how many bytes on a digest is made of the text as it is."""
_RECURSION: Final = 8000
"""Deep enough to spell every schema that can be read."""


@dataclass(frozen=True, slots=True)
class Break:
    """What is not known to be safe about one direction of a flow."""

    direction: Direction
    kind: Kind
    explanation: Explanation | None
    """None where there is no witness."""
    witness: Any
    has_witness: bool


@dataclass(frozen=True, slots=True)
class FlowReport:
    """What became of one flow."""

    name: str
    """Such as ``select.params``."""
    position: Position
    verdicts: Mapping[Direction, Kind]
    effect: Effect
    breaks: tuple[Break, ...]
    digests: tuple[str, ...] = ()
    """Of the old and the new schema of a flow that breaks, with all that each reaches."""


class FlowComparer:
    """Compares flows of two flat documents."""

    def __init__(self, old: FlatDocument, new: FlatDocument) -> None:
        """Take in the documents of the two generations."""
        self._documents = {_OLD: old, _NEW: new}
        self._decider: Decider | None = None
        self._spellings: dict[str, dict[str, bytes]] = {_OLD: {}, _NEW: {}}

    def compare(self, name: str, position: Position, old: str, new: str) -> FlowReport:
        """Return what becomes of the flow whose schemas stand at two references."""
        if old == new and self._is_same(old):
            same = dict.fromkeys(Direction, Kind.COMPATIBLE)
            return FlowReport(name, position, same, Effect.SAME, ())
        before, after = _OLD + old, _NEW + new
        if self._decider is None:
            self._decider = Decider(self._documents)
        answers = {
            (before, after): self._decider.decide(before, after),
            (after, before): self._decider.decide(after, before),
        }
        verdicts: dict[Direction, Kind] = {}
        breaks: list[Break] = []
        for direction in Direction:
            sent_by_old = (direction is Direction.OLD_CONSUMER) is position.is_sent_by_consumer
            ends = (before, after) if sent_by_old else (after, before)
            verdict = answers[ends]
            verdicts[direction] = verdict.kind
            if verdict.kind is not Kind.COMPATIBLE:
                breaks.append(self._explain(direction, verdict, ends))
        effect = find_effect(answers[before, after].kind, answers[after, before].kind)
        digests = self._get_digests(old, new) if breaks else ()
        return FlowReport(name, position, verdicts, effect, tuple(breaks), digests)

    def _is_same(self, reference: str) -> bool:
        """Tell whether both documents say the same, letter by letter, in all that is reached."""
        if self._documents[_OLD].asserts_format is not self._documents[_NEW].asserts_format:
            return False
        seen: set[str] = set()
        pending = [reference]
        while pending:
            one = pending.pop()
            if one in seen:
                continue
            seen.add(one)
            if self._spell(_OLD, one) != self._spell(_NEW, one):
                return False
            pending.extend(get_references(self._documents[_OLD].get(one)))
        return True

    def _spell(self, uri: str, reference: str) -> bytes:
        """Return a schema as text: what Python calls equal may differ, such as 1 and true."""
        known = self._spellings[uri]
        if reference not in known:
            schema = self._documents[uri].get(reference)
            known[reference] = msgspec.json.encode(schema, order="sorted")
        return known[reference]

    def _get_digests(self, old: str, new: str) -> tuple[str, str]:
        documents = self._documents
        return get_digest(documents[_OLD], old), get_digest(documents[_NEW], new)

    def _explain(self, direction: Direction, verdict: Verdict, ends: tuple[str, str]) -> Break:
        explanation = None
        if verdict.has_witness and self._decider is not None:
            sender, receiver = ends
            uri, pointer = cut_reference(sender)
            explanation = explain(
                verdict.witness,
                self._decider.engine.validators.refer(receiver),
                (self._documents[uri], pointer),
                receiver_is_new=receiver.startswith(_NEW),
            )
        return Break(direction, verdict.kind, explanation, verdict.witness, verdict.has_witness)


def compare_schemas(old: FlatSchema, new: FlatSchema, position: Position) -> FlowReport:
    """Return what becomes of a flow of two bare schemas."""
    comparer = FlowComparer(old.document, new.document)
    return comparer.compare(position.value, position, old.reference, new.reference)


def get_digest(document: FlatDocument, reference: str) -> str:
    """Return a digest of a schema and of all that it refers to."""
    reached: dict[str, Any] = {}
    pending = [reference]
    while pending:
        one = pending.pop()
        if one in reached:
            continue
        schema = document.get(one)
        reached[one] = schema
        below = [schema]
        while below:
            part = below.pop()
            if isinstance(part, dict):
                if "$ref" in part:
                    pending.append(part["$ref"])
                below.extend(inner for _, inner in subschemas(part, Draft.DRAFT202012))
    facts = [reached.pop(reference), reached]
    text = msgspec.json.encode(facts, order="sorted")
    if len(text) > _LARGEST:
        # one spelling of each number is not worth seconds
        return hashlib.sha256(text).hexdigest()[:16]
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        return hashlib.sha256(encode_canonically(facts)).hexdigest()[:16]
    finally:
        sys.setrecursionlimit(before)
