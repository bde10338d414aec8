"""Skew: who breaks while hosts of two generations of one application run side by side.

A host is replaced whole, so a facet and what it consumes in its own process are
always of one generation; only what crosses from one kind of host to another is
judged.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET
from pi_contracts.contracts.findings import Facet, Finding, Severity, Subject, quote

from .contract_fit import Verdict
from .facets import LOCAL, CallSite
from .graph import Service, Use
from .replacement import Demand, Direction, Replacement
from .steps import find_site
from .wording import (
    agree,
    list_facets,
    name_facet,
    name_service,
    place_use,
    rank_facets,
    rank_uses,
    relate_uses,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .facets import Declaration
    from .graph import Edge, Graph

RULE: Final = "skew-break"
"""The rule of what `Skew.find_breaks` finds."""

Reason: TypeAlias = Literal["not-provided", "mode", "moved", "version", "contract"]
Judge: TypeAlias = "Callable[[str, str], Verdict | None]"
"""How a consumer with a contract of the first digest fares with a provider of the second.

None if one of the contracts is not at hand.
"""


class Break(msgspec.Struct, frozen=True, omit_defaults=True):
    """That a facet of one generation does not work with the other one's provider."""

    direction: Direction
    consumer: Facet
    scope: str
    service: str
    reason: Reason
    provider: Facet | None = None
    """Of the other generation; None if there is none."""
    at: CallSite | None = None


class _Difference(NamedTuple):
    reason: Reason | None
    """None if nothing is wrong."""
    provider: Facet | None = None
    """Of the other generation."""
    detail: str = ""
    verdict: Verdict | None = None


_FITS: Final = _Difference(None)


class _Found(NamedTuple):
    broken: Break
    use: Use
    service: Service
    home: Facet
    """Who provides the service in the consumer's own generation."""
    difference: _Difference


