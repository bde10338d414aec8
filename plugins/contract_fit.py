"""How a consumer that holds one contract fares with a provider that holds another.

The comparison is that of `compat`, in the words of one assembly: there both run at
once, and neither is older than the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from pi_contracts.contracts.findings import Related, quote

if TYPE_CHECKING:
    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.compat.services import Change
    from pi_contracts.contracts.model import Contract

_ELSEWHERE: Final = frozenset({"scopes-narrowed", "scopes-widened"})
"""Changes about where a service may be provided; in an assembly that is known."""
_WORDS: Final = {
    "discriminator-changed": "its discriminator is another in the provider's contract",
    "kind-changed": "it is of another kind in the provider's contract",
    "member-removed": "the provider's contract does not have it",
    "mode-changed": "the service is of another mode in the provider's contract",
    "result-changed": "it returns a value in one contract and a reference in the other",
    "result-removed": "it returns nothing in the provider's contract",
}
"""What changes of a contract's outline are called, of which `compat` speaks as of events."""


class Held(NamedTuple):
    """One contract, the documents it refers to, and its digest."""

    contract: Contract
    catalogue: Catalogue
    digest: str


class Verdict(NamedTuple):
    """How a consumer that holds one contract fares with a provider that holds another."""

    is_compatible: bool
    reason: str
    """What does not fit, in a few words; empty if everything does."""
    flow: str | None = None
    """What flows there, such as ``select.params``."""
    witness: bytes | None = None
    """A value that is sent and not taken, as JSON."""
    places: tuple[Related, ...] = ()
    """Where the two contracts say it."""

    @property
    def proof(self) -> msgspec.Raw | UnsetType:
        """The witness, as a finding holds it."""
        return UNSET if self.witness is None else msgspec.Raw(self.witness)


def judge_fit(consumer: Held, provider: Held) -> Verdict:
    """Compare the contracts that the two sides of a service hold."""
    from pi_contracts.contracts.compat.decide import Kind  # noqa: PLC0415 # seldom needed
    from pi_contracts.contracts.compat.services import (  # noqa: PLC0415 # as above
        Generation,
        compare_services,
    )
    from pi_contracts.contracts.compat.verdicts import Direction  # noqa: PLC0415 # as above

    # The consumer's contract stands for the older one, since its consumer is asked about.
    old, new = (Generation(one.catalogue, one.contract) for one in (consumer, provider))
    report = compare_services(old, new)
    misfits = [
        change
        for kind in (Kind.BREAKING, Kind.UNDECIDED)
        for change in report.changes
        if (change.direction, change.kind) == (Direction.OLD_CONSUMER, kind)
        and change.rule not in _ELSEWHERE
    ]
    if not misfits:
        return Verdict(is_compatible=True, reason="")
    worst = misfits[0]
    doubt = "" if worst.kind is Kind.BREAKING else "it is not proved to fit: "
    where = "" if worst.member is None else f"{quote(worst.member)}: "
    others = len(misfits) - 1
    more = f" (and {others} more, which pi-contracts compat lists)" if others else ""
    return Verdict(
        is_compatible=False,
        reason=f"{doubt}{where}{_word(worst)}{more}",
        flow=worst.flow,
        witness=msgspec.json.encode(worst.witness) if worst.has_witness else None,
        places=(
            _place(consumer, worst.pointer, "the contract that the consumer holds"),
            _place(provider, worst.pointer, "the contract that the provider holds"),
        ),
    )


def _word(change: Change) -> str:
    if change.flow is None and change.rule in _WORDS:
        return _WORDS[change.rule]
    text = change.text.replace(" any more", " in the provider's contract")
    for side, name in (
        (change.direction.consumer, "the consumer"),
        (change.direction.provider, "the provider"),
    ):
        text = text.replace(side, name)
    return text


def _place(held: Held, pointer: str, message: str) -> Related:
    """Return where a contract says something; where it does not, the nearest above."""
    source = held.catalogue.documents[held.contract.document].source
    place = source.find_place(pointer)
    return Related(message, source.path, place.line, place.column)
