"""Replacement: in which order hosts give way to newer ones so that nothing breaks meanwhile.

One service asks for its providers or for its consumers to be first. What several ask
together may leave no order, so that kinds of hosts have to be replaced at once.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
from pi_contracts.contracts.findings import quote

from .cycles import Links, find_components, sort_topologically
from .wording import list_names

if TYPE_CHECKING:
    from collections.abc import Iterable

Direction: TypeAlias = Literal["old-consumer", "new-consumer"]
"""Which consumer breaks beside hosts of the other generation."""
Order: TypeAlias = Literal["provider-first", "consumer-first", "lockstep"]


class Upgrade(msgspec.Struct, frozen=True):
    """In which order hosts are replaced so that one service works all the time."""

    scope: str
    service: str
    order: Order
    providers: tuple[str, ...]
    """The kinds of hosts that provide it, in either generation."""
    consumers: tuple[str, ...]
    """The kinds of hosts whose facets would break."""


class Demand(msgspec.Struct, frozen=True):
    """What one service asks of the order in which hosts are replaced."""

    scope: str
    service: str
    providers: frozenset[str]
    consumers: frozenset[str]
    directions: frozenset[Direction]

    @property
    def own_order(self) -> Order:
        """The order that would do, were it for this service alone."""
        if len(self.directions) > 1:
            return "lockstep"
        return "consumer-first" if "old-consumer" in self.directions else "provider-first"


class Replacement:
    """The order in which the kinds of hosts are replaced.

    Args:
        demands: What each service asks for, in the order of the upgrades.
    """

    def __init__(self, demands: Iterable[Demand]) -> None:
        self._demands = {(one.scope, one.service): one for one in demands}
        kinds = {kind for one in self._demands.values() for kind in one.providers | one.consumers}
        self._kinds = sorted(kinds)

    @cached_property
    def _links(self) -> Links:
        """Of each kind, by number, those that have to wait for it."""
        numbers = {kind: number for number, kind in enumerate(self._kinds)}
        links = Links(len(numbers))
        for one in self._demands.values():
            pairs = [(p, c) for p in one.providers for c in one.consumers if p != c]
            for provider, consumer in ((numbers[p], numbers[c]) for p, c in pairs):
                if "new-consumer" in one.directions:
                    links.add(provider, consumer)
                if "old-consumer" in one.directions:
                    links.add(consumer, provider)
        return links

    @cached_property
    def _groups(self) -> dict[str, tuple[str, ...]]:
        """Of each kind, those that have to be replaced together with it, and itself."""
        groups: dict[str, tuple[str, ...]] = {kind: (kind,) for kind in self._kinds}
        for component in find_components(self._links, range(len(self._kinds))):
            group = tuple(self._kinds[number] for number in component)
            groups |= dict.fromkeys(group, group)
        return groups

    @cached_property
    def sequence(self) -> tuple[tuple[str, ...], ...]:
        """An order that works: groups of kinds, each to be replaced at once."""
        groups = list(dict.fromkeys(self._groups.values()))
        numbers = {kind: number for number, group in enumerate(groups) for kind in group}
        links = Links(len(groups))
        for number, kind in enumerate(self._kinds):
            for target in self._links.iter_targets(number):
                other = numbers[self._kinds[target]]
                if other != numbers[kind]:
                    links.add(numbers[kind], other)
        return tuple(groups[number] for number in sort_topologically(links))

    @cached_property
    def upgrades(self) -> tuple[Upgrade, ...]:
        """What becomes of each demand among all others."""
        return tuple(
            Upgrade(
                one.scope,
                one.service,
                "lockstep" if self._find_together(one) else one.own_order,
                tuple(sorted(one.providers)),
                tuple(sorted(one.consumers)),
            )
            for one in self._demands.values()
        )

    def _find_together(self, demand: Demand) -> set[str]:
        """Return the kinds that have to be replaced at once because of both sides of a service."""
        return {
            kind
            for provider in demand.providers
            for kind in self._groups[provider]
            if not (demand.consumers - {provider}).isdisjoint(self._groups[provider])
        }

    def advise(self, scope: str, service: str) -> str:
        """Word what to do for one service."""
        demand = self._demands[scope, service]
        together = self._find_together(demand)
        providers, consumers = demand.providers - together, demand.consumers - together
        first, last = providers, consumers
        if demand.own_order == "consumer-first":
            first, last = consumers, providers
        last -= first  # a kind on both sides is replaced once
        if not together:
            advice = f"replace the hosts of kind {_list(first)} before those of kind {_list(last)}"
            if demand.own_order == "consumer-first":
                advice += ", or keep providing what they require"
            return advice
        advice = f"replace the hosts of kind {_list(together)} together"
        if first:
            advice += f", after those of kind {_list(first)}"
        if last:
            advice += f", before those of kind {_list(last)}"
        if demand.own_order != "lockstep":
            advice += ", since other services ask for the other order"
        return f"{advice}, or keep both sides"


def _list(kinds: Iterable[str]) -> str:
    return list_names(quote(kind) for kind in sorted(kinds))
