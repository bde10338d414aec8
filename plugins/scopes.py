"""The rule about where services may be provided; `rules` lists it with the others."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from pi_contracts.contracts.findings import Finding, Severity, Subject, quote

from .facets import HOST_SCOPES, LOCAL
from .graph import Service, Use
from .wording import (
    agree,
    list_facets,
    list_ids,
    name_service,
    place_use,
    rank_facets,
    rank_uses,
    relate_uses,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .graph import Graph

_PRESENTATIONS: Final = ("tui", "web")
"""Kinds of hosts that are known to provide local services only."""


def find_wrong_scopes(graph: Graph) -> Iterator[Finding]:
    """A facet provides in a scope that is not its host's, or that the contract excludes.

    The scopes `server` and `session` are served by the host of that kind alone.
    Of a host kind that is not known to have those hosts beside it, only that
    two kinds serve one of these scopes is wrong. A contract may list in
    `service.scopes` where its service may be provided.
    """
    strangers = _find_strangers(graph)
    for service, uses in strangers.items():
        yield _word_wrong_host(graph, service, rank_uses(graph, uses))
    for service, (uses, scopes) in _find_excluded(graph).items():
        if service not in strangers:
            yield _word_excluded(graph, service, rank_uses(graph, uses), scopes)


def _find_strangers(graph: Graph) -> dict[Service, list[Use]]:
    """Return the services of a host's scope that facets of another kind provide."""
    if graph.scopes.isdisjoint(HOST_SCOPES):
        return {}
    kinds = {facet.facet for facet in graph.assembly.facets}
    serving: defaultdict[str, set[str]] = defaultdict(set)
    strangers: defaultdict[int, list[Use]] = defaultdict(list)
    for node, report in enumerate(graph.assembly.reports):
        for index, entry in enumerate(report.provides):
            if entry.scope not in HOST_SCOPES:
                continue
            number = graph.find_service(Service(entry.scope, entry.service))
            if number is not None and number not in graph.claims:
                serving[entry.scope].add(report.facet)
            if number is not None and report.facet != entry.scope:
                strangers[number].append(Use(node, index))
    found: dict[Service, list[Use]] = {}
    for number, uses in strangers.items():
        service = graph.get_service(number)
        judged = [
            use
            for use in uses
            if graph.assembly.facets[use.node].facet in (*HOST_SCOPES, *_PRESENTATIONS)
            or service.scope in kinds
            or len(serving[service.scope]) > 1
        ]
        if judged:
            found[service] = judged
    return found


def _find_excluded(graph: Graph) -> dict[Service, tuple[list[Use], tuple[str, ...]]]:
    """Return the services that are provided where their contract does not allow it."""
    found: dict[Service, tuple[list[Use], tuple[str, ...]]] = {}
    contracts = graph.assembly.contracts
    if contracts is None:
        return found
    for node, report in enumerate(graph.assembly.reports):
        for index, entry in enumerate(report.provides):
            if entry.scope == LOCAL:
                continue
            traits = contracts.find_traits(entry)
            if traits is None or traits.scopes is None or entry.scope in traits.scopes:
                continue
            service = Service(entry.scope, entry.service)
            found.setdefault(service, ([], traits.scopes))[0].append(Use(node, index))
    return found


def _word_excluded(
    graph: Graph, service: Service, ranked: list[Use], scopes: tuple[str, ...]
) -> Finding:
    providers = rank_facets(graph, (use.node for use in ranked))
    allowed = list_ids(scopes)
    return Finding(
        "scope-not-allowed",
        Severity.ERROR,
        f"{list_facets(providers)} {agree(providers, 'provide')} {name_service(service)}, but the "
        f"contract of {quote(service.id)} allows scope {allowed} alone",
        subject=Subject(service=service.id, scope=service.scope, facets=providers),
        related=relate_uses(graph, ranked[1:], "provides"),
        fix=f"provide it in scope {allowed}, or allow {quote(service.scope)} in the contract",
        **place_use(graph, ranked[0], "provides"),  # type: ignore[arg-type] # by field name
    )


def _word_wrong_host(graph: Graph, service: Service, ranked: list[Use]) -> Finding:
    providers = rank_facets(graph, (use.node for use in ranked))
    scope = quote(service.scope)
    return Finding(
        "scope-not-allowed",
        Severity.ERROR,
        f"{list_facets(providers)} {agree(providers, 'provide')} {name_service(service)}, but "
        f"scope {scope} is served by the host of kind {scope} alone, and calls reach no other one",
        subject=Subject(service=service.id, scope=service.scope, facets=providers),
        related=relate_uses(graph, ranked[1:], "provides"),
        fix=f"provide it in a facet of kind {scope}, or as a local service",
        **place_use(graph, ranked[0], "provides"),  # type: ignore[arg-type] # by field name
    )
