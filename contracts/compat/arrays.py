"""Arrays: what their items are, how many there are, and whether there is such an array."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .nodes import ITEMS, AtLeast, AtMost, ContainsAtLeast, ContainsAtMost, Items, Unique
from .steps import Step

if TYPE_CHECKING:
    from .facts import Facts
    from .node import Node
    from .prover import Prover
    from .steps import Side

_FEW: Final = 64
_MOST_LOOKED_AT: Final = 500


@dataclass(slots=True)
class Arrays:
    """What literals say of an array, and what of its items is to be refused."""

    groups: list[Items] = field(default_factory=list[Items])
    low: int = 0
    high: int | None = None
    is_unique: bool = False
    must_repeat: bool = False
    at_least: list[tuple[Node, int]] = field(default_factory=list["tuple[Node, int]"])
    at_most: list[tuple[Node, int]] = field(default_factory=list["tuple[Node, int]"])
    wrong: dict[int, list[Node]] = field(default_factory=dict[int, "list[Node]"])
    """Of an item that is there, what it must not have."""
    wrong_rest: list[Items] = field(default_factory=list[Items])
    """Of each, some item that is there must not have its schema."""

    @property
    def width(self) -> int:
        """From which index on all items have the same schemas."""
        prefixes = [len(group.prefix) for group in (*self.groups, *self.wrong_rest)]
        return max([*prefixes, *(index + 1 for index in self.wrong)], default=0)

    def get_item(self, index: int) -> Side:
        """Return the schemas of an item."""
        return tuple(
            dict.fromkeys(
                node for group in self.groups if not (node := group.get(index)).is_plainly_true
            )
        )

    def is_possible(self, index: int) -> bool:
        """Whether an array may be so long that it has an item at *index*."""
        return self.high is None or index < self.high


def collect_arrays(facts: Facts) -> Arrays:
    """Return what the literals of *facts* say of an array."""
    low = [one.count for one in facts.select(AtLeast) if one.what == ITEMS]
    low += [one.count + 1 for one in facts.reject(AtMost) if one.what == ITEMS]
    high = [one.count for one in facts.select(AtMost) if one.what == ITEMS]
    high += [one.count - 1 for one in facts.reject(AtLeast) if one.what == ITEMS]
    arrays = Arrays(
        list(facts.select(Items)),
        is_unique=any(facts.select(Unique)),
        must_repeat=any(facts.reject(Unique)),
        at_least=[
            *((one.node, one.count) for one in facts.select(ContainsAtLeast)),
            *((one.node, one.count + 1) for one in facts.reject(ContainsAtMost)),
        ],
        at_most=[
            *((one.node, one.count) for one in facts.select(ContainsAtMost)),
            *((one.node, one.count - 1) for one in facts.reject(ContainsAtLeast)),
        ],
    )
    for group in facts.reject(Items):
        if group.rest.atoms:
            arrays.wrong_rest.append(group)
            low.append(len(group.prefix) + 1)
        elif not group.prefix:  # a look inside has shown that it accepts every array
            low.append(1)
            high.append(0)
        else:
            index = len(group.prefix) - 1
            arrays.wrong.setdefault(index, []).append(group.prefix[index])
            low.append(index + 1)
    low += [count for _, count in arrays.at_least]
    low += [2] if arrays.must_repeat else []
    arrays.low = max(low, default=0)
    arrays.high = min(high, default=None)
    false = facts.pool.false
    for index in range(arrays.width + 1):
        if false in arrays.get_item(index) and arrays.is_possible(index):
            arrays.high = index
    return arrays


def is_empty(prover: Prover, facts: Facts, left: Side, right: Side) -> bool:
    """Whether no array is as *facts* say."""
    arrays = collect_arrays(facts)
    _shorten(prover, arrays)
    if arrays.high is not None and (arrays.low > arrays.high):
        return True
    if any(count < 0 for _, count in arrays.at_most) or (arrays.is_unique and arrays.must_repeat):
        return True
    return (
        _lacks_contained(prover, arrays)
        or _has_too_many_contained(prover, arrays)
        or _lacks_distinct(prover, arrays)
        or any(_is_right(prover, arrays, one, (left, right)) for one in sorted(arrays.wrong))
        or any(_is_rest_right(prover, arrays, one, (left, right)) for one in arrays.wrong_rest)
    )


def _shorten(prover: Prover, arrays: Arrays) -> None:
    """End the array before the first item that no value can be, if that is seen soon."""
    for index in range(min(arrays.width + 1, _MOST_LOOKED_AT)):
        if not arrays.is_possible(index):
            return
        nodes = arrays.get_item(index)
        if nodes and prover.is_part_empty(nodes):
            arrays.high = index


def _lacks_contained(prover: Prover, arrays: Arrays) -> bool:
    """Whether an array cannot have as many items of a schema as it must."""
    for node, count in arrays.at_least:
        can = sum(
            not prover.is_part_empty((*arrays.get_item(index), node))
            for index in range(arrays.width)
            if arrays.is_possible(index)
        )
        unlimited = arrays.is_possible(arrays.width) and not prover.is_part_empty(
            (*arrays.get_item(arrays.width), node)
        )
        if unlimited and arrays.high is not None:
            can += arrays.high - arrays.width
            unlimited = False
        if not unlimited and can < count:
            return True
        for other, most in arrays.at_most:
            if most < count and all(
                prover.prove_part((*arrays.get_item(index), node), (other,))
                for index in range(arrays.width + 1)
                if arrays.is_possible(index)
            ):
                return True
    return False


def _has_too_many_contained(prover: Prover, arrays: Arrays) -> bool:
    """Whether more items must have a schema than may."""
    for node, most in arrays.at_most:
        last = min(arrays.low, arrays.width)
        must = sum(prover.prove_part(arrays.get_item(index), (node,)) for index in range(last))
        if arrays.low > last and prover.prove_part(arrays.get_item(last), (node,)):
            must += arrays.low - last
        if must > most:
            return True
    return False


def _lacks_distinct(prover: Prover, arrays: Arrays) -> bool:
    """Whether there are not as many different items as there must be, or as few."""
    if arrays.is_unique and arrays.low > 1 and not arrays.width:
        values = prover.signatures.combine(
            atom for node in arrays.get_item(0) for atom in node.atoms
        ).values
        return values is not None and len(values) < arrays.low
    if arrays.must_repeat and arrays.high is not None and arrays.high <= _FEW:
        return all(
            prover.is_part_empty((*arrays.get_item(one), *arrays.get_item(other)))
            for one in range(arrays.high)
            for other in range(one)
        )
    return False


def _is_right(prover: Prover, arrays: Arrays, index: int, sides: tuple[Side, Side]) -> bool:
    """Whether an item certainly has one of the schemas that it must not have."""
    wrong = tuple(arrays.wrong[index])
    return prover.descend(*sides, Step(index), arrays.get_item(index), wrong)


def _is_rest_right(prover: Prover, arrays: Arrays, group: Items, sides: tuple[Side, Side]) -> bool:
    """Whether every item certainly has the schema that one must not have."""
    start = len(group.prefix)
    return all(
        prover.descend(*sides, Step(index), arrays.get_item(index), (group.rest,))
        for index in range(start, max(arrays.width, start) + 1)
        if arrays.is_possible(index)
    )
