"""What breaks without a plugin: over all hosts, with what it alone provides."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec
from pi_contracts.contracts.findings import Facet, Finding, Severity, Subject, escape, quote

from .explain import shorten_names
from .graph import Graph
from .similar import SimilarIds, fold
from .steps import Paths, Step, draw_tree, name_host, word_site
from .wording import (
    SEE_ALL,
    agree,
    list_facets,
    name_service,
    place_use,
    rank_facets,
    rank_uses,
    relate_uses,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .assembly import Assembly
    from .boundaries import Crossing
    from .graph import Service

RULE: Final = "retained-consumer"
"""The rule of what `Removal.find_retained` finds."""
SHOWN: Final = 20
"""How many lines of one kind are drawn before it says how many more there are."""
_SUGGESTED: Final = 5


class Loss(msgspec.Struct, frozen=True, omit_defaults=True):
    """A service that a plugin alone provides."""

    scope: str
    service: str
    mode: str
    provider: Facet
    consumers: tuple[Step, ...] = msgspec.field(default=())
    """Those of other plugins that require it, so that they cannot start without the plugin."""
    host: str | None = None
    """Of a local service, the kind of host that sees it."""


class Idle(msgspec.Struct, frozen=True, omit_defaults=True):
    """A service that nobody requires any more."""

    scope: str
    service: str
    provider: Facet
    host: str | None = None


class Without(msgspec.Struct, frozen=True):
    """What becomes of an assembly if one plugin is left out."""

    plugin: str
    facets: tuple[Facet, ...]
    """Those that are left out."""
    losses: tuple[Loss, ...]
    """What it alone provides; where a loss has consumers, it is why something breaks."""
    stopped: tuple[Step, ...]
    """Consequences: the facets that wait for one that a loss stops."""
    idle: tuple[Idle, ...]
    """Services of others that only this plugin requires."""


def list_plugins(graph: Graph) -> list[str]:
    """Return the ids of all plugins of an assembly, in its order."""
    assembly = graph.assembly
    return list(dict.fromkeys((*assembly.plugins, *(f.plugin for f in assembly.facets))))


def suggest_plugins(graph: Graph, name: str) -> list[str]:
    """Return ids of plugins that somebody may have meant, the nearest first."""
    ids = list_plugins(graph)
    end = fold(name).rpartition("/")[2]
    ends = [one for one in ids if fold(one).rpartition("/")[2] == end]
    return list(dict.fromkeys((*ends, *SimilarIds(ids).find(name))))[:_SUGGESTED]


def leave_out(assembly: Assembly, plugin: str) -> Assembly:
    """Return an assembly that lacks one plugin."""
    kept = [node for node, facet in enumerate(assembly.facets) if facet.plugin != plugin]
    return dataclasses.replace(
        assembly,
        facets=[assembly.facets[node] for node in kept],
        reports=[assembly.reports[node] for node in kept],
        places=[assembly.places[node] for node in kept],
        plugins={one: origin for one, origin in assembly.plugins.items() if one != plugin},
        repeated=[one for one in assembly.repeated if one.plugin != plugin],
        drifts=[one for one in assembly.drifts if one.facet.plugin != plugin],
        unreported=[one for one in assembly.unreported if one.plugin != plugin],
        unlisted=[one for one in assembly.unlisted if one[0].plugin != plugin],
        unread=[facet for facet in assembly.unread if facet.plugin != plugin],
        recordings=[one for one in assembly.recordings if one.entry.plugin != plugin],
        crossings=[one for one in assembly.crossings if _is_kept(one, plugin)],
    )


def _is_kept(crossing: Crossing, plugin: str) -> bool:
    """Tell whether a crossing is still one when a plugin is left out."""
    owners = [facet for facet in crossing.owners if facet.plugin != plugin]
    return crossing.facet.plugin != plugin and (bool(owners) or crossing.prefix is not None)


class Removal:
    """One plugin left out of an assembly: what remains, and what breaks there.

    Args:
        graph: The whole assembly.
        plugin: The id of the plugin.
    """

    def __init__(self, graph: Graph, plugin: str) -> None:
        self.graph = graph
        self.plugin = plugin
        self.rest = Graph(leave_out(graph.assembly, plugin))

    @cached_property
    def _own(self) -> list[int]:
        """The services that facets of the plugin provide, and no others."""
        facets, claims = self.graph.assembly.facets, self.graph.claims
        return [
            number
            for number, owner in enumerate(self.graph.owners)
            if all(facets[u.node].plugin == self.plugin for u in claims.get(number, ()))
            and facets[owner].plugin == self.plugin
        ]

    @cached_property
    def answer(self) -> Without:
        """What becomes of the assembly; root causes apart from what they bring about."""
        facets = self.graph.assembly.facets
        paths = Paths(self.rest)
        losses: list[Loss] = []
        broken: dict[int, None] = {}
        for number in self._own:
            service = self.graph.get_service(number)
            consumers = list(paths.iter_consumers(service))
            broken |= dict.fromkeys(node for node, _ in consumers)
            losses.append(
                Loss(
                    service.scope,
                    service.id,
                    self.graph.get_mode(number),
                    facets[self.graph.owners[number]],
                    tuple(step for _, step in consumers),
                    service.kind,
                )
            )
        return Without(
            self.plugin,
            tuple(facet for facet in facets if facet.plugin == self.plugin),
            tuple(losses),
            tuple(step for node, step in paths.iter_waiting(broken) if node not in broken),
            tuple(self._iter_idle()),
        )

    def _iter_idle(self) -> Iterator[Idle]:
        facets = self.graph.assembly.facets
        wanted: dict[int, Service] = {}
        others: set[int] = set()
        for node, facet in enumerate(facets):
            for edge in self.graph.iter_edges(node):
                if facet.plugin == self.plugin:
                    wanted[edge.number] = edge.service
                else:
                    others.add(edge.number)
        for number, service in wanted.items():
            owner = facets[self.graph.owners[number]]
            if number not in others and owner.plugin != self.plugin:
                yield Idle(service.scope, service.id, owner, service.kind)

    def find_retained(self) -> Iterator[Finding]:
        """A plugin is to be left out that others cannot start without."""
        rest = self.rest
        for number in self._own:
            service = self.graph.get_service(number)
            uses = rank_uses(rest, rest.gaps.get(service, ()))
            if not uses:
                continue
            consumers = rank_facets(rest, (use.node for use in uses))
            yield Finding(
                RULE,
                Severity.ERROR,
                f"without {quote(self.plugin)} nobody provides {name_service(service)}"
                f"{name_host(service)}, and {list_facets(consumers)} "
                f"{agree(consumers, 'require')} it and cannot start",
                subject=Subject(
                    service=service.id, scope=service.scope, facets=consumers, detail=self.plugin
                ),
                related=relate_uses(rest, uses[1:], "requires"),
                fix=f"keep {quote(self.plugin)}, leave these facets out too, or let another "
                f"plugin provide {name_service(service)}",
                **place_use(rest, uses[0], "requires"),  # type: ignore[arg-type] # by field name
            )

    def judge(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings on what remains; of what the removal brings about, its own."""
        retained = list(self.find_retained())
        told = {(one.subject.scope, one.subject.service): one.subject.facets for one in retained}
        others = (one for one in findings if not _is_told(one, told))
        return [*retained, *others]


