"""Objects made: as few members as the literals allow, and what is pinned among them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from .nodes import Pattern
from .objects import collect_objects, get_class, get_member
from .validators import matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .facts import Facts
    from .maker import Maker
    from .node import Node
    from .nodes import Members
    from .objects import Objects
    from .steps import Side

_MOST_PLANS: Final = 24
_MOST_NAMES: Final = 3
_MOST_ADDED: Final = 500
_MOST_SEARCHED: Final = 100
"""How many names of members are searched for; more are numbers."""
_MOST_NUMBERED: Final = 100_000
_NAMES_A_STEP: Final = 100
_MANY: Final = 10
"""From how many wanted values on it is worth varying one."""


def make_objects(
    maker: Maker, facts: Facts, pins: Mapping[str | int, Any]
) -> Iterator[dict[str, Any]]:
    """Yield objects that the literals of *facts* allow."""
    objects = collect_objects(facts)
    given = {key: value for key, value in pins.items() if isinstance(key, str)}
    if given.keys() & objects.absent:
        return
    yield from _ObjectMaker(maker, objects, given).make()


class _ObjectMaker:
    def __init__(self, maker: Maker, objects: Objects, given: Mapping[str, Any]) -> None:
        self.maker = maker
        self.objects = objects
        self.given = given
        self.false = maker.pool.false
        self.patterns = objects.get_patterns()[:6]
        self.declared = objects.get_declared()

    def make(self) -> Iterator[dict[str, Any]]:
        objects = self.objects
        choices = [
            *(self._get_wrong_members(group) for group in objects.wrong_rest),
            *(self._get_wrong_names(node) for node in objects.wrong_names),
        ]
        for chosen in itertools.islice(itertools.product(*choices), _MOST_PLANS):
            value = self._fill(chosen)
            if value is not None:
                yield value
                more = self._extend(value)
                if more is not None:
                    yield more
                if self.maker.wanted > _MANY:
                    yield from self._vary(value)

    def _fill(self, chosen: tuple[tuple[str, Side], ...]) -> dict[str, Any] | None:
        """Return an object with the members that it must have, None if one cannot be made."""
        wrong = {name: list(nodes) for name, nodes in self.objects.wrong.items()}
        for name, refused in chosen:
            wrong.setdefault(name, []).extend(refused)
        value: dict[str, Any] = {}
        for name in dict.fromkeys((*self.objects.required, *wrong, *self.given)):
            if name in self.given:
                value[name] = self.given[name]
            elif not self._add(value, name, tuple(wrong.get(name, ()))):
                return None
        for name in self._get_spare_names():
            if len(value) >= self.objects.low:
                break
            if name not in value:
                self._add(value, name, ())
        if len(value) < self.objects.low:
            return None
        return None if self._is_too_large(value) else value

    def _is_too_large(self, value: dict[str, Any]) -> bool:
        return self.objects.high is not None and len(value) > self.objects.high

    def _add(self, value: dict[str, Any], name: str, wrong: Side) -> bool:
        """Make a member, and say whether that worked."""
        nodes = self.objects.get_member(name, self.maker.validators, self.false)
        found = self.maker.find_some(nodes, wrong, 1)
        if found:
            value[name] = found[0]
        return bool(found)

    def _vary(self, value: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the object with other values of each member that can be made anew."""
        for name in value:
            if name in self.given:
                continue
            nodes = self.objects.get_member(name, self.maker.validators, self.false)
            wrong = tuple(self.objects.wrong.get(name, ()))
            others = self.maker.find_some(nodes, wrong, self.maker.wanted)
            yield from ({**value, name: other} for other in others)

    def _extend(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """Return the object with every optional member that can be made, if they are not many."""
        if len(self.declared) > _MOST_ADDED:
            return None
        more = dict(value)
        for name in self.declared:
            if name not in more and name not in self.objects.absent:
                self._add(more, name, ())
        return None if more == value or self._is_too_large(more) else more

    def _get_spare_names(self) -> Iterator[str]:
        """Yield names that a member may have which need not be there."""
        yield from (name for name in self.declared if name not in self.objects.absent)
        for matched in self._get_classes():
            if self.false not in self._get_class_nodes(matched):
                count = self.objects.low + 1
                yield from self._find_names(matched, min(count, _MOST_SEARCHED))
                if count > _MOST_SEARCHED:
                    yield from self._number_names(matched)

    def _number_names(self, matched: frozenset[str]) -> Iterator[str]:
        """Yield names of a class that end in a number, if they are not too many."""
        if self.objects.low > _MOST_NUMBERED:
            return
        for stem in ("", *self._find_names(matched, 1)):
            if not any(self._is_of_class(f"{stem}{digit}", matched) for digit in range(10)):
                continue
            for number in range(2 * self.objects.low):
                self.maker.budget.spend(not number % _NAMES_A_STEP)
                name = f"{stem}{number}"
                if self._is_of_class(name, matched):
                    yield name

    def _is_of_class(self, name: str, matched: frozenset[str]) -> bool:
        return all((text in matched) is matches(text, name) for text in self.patterns) and all(
            self.maker.validators.accepts(node, name) for node in self.objects.names
        )

    def _get_classes(self) -> Iterator[frozenset[str]]:
        for count in range(len(self.patterns) + 1):
            yield from map(frozenset, itertools.combinations(self.patterns, count))

    def _get_class_nodes(self, matched: frozenset[str]) -> list[Node]:
        return [node for group in self.objects.groups for node in get_class(group, matched)]

    def _find_names(self, matched: frozenset[str], count: int, refused: Side = ()) -> Iterator[str]:
        pool = self.maker.pool
        left = [pool.make({"type": "string"}), *self.objects.names]
        right = [*refused, pool.make({"enum": self.declared})] if self.declared else [*refused]
        for text in self.patterns:
            (left if text in matched else right).append(pool.single(Pattern(text)))
        yield from self.maker.find_names(tuple(left), tuple(right), count)

    def _get_wrong_members(self, group: Members) -> list[tuple[str, Side]]:
        """Return members that can break a group: a name, and what its value must not have."""
        found: list[tuple[str, Side]] = []
        for name in dict.fromkeys((*self.given, *self.declared)):
            found.extend((name, (node,)) for node in get_member(group, name))
        for matched in self._get_classes():
            if self.false in self._get_class_nodes(matched):
                continue
            for node in get_class(group, matched):
                found.extend((name, (node,)) for name in self._find_names(matched, _MOST_NAMES))
        # an object that has such a member already needs no other
        return sorted(found, key=lambda one: one[0] not in self.given)[:_MOST_PLANS]

    def _get_wrong_names(self, node: Node) -> list[tuple[str, Side]]:
        """Return members whose names break a schema of names."""
        validators = self.maker.validators
        found = [
            name
            for name in dict.fromkeys((*self.given, *self.declared))
            if not validators.accepts(node, name)
        ]
        for matched in self._get_classes():
            if self.false not in self._get_class_nodes(matched):
                found.extend(self._find_names(matched, _MOST_NAMES, (node,)))
        return [(name, ()) for name in found[:_MOST_PLANS]]
