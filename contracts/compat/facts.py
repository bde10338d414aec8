"""Facts: what is known of a value that some schemas accept and some refuse.

The accepted ones are opened until only literals and choices are left, the refused
ones likewise; whatever follows at once is drawn, as in unit propagation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .nodes import (
    ALL_TYPES,
    TYPED,
    AnyOf,
    If,
    Items,
    Members,
    Never,
    Not,
    OneOf,
    Opaque,
    Reference,
    Types,
    Values,
    get_types,
    is_of_types,
)
from .signature import ANYTHING, meet
from .values import are_disjoint, find_types, get_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from .node import Node
    from .nodes import Atom, Literal, Typed
    from .pool import Pool
    from .signature import Signature, Signatures

Choice = AnyOf | OneOf | If


class Facts:
    """What is known of a value of all *left* schemas and of no *right* one."""

    def __init__(
        self, pool: Pool, signatures: Signatures, left: Iterable[Node], right: Iterable[Node]
    ) -> None:
        """Open the schemas and draw what follows."""
        self.pool = pool
        self.signatures = signatures
        self.known: dict[Atom, None] = {}
        self.types = ALL_TYPES
        self.values: Mapping[Any, Any] | None = None
        """The values that there can be at most, by their frozen forms."""
        self.choices: list[Choice] = []
        """Accepted connectives of which nothing follows yet."""
        self.refused: dict[Node, None] = {}
        self.negatives: list[Typed | Values | Opaque] = []
        """Literals that do not hold."""
        self.goals: list[Node] = []
        """Refused schemas of several parts, at least one of which does not hold."""
        self.derived: list[Node] = []
        """Schemas that accept the value since what is refused leaves no other way of a choice."""
        self.is_contradiction = False
        """Whether there is certainly no such value."""
        self.signature: Signature = ANYTHING
        self._value_types = ALL_TYPES
        self._refused_values: list[Values] = []
        """Of those among `negatives`, what `values` still has."""
        self._met: list[Atom] = []
        """What holds and is not yet in `signature`."""
        self._accepted: list[Atom] = []
        self._pending: list[Node] = []
        for node in left:
            self._accepted.extend(node.atoms)
        self._pending.extend(right)
        self._settle()

    @property
    def size(self) -> int:
        """How many things are known, as a measure of the work with them."""
        return len(self.known) + len(self.refused)

    @property
    def rights(self) -> list[Node]:
        """The refused schemas, opened; what follows of them is in `derived`."""
        types = [node for node in self.refused if is_of_types(node)]
        return [*types, *map(self.pool.single, self.negatives), *self.goals]

    def select(self, kind: type[Any]) -> Iterator[Any]:
        """Yield the literals of one kind that hold."""
        return (atom for atom in self.known if isinstance(atom, kind))

    def reject(self, kind: type[Any]) -> Iterator[Any]:
        """Yield the literals of one kind that do not hold."""
        return (atom for atom in self.negatives if isinstance(atom, kind))

    def holds(self, node: Node) -> bool:
        """Whether a schema certainly accepts the value: all of its atoms are known."""
        return not node.is_deferred and all(map(self.is_known, node.atoms))

    def is_known(self, atom: Atom) -> bool:
        """Whether an atom certainly accepts the value."""
        if atom in self.known:
            return True
        match atom:
            case Types(types):
                return self.types <= types
            case Values(frozen, _):
                return self.values is not None and self.values.keys() <= frozen
            case AnyOf(branches):
                return any(map(self.holds, branches))
            case Members(((name, node),), (), rest) if not rest.atoms:
                groups = self.select(Members)
                return any(group.by_name.get(name) is node for group in groups)
            case _:
                return isinstance(atom, TYPED) and not self.types & get_types(atom)

    def get_branches(self, choice: AnyOf | OneOf) -> list[Node]:
        """Return the branches of an accepted choice that may accept the value."""
        return [branch for branch in choice.branches if not self.fails(branch)]

    def fails(self, node: Node) -> bool:
        """Whether a schema certainly refuses the value."""
        if node in self.refused:
            return True
        return self.signature.is_disjoint(self.signatures.get(node))

    def _settle(self) -> None:
        while True:
            while (self._accepted or self._pending) and not self.is_contradiction:
                if self._accepted:
                    self._accept(self._accepted.pop())
                else:
                    self._refuse(self._pending.pop())
            if self.is_contradiction:
                return
            self._restrict()
            if not self.is_contradiction:
                self._propagate()
            if self.is_contradiction or not (self._accepted or self._pending):
                return

    def _accept(self, atom: Atom) -> None:
        if atom in self.known:
            return
        self.known[atom] = None
        match atom:
            case Never():
                self.is_contradiction = True
            case Not(node):
                self._pending.append(node)
            case Reference():
                self._accepted.extend(self.pool.open(atom).atoms)
            case AnyOf() | OneOf() | If():
                self.choices.append(atom)
            case _:
                self._accept_literal(atom)

    def _accept_literal(self, atom: Literal) -> None:
        match atom:
            case Types(types):
                self.types &= types
            case Values(_, values):
                if self.values is not None:
                    few, many = sorted((values, self.values), key=len)
                    values = {key: value for key, value in few.items() if key in many}
                self._limit_values(values)
            case _:
                pass
        self._met.append(atom)

    def _limit_values(self, values: Mapping[Any, Any]) -> None:
        self.values = values
        self._value_types = find_types(values.values())

    def _refuse(self, node: Node) -> None:
        if node in self.refused:
            return
        self.refused[node] = None
        if node.is_deferred:
            self.goals.append(node)
        elif not node.atoms:
            self.is_contradiction = True
        elif len(node.atoms) == 1:
            self._refuse_atom(node, node.atoms[0])
        else:
            self.goals.append(node)

    def _refuse_atom(self, node: Node, atom: Atom) -> None:
        match atom:
            case Never():
                pass
            case AnyOf(branches):
                self._pending.extend(reversed(branches))
            case Not(inner):
                self._derive(inner)
            case Reference():
                self._pending.append(self.pool.open(atom))
            case Types(types):
                self.types -= types
            case OneOf() | If():
                self.goals.append(node)
            case _:
                if _has_parts(self.pool, atom):
                    self.goals.append(node)
                else:
                    self._refuse_literal(atom)

    def _refuse_literal(self, atom: Typed | Values | Opaque) -> None:
        self.negatives.append(atom)
        if isinstance(atom, Values):
            self._refused_values.append(atom)
        if isinstance(atom, TYPED):
            self.types &= get_types(atom)

    def _restrict(self) -> None:
        """Draw what follows of types and values alone."""
        if self.values is not None:
            self._restrict_values(self.values)
            self.types &= self._value_types
        if self.types != ALL_TYPES:
            types = self.pool.single(Types(self.types)) if self.types else self.pool.false
            self._met.extend(types.atoms)
        if self._met:
            self.signature = meet((self.signature, self.signatures.combine(self._met)))
        self._met.clear()
        self.is_contradiction = (
            not self.types or self.signature.is_nothing or any(map(self.is_known, self.negatives))
        )

    def _restrict_values(self, values: Mapping[Any, Any]) -> None:
        """Leave out the values that are refused, or of another type."""
        for atom in self._refused_values:
            if not are_disjoint(values, atom.values):
                values = {key: value for key, value in values.items() if key not in atom.frozen}
        self._refused_values.clear()
        if not self._value_types <= self.types:
            values = {key: value for key, value in values.items() if get_type(value) in self.types}
        if values is not self.values:
            self._limit_values(values)

    def _propagate(self) -> None:
        """Draw what follows of the choices and goals, by what is known."""
        choices, self.choices = self.choices, []
        for choice in choices:
            if isinstance(choice, If):
                self._decide_condition(choice)
            else:
                self._narrow(choice)
        if self._accepted or self._pending:
            return  # what follows of it may spare a look into the goals
        goals, self.goals = self.goals, []
        for goal in goals:
            self._narrow_goal(goal)

    def _decide_condition(self, choice: If) -> None:
        if self.holds(choice.condition):
            self._accepted.extend(choice.then.atoms)
        elif self.fails(choice.condition):
            self._pending.append(choice.condition)
            self._accepted.extend(choice.otherwise.atoms)
        elif choice.then in self.refused:
            self._derive(self.pool.negate(choice.condition), choice.otherwise)
        elif choice.otherwise in self.refused:
            self._derive(choice.condition, choice.then)
        else:
            self.choices.append(choice)

    def _narrow(self, choice: AnyOf | OneOf) -> None:
        true = [branch for branch in choice.branches if self.holds(branch)]
        if true and isinstance(choice, AnyOf):
            return
        if true:
            others = list(choice.branches)
            others.remove(true[0])
            self._pending.extend(others)
            return
        left = self.get_branches(choice)
        if not left:
            self.is_contradiction = True
        elif len(left) == 1:
            self._derive(left[0])
        else:
            self.choices.append(choice)

    def _derive(self, *nodes: Node) -> None:
        for node in nodes:
            self.derived.append(node)
            self._accepted.extend(node.atoms)

    def _narrow_goal(self, goal: Node) -> None:
        """Drop a goal that is refused anyway, or that only one part can refuse."""
        if self.signature.is_disjoint(self.signatures.get(goal)):
            return
        if goal.is_deferred:
            goal.open()
            del self.refused[goal]
            self._pending.append(goal)
            return
        if len(goal.atoms) == 1:
            self.goals.append(goal)
            if self.holds(goal):
                self.is_contradiction = True
            return
        unknown = [atom for atom in goal.atoms if not self.is_known(atom)]
        if not unknown:
            self.is_contradiction = True
        elif len(unknown) == 1:
            self._pending.append(self.pool.single(unknown[0]))
        else:
            self.goals.append(goal)


def _has_parts(pool: Pool, atom: Atom) -> bool:
    """Whether a group says something of several places."""
    match atom:
        case Members(named, patterns, rest):
            count = sum(node is not pool.true for _, node in named)
            return count + (rest is not pool.true or bool(patterns)) > 1
        case Items(prefix, rest):
            return sum(node is not pool.true for node in (*prefix, rest)) > 1
        case _:
            return False


def is_part(atom: Atom, group: Atom) -> bool:
    """Whether an atom is one of the parts of a group."""
    match atom, group:
        case Members(((name, node),), (), _), Members() if not node.is_plainly_true:
            return group.by_name.get(name) is node
        case Members(named, patterns, rest), Members():
            names = dict(named)
            return (
                rest is group.rest
                and patterns == group.patterns
                and (names.keys() == group.by_name.keys())
            )
        case Items(prefix, rest), Items() if prefix and prefix[-1].atoms:
            return len(prefix) <= len(group.prefix) and group.prefix[len(prefix) - 1] is prefix[-1]
        case Items(prefix, rest), Items():
            return rest is group.rest and len(prefix) == len(group.prefix)
        case _:
            return atom == group


def split_parts(pool: Pool, atom: Atom, known: Iterable[Atom] = ()) -> Iterator[Node]:
    """Yield the parts of a group, which together say what it says; each is about one place.

    Args:
        pool: Where the parts are kept.
        atom: The group.
        known: Groups that hold: what one of them says at the same place is left out.
    """
    true = pool.true
    match atom:
        case Members(named, patterns, rest):
            groups = [one.by_name for one in known if isinstance(one, Members)]
            for name, node in named:
                if node is not true and not any(one.get(name) is node for one in groups):
                    yield pool.single(Members(((name, node),), (), true))
            if patterns or rest is not true:
                # a pattern may say more of a named member
                others = tuple((name, true) for name, _ in named)
                yield pool.single(Members(others, patterns, rest))
        case Items(prefix, rest):
            tuples = [one for one in known if isinstance(one, Items)]
            for index, node in enumerate(prefix):
                if node is not true and not any(one.get(index) is node for one in tuples):
                    yield pool.single(Items(((true,) * index + (node,)), true))
            if rest is not true:
                yield pool.single(Items((true,) * len(prefix), rest))
        case _:
            yield pool.single(atom)