def _is_told(
    finding: Finding, told: Mapping[tuple[str | None, str | None], tuple[Facet, ...]]
) -> bool:
    if finding.rule not in {"missing-provider", "local-not-reachable"}:
        return False
    subject = finding.subject
    consumers = told.get((subject.scope, subject.service))
    return consumers is not None and subject.facets[: len(consumers)] == consumers


def draw_without(graph: Graph, answer: Without, *, shown: int = SHOWN) -> str:
    """Draw an answer for people: each loss with those it stops, then what is left over."""
    names = shorten_names(graph.assembly.facets)
    kinds = ", ".join(escape(facet.facet) for facet in answer.facets)
    lines = [f"Without {escape(answer.plugin)} ({kinds or 'no facets'}):"]
    stopped = answer.stopped
    for loss in answer.losses:
        where = f" in host kind {escape(loss.host)}" if loss.host is not None else ""
        name = escape(f"{loss.scope}/{loss.service}")
        if not loss.consumers:
            lines.append(f"  {name}{where} goes, and nobody else requires it")
            continue
        lines.append(f"  {name}{where} is missing, and so these cannot start:")
        lines += draw_tree(
            loss.consumers,
            stopped,
            lambda s: (
                f"{names[s.consumer]}{word_site(s.at)}"
                if s.provider is None
                else f"{s.name} -> {names[s.consumer]}{word_site(s.at)}"
            ),
            follow=lambda step: step.consumer,
            group=lambda step: step.provider,
            shown=shown,
            indent="    ",
        )
    for idle in answer.idle[:shown]:
        where = f" in host kind {escape(idle.host)}" if idle.host is not None else ""
        name = escape(f"{idle.scope}/{idle.service}")
        lines.append(f"  {name}{where} of {names[idle.provider]} is required by nobody any more")
    if len(answer.idle) > shown:
        lines.append(f"  …and {len(answer.idle) - shown} more ({SEE_ALL})")
    if not answer.losses:
        lines.append("  nothing goes that it alone provides")
    return "".join(f"{line}\n" for line in lines)
