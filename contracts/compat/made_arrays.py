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
    from .steps import Side

_LONGEST: Final = 100_000
_MOST_DISTINCT: Final = 2000
_MOST_TRIED: Final = 3
_ITEMS_A_STEP: Final = 100


def make_arrays(maker: Maker, facts: Facts, pins: Mapping[str | int, Any]) -> Iterator[list[Any]]:
    """Yield arrays that the literals of *facts* allow."""
    arrays = collect_arrays(facts)
    given = {key: value for key, value in pins.items() if isinstance(key, int)}
    shortest = max(arrays.low, max(given, default=-1) + 1)
    longest = max(shortest + len(arrays.wrong_rest) + 1, arrays.width + 1, arrays.high or 0)
    most = _MOST_DISTINCT if arrays.is_unique else _LONGEST
    for length in range(shortest, min(longest, most) + 1):
        if arrays.high is not None and length > arrays.high:
            return
        for plan in itertools.islice(_plan(arrays, length, given), _MOST_TRIED * 4):
            maker.budget.spend(length // _ITEMS_A_STEP)
            value = _fill(maker, arrays, plan, given)
            if value is not None:
                yield value


_Plan = list["tuple[Side, Side]"]


def _plan(arrays: Arrays, length: int, given: Mapping[int, Any]) -> Iterator[_Plan]:
    """Yield what each item must have and must not have."""
    places = [_get_places(group, length) for group in arrays.wrong_rest]
    for chosen in itertools.product(*places):
        first = min(length, arrays.width)
        plan: _Plan = [
            (arrays.get_item(index), tuple(arrays.wrong.get(index, ()))) for index in range(first)
        ]
        plan += [(arrays.get_item(first), ())] * (length - first)
        for index, group in zip(chosen, arrays.wrong_rest, strict=True):
            _refine(plan, index, refused=group.rest)
        free = [index for index in reversed(range(length)) if index not in given]
        free.sort(key=lambda index: index in arrays.wrong or index in chosen)
        taken: set[int] = set()
        for node, count in arrays.at_least:
            mine = [index for index in free if index not in taken][:count]
            if len(mine) < count:
                mine = free[:count]
            for index in mine:
                _refine(plan, index, accepted=node)
            taken.update(mine)
        for node, most in arrays.at_most:
            having = {index for index in range(length) if node in plan[index][0]}
            room = most - len(having)
            for index in free:
                if index not in having:
                    if room <= 0:
                        _refine(plan, index, refused=node)
                    room -= 1
        yield plan


def _refine(
    plan: _Plan, index: int, *, accepted: Node | None = None, refused: Node | None = None
) -> None:
    """Say more of one item of a plan."""
    left, right = plan[index]
    plan[index] = (
        left if accepted is None else (*left, accepted),
        right if refused is None else (*right, refused),
    )


def _get_places(group: Items, length: int) -> list[int]:
    return list(range(len(group.prefix), length))


def _fill(maker: Maker, arrays: Arrays, plan: _Plan, given: Mapping[int, Any]) -> list[Any] | None:
    """Return an array made by a plan, None if an item cannot be made."""
    value: list[Any] = []
    seen: set[Any] = set()
    made: dict[tuple[Side, Side], list[Any]] = {}
    wanted = len(plan) if arrays.is_unique else 1
    for index, (left, right) in enumerate(plan):
        if index in given:
            items = [given[index]]
        elif arrays.must_repeat and value and index == len(plan) - 1:
            items = [value[0]]
        else:
            items = made.get((left, right)) or maker.find_some(left, right, wanted)
            made[left, right] = items
        if arrays.is_unique:
            items = [item for item in items if freeze(item) not in seen]
            seen.update(map(freeze, items[:1]))
        if not items:
            return None
        value.append(items[0])
    return value
