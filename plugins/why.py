"""Why a service is there: who provides it, who needs it, through whom and up to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from pi_contracts.contracts.findings import Facet, escape, quote

from .explain import shorten_names
from .graph import Use
from .similar import SimilarIds
from .steps import (
    Paths,
    Step,
    draw_tree,
    find_site,
    list_services,
    name_host,
    word_site,
)
from .wording import list_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .facets import CallSite
    from .graph import Graph, Service

SHOWN = 20
"""How many lines of one kind are drawn before it says how many more there are."""
_SUGGESTED = 5


class Owner(msgspec.Struct, frozen=True, omit_defaults=True):
    """A facet that provides a service."""

    plugin: str
    facet: str
    mode: str
    at: CallSite | None = None


class Why(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that one service is joined to."""

    scope: str
    service: str
    providers: tuple[Owner, ...] = msgspec.field(default=())
    """More than one if they dispute it."""
    consumers: tuple[Step, ...] = ()
    """Who requires it, at distance 1, and all who wait for those."""
    ends: tuple[Facet, ...] = ()
    """Those of them that nobody waits for."""
    needs: tuple[Step, ...] = ()
    """What the providers need, and what is needed for that."""
    host: str | None = None
    """Of a local service, the kind of host that sees it."""


def find_named(graph: Graph, name: str) -> list[Service]:
    """Return the services that ``SCOPE/SERVICE`` names; a local one may be in several hosts."""
    return [one for one in list_services(graph) if f"{one.scope}/{one.id}" == name]


def is_ambiguous(service: Service, others: Iterable[Service]) -> bool:
    """Tell whether the name of a service is also that of one in another scope."""
    name = f"{service.scope}/{service.id}"
    return any(f"{one.scope}/{one.id}" == name for one in others if one.scope != service.scope)


def suggest_services(graph: Graph, name: str) -> list[str]:
    """Return names of services that somebody may have meant, the nearest first."""
    names = sorted({f"{one.scope}/{one.id}" for one in list_services(graph)})
    wanted = name.rpartition("/")[2]
    similar = SimilarIds(names).find(name)
    ids = {one.rpartition("/")[2] for one in names}
    near = {wanted, *SimilarIds(ids).find(wanted)}
    same = [one for one in names if one.rpartition("/")[2] in near]
    return list(dict.fromkeys((*similar, *same)))[:_SUGGESTED]


def explain_service(graph: Graph, service: Service) -> Why:
    """Follow a service both ways: to all who wait for it, and to all that it needs."""
    paths = Paths(graph)
    number = graph.find_service(service)
    uses: list[Use] = []
    if number is not None:
        uses = graph.claims.get(number) or [_find_provision(graph, number, service)]
    direct = list(paths.iter_consumers(service))
    nodes = dict.fromkeys(node for node, _ in direct)
    owners = {use.node for use in uses}
    known = {msgspec.structs.replace(step, distance=0) for _, step in direct}
    further = [
        (node, step)
        for node, step in paths.iter_waiting([n for n in nodes if n not in owners], 2)
        if msgspec.structs.replace(step, distance=0) not in known
    ]
    reached = sorted({*nodes, *(node for node, _ in further)})
    facets = graph.assembly.facets
    return Why(
        service.scope,
        service.id,
        tuple(_make_owner(graph, use) for use in uses),
        tuple(step for _, step in (*direct, *further)),
        tuple(facets[node] for node in reached if not paths.has_waiting(node)),
        tuple(paths.iter_needs(use.node for use in uses)),
        service.kind,
    )


def _find_provision(graph: Graph, number: int, service: Service) -> Use:
    node = graph.owners[number]
    entries = enumerate(graph.assembly.reports[node].provides)
    wanted = (service.scope, service.id)
    return Use(node, next(i for i, d in entries if (d.scope, d.service) == wanted))


def _make_owner(graph: Graph, use: Use) -> Owner:
    facet = graph.assembly.facets[use.node]
    mode = graph.assembly.reports[use.node].provides[use.position].mode
    return Owner(facet.plugin, facet.facet, mode, find_site(graph, use, "provides"))


def draw_why(
    graph: Graph, service: Service, why: Why, *, is_ambiguous: bool = False, shown: int = SHOWN
) -> str:
    """Draw an answer for people: providers and their needs, then all who wait.

    Args:
        graph: The facets.
        service: What was asked about.
        why: The answer.
        is_ambiguous: Whether the scope has to be told apart from the id.
        shown: How many lines of one kind are drawn before it says how many more
            there are.
    """
    names = shorten_names(graph.assembly.facets)
    scope = f" in scope {quote(why.scope)}" if is_ambiguous else ""
    lines = [f"{escape(f'{why.scope}/{why.service}')}{name_host(service)}{scope}"]
    for owner in why.providers:
        name = names[Facet(owner.plugin, owner.facet)]
        lines.append(f"  provided by {name} as {owner.mode}{word_site(owner.at)}")
    if not why.providers:
        lines.append("  provided by nobody")
    lines += draw_tree(
        [step for step in why.needs if step.distance == 1],
        [step for step in why.needs if step.distance > 1],
        lambda s: f"{s.name} <- {names[s.provider] if s.provider else 'nobody'}{word_site(s.at)}",
        follow=lambda step: step.provider,
        group=lambda step: step.consumer,
        shown=shown,
        indent="    needs ",
    )
    direct = [step for step in why.consumers if step.distance == 1]
    if not direct:
        lines.append("  needed by nobody")
        return "".join(f"{line}\n" for line in lines)
    count = len({step.consumer for step in why.consumers})
    lines.append(f"  needed by {count} facet{'' if count == 1 else 's'}:")
    lines += draw_tree(
        direct,
        [step for step in why.consumers if step.distance > 1],
        lambda s: f"{s.name} -> {names[s.consumer]}{word_site(s.at)}",
        follow=lambda step: step.consumer,
        group=lambda step: step.provider,
        shown=shown,
        indent="    ",
    )
    if why.ends:
        lines.append(f"  up to {list_names(names[facet] for facet in why.ends)}")
    return "".join(f"{line}\n" for line in lines)
