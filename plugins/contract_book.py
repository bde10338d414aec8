"""The contracts at hand for a plan: those given, in plugins' packages, and shipped ones.

The shipped ones are found by digest alone: an id of theirs may be anybody's.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import UNSET

from .contract_fit import Held, judge_fit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.findings import Finding
    from pi_contracts.contracts.model import Contract

    from .contract_fit import Verdict
    from .dry_run import Recording
    from .facets import Declaration
    from .outcomes import ServiceFacts

_TAKEN: Final = "duplicate-id"
"""The rule of contracts that two files hold."""
_OURS: Final = Path(__file__).resolve().parent.parent
_SHIPPED: Final = _OURS / "contracts" / "library"


class Traits(NamedTuple):
    """What the rules ask of a contract."""

    scopes: tuple[str, ...] | None
    deprecated: bool
    advice: str = ""
    """Since when, what instead, and why, as far as the contract says so."""


class ContractBook:
    """The contracts that a plan may look at; files are read at the first question.

    Args:
        given: Folders and files that were named; their mistakes are findings.
        packages: Folders of plugins' packages; what is wrong in them is not.
        facts: Of each digest, what the token said that a setup named.
    """

    def __init__(
        self,
        given: Sequence[Path] = (),
        packages: Iterable[str] = (),
        facts: Mapping[str, ServiceFacts] | None = None,
        base: Path | None = None,
    ) -> None:
        self._given_paths = given
        self._base = base
        self._packages = sorted({_choose_folder(Path(folder)) for folder in packages})
        self._facts = facts or {}
        self.findings: tuple[Finding, ...] = ()
        """Mistakes in the contracts that were given."""
        self._given: tuple[Held, ...] = ()
        self._verdicts: dict[tuple[str, str], Verdict | None] = {}
        self.is_sound = True
        """Whether everything that was given could be read."""
        if given:
            self._given = self._read_given(given)

    @property
    def is_given(self) -> bool:
        """Whether contracts were given, so that an unknown one is a mistake."""
        return bool(self._given_paths) and self.is_sound

    def list_held(self) -> tuple[Held, ...]:
        """Return every contract at hand, those that were given first."""
        return self._all

    def find(self, digest: str) -> Held | None:
        """Return the contract with this digest; of those at hand, else of the shipped ones."""
        return self._by_digest.get(digest) or self._shipped.get(digest)

    def judge(self, consumer: str, provider: str) -> Verdict | None:
        """Compare two contracts by their digests; None if one of them is not at hand."""
        key = consumer, provider
        if key not in self._verdicts:
            ours, theirs = self.find(consumer), self.find(provider)
            self._verdicts[key] = (
                None if ours is None or theirs is None else judge_fit(ours, theirs)
            )
        return self._verdicts[key]

    def has_contract(self, entry: Declaration) -> bool:
        """Tell whether a contract of this service is at hand, or its very contract shipped."""
        if entry.service in self._by_id:
            return True
        digest = UNSET if entry.contract is UNSET else entry.contract.digest
        return digest is not UNSET and digest in self._shipped

    @property
    def service_ids(self) -> list[str]:
        """The ids of all services that a contract at hand is about."""
        return list(self._by_id)

    def find_traits(self, entry: Declaration) -> Traits | None:
        """Return what is known of the contract that one side holds: the most exact source."""
        digest = None if entry.contract is UNSET else entry.contract.digest or None
        same = [held for held in self._given if held.contract.service_id == entry.service]
        exact = next((held for held in same if held.digest == digest), None)
        facts = self._facts.get(digest or "")
        if exact is None and facts is not None:
            return Traits(facts.scopes, facts.deprecated)
        held = exact or next(iter(same), None)
        return None if held is None else _get_traits(held.contract)

    def _read_given(self, paths: Sequence[Path]) -> tuple[Held, ...]:
        """Read what was given together; apart, where that holds one contract twice.

        So the contracts of two generations can be given, each in its folder.
        """
        from pi_contracts.contracts.read import read  # noqa: PLC0415 # seldom needed
        from pi_contracts.contracts.suppressions import suppress  # noqa: PLC0415 # seldom needed

        readings = [read(paths, base=self._base)]
        if any(one.rule == _TAKEN for one in readings[0].findings):
            readings = [read([path], base=self._base) for path in dict.fromkeys(paths)]
        self.findings = tuple(
            finding for one in readings for finding in suppress(one.catalogue, one.findings)
        )
        self.is_sound = all(one.is_sound for one in readings)
        if not self.is_sound:
            return ()
        return tuple(held for one in readings for held in _list_held(one.catalogue))

    @cached_property
    def _all(self) -> tuple[Held, ...]:
        from pi_contracts.contracts.read import read  # noqa: PLC0415 # seldom needed

        found = list(self._given)
        for folder in self._packages:
            if any(folder.rglob("*.contract.json")):
                reading = read([folder], base=self._base)
                found += _list_held(reading.catalogue) if reading.is_sound else ()
        return tuple(found)

    @cached_property
    def _shipped(self) -> dict[str, Held]:
        from pi_contracts.contracts.read import read  # noqa: PLC0415 # seldom needed

        return {held.digest: held for held in _list_held(read([_SHIPPED]).catalogue)}

    @cached_property
    def _by_digest(self) -> dict[str, Held]:
        return {held.digest: held for held in reversed(self._all)}

    @cached_property
    def _by_id(self) -> dict[str, Held]:
        return {held.contract.service_id: held for held in reversed(self._all)}


def make_book(
    given: Sequence[Path], recordings: Sequence[Recording], base: Path | None = None
) -> ContractBook:
    """Return the contracts that were given, and those of the plugins that were set up.

    Files are named relative to *base*, or the working directory.
    """
    packages = {one.folder for one in recordings if one.folder is not None}
    facts: dict[str, ServiceFacts] = {}
    for recording in recordings:
        report = recording.report
        for entry in () if report is None else (*report.requires, *report.provides):
            if entry.contract is not UNSET and entry.contract.digest is not UNSET:
                facts[entry.contract.digest] = recording.services[entry.service]
    return ContractBook(given, packages, facts, base)


def _choose_folder(package: Path) -> Path:
    """Return where the contracts of a package are: our own package holds much else."""
    return _SHIPPED if package.resolve() == _OURS else package


def _list_held(catalogue: Catalogue) -> tuple[Held, ...]:
    from pi_contracts.contracts.digest import (  # noqa: PLC0415 # as above
        get_digest,
        make_contract_bundle,
    )

    contracts = catalogue.contracts.values()
    return tuple(
        Held(contract, catalogue, get_digest(contract, make_contract_bundle(catalogue, contract)))
        for contract in contracts
    )


def _get_traits(contract: Contract) -> Traits:
    note = contract.deprecation
    if note is None:
        return Traits(contract.scopes, deprecated=False)
    parts = (
        f"since {note.since}" if note.since else "",
        f"use {note.use} instead" if note.use else "",
        note.reason or "",
    )
    return Traits(contract.scopes, deprecated=True, advice="; ".join(filter(None, parts)))
