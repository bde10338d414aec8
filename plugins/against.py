"""The changes since an older generation drawn for people, with who breaks meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET
from pi_contracts.contracts.findings import Facet, escape

from .explain import shorten_names
from .steps import word_site
from .wording import SEE_ALL, list_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .changes import Against, Difference, NamedService, ServiceChange
    from .facets import ContractVersion
    from .generations import Generation
    from .skew import Break

SHOWN: Final = 20
"""How many lines of one kind are drawn before it says how many more there are."""
_DIGEST_SHOWN: Final = len("sha256:") + 12
_REASONS: Final = {
    "plugin-added": "plugins are added",
    "plugin-removed": "plugins are removed",
    "facet-added": "facets are added",
    "facet-removed": "facets are removed",
    "requirement-changed": "facets require something else",
    "provision-changed": "facets provide something else",
    "order-changed": "the order is another",
}
_CHANGES: Final = {
    "none": "nothing has changed",
    "in-place": "in place: the facets are joined and started as before",
}
_ORDERS: Final = {
    "provider-first": "replace the hosts that provide it first",
    "consumer-first": "replace the hosts that consume it first",
    "lockstep": "replace hosts that provide it and hosts that consume it together",
}


class Comparison:
    """Draws the difference of two generations.

    Args:
        old: The older generation.
        new: The newer one.
        answer: How they differ.
        shown: How many lines of one kind are drawn before it says how many more
            there are.
    """

    def __init__(
        self, old: Generation, new: Generation, answer: Against, *, shown: int = SHOWN
    ) -> None:
        self._answer = answer
        self._shown = shown
        facets = (*old.graph.assembly.facets, *new.graph.assembly.facets, *answer.facets.unknown)
        self._names = shorten_names(facets)

    def draw(self) -> str:
        """Draw what changed, and then who breaks while both generations run."""
        lines = [f"  {line}" for line in self._draw_changes()]
        answer = self._answer
        what = _CHANGES.get(answer.change)
        if what is None:
            what = f"structural: {', '.join(_REASONS[one] for one in answer.reasons)}"
        lines.insert(0, f"Since the older generation {what}" if lines else f"Compared: {what}")
        lines += self._draw_breaks()
        return "".join(f"{line}\n" for line in lines)

    def _draw_changes(self) -> Iterator[str]:
        plugins, facets, services = (
            self._answer.plugins,
            self._answer.facets,
            self._answer.services,
        )
        yield from self._cut(f"+ plugin {escape(one)}" for one in plugins.added)
        yield from self._cut(f"- plugin {escape(one)}" for one in plugins.removed)
        yield from self._cut(
            f"~ plugin {escape(one.plugin)} {_word(one.old)} -> {_word(one.new)}"
            for one in plugins.versions
        )
        yield from self._cut(f"+ facet {self._names[one]}" for one in facets.added)
        yield from self._cut(f"- facet {self._names[one]}" for one in facets.removed)
        for one in facets.changed[: self._shown]:
            yield f"~ facet {self._names[Facet(one.plugin, one.facet)]}"
            if one.entry is not None:
                yield f"    entry {_word(one.entry[0])} -> {_word(one.entry[1])}"
            yield from self._draw_difference("requires", one.requires)
            yield from self._draw_difference("provides", one.provides)
        yield from self._count_hidden(len(facets.changed))
        yield from self._cut(f"+ service {_name(one)}" for one in services.added)
        yield from self._cut(f"- service {_name(one)}" for one in services.removed)
        yield from self._cut(map(self._draw_service, services.changed))
        yield from self._cut(f"> plugin {escape(one)} has another place" for one in plugins.moved)
        yield from self._cut(
            f"> {self._names[one]} starts at another time"
            for one in facets.moved
            if one.plugin not in plugins.moved
        )
        yield from self._cut(f"? {self._names[one]} is not known" for one in facets.unknown)

    def _draw_difference(self, verb: str, difference: Difference) -> Iterator[str]:
        yield from self._cut(f"    + {verb} {_name(one)}" for one in difference.added)
        yield from self._cut(f"    - {verb} {_name(one)}" for one in difference.removed)
        yield from self._cut(
            f"    ~ {verb} {_name(one)} by another contract" for one in difference.contracts
        )

    def _draw_service(self, one: ServiceChange) -> str:
        parts: list[str] = []
        if one.owner is not None:
            parts.append(f"of {self._names[one.owner[0]]} -> {self._names[one.owner[1]]}")
        if one.mode is not None:
            parts.append(f"{one.mode[0]} -> {one.mode[1]}")
        if one.contract is not None:
            parts.append(f"contract {_word_contract(one.contract[0])} -> ")
            parts[-1] += _word_contract(one.contract[1])
        where = f" in host kind {escape(one.host)}" if one.host is not None else ""
        return f"~ service {escape(f'{one.scope}/{one.service}')}{where} {', '.join(parts)}"

    def _draw_breaks(self) -> Iterator[str]:
        answer = self._answer
        if not answer.breaks:
            return
        yield "While hosts of both generations run:"
        for upgrade in answer.upgrades[: self._shown]:
            name = escape(f"{upgrade.scope}/{upgrade.service}")
            yield f"  {name}: {_ORDERS[upgrade.order]}"
            broken = [
                one
                for one in answer.breaks
                if (one.scope, one.service) == (upgrade.scope, upgrade.service)
            ]
            yield from self._cut((self._draw_break(one) for one in broken), "    ")
        yield from self._count_hidden(len(answer.upgrades), "  ")
        steps = ", then ".join(map(_word_group, answer.sequence))
        yield f"  Hosts to replace, in this order: {steps}"

    def _draw_break(self, one: Break) -> str:
        own, other = ("old", "new") if one.direction == "old-consumer" else ("new", "old")
        provider = "nobody" if one.provider is None else self._names[one.provider]
        return (
            f"    {own} {self._names[one.consumer]} <- {other} {provider}: "
            f"{one.reason}{word_site(one.at)}"
        )

    def _cut(self, lines: Iterable[str], indent: str = "") -> Iterator[str]:
        lines = list(lines)
        yield from lines[: self._shown]
        yield from self._count_hidden(len(lines), indent)

    def _count_hidden(self, count: int, indent: str = "") -> Iterator[str]:
        if count > self._shown:
            yield f"{indent}…and {count - self._shown} more ({SEE_ALL})"


def _word_group(kinds: Sequence[str]) -> str:
    return f"{list_names(map(escape, kinds))}{' together' if len(kinds) > 1 else ''}"


def _word(text: str | None) -> str:
    return "none" if text is None else escape(text)


def _word_contract(contract: ContractVersion) -> str:
    version = "" if contract.version is UNSET else f"version {contract.version}"
    digest = "" if contract.digest is UNSET else escape(contract.digest[:_DIGEST_SHOWN])
    return " ".join(filter(None, (version, digest)))


def _name(service: NamedService) -> str:
    where = f" in host kind {escape(service.host)}" if service.host is not None else ""
    return f"{escape(f'{service.scope}/{service.service}')} ({service.mode}){where}"
