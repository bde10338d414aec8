"""Arrays made: the shortest that the literals allow, and what is pinned in them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from .arrays import collect_arrays
from .values import freeze

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .arrays import Arrays
    from .facts import Facts
    from .maker import Maker
    from .node import Node
    from .nodes import Items

_LONGEST: Final = 2000
_MOST_TRIED: Final = 3


def make_arrays(maker: Maker, facts: Facts, pins: Mapping[str | int, Any]) -> Iterator[list[Any]]:
    """Yield arrays that the literals of *facts* allow."""
    arrays = collect_arrays(facts)
    given = {key: value for key, value in pins.items() if isinstance(key, int)}
    shortest = max(arrays.low, max(given, default=-1) + 1)
    longest = max(shortest + len(arrays.wrong_rest) + 1, arrays.width + 1, arrays.high or 0)
    for length in range(shortest, longest + 1):
        if length > _LONGEST or (arrays.high is not None and length > arrays.high):
            return
        for plan in itertools.islice(_plan(arrays, length, given), _MOST_TRIED * 4):
            value = _fill(maker, arrays, plan, given)
            if value is not None:
                yield value


_Plan = list["tuple[list[Node], list[Node]]"]


def _plan(arrays: Arrays, length: int, given: Mapping[int, Any]) -> Iterator[_Plan]:
    """Yield what each item must have and must not have."""
    places = [_get_places(group, length) for group in arrays.wrong_rest]
    for chosen in itertools.product(*places):
        plan: _Plan = [
            ([*arrays.get_item(index)], [*arrays.wrong.get(index, ())]) for index in range(length)
        ]
        for index, group in zip(chosen, arrays.wrong_rest, strict=True):
            plan[index][1].append(group.rest)
        free = [index for index in reversed(range(length)) if index not in given]
        free.sort(key=lambda index: index in arrays.wrong or index in chosen)
        taken: set[int] = set()
        for node, count in arrays.at_least:
            mine = [index for index in free if index not in taken][:count]
            if len(mine) < count:
                mine = free[:count]
            for index in mine:
                plan[index][0].append(node)
            taken.update(mine)
        for node, most in arrays.at_most:
            having = {index for index in range(length) if node in plan[index][0]}
            room = most - len(having)
            for index in free:
                if index not in having:
                    if room <= 0:
                        plan[index][1].append(node)
                    room -= 1
        yield plan


def _get_places(group: Items, length: int) -> list[int]:
    return list(range(len(group.prefix), length))


def _fill(maker: Maker, arrays: Arrays, plan: _Plan, given: Mapping[int, Any]) -> list[Any] | None:
    """Return an array made by a plan, None if an item cannot be made."""
    value: list[Any] = []
    seen: set[Any] = set()
    for index, (left, right) in enumerate(plan):
        if index in given:
            items = [given[index]]
        elif arrays.must_repeat and value and index == len(plan) - 1:
            items = [value[0]]
        else:
            wanted = len(plan) if arrays.is_unique else 1
            items = maker.find_some(tuple(left), tuple(right), wanted)
        if arrays.is_unique:
            items = [item for item in items if freeze(item) not in seen]
        if not items:
            return None
        seen.add(freeze(items[0]))
        value.append(items[0])
    return value
