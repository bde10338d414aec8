"""Order and rings in a graph of whole numbers, without recursion.

A graph is a list: of each node, the nodes that wait for it. What the numbers
stand for belongs to `graph`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence

Adjacency = Sequence[Sequence[int]]


def sort_topologically(dependents: Adjacency, counts: Iterable[int]) -> list[int]:
    """Return the nodes so that each comes before its dependents; ties by number.

    Nodes on a ring, and those that wait for one, are left out.

    Args:
        dependents: Of each node, the nodes that wait for it.
        counts: Of each node, how many entries of *dependents* name it.
    """
    waiting = list(counts)
    ready = [node for node, count in enumerate(waiting) if not count]
    order: list[int] = []
    pop, push = heapq.heappop, heapq.heappush
    while ready:
        node = pop(ready)
        order.append(node)
        for dependent in dependents[node]:
            waiting[dependent] -= 1
            if not waiting[dependent]:
                push(ready, dependent)
    return order


def find_components(successors: Adjacency, nodes: Iterable[int]) -> list[list[int]]:
    """Return the strongly connected components of more than one node, each sorted.

    Tarjan's algorithm, with a stack of its own. *nodes* must hold all that can
    be reached from them.
    """
    indexes: dict[int, int] = {}
    lows: dict[int, int] = {}
    pending: list[int] = []
    is_pending: set[int] = set()
    components: list[list[int]] = []
    for root in nodes:
        if root in indexes:
            continue
        indexes[root] = lows[root] = len(indexes)
        pending.append(root)
        is_pending.add(root)
        path = [(root, iter(successors[root]))]
        while path:
            node, rest = path[-1]
            for successor in rest:
                if successor not in indexes:
                    indexes[successor] = lows[successor] = len(indexes)
                    pending.append(successor)
                    is_pending.add(successor)
                    path.append((successor, iter(successors[successor])))
                    break
                if successor in is_pending:
                    lows[node] = min(lows[node], indexes[successor])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    lows[parent] = min(lows[parent], lows[node])
                if lows[node] == indexes[node]:
                    component = _take_until(pending, node)
                    is_pending.difference_update(component)
                    if len(component) > 1:
                        components.append(sorted(component))
    return components


def _take_until(pending: list[int], last: int) -> list[int]:
    taken: list[int] = []
    while True:
        taken.append(pending.pop())
        if taken[-1] == last:
            return taken


def find_shortest_cycle(start: int, get_successors: Callable[[int], Iterable[int]]) -> list[int]:
    """Return a shortest ring through *start*, which stands first; empty if there is none.

    Among rings of one length, the one found first when successors are taken in
    the order given.
    """
    origins: dict[int, int] = {}
    level = [start]
    while level:
        reached: list[int] = []
        for node in level:
            for successor in get_successors(node):
                if successor == start:
                    return _trace(start, node, origins)
                if successor not in origins:
                    origins[successor] = node
                    reached.append(successor)
        level = reached
    return []


def _trace(start: int, last: int, origins: dict[int, int]) -> list[int]:
    cycle = [last]
    while cycle[-1] != start:
        cycle.append(origins[cycle[-1]])
    cycle.reverse()
    return cycle


def cover_with_cycles(
    component: Sequence[int], get_successors: Callable[[int], Iterable[int]]
) -> list[list[int]]:
    """Return shortest rings so that each node of the component stands in one of them.

    Each begins with the node that it is a shortest ring of; none stands twice.
    """
    covered: set[int] = set()
    cycles: list[list[int]] = []
    for node in component:
        if node not in covered:
            cycle = find_shortest_cycle(node, get_successors)
            covered.update(cycle)
            cycles.append(cycle)
    return cycles
