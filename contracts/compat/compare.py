"""The comparison: two readings of the same contracts, service by service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .decide import Kind
from .services import Generation, ServiceReport, compare_services, report_missing
from .verdicts import Direction, Order, choose_order, combine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pi_contracts.contracts.read import Reading


@dataclass(frozen=True, slots=True)
class CompatReport:
    """What became of every service."""

    services: tuple[ServiceReport, ...]
    """In the order of their ids."""
    verdicts: Mapping[Direction, Kind]
    order: Order

    def to_additions(self) -> dict[str, object]:
        """Return what the command's report has beside its findings."""
        return {
            "verdicts": _spell(self.verdicts),
            "order": self.order.value,
            "services": {
                one.service: {"verdicts": _spell(one.verdicts), "order": one.order.value}
                for one in self.services
            },
        }


def compare(old: Reading, new: Reading) -> CompatReport:
    """Return what changed from *old* to *new*; both should be sound.

    Services are told by their ids, wherever their files are. Of two contracts with one
    id, which reading reports, the first counts.
    """
    return _Comparer(_get_generations(old), _get_generations(new)).compare()


class _Comparer:
    def __init__(self, old: dict[str, Generation], new: dict[str, Generation]) -> None:
        self.old = old
        self.new = new
        self.references: dict[tuple[str, str], Mapping[Direction, Kind]] = {}

    def compare(self) -> CompatReport:
        services = tuple(self.compare_one(one) for one in sorted({**self.old, **self.new}))
        verdicts = combine(one.verdicts for one in services)
        return CompatReport(services, verdicts, choose_order(verdicts))

    def compare_one(self, service: str) -> ServiceReport:
        old, new = self.old.get(service), self.new.get(service)
        if old is None or new is None:
            return report_missing(old, new)
        return compare_services(old, new, self.look_up)

    def look_up(self, before: str, after: str) -> Mapping[Direction, Kind]:
        """Return how a service fares that takes another's place as a reference.

        Services that return each other are taken to fit while they are compared.
        """
        if before not in self.old or after not in self.new:
            return dict.fromkeys(Direction, Kind.BREAKING)
        key = before, after
        if key not in self.references:
            self.references[key] = dict.fromkeys(Direction, Kind.COMPATIBLE)
            report = compare_services(self.old[before], self.new[after], self.look_up)
            self.references[key] = report.verdicts
        return self.references[key]


def _get_generations(reading: Reading) -> dict[str, Generation]:
    found: dict[str, Generation] = {}
    for contract in reading.catalogue.contracts.values():
        found.setdefault(contract.service_id, Generation(reading.catalogue, contract))
    return found


def _spell(verdicts: Mapping[Direction, Kind]) -> dict[str, str]:
    return {direction.value: kind.value for direction, kind in verdicts.items()}