class Skew:
    """The breaks between two generations.

    Args:
        old: The generation that runs.
        new: The one that replaces it.
        judge: Compares contracts; without it, versions are compared.
    """

    def __init__(self, old: Graph, new: Graph, judge: Judge | None = None) -> None:
        self.old = old
        self.new = new
        self._judge = judge
        self._found = [
            *self._find("old-consumer", old, new),
            *self._find("new-consumer", new, old),
        ]

    @property
    def breaks(self) -> tuple[Break, ...]:
        """Each facet that breaks, for each service, old consumers first."""
        return tuple(found.broken for found in self._found)

    @cached_property
    def replacement(self) -> Replacement:
        """In which order hosts are replaced, for each service that something breaks for."""
        return Replacement(
            Demand(
                scope,
                service,
                frozenset(
                    one.facet
                    for found in group
                    for one in (found.home, found.broken.provider)
                    if one is not None
                ),
                frozenset(found.broken.consumer.facet for found in group),
                frozenset(found.broken.direction for found in group),
            )
            for (scope, service), group in sorted(_group(self._found).items())
        )

    def find_breaks(self) -> Iterator[Finding]:
        """Hosts of two generations run side by side, and one's facets break with the other's.

        Old consumers that break are errors, since not all of them can be replaced at
        once; new ones that break only tell which hosts to replace first.
        """
        groups: dict[tuple[Service, Direction, _Difference], list[Use]] = {}
        for found in self._found:
            key = (found.service, found.broken.direction, found.difference)
            groups.setdefault(key, []).append(found.use)
        for (service, direction, difference), uses in groups.items():
            verdict = difference.verdict or Verdict(is_compatible=False, reason="")
            is_old = direction == "old-consumer"
            graph = self.old if is_old else self.new
            ranked = rank_uses(graph, uses)
            consumers = rank_facets(graph, (use.node for use in ranked))
            own, other = ("old", "new") if is_old else ("new", "old")
            yield Finding(
                RULE,
                Severity.ERROR if is_old else Severity.NOTE,
                f"beside {other} hosts the {own} {list_facets(consumers)} "
                f"{agree(consumers, 'lack')} {name_service(service)}, {difference.detail}",
                subject=Subject(
                    service=service.id, scope=service.scope, facets=consumers, detail=direction
                ),
                related=(*relate_uses(graph, ranked[1:], "requires"), *verdict.places),
                fix=self.replacement.advise(service.scope, service.id),
                flow=verdict.flow,
                witness=verdict.proof,
                **place_use(graph, ranked[0], "requires"),  # type: ignore[arg-type] # by field name
            )

    def _find(self, direction: Direction, own: Graph, other: Graph) -> Iterator[_Found]:
        facets = own.assembly.facets
        for node, facet in enumerate(facets):
            for edge in own.iter_edges(node):
                home = facets[edge.provider]
                crosses = edge.service.scope != LOCAL and home.facet != facet.facet
                if not crosses or edge.number in own.claims:
                    continue
                if own.get_mode(edge.number) != edge.mode:
                    continue  # it does not work in its own generation either
                difference = self._compare(own, edge, other)
                if difference.reason is None:
                    continue
                use = Use(node, edge.position)
                service = edge.service
                broken = Break(
                    direction,
                    facet,
                    service.scope,
                    service.id,
                    difference.reason,
                    difference.provider,
                    find_site(own, use, "requires"),
                )
                yield _Found(broken, use, service, home, difference)

    def _compare(self, own: Graph, edge: Edge, other: Graph) -> _Difference:
        number = other.find_service(edge.service)
        if number is None:
            if _is_incomplete(other):
                return _FITS  # a facet that nothing is known of may provide it
            return _Difference("not-provided", None, _word_absence(other, edge.service))
        if number in other.claims:
            return _FITS  # disputed: a finding of the other generation's own
        provider = other.assembly.facets[other.owners[number]]
        name = name_facet(provider)
        mode = other.get_mode(number)
        if mode != edge.mode:
            detail = f"which {name} provides as {mode}, not as {edge.mode}"
            return _Difference("mode", provider, detail)
        if provider.facet != own.assembly.facets[edge.provider].facet:
            return _Difference("moved", provider, f"which {name} provides there, in another host")
        wanted = own.assembly.reports[edge.consumer].requires[edge.position]
        return self._compare_contracts(wanted, other.get_provision(number), provider)

    def _compare_contracts(
        self, wanted: Declaration, given: Declaration, provider: Facet
    ) -> _Difference:
        ours, theirs = wanted.contract, given.contract
        if ours is UNSET or theirs is UNSET:
            return _FITS
        detail = f"which {name_facet(provider)} provides there"
        if UNSET not in {ours.digest, theirs.digest}:
            if ours.digest == theirs.digest:
                return _FITS
            verdict = self._judge(str(ours.digest), str(theirs.digest)) if self._judge else None
            if verdict is not None:
                if verdict.is_compatible:
                    return _FITS
                detail += f" by another contract: {verdict.reason}"
                return _Difference("contract", provider, detail, verdict)
        if UNSET in {ours.version, theirs.version} or ours.version == theirs.version:
            return _FITS
        detail += f" in version {theirs.version}, not {ours.version}"
        return _Difference("version", provider, detail)


def _word_absence(other: Graph, service: Service) -> str:
    """Word that nobody provides a service, and in which other scope somebody does."""
    absent = "which no facet of that generation provides"
    found = [(other.get_service(number), number) for number in other.find_by_id(service.id)]
    scopes = {near.scope: other.owners[number] for near, number in sorted(found)}
    hints = (
        f"{name_facet(other.assembly.facets[owner])} provides it in scope {quote(scope)}"
        for scope, owner in scopes.items()
        if scope != LOCAL
    )
    return "; ".join((absent, *hints))


def _is_incomplete(graph: Graph) -> bool:
    assembly = graph.assembly
    return assembly.is_partial or bool(assembly.unreported) or bool(assembly.unread)


def _group(found: list[_Found]) -> dict[tuple[str, str], list[_Found]]:
    groups: dict[tuple[str, str], list[_Found]] = {}
    for one in found:
        groups.setdefault((one.broken.scope, one.broken.service), []).append(one)
    return groups
