"""The decision: whether a flow from one schema to another is safe, with what shows it.

Proof first, then a witness; what has neither is undecided. A break is told apart
from one that only undeclared members cause by asking both again of the sender's
schema with its open objects closed.
"""

from __future__ import annotations

import enum
import sys
import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from .budget import Budget, ExhaustedError
from .canonical import covers
from .flat import cut_reference
from .maker import Maker
from .pool import Pool
from .prover import Prover
from .reduction import Reduction
from .signature import Signatures
from .undeclared import close, close_around
from .validators import UnjudgedError, Validators
from .witness import find_witnesses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .flat import FlatDocument, FlatSchema
    from .node import Node
    from .steps import Frame

STEPS: Final = 20_000
SECONDS: Final = 1.2
"""What one proof or one search may cost, in time of the processor."""
TOTAL_SECONDS: Final = 1.8
"""What one question may take, with its proofs and searches, in time of the processor."""
BUILDING_SECONDS: Final = 1.0
"""How much of that the making of nodes may take, so that time is left to judge them."""
REDUCED_SECONDS: Final = 0.6
"""How much of that a question may take that is asked without what both schemas say alike."""
CLOSING_SECONDS: Final = 0.4
"""What must be left to close open objects and ask again; of large schemas three times that."""
MOST_REFERENCES: Final = 40_000
"""With how many references a schema is compiled in the time that there is."""
_RECURSION: Final = 8000
"""Deep enough for schemas as deep as the validator takes."""
_SENDER, _RECEIVER = "urn:sender", "urn:receiver"


