"""Rules about where facets and their reports come from; `rules` lists them with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.findings import Facet, Finding, Related, Severity, Subject, quote

from .gaps import list_unjudged
from .graph import Service
from .wording import agree, list_names, name_facet, name_service, place_origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .assembly import Origin
    from .graph import Graph


def find_duplicate_plugins(graph: Graph) -> Iterator[Finding]:
    """A plugin stands twice in the manifest, or a facet is reported twice."""
    for plugin, kind, origins in graph.assembly.repeated:
        times = "twice" if len(origins) == 2 else f"{len(origins)} times"  # noqa: PLR2004
        if kind is None:
            message = f"the manifest lists plugin {quote(plugin)} {times}"
            fix = "list each plugin once"
            facets: tuple[Facet, ...] = ()
        else:
            facets = (Facet(plugin, kind),)
            message = f"the facet {name_facet(facets[0])} is reported {times}"
            fix = "report each facet once, and give each plugin an id of its own"
        yield Finding(
            "duplicate-plugin",
            Severity.ERROR,
            f"{message}; it cannot be loaded more than once",
            subject=Subject(facets=facets, detail=plugin),
            related=_relate_origins(origins[:-1]),
            fix=fix,
            **place_origin(origins[-1]),  # type: ignore[arg-type] # by field name
        )


def _relate_origins(origins: Iterable[Origin]) -> tuple[Related, ...]:
    related: list[Related] = []
    for origin in origins:
        facts = place_origin(origin)
        if facts:
            facts.pop("pointer", None)
            related.append(Related("it stands here too", **facts))  # type: ignore[arg-type]
    return tuple(related)


def find_unreported_facets(graph: Graph) -> Iterator[Finding]:
    """Nothing is known of a facet of the manifest.

    It has no inline report, and no file reports it. What it may provide is not
    reported as missing.
    """
    for plugin, kind, origin in graph.assembly.unreported:
        if kind is None:
            what = f"plugin {quote(plugin)} names no facets, and no installed package does"
            facets: tuple[Facet, ...] = ()
        else:
            facets = (Facet(plugin, kind),)
            what = f"nothing is known of {name_facet(facets[0])}, which has no report"
        unjudged = list_unjudged(graph, kind)
        open_ends = f"; so it is not known who provides {list_names(unjudged)}" if unjudged else ""
        yield Finding(
            "no-report",
            Severity.ERROR,
            f"{what}{open_ends}",
            subject=Subject(facets=facets, detail=plugin),
            fix="give it an inline report, or name a file that has one with --facets",
            **place_origin(origin),  # type: ignore[arg-type] # by field name
        )


def find_unlisted_reports(graph: Graph) -> Iterator[Finding]:
    """A facet is reported that the manifest does not have; it is left out of the plan."""
    for facet, origin in graph.assembly.unlisted:
        yield Finding(
            "unlisted-report",
            Severity.WARNING,
            f"{name_facet(facet)} is reported, but the manifest has no such facet; it is left out",
            subject=Subject(facets=(facet,)),
            fix="add the facet to the manifest, or leave its report out",
            **place_origin(origin),  # type: ignore[arg-type] # by field name
        )


def find_drift(graph: Graph) -> Iterator[Finding]:
    """The inline report of a facet and the one made elsewhere differ.

    The one made elsewhere is planned with.
    """
    for facet, origin, declared, reported in graph.assembly.drifts:
        parts = [
            f"{list_names(sorted(name_service(Service(d.scope, d.service)) for d in entries))} "
            f"{agree(entries, 'stand')} in the {where} report only"
            for entries, where in ((declared, "inline"), (reported, "other"))
            if entries
        ]
        yield Finding(
            "drift",
            Severity.ERROR,
            f"the two reports of {name_facet(facet)} differ: {'; '.join(parts)}",
            subject=Subject(facets=(facet,)),
            fix="make the inline report say what the facet declares, or remove it",
            **place_origin(origin),  # type: ignore[arg-type] # by field name
        )
