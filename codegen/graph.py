"""Strongly connected components: the rings of files and of types that lead back to themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

Node = TypeVar("Node", bound=Any)


def find_components(edges: Mapping[Node, Collection[Node]]) -> Iterator[tuple[Node, ...]]:
    """Yield the strongly connected components of a graph, those that others need first.

    Every node is a key of *edges*; its successors are followed in their order.
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on_stack: set[Node] = set()
    for start in edges:
        if start in index:
            continue
        pending: list[tuple[Node, Iterator[Node]]] = []
        step: Node | None = start
        while True:
            if step is not None:
                index[step] = low[step] = len(index)
                stack.append(step)
                on_stack.add(step)
                pending.append((step, iter(edges[step])))
            node, successors = pending[-1]
            step = None
            for successor in successors:
                if successor not in index:
                    step = successor
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            if step is not None:
                continue
            pending.pop()
            if low[node] == index[node]:
                component: list[Node] = []
                while not component or component[-1] != node:
                    component.append(stack.pop())
                on_stack.difference_update(component)
                yield tuple(component)
            if not pending:
                break
            parent = pending[-1][0]
            low[parent] = min(low[parent], low[node])
