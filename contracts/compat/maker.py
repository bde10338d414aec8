"""The maker: values that some schemas accept and others refuse.

The dual of the prover: it opens the schemas in the same way, makes the smallest
value of a type that literals allow, lets the validators judge it, and for what
they object to commits to one way of a choice and makes the value anew. A member or
an item can be pinned: then it stays as it is.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from .facts import Facts, is_part, split_parts
from .made_arrays import make_arrays
from .made_objects import make_objects
from .made_strings import make_strings
from .nodes import If, OneOf
from .numbers import collect_numbers
from .values import count_parts, freeze, to_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .budget import Budget
    from .facts import Choice
    from .node import Node
    from .pool import Pool
    from .signature import Signatures
    from .steps import Side
    from .validators import Validators

_MOST_DEPTH: Final = 260
_MOST_PARTS: Final = 2_000_000
"""Of how many values one may consist, so that validators judge it in time."""
_MOST_FROZEN: Final = 10_000
_NODES_A_STEP: Final = 50
_MOST_COMMITS: Final = 40
_MOST_VALUES: Final = 6
"""Of how many values of one type the validators are asked."""
_SIMPLE_FIRST: Final = ("null", "string", "integer", "boolean", "fraction", "array", "object")


class Maker:
    """Makes values for the nodes of a pool."""

    def __init__(
        self, pool: Pool, signatures: Signatures, validators: Validators, budget: Budget
    ) -> None:
        self.pool = pool
        self.signatures = signatures
        self.validators = validators
        self.budget = budget
        self._known: dict[tuple[frozenset[Node], frozenset[Node]], list[Any]] = {}
        self._depth = 0
        self._commits = 0
        self.wanted = _MOST_VALUES
        """How many values of one type the question in hand needs, about."""

    def begin(self, budget: Budget) -> None:
        """Make values for another question, with a budget of its own."""
        self.budget = budget
        self._depth = self._commits = 0

    def find(
        self, left: Side, right: Side = (), pins: Mapping[str | int, Any] | None = None
    ) -> Any:
        """Return a value, or the exception class `LookupError` where none is found."""
        return next(self.make(left, right, pins), LookupError)

    def find_some(self, left: Side, right: Side, count: int) -> list[Any]:
        """Return up to *count* values of a part of the value in the making."""
        key = (frozenset(left), frozenset(right))
        known = self._known.get(key)
        if known is None or len(known) < count:
            if self._depth >= _MOST_DEPTH:
                return []
            self._depth += 1
            commits, self._commits = self._commits, 0
            wanted = self.wanted
            try:
                known = list(itertools.islice(self.make(left, right, count=count), count))
            finally:
                self._depth -= 1
                self._commits = commits
                self.wanted = wanted
            if self._depth < _MOST_DEPTH:
                self._known[key] = known
        return known[:count]

    def find_names(self, left: Side, right: Side, count: int) -> list[str]:
        """Return names of members, one that is empty last."""
        readable = self.pool.make({"type": "string", "minLength": 1})
        names = self.find_some((*left, readable), right, count)
        if len(names) < count:
            names = [*names, *self.find_some(left, right, count)]
        return [name for name in dict.fromkeys(names) if isinstance(name, str)][:count]

    def make(
        self,
        left: Side,
        right: Side = (),
        pins: Mapping[str | int, Any] | None = None,
        *,
        count: int = 0,
    ) -> Iterator[Any]:
        """Yield values that all of *left* accept and all of *right* refuse, small ones once.

        Args:
            left: Schemas.
            right: Schemas.
            pins: Members or items that the value must have as they are.
            count: How many values are wanted, if they are many.

        Raises:
            ExhaustedError: The budget does not suffice.
        """
        self.wanted = 2 * count + _MOST_VALUES
        seen: set[Any] = set()
        for value in self._make(left, right, pins or {}):
            if count_parts(value) > _MOST_FROZEN:
                yield value  # perhaps again
                continue
            frozen = freeze(value)
            if frozen not in seen:
                seen.add(frozen)
                yield value

    def _make(self, left: Side, right: Side, pins: Mapping[str | int, Any]) -> Iterator[Any]:
        self.budget.spend()
        facts = Facts(self.pool, self.signatures, left, right)
        self.budget.spend(facts.size // _NODES_A_STEP)
        if facts.is_contradiction:
            return
        refused: list[Any] = []
        for value in self._guess(facts, pins):
            self.budget.spend()
            if count_parts(value) > _MOST_PARTS:
                continue
            if self.validators.is_between(value, left, right):
                yield value
            elif len(refused) < _MOST_VALUES:
                refused.append(value)
        if self._commits < _MOST_COMMITS:
            self._commits += 1
            try:
                yield from self._commit(facts, refused, left, right, pins)
            finally:
                self._commits -= 1

    def _guess(self, facts: Facts, pins: Mapping[str | int, Any]) -> Iterator[Any]:
        """Yield values that the literals allow."""
        if facts.values is not None:
            yield from facts.values.values()
            return
        most = self.wanted
        types = [name for name in _SIMPLE_FIRST if name in facts.types]
        if pins:
            wanted = "object" if isinstance(next(iter(pins)), str) else "array"
            types = [wanted] if wanted in types else []
        for name in types:
            yield from itertools.islice(self._guess_type(name, facts, pins), most)

    def _guess_type(self, name: str, facts: Facts, pins: Mapping[str | int, Any]) -> Iterator[Any]:
        match name:
            case "null":
                yield None
            case "boolean":
                yield from (False, True)
            case "integer" | "fraction":
                yield from map(to_number, collect_numbers(facts, name).find_some())
            case "string":
                yield from make_strings(facts, self.budget)
            case "array":
                yield from make_arrays(self, facts, pins)
            case _:
                yield from make_objects(self, facts, pins)

    def _commit(
        self,
        facts: Facts,
        refused: list[Any],
        left: Side,
        right: Side,
        pins: Mapping[str | int, Any],
    ) -> Iterator[Any]:
        """Yield values for each way of a choice that stood against the ones so far."""
        for value in [*refused, None] if refused else [None]:
            for choice in facts.choices:
                if not refused or not self.validators.accepts(self.pool.single(choice), value):
                    for more, less in self._get_ways(choice, facts, value):
                        yield from self._make((*left, *more), (*right, *less), pins)
                    return
            for goal in facts.goals:
                if self._is_broken(goal, facts):
                    continue
                if not refused or self.validators.accepts(goal, value):
                    yield from self._break(goal, facts, left, right, pins)
                    return

    def _get_ways(self, choice: Choice, facts: Facts, value: Any) -> Iterator[tuple[Side, Side]]:
        """Yield what more must accept and refuse for each way that a choice turns out."""
        if isinstance(choice, If):
            ways: list[tuple[Side, Side]] = [
                ((choice.condition, choice.then), ()),
                ((choice.otherwise,), (choice.condition,)),
            ]
            if not self.validators.accepts(choice.condition, value):
                ways.reverse()
            yield from ways
            return
        for branch in facts.get_branches(choice):
            others: Side = ()
            if isinstance(choice, OneOf):
                others = tuple(other for other in choice.branches if other is not branch)
            yield (branch,), others

    def _is_broken(self, goal: Node, facts: Facts) -> bool:
        """Whether a part of a refused schema has been chosen already."""
        atom, *others = goal.atoms
        if others:
            return any(self.pool.single(one) in facts.refused for one in goal.atoms)
        if isinstance(atom, If):
            if facts.holds(atom.condition):
                return atom.then in facts.refused
            return {atom.condition, atom.otherwise} <= facts.refused.keys()
        if isinstance(atom, OneOf):
            held = sum(map(facts.holds, atom.branches))
            return held > 1 or facts.refused.keys() >= set(atom.branches)
        return any(is_part(one, atom) for one in facts.negatives)

    def _break(
        self,
        goal: Node,
        facts: Facts,
        left: Side,
        right: Side,
        pins: Mapping[str | int, Any],
    ) -> Iterator[Any]:
        """Yield values for each part of a schema that can be the one that refuses."""
        atom, *others = goal.atoms
        if others:
            for atom in goal.atoms:
                yield from self._make(left, (*right, self.pool.single(atom)), pins)
            return
        if isinstance(atom, If):
            yield from self._make((*left, atom.condition), (*right, atom.then), pins)
            yield from self._make(left, (*right, atom.condition, atom.otherwise), pins)
        elif isinstance(atom, OneOf):
            yield from self._make(left, (*right, *atom.branches), pins)
            for pair in itertools.combinations(atom.branches, 2):
                yield from self._make((*left, *pair), right, pins)
        else:
            for part in split_parts(self.pool, atom, facts.known):
                yield from self._make(left, (*right, part), pins)
