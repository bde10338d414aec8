"""Order and rings in a graph of whole numbers, without recursion.

What the numbers stand for belongs to `graph`.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Links:
    """Of each node, the nodes that wait for it, in flat lists.

    A list for each node would be many small objects, which the garbage
    collector visits again and again while the graph grows. The links of a node
    form a chain: ``heads[node]`` is its latest link, ``nexts[link]`` the one
    before that, -1 the end; ``targets[link]`` is the node that waits.
    """

    def __init__(self, size: int) -> None:
        self.heads = [-1] * size
        self.nexts: list[int] = []
        self.targets: list[int] = []

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.heads)

    def add(self, source: int, target: int) -> None:
        """Note that *target* waits for *source*."""
        self.nexts.append(self.heads[source])
        self.heads[source] = len(self.targets)
        self.targets.append(target)

    def iter_targets(self, node: int) -> Iterator[int]:
        """Give the nodes that wait for *node*, the latest link first."""
        link = self.heads[node]
        while link >= 0:
            yield self.targets[link]
            link = self.nexts[link]


def sort_topologically(links: Links) -> list[int]:
    """Return the nodes so that each comes before those that wait for it; ties by number.

    Nodes on a ring, and those that wait for one, are left out.
    """
    heads, nexts, targets = links.heads, links.nexts, links.targets
    waiting = [0] * len(links)
    for target in targets:
        waiting[target] += 1
    ready = [node for node, count in enumerate(waiting) if not count]
    order: list[int] = []
    pop, push = heapq.heappop, heapq.heappush
    while ready:
        node = pop(ready)
        order.append(node)
        link = heads[node]
        while link >= 0:
            target = targets[link]
            link = nexts[link]
            waiting[target] -= 1
            if not waiting[target]:
                push(ready, target)
    return order


def find_components(links: Links, nodes: Iterable[int]) -> list[list[int]]:
    """Return the strongly connected components of more than one node, each sorted.

    Tarjan's algorithm, with a stack of its own. *nodes* must hold all that can
    be reached from them.
    """
    nexts, targets = links.nexts, links.targets
    cursors = links.heads.copy()
    numbers = [0] * len(links)
    lows = [0] * len(links)
    finished = len(links) + 1
    count = 0
    pending: list[int] = []
    components: list[list[int]] = []
    for root in nodes:
        if numbers[root]:
            continue
        path = [root]
        while path:
            node = path[-1]
            if not numbers[node]:
                count += 1
                numbers[node] = lows[node] = count
                pending.append(node)
            low = lows[node]
            link = cursors[node]
            while link >= 0:
                target = targets[link]
                if not numbers[target]:
                    path.append(target)
                    break
                # A finished node's low is beyond every number, so it counts for nothing.
                if lows[target] < low:  # noqa: PLR1730 # min() takes twice the time
                    low = lows[target]
                link = nexts[link]
            cursors[node] = link
            lows[node] = low
            if link >= 0:
                continue
            path.pop()
            if low == numbers[node]:
                component = _take_until(pending, node)
                for member in component:
                    lows[member] = finished
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
