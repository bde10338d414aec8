"""The prover: every value that some schemas accept is accepted by one of others.

The question is a sequent, *left* schemas and *right* schemas: whatever all of the
left accept, one of the right accepts. It is decided backwards, as in a sequent
calculus: what connectives say is moved to the sides or splits the question, until
both sides hold literals of one type, which `numbers`, `strings`, `arrays` and
`objects` judge. A rule that drops a part of a side only makes the question harder,
so whatever comes out proved is so.

Recursion is by induction over the depth of values: a question that is met again
inside a member or an item of the value that it was asked of may be taken for true.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from . import arrays, numbers, objects, strings
from .budget import ExhaustedError
from .cases import find_tags, find_types, sort_choices
from .facts import Facts, split_parts
from .node import Node
from .nodes import If, OneOf, Opaque, is_list
from .steps import Frame

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from .budget import Budget
    from .facts import Choice
    from .pool import Pool
    from .signature import Signatures
    from .steps import Side, Step
    from .validators import Validators

_Key: TypeAlias = tuple[frozenset[Node], frozenset[Node]]
_ATTEMPT: Final = 1500
_MOST_SPLITS: Final = 14
_FINITE: Final[frozenset[str]] = frozenset({"null", "boolean"})
_MOST_OPEN: Final = 12
_NODES_A_STEP: Final = 50
_VALUES_A_STEP: Final = 20
_MANY_BRANCHES: Final = 4


class Prover:
    """Proves sequents, and keeps the questions that it could not close."""

    def __init__(
        self, pool: Pool, signatures: Signatures, validators: Validators, budget: Budget
    ) -> None:
        self.pool = pool
        self.signatures = signatures
        self.validators = validators
        self.budget = budget
        self.open: list[tuple[Frame, ...]] = []
        """Ways down to what is open; the last frame of each is the innermost question."""
        self._frames: list[Frame] = []
        self._assumed: dict[_Key, int] = {}
        self._used: set[_Key] = set()
        self._proved: set[_Key] = set()
        self._trail: list[_Key] = []
        self._failed: set[_Key] = set()
        self._told: set[_Key] = set()
        """Of those without a proof the ones whose open questions are kept."""
        self._depth = 0
        self._splits = 0
        self._quiet = 0

    def begin(self, budget: Budget) -> None:
        """Forget what stays open, for another question with a budget of its own."""
        self.budget = budget
        self.open = []
        self._told.clear()
        self._assumed.clear()
        self._used.clear()
        self._frames.clear()
        self._depth = self._splits = self._quiet = 0

    def prove(self, left: Side, right: Side) -> bool:
        """Whether it is proved that each value of all *left* schemas is one of a *right* one.

        Raises:
            ExhaustedError: The budget does not suffice.
        """
        left, right = tuple(dict.fromkeys(left)), tuple(dict.fromkeys(right))
        key = (frozenset(left), frozenset(right))
        if key in self._proved:
            return True
        if key in self._failed and (self._quiet or key in self._told):
            return False
        if key in self._assumed:
            self._used.add(key)
            return self._assumed[key] < self._depth
        self.budget.spend()
        self._assumed[key] = self._depth
        mark = len(self._trail)
        try:
            proved = self._decide(left, right)
        finally:
            del self._assumed[key]
        if proved:
            self._proved.add(key)
            self._trail.append(key)
        else:
            if key in self._used:
                # what was proved from it is not
                self._proved.difference_update(self._trail[mark:])
                del self._trail[mark:]
            self._failed.add(key)
            if not self._quiet:
                self._told.add(key)
        self._used.discard(key)
        return proved

    def attempt(self, left: Side, right: Side) -> bool:
        """Whether a short try proves the sequent; what stays open is not kept."""
        key = (frozenset(left), frozenset(right))
        if key in self._proved or key in self._failed:
            return key in self._proved
        self._quiet += 1
        mark = len(self._trail)
        try:
            with self.budget.lend(_ATTEMPT):
                return self.prove(left, right)
        except ExhaustedError:
            self._proved.difference_update(self._trail[mark:])
            del self._trail[mark:]
            self.budget.spend(0)
            return False
        finally:
            self._quiet -= 1

    def is_empty(self, *left: Node) -> bool:
        """Whether a short try proves that no value is of all these schemas."""
        return self.attempt(left, ())

    def prove_part(self, left: Side, right: Side) -> bool:
        """Whether a short try proves a sequent about a member or an item of the value."""
        self._depth += 1
        try:
            return self.attempt(left, right)
        finally:
            self._depth -= 1

    def is_part_empty(self, left: Side) -> bool:
        """Whether a short try proves that no member or item is of all these schemas."""
        return self.prove_part(left, ())

    def descend(self, facts: Side, refused: Side, step: Step, left: Side, right: Side) -> bool:
        """Prove a sequent about a part of the value that *facts* and *refused* are about."""
        splits, self._splits = self._splits, 0
        with self._enter(Frame(facts, refused, step)):
            proved = self.prove(left, right)
        self._splits = splits
        return proved

    @contextmanager
    def _enter(self, frame: Frame) -> Generator[None]:
        self._frames.append(frame)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self._frames.pop()

    def _decide(self, left: Side, right: Side) -> bool:
        facts = Facts(self.pool, self.signatures, left, right)
        self.budget.spend(facts.size // _NODES_A_STEP)
        if facts.is_contradiction:
            return True
        if facts.values is not None or facts.types <= _FINITE:
            return self._try_values(facts, left, right)
        known = len(self.open)
        left = tuple(dict.fromkeys((*left, *facts.derived)))
        proved = self._decide_open(facts, left, right)
        if proved:
            del self.open[known:]  # what stayed open on the way no longer matters
        elif known == len(self.open):
            self._record(left, right)
        return proved

    def _record(self, left: Side, right: Side) -> None:
        if not self._quiet and len(self.open) < _MOST_OPEN:
            self.open.append((*self._frames, Frame(left, right, None)))

    def _try_values(self, facts: Facts, left: Side, right: Side) -> bool:
        """Ask the validators of each value that there can be."""
        accepting, refusing = left, right
        if facts.values is not None:
            values = list(facts.values.values())
            # they are of all the lists there are, which need not be looked through for each
            accepting = tuple(self.pool.leave_out_values(node) for node in left)
            refusing = tuple(node for node in right if not is_list(node))
        else:
            values = [None] if "null" in facts.types else []
            values += [False, True] if "boolean" in facts.types else []
        for index, value in enumerate(values):
            self.budget.spend(not index % _VALUES_A_STEP)
            if self.validators.is_between(value, accepting, refusing):
                self._record((*left, self.pool.make({"const": value})), right)
                return False
        return True

    def _decide_open(self, facts: Facts, left: Side, right: Side) -> bool:
        if (facts.negatives or not facts.goals) and self._judge(facts, left, right):
            return True
        if facts.goals:
            return self._decide_goals(facts, left)
        if self._splits < _MOST_SPLITS:
            choice = next(iter(sort_choices(facts)), None)
            if choice is not None:
                return self._split(choice, facts, left, right)
        return False

    def _judge(self, facts: Facts, left: Side, right: Side) -> bool:
        """Whether no type has a value of which all literals say so."""
        if any(isinstance(atom, Opaque) for atom in facts.negatives):
            return False
        return all(self._judge_type(name, facts, left, right) for name in sorted(facts.types))

    def _judge_type(self, name: str, facts: Facts, left: Side, right: Side) -> bool:
        match name:
            case "integer" | "fraction":
                return numbers.is_empty(facts, name)
            case "string":
                return strings.is_empty(facts, self.budget)
            case "array":
                return arrays.is_empty(self, facts, left, right)
            case "object":
                return objects.is_empty(self, facts, left, right)
            case _:
                values = [None] if name == "null" else [False, True]
                return not any(self.validators.is_between(one, left, right) for one in values)

    def _split(self, choice: Choice, facts: Facts, left: Side, right: Side) -> bool:
        """Prove the sequent for each way in which a choice of the left turns out."""
        self._splits += 1
        try:
            if isinstance(choice, If):
                return self.prove((*left, choice.condition, choice.then), right) and self.prove(
                    (*left, choice.otherwise), (*right, choice.condition)
                )
            for branch in facts.get_branches(choice):
                others: Side = ()
                if isinstance(choice, OneOf):
                    others = self._get_others(choice, branch)
                if not self.prove((*left, branch), (*right, *others)):
                    return False
            return True
        finally:
            self._splits -= 1

    def _get_others(self, choice: OneOf, branch: Node) -> Side:
        """Return the branches that refuse where one accepts, but those that anyway do."""
        signature = self.signatures.get(branch)
        return tuple(
            other
            for other in choice.branches
            if other is not branch and not signature.is_disjoint(self.signatures.get(other))
        )

    def _decide_goals(self, facts: Facts, left: Side) -> bool:
        rights = tuple(facts.rights)
        if len(facts.goals) == 1 and not facts.negatives:
            return self._expand(facts, rights, left)
        may_split = self._splits < _MOST_SPLITS
        pruning = self._find_pruning(facts) if may_split else None
        if pruning is not None:
            return self._split(pruning, facts, left, rights)
        if len(rights) > 1 and any(self.attempt(left, (goal,)) for goal in facts.goals):
            return True
        if may_split:
            for choice in facts.choices:
                if not isinstance(choice, If):
                    return self._split(choice, facts, left, rights)
            cases = find_tags(self.signatures, facts) or find_types(facts)
            if cases:
                return self._split_cases(cases, rights, left)
        return self._expand(facts, rights, left)

    def _find_pruning(self, facts: Facts) -> Choice | None:
        """Return a choice of which a branch is a goal or has nothing to do with one."""
        for choice in facts.choices:
            if isinstance(choice, If):
                continue
            for branch in facts.get_branches(choice):
                signature = self.signatures.get(branch)
                for goal in facts.goals:
                    if branch is goal or signature.is_disjoint(self.signatures.get(goal)):
                        return choice
        return None

    def _split_cases(self, cases: list[dict[str, object]], rights: Side, left: Side) -> bool:
        """Prove the sequent for each of some cases that are all there are."""
        self._splits += 1
        try:
            return all(self.prove((*left, self.pool.make(case)), rights) for case in cases)
        finally:
            self._splits -= 1

    def _expand(self, facts: Facts, rights: Side, left: Side) -> bool:
        """Prove a schema of the right part by part, beside the others."""
        goal = facts.goals[0]
        rest = tuple(right for right in rights if right is not goal)
        atom, *others = goal.atoms
        if others:
            return self._prove_all(map(self.pool.single, goal.atoms), rest, left)
        if isinstance(atom, If):
            return self.prove((*left, atom.condition), (*rest, atom.then)) and self.prove(
                left, (*rest, atom.condition, atom.otherwise)
            )
        if isinstance(atom, OneOf):
            return self._prove_exactly_one(atom, rest, left, facts)
        parts = split_parts(self.pool, atom, facts.known)
        return self._prove_all((part for part in parts if not facts.holds(part)), rest, left)

    def _prove_all(self, parts: Iterable[Node], rest: Side, left: Side) -> bool:
        """Prove each part; after one that failed others are looked at for what stays open."""
        proved = True
        for part in parts:
            if not self.prove(left, (*rest, part)):
                proved = False
                if self._quiet or len(self.open) >= _MOST_OPEN:
                    break
        return proved

    def _prove_changed(
        self, mine: OneOf, other: OneOf, shared: set[Node], rest: Side, left: Side
    ) -> bool:
        """Prove a choice from one that shares branches with it, by the others of both.

        Where a shared branch accepts, none of the others of *other* may; where none
        does, one of the others of *mine* does, and exactly one of those of *other* must.
        """
        gone = tuple(branch for branch in mine.branches if branch not in shared)
        new = tuple(branch for branch in other.branches if branch not in shared)
        self.budget.spend(len(shared) * (len(gone) + len(new)) // _NODES_A_STEP)
        proved = all(
            self.prove((*left, one, branch), (*rest, *gone))
            for one in new
            for branch in self._get_meeting(one, shared)
        )
        one_of_new = self.pool.join_atoms(self.pool.one_of(new))
        for branch in gone:
            apart = (
                *(one for one in gone if one is not branch),
                *self._get_meeting(branch, shared),
            )
            proved = self.prove((*left, branch), (*rest, *apart, one_of_new)) and proved
        return proved

    def _get_meeting(self, branch: Node, others: Iterable[Node]) -> list[Node]:
        """Return those of some branches that may accept what *branch* does, in their order."""
        signature = self.signatures.get(branch)
        meeting = (one for one in others if not signature.is_disjoint(self.signatures.get(one)))
        return sorted(meeting, key=hash)

    def _prove_exactly_one(self, atom: OneOf, rest: Side, left: Side, facts: Facts) -> bool:
        for mine in facts.select(OneOf):
            shared = set(mine.branches) & set(atom.branches)
            if len(shared) >= _MANY_BRANCHES:
                return self._prove_changed(mine, atom, shared, rest, left)
        if not self.prove(left, (*rest, self.pool.either(atom.branches))):
            return False
        return all(
            self.is_empty(first, second) or self.prove((*left, first, second), rest)
            for index, first in enumerate(atom.branches)
            for second in atom.branches[index + 1 :]
        )