class Kind(enum.StrEnum):
    """What can be said of a flow."""

    COMPATIBLE = "compatible"
    UNDECLARED = "breaking-undeclared"
    UNDECIDED = "undecided"
    BREAKING = "breaking"

    @property
    def rank(self) -> int:
        """How bad it is: the worst one of some is that of all of them."""
        return list(Kind).index(self)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one question."""

    kind: Kind
    witness: Any = None
    """A value that breaks, where one was found; of an undecided one an undeclared one."""
    has_witness: bool = False
    place: tuple[str | int, ...] = ()
    """Where in a value it stayed undecided, as far as is known."""


COMPATIBLE: Final = Verdict(Kind.COMPATIBLE)


def decide(sender: FlatSchema, receiver: FlatSchema) -> Verdict:
    """Return whether *receiver* accepts all that *sender* accepts."""
    documents = {_SENDER: sender.document, _RECEIVER: receiver.document}
    return Decider(documents).decide(_SENDER + sender.reference, _RECEIVER + receiver.reference)


class Decider:
    """Answers questions about the schemas of some flat documents, which have a URI each."""

    def __init__(self, documents: Mapping[str, FlatDocument], *, are_reduced: bool = False) -> None:
        """Take in the documents; nothing is asked of them yet.

        Args:
            documents: By their URIs.
            are_reduced: Whether what they say alike has been left out.
        """
        self.documents = documents
        self._are_reduced = are_reduced
        self._answers: dict[tuple[Node, Node], Verdict] = {}
        self._is_too_large = False

    def decide(self, sender: str, receiver: str) -> Verdict:
        """Return whether the schema at one absolute reference accepts all of another's values."""
        if self._is_too_large:
            return Verdict(Kind.UNDECIDED)
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _RECURSION))
        try:
            return self._answer(sender, receiver)
        except (ExhaustedError, RecursionError, UnjudgedError):
            # what is too large, nests too deeply, or what the validator does not take
            return Verdict(Kind.UNDECIDED)
        finally:
            sys.setrecursionlimit(before)

    @cached_property
    def engine(self) -> _Engine:
        """The parts that work on the documents."""
        try:
            return _Engine(self.documents, time.thread_time() + BUILDING_SECONDS)
        except (ExhaustedError, RecursionError):
            # without the recursive definitions no question can be asked
            self._is_too_large = True
            raise

    def _answer(self, sender: str, receiver: str) -> Verdict:
        start = time.thread_time()
        engine = self.engine
        engine.deadline = start + (REDUCED_SECONDS if self._are_reduced else TOTAL_SECONDS)
        engine.pool.until = start + BUILDING_SECONDS
        left, right = engine.pool.get(sender), engine.pool.get(receiver)
        if left is right:
            return COMPATIBLE
        engine.pool.until = engine.deadline
        verdict = self._answers.get((left, right))
        if verdict is None:
            verdict = self._answers[left, right] = self._decide(sender, receiver)
        return verdict

    def _decide(self, sender: str, receiver: str) -> Verdict:
        texts = self.engine.pool.texts
        if texts.are_large and not texts.are_evaluated and not self._are_reduced:
            verdict = self._decide_reduced(sender, receiver)
            if verdict is not None:
                return verdict
        proved, opened = self.engine.prove(sender, receiver)
        if proved:
            return COMPATIBLE
        verdict = self._break(sender, receiver, opened)
        if verdict.has_witness:
            if self.engine.is_declared(sender, verdict.witness):
                return verdict
        elif texts.reference_count > MOST_REFERENCES:
            return verdict
        elif not texts.are_large and covers(self._locate(receiver), self._locate(sender)):
            return COMPATIBLE
        needed = CLOSING_SECONDS * (3 if texts.are_large else 1)
        if time.thread_time() > self.engine.deadline - needed:
            return replace(verdict, kind=Kind.UNDECIDED)
        closed = _Closed.make(self.documents, sender, receiver)
        return verdict if closed is None else closed.judge(verdict, self.engine)

    def _decide_reduced(self, sender: str, receiver: str) -> Verdict | None:
        """Return the verdict that the parts lead to which differ, None if they lead to none.

        Of a value that breaks, the members that come from those parts are declared if they
        are in the reduced schema; what is completed is required, which declares it.
        """
        ends = cut_reference(sender), cut_reference(receiver)
        try:
            reduction = Reduction(self.documents, self.engine.pool.texts, *ends)
        except LookupError:
            return None
        documents = {_SENDER: reduction.sender, _RECEIVER: reduction.receiver}
        decider = Decider(documents, are_reduced=True)
        verdict = decider.decide(f"{_SENDER}#", f"{_RECEIVER}#")
        if verdict.kind is Kind.COMPATIBLE:
            return verdict
        if not verdict.has_witness:
            return None
        texts = self.engine.pool.texts
        if texts.reference_count > MOST_REFERENCES:
            return Verdict(Kind.UNDECIDED)
        try:
            witness = reduction.complete(verdict.witness)
        except LookupError:
            return None
        if not self.engine.is_witness(sender, receiver, witness):
            return None
        kind = Kind.BREAKING
        if verdict.kind is not Kind.BREAKING and self._is_closed_safe(sender, documents):
            kind = Kind.UNDECLARED
        elif (
            verdict.kind is not Kind.BREAKING or reduction.hides_declared or texts.have_branches
        ) and not self.engine.is_declared(sender, witness):
            return None
        return Verdict(kind, witness, has_witness=True)

    def _is_closed_safe(self, sender: str, reduced: Mapping[str, FlatDocument]) -> bool:
        """Whether a reduced question is proved with the sender's open objects closed."""
        uri, pointer = cut_reference(sender)
        closings = close(self.documents[uri], pointer, uri)
        if closings is None:
            return False
        whole: Any = closings[0].value
        closing = {**whole, "allOf": [{"$ref": f"{_SENDER}#"}, *whole["allOf"][1:]]}
        documents = {_WIDER: replace(closings[0], value=closing), **reduced}
        try:
            engine = _Engine(documents, self.engine.deadline)
        except ExhaustedError:
            return False
        return engine.prove(f"{_WIDER}#", f"{_RECEIVER}#")[0]

    def _locate(self, reference: str) -> tuple[FlatDocument, str]:
        uri, pointer = cut_reference(reference)
        return self.documents[uri], pointer

    def _break(self, sender: str, receiver: str, opened: list[tuple[Frame, ...]]) -> Verdict:
        for value in self.engine.find(sender, receiver, opened):
            return Verdict(Kind.BREAKING, value, has_witness=True)
        place = tuple(frame.step.key for frame in opened[0] if frame.step) if opened else ()
        return Verdict(Kind.UNDECIDED, place=place)


