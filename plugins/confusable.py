"""The rule about ids that look alike; `rules` lists it with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_contracts.contracts.findings import Finding, Severity, Subject

from .graph import Use
from .similar import fold, group_confusable, show_difference
from .wording import list_names, place_origin, place_use, relate_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .graph import Graph

_PLUGINS: Final = "plugin ids"
_KINDS: Final = "facet kinds"
_SCOPES: Final = "scopes"
_SERVICES: Final = "service ids"


def find_confusable_ids(graph: Graph) -> Iterator[Finding]:
    """Two ids differ only in case or Unicode form: they look alike, and do not match."""
    assembly = graph.assembly
    groups = [
        (what, group)
        for what, ids in (
            (_PLUGINS, [*[facet.plugin for facet in assembly.facets], *assembly.plugins]),
            (_KINDS, [facet.facet for facet in assembly.facets]),
            (_SCOPES, list(graph.scopes)),
            (_SERVICES, [*graph.iter_provided_ids(), *[gap.id for gap in graph.gaps]]),
        )
        for group in group_confusable(ids)
        if what in {_PLUGINS, _KINDS} or not _is_near_miss(graph, group)
    ]
    wanted = {(what, one) for what, group in groups for one in group}
    places = _find_places(graph, wanted) if wanted else {}
    for what, group in groups:
        yield _word(what, group, [places.get((what, one), {}) for one in group])


def _is_near_miss(graph: Graph, group: list[str]) -> bool:
    """Tell whether a missing provider already names these ids side by side."""
    folded = fold(group[0])
    gaps = {(fold(gap.scope), fold(gap.id)) for gap in graph.gaps if folded in map(fold, gap[:2])}
    return any(
        (fold(service.scope), fold(service.id)) in gaps
        for service in graph.iter_services()
        if service.scope in group or service.id in group
    )


def _find_places(
    graph: Graph, wanted: set[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, object]]:
    """Return where ids stand first, by the names of facets; each is wanted by what it names."""
    assembly = graph.assembly
    found = {
        (_PLUGINS, plugin): place_origin(origin)
        for plugin, origin in assembly.plugins.items()
        if (_PLUGINS, plugin) in wanted
    }
    firsts: dict[tuple[str, str], tuple[int, str, int]] = {}
    for node in sorted(range(len(assembly.facets)), key=assembly.facets.__getitem__):
        facet, report = assembly.facets[node], assembly.reports[node]
        firsts.setdefault((_PLUGINS, facet.plugin), (node, "", 0))
        firsts.setdefault((_KINDS, facet.facet), (node, "", 0))
        for member, entries in (("provides", report.provides), ("requires", report.requires)):
            for index, entry in enumerate(entries):
                firsts.setdefault((_SCOPES, entry.scope), (node, member, index))
                firsts.setdefault((_SERVICES, entry.service), (node, member, index))
    for key in (firsts.keys() & wanted) - found.keys():
        node, member, index = firsts[key]
        if member:
            found[key] = place_use(graph, Use(node, index), member)
        else:
            found[key] = place_origin(assembly.get_origin(node))
    return found


def _word(what: str, group: list[str], places: list[dict[str, object]]) -> Finding:
    pairs = [show_difference(group[0], other) for other in group[1:]]
    shown = list_names([pairs[0][0], *(second for _, second in pairs)])
    related = [relate_place("another one stands here", place) for place in places[:-1] if place]
    return Finding(
        "confusable-id",
        Severity.WARNING,
        f"the {what} {shown} differ only in case or Unicode form; they look alike and do not match",
        subject=Subject(detail=f"{what}: {', '.join(group)}"),
        related=tuple(related),
        fix="write them all the same way, or give them names that differ visibly",
        **places[-1],  # type: ignore[arg-type] # by field name
    )
