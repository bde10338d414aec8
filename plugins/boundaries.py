"""Boundaries between host kinds: no facet may reach code that another kind owns.

A facet owns the module of its entry point, with all below it if that is a package.
What facets of one kind share with those of another, nobody owns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pi_contracts.contracts.findings import Facet, Finding, Related, Severity, Subject, quote

from .imports import Import, ImportGraph
from .wording import list_facets, list_names, name_facet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from .entry_points import Entry
    from .graph import Graph


class Crossing(NamedTuple):
    """A facet that reaches what it must not, by a shortest chain of imports."""

    facet: Facet
    entry: str
    """The module that the chain begins with."""
    target: str
    owners: tuple[Facet, ...]
    """Facets of other kinds that own the target."""
    prefix: str | None
    """The prefix that is forbidden for the facet's kind, if it is that."""
    chain: tuple[Import, ...]
    files: tuple[str | None, ...]
    """Of each import, the file of the importer."""


def find_crossings(
    entries: Iterable[Entry],
    path: Sequence[str],
    forbidden: Mapping[str, Sequence[str]],
    show: Callable[[str], str] = str,
) -> tuple[Crossing, ...]:
    """Follow the imports of every facet's entry module, without importing it.

    Args:
        entries: The facets of all host kinds.
        path: Where modules are looked for.
        forbidden: Prefixes of modules, by host kind.
        show: How findings name a path.
    """
    graph = ImportGraph(path)
    modules = [(entry, parsed[0]) for entry in entries if (parsed := entry.parse()) is not None]
    owners = _Owners(graph, modules)
    found: list[Crossing] = []
    for entry, module in modules:
        if not graph.has_module(module):
            continue
        facet = Facet(entry.plugin, entry.kind)
        prefixes = tuple(forbidden.get(entry.kind, ()))

        def is_target(
            name: str, kind: str = entry.kind, prefixes: Sequence[str] = prefixes
        ) -> bool:
            return bool(owners.find(name, kind)) or _find_prefix(name, prefixes) is not None

        chains = list(graph.find_chains(module, is_target))
        reached = {chain[-1].imported for chain in chains}
        for chain in chains:
            target = chain[-1].imported
            home = owners.find_home(target)
            if home != target and home in reached:
                continue  # what owns it is reached as well, and is told
            crossing = Crossing(
                facet,
                module,
                target,
                owners.find(target, entry.kind),
                _find_prefix(target, prefixes),
                chain,
                tuple(_show_file(graph, one.importer, show) for one in chain),
            )
            found.append(crossing)
    return tuple(found)


def _show_file(graph: ImportGraph, name: str, show: Callable[[str], str]) -> str | None:
    file = graph.get_file(name)
    return None if file is None else show(file)


class _Owners:
    """Which facets own a module: those whose entry module is it, or the nearest package of it."""

    def __init__(self, graph: ImportGraph, modules: Iterable[tuple[Entry, str]]) -> None:
        self._graph = graph
        self._facets: dict[str, list[Facet]] = {}
        for entry, module in modules:
            self._facets.setdefault(module, []).append(Facet(entry.plugin, entry.kind))

    def find(self, name: str, kind: str) -> tuple[Facet, ...]:
        """Return who owns *name*, if they are all of other kinds than *kind*."""
        owners = self._facets.get(self.find_home(name) or "", [])
        return () if any(facet.facet == kind for facet in owners) else tuple(owners)

    def find_home(self, name: str) -> str | None:
        """Return the entry module that *name* is, or the nearest one that it is below of."""
        nearest = name
        while nearest and nearest not in self._facets:
            nearest = nearest.rpartition(".")[0]
        if not nearest or (nearest != name and not self._graph.is_package(nearest)):
            return None
        return nearest


def _find_prefix(name: str, prefixes: Iterable[str]) -> str | None:
    return next((one for one in prefixes if f"{name}.".startswith(f"{one.rstrip('.')}.")), None)


def find_crossed_boundaries(graph: Graph) -> Iterator[Finding]:
    """A facet imports, through others or itself, what belongs to another host kind.

    Asked for with `--boundaries`. What belongs to a kind are the entry modules of
    its facets, and what `[tool.pi-contracts.boundaries]` forbids to the others. Import
    statements are followed without running them; those that only type checkers see
    do not count, and imports by other means are not seen.
    """
    groups: dict[tuple[Import, str | None], list[Crossing]] = {}
    for crossing in graph.assembly.crossings:
        groups.setdefault((crossing.chain[-1], crossing.prefix), []).append(crossing)
    for (last, prefix), crossings in groups.items():
        yield _word_crossing(last, prefix, sorted(crossings, key=lambda one: one.facet))


def _word_crossing(last: Import, prefix: str | None, crossings: list[Crossing]) -> Finding:
    first = crossings[0]
    facets = tuple(crossing.facet for crossing in crossings)
    if first.owners:
        why = f"which belongs to {list_facets(first.owners)}, of another host kind"
    else:
        kinds = list_names(quote(kind) for kind in sorted({facet.facet for facet in facets}))
        why = f"which is forbidden for kind {kinds} as {quote(prefix or '')}"
    verb = "does" if len(facets) == 2 else "do"  # noqa: PLR2004 # itself and one more
    chain = " -> ".join((first.entry, *(one.imported for one in first.chain)))
    also = f"; so {verb} {list_facets(facets[1:])}" if len(facets) > 1 else ""
    places = [
        Related(f"{one.importer} imports {one.imported} here", file, one.line)
        for one, file in zip(first.chain, first.files, strict=True)
        if one.line and file is not None
    ]
    here = places[-1] if places else Related("")
    return Finding(
        "boundary-crossed",
        Severity.ERROR,
        f"{name_facet(first.facet)} reaches {quote(last.imported)}, {why}: {chain}{also}",
        path=here.path,
        line=here.line,
        subject=Subject(facets=facets, detail=f"{last.importer} {last.imported}"),
        related=tuple(places[:-1]),
        fix="move what both need into a module of its own, which imports neither",
    )
