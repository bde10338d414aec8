"""The drawing of a plan for people: who is joined to whom, and the way to each fault.

Colour and layout beyond indentation belong to the command line.
"""

from __future__ import annotations

import re
from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from pi_contracts.contracts.findings import Facet, escape

from .wording import SEE_ALL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pi_contracts.contracts.findings import Finding

    from .plan import Plan

SHOWN: Final = 10
"""How many lines of one kind are drawn before it says how many more there are."""
_MISSING: Final = frozenset({"missing-provider", "retained-consumer"})
_WITHOUT_WAY: Final = frozenset({"skew-break"})
"""Rules whose findings are about facets of two generations, so that no way leads to them."""
_SCOPED: Final = re.compile(r"@[^/]+/(.+)", re.DOTALL)


def shorten_names(facets: Iterable[Facet]) -> dict[Facet, str]:
    """Return a short name for each facet: without the plugin's ``@owner/``, where that is clear."""
    distinct = list(dict.fromkeys(facets))
    plugins: dict[str, set[str]] = {}
    for facet in distinct:
        plugins.setdefault(_drop_owner(facet.plugin), set()).add(facet.plugin)
    return {
        facet: str(Facet(short, facet.facet) if len(plugins[short]) == 1 else facet)
        for facet in distinct
        for short in (_drop_owner(facet.plugin),)
    }


def _drop_owner(plugin: str) -> str:
    match = _SCOPED.fullmatch(plugin)
    return match[1] if match else plugin


class Drawing:
    """Draws one plan and the findings that belong to it.

    Args:
        plan: The plan.
        shown: How many lines of one kind are drawn before it says how many more
            there are.
    """

    def __init__(self, plan: Plan, *, shown: int = SHOWN) -> None:
        self._plan = plan
        self._shown = shown

    @cached_property
    def _names(self) -> dict[Facet, str]:
        return shorten_names(self._plan.order)

    @cached_property
    def _consumed(self) -> dict[Facet, list[_Hop]]:
        """Of each facet, what it consumes of others."""
        consumed: dict[Facet, list[_Hop]] = {}
        for edge in self._plan.edges:
            service = escape(f"{edge.scope}/{edge.service}")
            consumed.setdefault(edge.consumer, []).append(_Hop(service, edge.provider))
        return consumed

    @cached_property
    def _waiting(self) -> dict[Facet, list[_Hop]]:
        """Of each facet, the others that wait for it."""
        waiting: dict[Facet, list[_Hop]] = {}
        for consumer, hops in self._consumed.items():
            for hop in hops:
                if hop.facet != consumer:
                    waiting.setdefault(hop.facet, []).append(_Hop(hop.service, consumer))
        return waiting

    def draw_plan(self) -> str:
        """Draw each facet in the order of activation, and whose services it consumes."""
        order = self._plan.order
        lines: list[str] = []
        for number, facet in enumerate(order[: self._shown], 1):
            hops = self._consumed.get(facet, [])
            lines.append(f"{number:>3}. {self._names[facet]}")
            lines += (f"       {self._draw_hop(hop)}" for hop in hops[: self._shown])
            lines += self._count_hidden(len(hops), "       ")
        lines += self._count_hidden(len(order), "     ")
        return "".join(f"{line}\n" for line in lines)

    def draw_fault(self, finding: Finding) -> str:
        """Draw the way that leads to a fault: who needs the facet that it holds back.

        One line a facet, from one that nobody waits for down to the fault; of a
        cycle, once around. Empty for a finding that is about no facet of the plan, or
        about one alone that nobody waits for: its message names it.
        """
        faulty = [facet for facet in finding.subject.facets if facet in self._names]
        if not faulty:
            return ""
        if finding.rule in _WITHOUT_WAY:
            return ""
        if finding.rule == "dependency-cycle":
            lines = self._draw_ring(faulty)
        else:
            lines = self._draw_way(finding, faulty[0])
        if len(lines) == 1:
            return ""
        return "".join(f"  {'  ' * depth}{line}\n" for depth, line in enumerate(lines))

    def _draw_ring(self, facets: list[Facet]) -> list[str]:
        lines = [self._names[facets[0]]]
        for facet, following in zip(facets, (*facets[1:], facets[0]), strict=True):
            hop = next(hop for hop in self._consumed[facet] if hop.facet == following)
            lines.append(self._draw_hop(hop))
        return self._cut_middle(lines)

    def _draw_way(self, finding: Finding, fault: Facet) -> list[str]:
        first, *hops = self._find_way(fault)
        lines = self._cut_middle([self._names[first.facet], *map(self._draw_hop, hops)])
        subject = finding.subject
        if subject.service is not None:
            service = escape(f"{subject.scope}/{subject.service}")
            is_missing = finding.rule in _MISSING
            lines.append(f"{service} <- nobody" if is_missing else f"{service}: {finding.rule}")
        return lines

    def _find_way(self, fault: Facet) -> list[_Hop]:
        """Return a shortest way to *fault* from a facet that nobody waits for."""
        steps: dict[Facet, _Hop] = {}
        queue = deque([fault])
        while queue:
            facet = queue.popleft()
            consumers = self._waiting.get(facet)
            if not consumers:
                way = [_Hop("", facet)]
                while way[-1].facet != fault:
                    way.append(steps[way[-1].facet])
                return way
            for hop in consumers:
                if hop.facet not in steps and hop.facet != fault:
                    steps[hop.facet] = _Hop(hop.service, facet)
                    queue.append(hop.facet)
        return [_Hop("", fault)]

    def _draw_hop(self, hop: _Hop) -> str:
        return f"{hop.service} <- {self._names[hop.facet]}"

    def _count_hidden(self, count: int, indent: str) -> list[str]:
        if count <= self._shown:
            return []
        return [f"{indent}…and {count - self._shown} more ({SEE_ALL})"]

    def _cut_middle(self, lines: list[str]) -> list[str]:
        """Leave out what is far from both ends, where it is long."""
        if len(lines) <= self._shown:
            return lines
        half = self._shown // 2
        hidden = len(lines) - 2 * half
        return [*lines[:half], f"…and {hidden} more ({SEE_ALL})", *lines[-half:]]


class _Hop(NamedTuple):
    service: str
    facet: Facet
