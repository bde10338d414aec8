"""The rules of a plan: one function each, listed in one tuple.

Each is given the graph and words what it finds there; its docstring is the
rule's explanation. A finding is left out where another one is its cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pi_contracts.contracts.findings import Facet, Finding, Related, Severity, Subject

from .boundaries import find_crossed_boundaries
from .confusable import find_confusable_ids
from .contract_rules import find_contract_skew, find_deprecated_services, find_unknown_contracts
from .facets import LOCAL
from .gaps import find_local_not_reachable, find_missing_providers
from .graph import LARGE_COMPONENT, Service, Use
from .scopes import find_wrong_scopes
from .setup_rules import find_failed_setups, find_unresolvable_entry_points
from .sources import (
    find_drift,
    find_duplicate_plugins,
    find_unlisted_reports,
    find_unreported_facets,
)
from .wording import (
    SEE_ALL,
    agree,
    count_times,
    get_declaration,
    list_facets,
    list_names,
    name_facet,
    name_service,
    place_use,
    rank_facets,
    rank_uses,
    relate_uses,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .graph import Graph, Ring

_HOPS_SHOWN: Final = 50


class Rule(NamedTuple):
    """One rule: how much its findings weigh, and what finds them."""

    id: str
    severity: Severity
    find: Callable[[Graph], Iterator[Finding]]
    is_on: bool = True
    """Whether the rule is applied when nothing is configured."""


def find_duplicate_owners(graph: Graph) -> Iterator[Finding]:
    """A service is provided twice, so nobody can tell which one its consumers get.

    A service has one owner, in either mode. A local service has one in each host.
    """
    for number, claims in graph.claims.items():
        service = graph.get_service(number)
        ranked = rank_uses(graph, claims)
        owners = rank_facets(graph, (use.node for use in ranked))
        if len(owners) == 1:
            times = count_times(len(ranked))
            modes = _list_modes(graph, ranked)
            message = f"{name_facet(owners[0])} provides {name_service(service)} {times}{modes}"
            fix = "remove all provisions but one"
        else:
            described = list_names(
                f"{name_facet(owner)} ({_list_own_modes(graph, ranked, owner)})" for owner in owners
            )
            message = f"{name_service(service)} has {len(owners)} owners: {described}"
            fix = "keep one owner, or provide under different ids"
        yield Finding(
            "duplicate-owner",
            Severity.ERROR,
            f"{message}; its consumers can be served by one only",
            subject=Subject(service=service.id, scope=service.scope, facets=owners),
            related=relate_uses(graph, ranked[1:], "provides"),
            fix=fix,
            **place_use(graph, ranked[0], "provides"),  # type: ignore[arg-type] # by field name
        )


def _list_modes(graph: Graph, uses: list[Use]) -> str:
    modes = sorted({get_declaration(graph, use, "provides").mode for use in uses})
    return f", as {' and as '.join(modes)}" if len(modes) > 1 else ""


def _list_own_modes(graph: Graph, uses: list[Use], owner: Facet) -> str:
    own = [
        get_declaration(graph, use, "provides").mode
        for use in uses
        if graph.assembly.facets[use.node] == owner
    ]
    return " and ".join(own)


def find_mode_mismatches(graph: Graph) -> Iterator[Finding]:
    """A service is required in one mode and provided in the other.

    A singleton has one instance, to `use`; a keyed service has many that come
    and go, to `observe`. One finding for each service, with all who ask wrongly.
    """
    for number, uses in graph.mismatches.items():
        service, mode = graph.get_service(number), graph.get_mode(number)
        ranked = rank_uses(graph, uses)
        consumers = rank_facets(graph, (use.node for use in ranked))
        owner = graph.assembly.facets[graph.owners[number]]
        wanted, verb = ("singleton", "observe") if mode == "keyed" else ("keyed", "use")
        if consumers == (owner,):
            message = (
                f"{name_facet(owner)} requires {name_service(service)} as {wanted}, "
                f"and itself provides it as {mode}"
            )
        else:
            message = (
                f"{list_facets(consumers)} {agree(consumers, 'require')} "
                f"{name_service(service)} as {wanted}, but "
                f"{name_facet(owner)} provides it as {mode}"
            )
        yield Finding(
            "mode-mismatch",
            Severity.ERROR,
            f"{message}; the two modes cannot be joined",
            subject=Subject(
                service=service.id,
                scope=service.scope,
                facets=tuple(dict.fromkeys((*consumers, owner))),
            ),
            related=relate_uses(graph, ranked[1:], "requires"),
            fix=f"acquire it with {verb}(), or provide it as {wanted}",
            **place_use(graph, ranked[0], "requires"),  # type: ignore[arg-type] # by field name
        )


def find_dependency_cycles(graph: Graph) -> Iterator[Finding]:
    """Facets wait for each other in a ring, so that none of them can start first.

    A ring is a shortest one through one of its facets. Each facet that stands
    on a ring is in one that is told, and nobody who only waits for it.
    """
    for ring in graph.find_rings():
        yield _word_ring(graph, ring)


def _word_ring(graph: Graph, ring: Ring) -> Finding:
    facets = [graph.assembly.facets[node] for node in ring.nodes]
    count = len(facets)
    half = _HOPS_SHOWN // 2
    is_shown = [count <= _HOPS_SHOWN or not half <= i < count - half for i in range(count)]
    hops = [
        f"requires {list_names(name_service(edge.service) for edge in edges)} of "
        f"{name_facet(facets[(index + 1) % count])}"
        for index, edges in enumerate(ring.services)
        if is_shown[index]
    ]
    if count > _HOPS_SHOWN:
        hops.insert(half, f"… and {count - 2 * half} more ({SEE_ALL}) …")
    size = ""
    if ring.size > LARGE_COMPONENT:
        what = "a ring of" if ring.size == count else "one ring among"
        size = f" ({what} {ring.size} facets that all wait for each other)"
    first = ring.services[0][0]
    uses = [Use(edges[0].consumer, edges[0].position) for edges in ring.services]
    return Finding(
        "dependency-cycle",
        Severity.ERROR,
        f"{name_facet(facets[0])} {', which '.join(hops)}; none of them can start first{size}",
        subject=Subject(
            service=first.service.id,
            scope=first.service.scope,
            facets=tuple(facets),
        ),
        related=_relate_ring(graph, uses),
        fix="drop one of these requirements, or split a facet so that the ring is open",
        **place_use(graph, uses[0], "requires"),  # type: ignore[arg-type] # by field name
    )


def _relate_ring(graph: Graph, uses: list[Use]) -> tuple[Related, ...]:
    """Return the places of a ring's requirements beside the first; of a long one, of both ends."""
    half = _HOPS_SHOWN // 2
    ends = uses if len(uses) <= _HOPS_SHOWN else [*uses[:half], *uses[-half:]]
    return relate_uses(graph, ends[1:], "requires", shown=_HOPS_SHOWN)


