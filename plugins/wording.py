"""The words that all rules share: how facets, services and lists of them are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET
from pi_contracts.contracts.findings import Facet, Related, escape, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .facets import Declaration, Origin
    from .graph import Graph, Service, Use

NAMES_SHOWN: Final = 10
"""How many names a message lists before it says how many more there are."""
SEE_ALL: Final = "--format json lists all"
"""How the rest of a list is seen that a text cuts off."""


def name_facet(facet: Facet) -> str:
    """Name a facet: ``"plugin:kind"``."""
    return f'"{facet}"'


def name_service(service: Service) -> str:
    """Name a service: ``"scope/id"``."""
    return quote(f"{service.scope}/{service.id}")


def list_names(names: Iterable[str], *, shown: int = NAMES_SHOWN) -> str:
    """List names in a sentence; of very many, the first ones and the number of the others."""
    names = list(dict.fromkeys(names))
    if len(names) == 1:
        return names[0]
    if len(names) > shown:
        return f"{', '.join(names[: shown - 1])} and {len(names) - shown + 1} more ({SEE_ALL})"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def list_facets(facets: Iterable[Facet]) -> str:
    """List facets in a sentence."""
    return list_names(map(name_facet, facets))


def agree(subjects: Sequence[object], verb: str) -> str:
    """Return the verb in the form that agrees with the number of subjects."""
    return f"{verb}s" if len(subjects) == 1 else verb


def count_times(number: int) -> str:
    """Word how often something is there that should be there once."""
    return "twice" if number == 2 else f"{number} times"  # noqa: PLR2004 # the word says it


def rank_facets(graph: Graph, nodes: Iterable[int]) -> tuple[Facet, ...]:
    """Return facets by name, each once."""
    distinct = set(nodes)
    facets = graph.assembly.facets
    if len(distinct) == 1:
        return (facets[distinct.pop()],)
    return tuple(sorted(facets[node] for node in distinct))


def rank_uses(graph: Graph, uses: Iterable[Use]) -> list[Use]:
    """Return declarations by the name of their facet, then by their place in its report."""
    facets = graph.assembly.facets
    uses = list(uses)
    if len(uses) == 1:
        return uses
    return sorted(uses, key=lambda use: (facets[use.node], use.position))


def place_origin(origin: Origin) -> dict[str, object]:
    """Return the fields of a finding that say where *origin* is."""
    if origin.locator.path is None:
        return {}
    facts: dict[str, object] = {"path": origin.locator.path, "pointer": origin.pointer}
    place = origin.locator.find_place(origin.pointer)
    if place is not None:
        facts |= {"line": place.line, "column": place.column}
    return facts


def place_use(graph: Graph, use: Use, member: str) -> dict[str, object]:
    """Return the fields of a finding that say where a declaration is made.

    The call in the facet's source, where the report tells it; else the report.
    """
    entry = get_declaration(graph, use, member)
    if entry.at is not UNSET:
        return {"path": entry.at.path, "line": entry.at.line}
    return place_origin(graph.assembly.get_origin(use.node, member, use.position))


def get_declaration(graph: Graph, use: Use, member: str) -> Declaration:
    """Return what a facet declares; *member* is ``requires`` or ``provides``."""
    report = graph.assembly.reports[use.node]
    return (report.requires if member == "requires" else report.provides)[use.position]


def relate_place(message: str, facts: dict[str, object]) -> Related:
    """Return a place beside a finding; *facts* are those of `place_origin` or `place_use`."""
    known = {name: fact for name, fact in facts.items() if name != "pointer"}
    return Related(message, **known)  # type: ignore[arg-type] # by field name


def relate_uses(
    graph: Graph, uses: Sequence[Use], member: str, *, shown: int = NAMES_SHOWN
) -> tuple[Related, ...]:
    """Return places of declarations beside a finding, as far as they are known.

    Of very many, the first ones and how the others are seen.
    """
    if not uses:
        return ()
    related: list[Related] = []
    for use in uses[:shown]:
        facts = place_use(graph, use, member)
        if facts:
            message = f"{name_facet(graph.assembly.facets[use.node])} {member} it here"
            related.append(relate_place(message, facts))
    if related and len(uses) > shown:
        entry = get_declaration(graph, uses[0], member)
        name = quote(f"{entry.scope}/{entry.service}")
        related.append(
            Related(f"and {len(uses) - shown} more: --why {name} --format json lists all")
        )
    return tuple(related)


def list_ids(ids: Iterable[str]) -> str:
    """List ids in a sentence."""
    return list_names(f'"{escape(text)}"' for text in ids)