class _Engine:
    """The parts that work on one set of documents."""

    def __init__(self, documents: Mapping[str, FlatDocument], until: float) -> None:
        self.pool = Pool(documents, until)
        self.signatures = Signatures(self.pool)
        self.validators = Validators(documents)
        self.deadline = until
        nothing = Budget(0, 0)
        self._prover = Prover(self.pool, self.signatures, self.validators, nothing)
        self._maker = Maker(self.pool, self.signatures, self.validators, nothing)

    def _make_budget(self) -> Budget:
        return Budget(STEPS, SECONDS, self.deadline)

    def prove(self, sender: str, receiver: str) -> tuple[bool, list[tuple[Frame, ...]]]:
        """Return whether containment is proved, and what stayed open if not."""
        self._prover.begin(self._make_budget())
        self.pool.until = min(self.deadline, time.thread_time() + SECONDS)
        try:
            left, right = self.pool.get(sender), self.pool.get(receiver)
            return self._prover.prove((left,), (right,)), self._prover.open
        except (ExhaustedError, RecursionError, UnjudgedError):
            return False, self._prover.open

    def find(self, sender: str, receiver: str, opened: list[tuple[Frame, ...]]) -> Iterator[Any]:
        """Yield witnesses, each judged by the validators of the whole schemas."""
        if self.pool.texts.reference_count > MOST_REFERENCES:
            return
        self._maker.begin(self._make_budget())
        self.pool.until = self.deadline
        accepting = self.validators.refer(sender)
        refusing = self.validators.refer(receiver)
        try:
            left, right = self.pool.get(sender), self.pool.get(receiver)
            for value in find_witnesses(self._maker, left, right, opened):
                if accepting.is_valid(value) and not refusing.is_valid(value):
                    yield value
        except (ExhaustedError, RecursionError, UnjudgedError):
            return

    def is_witness(self, sender: str, receiver: str, value: Any) -> bool:
        """Whether the validators of the whole schemas say that a value breaks."""
        accepting, refusing = map(self.validators.refer, (sender, receiver))
        try:
            return accepting.is_valid(value) and not refusing.is_valid(value)
        except ValueError as problem:  # it nests too deeply
            raise UnjudgedError from problem

    def is_declared(self, sender: str, value: Any) -> bool:
        """Whether a value that the sender's schema accepts has declared members alone."""
        uri, pointer = cut_reference(sender)
        closing = close_around(self.pool.documents[uri], pointer, uri, value)
        return self.validators.compile(closing).is_valid(value)


class _Closed:
    """A question with the sender's open objects closed."""

    def __init__(
        self,
        documents: Mapping[str, FlatDocument],
        ends: tuple[str, str],
        closings: tuple[FlatDocument, FlatDocument],
    ) -> None:
        self.sender, self.receiver = ends
        wider, exact = closings
        self.branches_matter = exact is not wider
        self.documents = {**documents, _EXACT: exact, _WIDER: wider}

    @staticmethod
    def make(documents: Mapping[str, FlatDocument], sender: str, receiver: str) -> _Closed | None:
        """Return the question, None if no object of the sender's is open."""
        uri, pointer = cut_reference(sender)
        closings = close(documents[uri], pointer, uri)
        return closings and _Closed(documents, (sender, receiver), closings)

    def judge(self, verdict: Verdict, asked: _Engine) -> Verdict:
        """Return the verdict, given that of the question as it was, without such a witness.

        Args:
            verdict: That one.
            asked: The parts that it was asked with.
        """
        try:
            engine = _Engine(self.documents, asked.deadline)
        except ExhaustedError:
            return replace(verdict, kind=Kind.UNDECIDED)
        proved, opened = engine.prove(f"{_WIDER}#", self.receiver)
        if not proved and self.branches_matter:
            # it takes longer, but knows which branch a member belongs to
            proved, _ = engine.prove(f"{_EXACT}#", self.receiver)
        if proved and verdict.has_witness:
            return Verdict(Kind.UNDECLARED, verdict.witness, has_witness=True)
        if not proved:
            accepting = engine.validators.refer(self.sender)
            for value in engine.find(f"{_WIDER}#", self.receiver, opened):
                if accepting.is_valid(value) and asked.is_declared(self.sender, value):
                    return Verdict(Kind.BREAKING, value, has_witness=True)
        return replace(verdict, kind=Kind.UNDECIDED)


_EXACT, _WIDER = "urn:closed:exact", "urn:closed:wider"