def find_unused_providers(graph: Graph) -> Iterator[Finding]:
    """A facet provides a service that no other facet requires."""
    assembly = graph.assembly
    if assembly.is_partial or assembly.unreported or assembly.unread:
        return
    used = {
        (entry.scope, entry.service, report.facet if entry.scope == LOCAL else None)
        for report in assembly.reports
        for entry in report.requires
    }
    for node, report in enumerate(assembly.reports):
        for index, entry in enumerate(report.provides):
            kind = report.facet if entry.scope == LOCAL else None
            if (entry.scope, entry.service, kind) in used:
                continue
            facet = assembly.facets[node]
            service = Service(entry.scope, entry.service)
            yield Finding(
                "unused-provider",
                Severity.WARNING,
                f"{name_facet(facet)} provides {name_service(service)}, which no facet requires",
                subject=Subject(service=entry.service, scope=entry.scope, facets=(facet,)),
                fix="remove it, unless something outside this assembly uses it",
                **place_use(graph, Use(node, index), "provides"),  # type: ignore[arg-type]
            )


RULES: Final = (
    Rule("missing-provider", Severity.ERROR, find_missing_providers),
    Rule("local-not-reachable", Severity.ERROR, find_local_not_reachable),
    Rule("duplicate-owner", Severity.ERROR, find_duplicate_owners),
    Rule("mode-mismatch", Severity.ERROR, find_mode_mismatches),
    Rule("dependency-cycle", Severity.ERROR, find_dependency_cycles),
    Rule("scope-not-allowed", Severity.ERROR, find_wrong_scopes),
    Rule("duplicate-plugin", Severity.ERROR, find_duplicate_plugins),
    Rule("no-report", Severity.ERROR, find_unreported_facets),
    Rule("unresolvable-entry-point", Severity.ERROR, find_unresolvable_entry_points),
    Rule("setup-failed", Severity.ERROR, find_failed_setups),
    Rule("drift", Severity.ERROR, find_drift),
    Rule("unlisted-report", Severity.WARNING, find_unlisted_reports),
    Rule("unknown-contract", Severity.ERROR, find_unknown_contracts),
    Rule("contract-skew", Severity.ERROR, find_contract_skew),
    Rule("deprecated-service", Severity.WARNING, find_deprecated_services),
    Rule("boundary-crossed", Severity.ERROR, find_crossed_boundaries),
    Rule("confusable-id", Severity.WARNING, find_confusable_ids),
    Rule("unused-provider", Severity.WARNING, find_unused_providers, is_on=False),
)
