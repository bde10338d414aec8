"""The algebra of nodes: conjunctions, choices and negations, one node of each."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from .node import Node
from .nodes import AnyOf, If, Members, Never, Not, OneOf, Values, is_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pi_contracts.contracts.drafts import Schema

    from .nodes import Atom


class Algebra:
    """Keeps nodes, and makes new ones of them."""

    def __init__(self) -> None:
        """Begin with the two schemas that say nothing, and all."""
        self._nodes: dict[frozenset[Atom], Node] = {}
        self._numbers = itertools.count()
        self.true = self.intern((), True)
        self.false = self.intern((Never(),), False)

    def single(self, atom: Atom) -> Node:
        """Return the node of one atom."""
        return self.intern((atom,))

    def join_atoms(self, atoms: Iterable[Atom]) -> Node:
        """Return the conjunction of some atoms."""
        return self.intern(tuple(atoms))

    def leave_out_values(self, node: Node) -> Node:
        """Return a node without what it says of which values there are."""
        others = [atom for atom in node.atoms if not isinstance(atom, Values)]
        return node if len(others) == len(node.atoms) else self.intern(tuple(others))

    def join(self, nodes: tuple[Node, ...]) -> Node:
        """Return the conjunction of some nodes."""
        nodes = tuple(dict.fromkeys(nodes))
        if len(nodes) == 1:
            return nodes[0]
        schema: Schema = {"allOf": [node.schema for node in nodes]} if nodes else True
        return self.intern(tuple(atom for node in nodes for atom in node.atoms), schema)

    def either(self, nodes: tuple[Node, ...]) -> Node:
        """Return the disjunction of some nodes."""
        return self.intern(tuple(self.any_of(nodes)))

    def intern(self, atoms: tuple[Atom, ...], schema: Schema | None = None) -> Node:
        """Return the node of a conjunction of atoms.

        Args:
            atoms: The atoms.
            schema: One that says the same, if it is known.
        """
        distinct = tuple(dict.fromkeys(atoms))
        if len(distinct) > 1 and any(isinstance(atom, Never) for atom in distinct):
            return self.false
        key = frozenset(distinct)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node(next(self._numbers), distinct, schema)
        return node

    def negate(self, node: Node) -> Node:
        """Return the node of the values that *node* refuses."""
        match node.atoms:
            case ():
                return self.false
            case (Never(),):
                return self.true
            case (Not(inner),):
                return inner
            case _:
                return self.single(Not(node))

    def any_of(self, branches: tuple[Node, ...]) -> Iterator[Atom]:
        """Yield the atoms of a disjunction."""
        flat: dict[Node, None] = {}
        listed: list[Node] = []
        for branch in branches:
            match () if branch.is_deferred else branch.atoms:
                case (AnyOf(inner),):
                    listed.extend(filter(is_list, inner))
                    flat.update((one, None) for one in inner if not is_list(one))
                case (Never(),):
                    pass
                case (Values(),):
                    listed.append(branch)
                case _:
                    flat[branch] = None
        if self.true in flat:
            return
        if listed:
            flat[self._list(listed)] = None
        if len(flat) > 1:
            yield AnyOf(tuple(sorted(flat, key=hash)))
        else:
            yield from next(iter(flat), self.false).atoms

    def one_of(self, branches: tuple[Node, ...]) -> Iterator[Atom]:
        """Yield the atoms of a choice of exactly one."""
        listed = [branch for branch in branches if is_list(branch)]
        possible = tuple(branch for branch in branches if branch is not self.false)
        if len(listed) > 1:
            together = self._list(listed)
            if len(_get_list(together)) == sum(len(_get_list(one)) for one in listed):
                # no two of them hold at once
                rest = (branch for branch in possible if not is_list(branch))
                possible = (*rest, together)
        if len(possible) > 1:
            yield OneOf(tuple(sorted(possible, key=hash)))
        else:
            yield from (possible[0] if possible else self.false).atoms

    def _list(self, branches: list[Node]) -> Node:
        """Return the node of the values that some lists of values have together."""
        if len(set(branches)) == 1:
            return branches[0]
        values: dict[Any, Any] = {}
        for branch in branches:
            values.update(_get_list(branch))
        return self.single(Values(frozenset(values), values))

    def choose(self, condition: Node, then: Node, otherwise: Node) -> Iterator[Atom]:
        """Yield the atoms of a condition and what follows of it."""
        if then is otherwise or condition is self.true:
            yield from then.atoms
        elif condition is self.false:
            yield from otherwise.atoms
        else:
            yield If(condition, then, otherwise)

    def members(
        self, named: Mapping[str, Node], patterns: Mapping[str, Node], rest: Node
    ) -> Iterator[Members]:
        """Yield the atom of a group of member schemas, unless it accepts every object."""
        if rest is self.true:
            patterns = {text: node for text, node in patterns.items() if node is not self.true}
        if not patterns:
            named = {name: node for name, node in named.items() if node is not rest}
        if named or patterns or rest is not self.true:
            yield Members(tuple(sorted(named.items())), tuple(sorted(patterns.items())), rest)


def _get_list(node: Node) -> Mapping[Any, Any]:
    (atom,) = node.atoms
    return atom.values if isinstance(atom, Values) else {}
