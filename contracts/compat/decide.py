"""The decision: whether a flow from one schema to another is safe, with what shows it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .budget import Budget, ExhaustedError
from .maker import Maker
from .pool import Pool
from .prover import Prover
from .signature import Signatures
from .validators import Validators
from .witness import find_witnesses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .flat import FlatDocument, FlatSchema
    from .nodes import Node

STEPS: Final = 30_000
SECONDS: Final = 0.8


class Kind(enum.StrEnum):
    """What can be said of a flow; worse ones come later."""

    COMPATIBLE = "compatible"
    UNDECLARED = "breaking-undeclared"
    UNDECIDED = "undecided"
    BREAKING = "breaking"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one question; a break has a witness."""

    kind: Kind
    witness: Any = None
    steps: int = 0


def decide(sender: FlatSchema, receiver: FlatSchema) -> Verdict:
    """Return whether *receiver* accepts all that *sender* accepts."""
    documents = {"urn:sender": sender.document, "urn:receiver": receiver.document}
    decider = Decider(documents)
    return decider.decide("urn:sender" + sender.reference, "urn:receiver" + receiver.reference)


class Decider:
    """Answers questions about the schemas of some flat documents, which have a URI each."""

    def __init__(self, documents: Mapping[str, FlatDocument]) -> None:
        self.documents = documents
        self.pool = Pool(documents)
        self.signatures = Signatures(self.pool)
        self.validators = Validators(self.pool)

    def decide(self, sender: str, receiver: str) -> Verdict:
        """Return whether the schema at one absolute reference accepts all of another's values."""
        left, right = self.pool.get(sender), self.pool.get(receiver)
        if left is right:
            return Verdict(Kind.COMPATIBLE)
        proved, prover = self._prove(left, right)
        if proved:
            return Verdict(Kind.COMPATIBLE, steps=prover.budget.spent)
        maker = Maker(self.pool, self.signatures, self.validators, Budget(STEPS, SECONDS))
        try:
            for value in find_witnesses(maker, left, right, prover.open):
                return Verdict(Kind.BREAKING, value)
        except ExhaustedError:
            pass
        return Verdict(Kind.UNDECIDED)

    def _prove(self, left: Node, right: Node) -> tuple[bool, Prover]:
        prover = Prover(self.pool, self.signatures, self.validators, Budget(STEPS, SECONDS))
        try:
            return prover.prove((left,), (right,)), prover
        except (ExhaustedError, RecursionError):
            return False, prover
