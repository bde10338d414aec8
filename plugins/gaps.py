"""Services that are required and not provided, and what comes close to providing them."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from pi_contracts.contracts.findings import Facet, Finding, Severity, Subject, quote

from .facets import HOST_SCOPES, LOCAL
from .similar import SimilarIds, fold, show_difference
from .wording import (
    agree,
    list_facets,
    list_ids,
    list_names,
    name_service,
    place_use,
    rank_facets,
    rank_uses,
    relate_uses,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .graph import Graph, Service, Use

_HINTS_SHOWN: Final = 3
_WORD: Final = re.compile(r"[^\W_]{4,}")


def find_missing_providers(graph: Graph) -> Iterator[Finding]:
    """A facet requires a service that no facet provides, so it can never start.

    One finding for each service, with everyone who requires it, and with what
    comes close: the service in another scope, a similar id, a plugin of the
    manifest that has no facet where the provider should be.
    """
    closeness = _Closeness(graph)
    for service, uses in _iter_judged_gaps(graph):
        if not _find_local_elsewhere(graph, service):
            ranked = rank_uses(graph, uses)
            yield _word_gap(graph, service, ranked, closeness.find_hints(service, ranked))


def find_local_not_reachable(graph: Graph) -> Iterator[Finding]:
    """A local service is required in one host and provided in another one only.

    What is local is seen in the process that provides it, and nowhere else.
    """
    closeness = _Closeness(graph)
    for service, uses in _iter_judged_gaps(graph):
        elsewhere = _find_local_elsewhere(graph, service)
        if not elsewhere:
            continue
        ranked = rank_uses(graph, uses)
        consumers = rank_facets(graph, (use.node for use in ranked))
        providers = tuple(sorted({f for other in elsewhere for f in _rank_owners(graph, other)}))
        shared = [s for s in closeness.find_scopes(service) if s.scope != LOCAL]
        hints = "".join(
            f"; {_say_who_provides(graph, s)} {name_service(s)}, which is another service"
            for s in shared[:_HINTS_SHOWN]
        )
        kind = quote(service.kind or "")
        yield Finding(
            "local-not-reachable",
            Severity.ERROR,
            f"{list_facets(consumers)} {agree(consumers, 'require')} {name_service(service)}, "
            f"which only {list_facets(providers)} {agree(providers, 'provide')}, in another "
            f"process; a local service is not seen outside its host{hints}",
            subject=Subject(service=service.id, scope=LOCAL, facets=(*consumers, *providers)),
            related=relate_uses(graph, ranked[1:], "requires"),
            fix=f"provide it in a facet of kind {kind} too, or provide it in a shared scope",
            **place_use(graph, ranked[0], "requires"),  # type: ignore[arg-type] # by field name
        )


def map_unjudged(graph: Graph) -> dict[tuple[str, str | None], list[str]]:
    """Return, of facets that nothing is known of, the required services that they may provide.

    By plugin and kind, which is None for a whole plugin. Each service stands with the
    first facet, by name, that may provide it, so that it is told once.
    """
    assembly = graph.assembly
    unknown = [(one.plugin, one.facet) for one in assembly.unreported]
    unknown += ((facet.plugin, facet.facet) for facet in assembly.unread)
    # A facet is a better guess than a plugin; and names do not depend on the order of plugins.
    unknown.sort(key=lambda key: (key[1] is None, *map(str, key)))
    firsts: dict[str | None, tuple[str, str | None]] = {}
    for key in unknown:
        firsts.setdefault(key[1], key)
    found: dict[tuple[str, str | None], list[str]] = {}
    for service in graph.gaps if firsts else ():
        first = next((key for kind, key in firsts.items() if _may_provide(kind, service)), None)
        if first is not None:
            found.setdefault(first, []).append(name_service(service))
    return {key: sorted(names) for key, names in found.items()}


def say_unjudged(names: Sequence[str] | None) -> str:
    """Word what is not known because a facet is not: the end of a sentence, or nothing."""
    return f"; so it is not known who provides {list_names(names)}" if names else ""


def _iter_judged_gaps(graph: Graph) -> Iterator[tuple[Service, list[Use]]]:
    """Give the gaps that no facet can fill whose report is unknown.

    What such a facet may provide is not known to be missing; that its report is
    unknown has a finding of its own.
    """
    assembly = graph.assembly
    if assembly.is_partial:
        return
    kinds = {entry.facet for entry in assembly.unreported}
    kinds |= {facet.facet for facet in assembly.unread}
    if not kinds:
        yield from graph.gaps.items()
        return
    for service, uses in graph.gaps.items():
        if not any(_may_provide(kind, service) for kind in kinds):
            yield service, uses


def _may_provide(kind: str | None, service: Service) -> bool:
    if kind is None:
        return True
    if service.scope == LOCAL:
        return kind == service.kind
    return kind == service.scope or service.scope not in HOST_SCOPES


def _find_local_elsewhere(graph: Graph, service: Service) -> list[Service]:
    """Return the local services of the same id in other hosts."""
    if service.scope != LOCAL:
        return []
    found = map(graph.get_service, graph.find_by_id(service.id))
    return [other for other in found if other.scope == LOCAL]


def _word_gap(graph: Graph, service: Service, ranked: list[Use], hints: list[_Hint]) -> Finding:
    consumers = rank_facets(graph, (use.node for use in ranked))
    name = name_service(service)
    where = f" in host kind {quote(service.kind)}" if service.kind is not None else ""
    close = "".join(f"; {hint.text}" for hint in hints)
    verb = "cannot start without it"
    otherwise = f"add a facet that provides {name}, or drop the requirement"
    return Finding(
        "missing-provider",
        Severity.ERROR,
        f"{list_facets(consumers)} {agree(consumers, 'require')} {name}, which no facet "
        f"provides{where}, and {verb}{close}",
        subject=Subject(service=service.id, scope=service.scope, facets=consumers),
        related=relate_uses(graph, ranked[1:], "requires"),
        fix=hints[0].fix if hints else otherwise,
        **place_use(graph, ranked[0], "requires"),  # type: ignore[arg-type] # by field name
    )


class _Hint(NamedTuple):
    text: str
    fix: str


class _Closeness:
    """What comes close to a service, by indexes that are made at the first question."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._installed: dict[str | None, dict[str, set[str]]] = {}

    @cached_property
    def _similar(self) -> SimilarIds:
        return SimilarIds(dict.fromkeys(self.graph.iter_provided_ids()))

    @cached_property
    def _kinds(self) -> dict[str, set[str]]:
        """Of each plugin of the manifest, the kinds of facets that it has."""
        assembly = self.graph.assembly
        kinds: dict[str, set[str]] = {plugin: set() for plugin in assembly.plugins}
        for facet in (*assembly.facets, *assembly.unread):
            kinds.setdefault(facet.plugin, set()).add(facet.facet)
        for entry in assembly.unreported:
            kinds[entry.plugin].add(entry.facet or "")
        return kinds

    @cached_property
    def _plugins(self) -> dict[str, list[str]]:
        """Of each longer word, the plugins in whose ids it stands."""
        plugins: defaultdict[str, list[str]] = defaultdict(list)
        for plugin in self.graph.assembly.plugins:
            for word in set(_WORD.findall(fold(plugin))):
                plugins[word].append(plugin)
        return dict(plugins)

    def find_scopes(self, service: Service) -> list[Service]:
        """Return the services of the same id in other scopes, sorted."""
        found = (self.graph.get_service(n) for n in self.graph.find_by_id(service.id))
        return sorted(found, key=lambda s: (s.scope, s.kind or ""))

    def find_hints(self, service: Service, uses: list[Use]) -> list[_Hint]:
        """Return what comes close to *service*, which nobody provides, the closest first."""
        hints = self._hint_scopes(service) or self._hint_ids(service)
        return hints + self._hint_plugins(service, uses, is_close=bool(hints))

    def _hint_scopes(self, service: Service) -> list[_Hint]:
        hints: list[_Hint] = []
        for other in self.find_scopes(service)[:_HINTS_SHOWN]:
            does = _say_who_provides(self.graph, other)
            here, there = quote(service.scope), quote(other.scope)
            if other.kind is not None:
                text = (
                    f"{does} it as a local service, which only host kind {quote(other.kind)} sees"
                )
                hints.append(_Hint(text, f"provide it in scope {here}"))
                continue
            fix = f"require it in scope {there}, or provide it in scope {here}"
            if fold(other.scope) == fold(service.scope):
                here, there = show_difference(service.scope, other.scope)
                hints.append(_Hint(f"{does} it in scope {there}, and not in scope {here}", fix))
            else:
                hints.append(_Hint(f"{does} it in scope {there}", fix))
        return hints

    def _hint_ids(self, service: Service) -> list[_Hint]:
        similar = self._similar.find(service.id)
        if not similar:
            return []
        found = [
            self.graph.get_service(number)
            for text in similar
            for number in self.graph.find_by_id(text)
        ]
        reachable = [s for s in found if s.kind in {None, service.kind}]
        reachable.sort(key=lambda s: (s.scope != service.scope, s.scope, s.id))
        hints: list[_Hint] = []
        for other in reachable[:_HINTS_SHOWN]:
            does, name = _say_who_provides(self.graph, other), name_service(other)
            text = f"{does} {name}, a similar id"
            if fold(other.id) == fold(service.id):
                wanted, given = show_difference(service.id, other.id)
                scope = quote(other.scope)
                text = f"{does} {given} in scope {scope}, which is not the same id as {wanted}"
            fix = f"require {name}, or provide {name_service(service)}"
            hints.append(_Hint(text, fix))
        return hints

    def _hint_plugins(self, service: Service, uses: list[Use], *, is_close: bool) -> list[_Hint]:
        """Name plugins that may have the provider: by their ids, then whoever there is.

        Where something comes close already, any plugin that is installed is no hint.
        Of those that are installed and not listed, what they provide is not known, since
        no setup of theirs is run.
        """
        kind = service.kind or (service.scope if service.scope in HOST_SCOPES else None)
        owners = [self.graph.assembly.facets[use.node].plugin for use in uses]
        words = _WORD.findall(fold(service.id))
        named = (
            plugin
            for word in words
            if len(plugins := self._plugins.get(word, [])) <= _HINTS_SHOWN
            for plugin in plugins
        )
        installed = self._find_installed(kind)
        groups = {_get_group(owner) for owner in owners} - {""}
        near = [
            plugin
            for plugin, its_words in installed.items()
            if _get_group(plugin) in groups or not its_words.isdisjoint(words)
        ]
        return (
            self._hint_installed(service, kind, near)
            or self._hint_lacking(service, kind, named)
            or self._hint_installed(service, kind, () if is_close else installed)
            or self._hint_lacking(service, kind, owners)
        )

    def _find_installed(self, kind: str | None) -> dict[str, set[str]]:
        """Return the plugins with a facet to spare, and the longer words of their ids."""
        spare = self.graph.assembly.spare
        if spare is None:
            return {}
        if kind not in self._installed:
            self._installed[kind] = {
                plugin: set(_WORD.findall(fold(plugin))) for plugin in spare.find_plugins(kind)
            }
        return self._installed[kind]

    def _hint_installed(
        self, service: Service, kind: str | None, plugins: Iterable[str]
    ) -> list[_Hint]:
        spare = self.graph.assembly.spare
        if spare is None:
            return []
        what = f"if it provides {name_service(service)}"
        facet = "a facet" if kind is None else f"a facet of kind {quote(kind)}"
        hints: list[_Hint] = []
        listed = [plugin for plugin in plugins if plugin in spare.listed]
        if unlisted := [plugin for plugin in plugins if plugin not in spare.listed]:
            one = quote(unlisted[0]) if len(unlisted) == 1 else "the right one of them"
            text = f"installed, not in the manifest: {_list_some(unlisted)}"
            hints.append(_Hint(text, f"add {one} to the manifest, {what}"))
        if listed:
            text = f"installed with {facet} that the manifest leaves out: {_list_some(listed)}"
            hints.append(_Hint(text, f"name that facet in the manifest too, {what}"))
        return hints

    def _hint_lacking(
        self, service: Service, kind: str | None, plugins: Iterable[str]
    ) -> list[_Hint]:
        if kind is None or not self.graph.assembly.plugins:
            return []
        lacking = sorted({plugin for plugin in plugins if kind not in self._kinds[plugin]})
        if not lacking:
            return []
        what = "has no facet" if len(lacking) == 1 else "have no facet"
        return [
            _Hint(
                f"{list_ids(lacking)} {what} of kind {quote(kind)}",
                f"add the facet of kind {quote(kind)} that provides {name_service(service)}",
            )
        ]


def _get_group(plugin: str) -> str:
    """Return what the ids of one owner begin with: ``@owner/``; empty for others."""
    owner, slash, _ = plugin.partition("/")
    return owner if slash and owner.startswith("@") else ""


def _list_some(plugins: Sequence[str]) -> str:
    shown = ", ".join(map(quote, plugins[:_HINTS_SHOWN]))
    hidden = len(plugins) - _HINTS_SHOWN
    return f"{shown} and {hidden} more" if hidden > 0 else shown


def _say_who_provides(graph: Graph, service: Service) -> str:
    owners = _rank_owners(graph, service)
    return f"{list_facets(owners)} {agree(owners, 'provide')}"


def _rank_owners(graph: Graph, service: Service) -> tuple[Facet, ...]:
    number = graph.get_number(service)
    uses = graph.claims.get(number, ())
    return rank_facets(graph, [graph.owners[number], *(use.node for use in uses)])
