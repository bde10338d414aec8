"""Rules about where facets and their reports come from; `rules` lists them with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET
from pi_contracts.contracts.findings import Facet, Finding, Related, Severity, Subject, quote

from .entry_points import name_package
from .gaps import map_unjudged, say_unjudged
from .graph import Service
from .wording import (
    agree,
    count_times,
    list_ids,
    list_names,
    name_facet,
    name_service,
    place_origin,
    relate_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .entry_points import Announcement
    from .facets import Declaration, Origin
    from .graph import Graph


def find_duplicate_plugins(graph: Graph) -> Iterator[Finding]:
    """A plugin stands twice in the manifest, or a facet is reported twice."""
    for plugin, kind, origins, announced in graph.assembly.repeated:
        times = count_times(len(origins))
        if kind is None:
            message = f"the manifest lists plugin {quote(plugin)} {times}"
            fix = "list each plugin once"
            facets: tuple[Facet, ...] = ()
        else:
            facets = (Facet(plugin, kind),)
            message = f"the facet {name_facet(facets[0])} is reported {times}"
            fix = "report each facet once, and give each plugin an id of its own"
            if announced:
                message = _word_announced(facets[0], announced)
                fix = "remove what is not meant, or name the facet in the manifest"
        yield Finding(
            "duplicate-plugin",
            Severity.ERROR,
            f"{message}; it cannot be loaded more than once",
            subject=Subject(facets=facets, detail=plugin),
            related=_relate_origins(origins[:-1]),
            fix=fix,
            **place_origin(origins[-1]),  # type: ignore[arg-type] # by field name
        )


def _word_announced(facet: Facet, announced: Sequence[Announcement]) -> str:
    packages = {one.package for one in announced}
    if len(packages) == 1:
        entries = list_ids(one.entry for one in announced)
        return (
            f"the installed package {name_package(packages.pop())} announces the facet "
            f"{name_facet(facet)} {count_times(len(announced))}, as {entries}"
        )
    return (
        f"the installed packages {list_names(map(str, announced))} announce the facet "
        f"{name_facet(facet)}"
    )


def _relate_origins(origins: Iterable[Origin]) -> tuple[Related, ...]:
    places = map(place_origin, origins)
    return tuple(relate_place("it stands here too", facts) for facts in places if facts)


def find_unreported_facets(graph: Graph) -> Iterator[Finding]:
    """Nothing is known of a facet of the manifest.

    It has no inline report, and no file reports it. What it may provide is not
    reported as missing.
    """
    unjudged = map_unjudged(graph)
    for plugin, kind, origin, announced in graph.assembly.unreported:
        fix = "give it an inline report, or name a file that has one with --facets"
        if kind is None:
            what = f"plugin {quote(plugin)} names no facets, and no installed package does"
            fix = "install its package, name its facets here, or give reports of them with --facets"
            facets: tuple[Facet, ...] = ()
            spare = graph.assembly.spare
            near = spare.find_similar(plugin) if spare is not None and not announced else ()
            if announced:
                who = list_names(map(str, announced))
                what += f"; {who} {agree(announced, 'announce')} it without a kind"
                fix = f"announce each facet by the name {quote(f'{plugin}:KIND')}"
            if near:
                what += f"; did you mean {' or '.join(map(quote, near))}, which is installed?"
                fix = f"write {quote(near[0])}, or install the package of {quote(plugin)}"
        else:
            facets = (Facet(plugin, kind),)
            what = f"nothing is known of {name_facet(facets[0])}, which has no report"
        yield Finding(
            "no-report",
            Severity.ERROR,
            f"{what}{say_unjudged(unjudged.get((plugin, kind)))}",
            subject=Subject(facets=facets, detail=plugin),
            fix=fix,
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


_SOURCES: Final = {"inline": "inline", "reported": "other", "recorded": "recorded"}


def find_drift(graph: Graph) -> Iterator[Finding]:
    """Two reports of one facet differ: the inline one, one made elsewhere, or the recorded one.

    What its setup declares when it is run is planned with, else the report made elsewhere.
    """
    for drift in graph.assembly.drifts:
        both = {_name(entry) for _, entry in drift.first_only}
        both &= {_name(entry) for _, entry in drift.second_only}
        parts = [
            f"{list_names(sorted(_describe(one, both) for one in entries))} "
            f"{agree(entries, 'stand')} in the {_SOURCES[source]} report only"
            for entries, source in zip(
                (drift.first_only, drift.second_only), drift.sources, strict=True
            )
            if entries
        ]
        what = "inline report" if drift.sources[0] == "inline" else "report made elsewhere"
        yield Finding(
            "drift",
            Severity.ERROR,
            f"the two reports of {name_facet(drift.facet)} differ: {'; '.join(parts)}",
            subject=Subject(facets=(drift.facet,), detail=" ".join(drift.sources)),
            related=tuple(
                Related(f"it {verb} {_name(entry)} here", entry.at.path, entry.at.line)
                for verb, entry in drift.second_only
                if entry.at is not UNSET
            ),
            fix=f"make the {what} say what the facet declares, or remove it",
            **place_origin(drift.origin),  # type: ignore[arg-type] # by field name
        )


def _name(entry: Declaration) -> str:
    return name_service(Service(entry.scope, entry.service))


def _describe(declared: tuple[str, Declaration], both: set[str]) -> str:
    """Name a declaration; if both reports have the service, with what tells them apart."""
    verb, entry = declared
    name = _name(entry)
    return f"{name} ({verb}, {entry.mode})" if name in both else name
