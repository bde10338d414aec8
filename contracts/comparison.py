"""The comparison of two sides, from where they are to what is said of them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import msgspec
from pi_contracts.contracts.bare_schemas import compare_bare
from pi_contracts.contracts.compat.acceptances import apply_acceptances, parse_acceptances
from pi_contracts.contracts.compat.compare import compare
from pi_contracts.contracts.compat.report import make_findings
from pi_contracts.contracts.findings import Finding, Severity, Subject
from pi_contracts.contracts.sides import LEFT_OUT, InvalidSideError, read_side
from pi_contracts.contracts.toml_places import find_near_place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.compat.compare import CompatReport
    from pi_contracts.contracts.read import Reading
    from pi_contracts.contracts.sides import Side

_ACCEPTANCES: Final = ("tool", "pi-contracts", "acceptances")
_ORDERS: Final = {
    "any": "upgrade in any order",
    "provider-first": "upgrade providers first",
    "consumer-first": "upgrade consumers first",
    "lockstep": "upgrade both at once",
}


Told: TypeAlias = "tuple[str, str | None, str]"
"""A change that is told: of a service, of one of its members, and its rule."""


class More(Protocol):
    """Adds findings to those of the wire."""

    def __call__(
        self, old: Catalogue, new: Catalogue, /, *, told: frozenset[Told]
    ) -> tuple[Finding, ...]:
        """Return the findings that do not follow from what is *told*."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a comparison."""

    findings: tuple[Finding, ...]
    additions: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_stopped: bool = False
    """Whether a side could not be read, so that nothing was compared."""

    @property
    def text(self) -> str:
        """The verdicts for people, one line a service that changed."""
        if self.is_stopped:
            return "Nothing was compared."
        return render_verdicts(self.additions) if self.additions else ""

    def accept(
        self, tables: Sequence[Mapping[str, object]], path: str | None, text: str = ""
    ) -> tuple[tuple[Finding, ...], frozenset[str]]:
        """Return the findings with those that the settings accept as notes, and which those are.

        Args:
            tables: The acceptances of the settings.
            path: How findings name the file of the settings.
            text: That file, in which the places of acceptances are found.
        """
        if self.is_stopped:
            return self.findings, frozenset()
        acceptances, faults = parse_acceptances(tables, path)
        today = dt.datetime.now(tz=dt.UTC).date()
        told = (*apply_acceptances(self.findings, acceptances, today), *faults)
        valid = {one.fingerprint for one in acceptances if today <= one.until}
        placed = tuple(
            _place(one, tables, path, text) if one.rule == "unused-acceptance" else one
            for one in told
        )
        return placed, frozenset(valid & {one.fingerprint for one in self.findings})


def _place(
    finding: Finding, tables: Sequence[Mapping[str, object]], path: str | None, text: str
) -> Finding:
    """Return what is said of an acceptance with its place in the settings."""
    named = [table.get("fingerprint") for table in tables]
    index = named.index(finding.subject.detail)
    place = find_near_place(text, (*_ACCEPTANCES, index, "fingerprint"))
    line, column = place or (None, None)
    return msgspec.structs.replace(finding, path=path, line=line, column=column)


def compare_sides(
    old: Side,
    new: Side,
    mapped: Mapping[str, Path],
    position: str | None,
    base: Path | None = None,
    *,
    more: More | None = None,
) -> Outcome:
    """Read two sides and compare them: contracts, or bare schemas at a position.

    Findings name files relative to *base*, or the working directory. *more* adds those of
    two sets of contracts that are not about what is on the wire; it is given what is told of
    the wire, from which some of its own would only follow.

    Raises:
        InvalidSideError: The sides hold bare schemas and there is no position, or the reverse.
    """
    before, after = read_side(old, mapped, base), read_side(new, mapped, base)
    faults = tuple(
        one
        for reading in (before, after)
        for one in reading.findings
        if one.severity is Severity.ERROR
    )
    if faults:
        return Outcome(faults, is_stopped=True)
    left = (
        *(one for one in before.findings if one.rule == LEFT_OUT),
        *(one for one in after.findings if one.rule in {LEFT_OUT, "nothing-found"}),
    )
    if position is not None:
        findings, additions = compare_bare(before, after, position)
        return Outcome((*left, *findings), additions)
    if _is_bare(before) and _is_bare(after):
        raise InvalidSideError("there are no contracts; of two bare schemas say the --position")
    report = compare(before, after)
    findings = (*left, *make_findings(report))
    if not before.catalogue.contracts:
        findings = (*findings, _note_empty(old))
    elif more is not None:
        findings = (*findings, *more(before.catalogue, after.catalogue, told=list_told(report)))
    return Outcome(findings, report.to_additions())


def list_told(report: CompatReport) -> frozenset[Told]:
    """Return the changes of a report; ``moved`` is that of a contract in another file."""
    told = {
        (service.service, change.member, change.rule)
        for service in report.services
        for change in service.changes
    }
    return frozenset(told | {(one.service, None, "moved") for one in report.services if one.moved})


def _is_bare(reading: Reading) -> bool:
    """Tell whether a side has schemas and no contract."""
    return bool(reading.catalogue.documents) and not reading.catalogue.contracts


def _note_empty(side: Side) -> Finding:
    return Finding(
        "empty-baseline",
        Severity.NOTE,
        "there are no contracts to compare with, so nothing can have broken",
        path=side.name,
        subject=Subject(document=side.name),
        fix="nothing, if these are the first ones; else check the path",
    )


def render_verdicts(additions: Mapping[str, Any]) -> str:
    """Return the verdicts as lines: of each service that changed, and of the whole."""
    services: Mapping[str, Any] = additions.get("services", {})
    changed = {name: _say(one) for name, one in services.items() if _say(one) != _say(_UNCHANGED)}
    same = len(services) - len(changed)
    rows = [*changed.items()]
    if same and changed:
        rows.append((f"{same} more", _say(_UNCHANGED)))
    rows.append(("the whole", _say(additions)))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)


_UNCHANGED: Final = {
    "verdicts": {"old-consumer": "compatible", "new-consumer": "compatible"},
    "order": "any",
}


def _say(facts: Mapping[str, Any]) -> str:
    verdicts = facts["verdicts"]
    return (
        f"old consumers: {verdicts['old-consumer']}, new consumers: {verdicts['new-consumer']}; "
        f"{_ORDERS[facts['order']]}"
    )
