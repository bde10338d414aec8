"""Recursion: which definitions of flat documents can be reached from themselves."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from pi_contracts.contracts.drafts import Draft, subschemas

from .budget import ExhaustedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pi_contracts.contracts.drafts import Schema

    from .flat import FlatDocument


def find_recursive(documents: Mapping[str, FlatDocument], until: float = math.inf) -> list[str]:
    """Return the absolute references of what is referred to from inside itself.

    Raises:
        ExhaustedError: The search went on after *until*, which is in seconds of the thread.
    """
    return [
        reference
        for uri, document in documents.items()
        for reference in _find(uri, _get_edges(document, until))
    ]


def _find(uri: str, edges: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the members of every ring of references, by depth-first search (Tarjan)."""
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
                    ring = _cut_off(trail, name)
                    on_trail.difference_update(ring)
                    if len(ring) > 1 or name in edges[name]:
                        yield from (uri + one for one in ring)
            elif step not in order:
                pending.append((step, iter(edges[step])))
            elif step in on_trail:
                low[name] = min(low[name], order[step])


def _cut_off(trail: list[str], name: str) -> list[str]:
    """Take the end of a trail off, from *name* on; the search starts at the end."""
    start = len(trail) - 1
    while trail[start] != name:
        start -= 1
    ring = trail[start:]
    del trail[start:]
    return ring


def _get_edges(document: FlatDocument, until: float) -> dict[str, list[str]]:
    """Return what each target of a reference refers to; the root counts as a target."""
    edges: dict[str, list[str]] = {}
    pending = list(get_references(document.value))
    while pending:
        if time.thread_time() > until:
            raise ExhaustedError
        pointer = pending.pop()
        if pointer not in edges:
            edges[pointer] = list(get_references(document.get(pointer)))
            pending.extend(edges[pointer])
    return edges


def get_references(schema: Schema) -> Iterator[str]:
    """Yield what a schema and those inside it refer to in their document."""
    pending: list[Schema] = [schema]
    while pending:
        one = pending.pop()
        if isinstance(one, bool):
            continue
        if one.get("$ref", "").startswith("#"):
            # the reference of another document cannot lead back into this one
            yield one["$ref"]
        pending.extend(below for _, below in subschemas(one, Draft.DRAFT202012))
