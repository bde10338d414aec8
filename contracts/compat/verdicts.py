"""Verdicts: who is broken by a change, how verdicts add up, and what to upgrade first."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, TypeAlias

from .decide import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Direction(enum.StrEnum):
    """Whose consumers a verdict is about; their provider is of the other generation."""

    OLD_CONSUMER = "old-consumer"
    NEW_CONSUMER = "new-consumer"

    @property
    def consumers(self) -> str:
        """All of them, in words."""
        return "old consumers" if self is Direction.OLD_CONSUMER else "new consumers"

    @property
    def consumer(self) -> str:
        """The consumer in words."""
        return "the old consumer" if self is Direction.OLD_CONSUMER else "the new consumer"

    @property
    def provider(self) -> str:
        """The provider in words."""
        return "the new provider" if self is Direction.OLD_CONSUMER else "the old provider"


class Position(enum.StrEnum):
    """What a value that flows is to its member."""

    ARGUMENT = "argument"
    RESULT = "result"
    STATE = "state"
    EVENT = "event"
    ERROR = "error"

    @property
    def is_sent_by_consumer(self) -> bool:
        """Whether values flow from the consumer to the provider."""
        return self is Position.ARGUMENT


class Effect(enum.StrEnum):
    """What a change does to the values that a schema accepts."""

    SAME = "same"
    NARROW = "narrow"
    WIDEN = "widen"
    BOTH = "both"
    UNKNOWN = "unknown"


class Order(enum.StrEnum):
    """Whose hosts can be upgraded first."""

    ANY = "any"
    PROVIDER_FIRST = "provider-first"
    CONSUMER_FIRST = "consumer-first"
    LOCKSTEP = "lockstep"


Verdicts: TypeAlias = "Mapping[Direction, Kind]"


def combine(verdicts: Iterable[Verdicts]) -> dict[Direction, Kind]:
    """Return the worst verdict of each direction."""
    worst = dict.fromkeys(Direction, Kind.COMPATIBLE)
    for one in verdicts:
        for direction, kind in one.items():
            if kind.rank > worst[direction].rank:
                worst[direction] = kind
    return worst


def choose_order(verdicts: Verdicts) -> Order:
    """Return what may be upgraded first; what is undecided counts as a break."""
    safe = {Kind.COMPATIBLE, Kind.UNDECLARED}
    old = verdicts[Direction.OLD_CONSUMER] in safe
    new = verdicts[Direction.NEW_CONSUMER] in safe
    if old:
        return Order.ANY if new else Order.PROVIDER_FIRST
    return Order.CONSUMER_FIRST if new else Order.LOCKSTEP


def find_effect(old_in_new: Kind, new_in_old: Kind) -> Effect:
    """Return what a change does, by whether each schema contains the other."""
    if Kind.UNDECIDED in {old_in_new, new_in_old}:
        return Effect.UNKNOWN
    if old_in_new is Kind.COMPATIBLE:
        return Effect.SAME if new_in_old is Kind.COMPATIBLE else Effect.WIDEN
    return Effect.NARROW if new_in_old is Kind.COMPATIBLE else Effect.BOTH
