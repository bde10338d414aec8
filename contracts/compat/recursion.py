"""Recursion: which definitions of flat documents can be reached from themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.drafts import Draft, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pi_contracts.contracts.drafts import Schema

    from .flat import FlatDocument


def find_recursive(documents: Mapping[str, FlatDocument]) -> list[str]:
    """Return the absolute references of what is referred to from inside itself."""
    return [reference for uri, document in documents.items() for reference in _find(uri, document)]


def _find(uri: str, document: FlatDocument) -> Iterator[str]:
    """Yield the members of every ring of references, by depth-first search (Tarjan)."""
    edges = _get_edges(document)
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    trail: list[str] = []
    on_trail: set[str] = set()
    for start in edges:
        pending = [(start, iter(edges[start]))] if start not in order else []
        while pending:
            name, below = pending[-1]
            if name not in order:
                order[name] = low[name] = len(order)
                trail.append(name)
                on_trail.add(name)
            step = next(below, None)
            if step is None:
                pending.pop()
                if pending:
                    above = pending[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] == order[name]:
                    ring = trail[trail.index(name) :]
                    del trail[-len(ring) :]
                    on_trail.difference_update(ring)
                    if len(ring) > 1 or name in edges[name]:
                        yield from (uri + one for one in ring)
            elif step not in order:
                pending.append((step, iter(edges[step])))
            elif step in on_trail:
                low[name] = min(low[name], order[step])


def _get_edges(document: FlatDocument) -> dict[str, list[str]]:
    """Return what each target of a reference refers to; the root counts as a target."""
    edges: dict[str, list[str]] = {}
    pending = list(_get_references(document.value))
    while pending:
        pointer = pending.pop()
        if pointer not in edges:
            edges[pointer] = list(_get_references(document.get(pointer)))
            pending.extend(edges[pointer])
    return edges


def _get_references(schema: Schema) -> Iterator[str]:
    pending: list[Schema] = [schema]
    while pending:
        one = pending.pop()
        if isinstance(one, bool):
            continue
        if one.get("$ref", "").startswith("#"):
            # the reference of another document cannot lead back into this one
            yield one["$ref"]
        pending.extend(below for _, below in subschemas(one, Draft.DRAFT202012))
