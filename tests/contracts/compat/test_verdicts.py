from __future__ import annotations

import pytest
from pi_contracts.contracts.compat.decide import Kind
from pi_contracts.contracts.compat.verdicts import (
    Direction,
    Effect,
    Order,
    choose_order,
    combine,
    find_effect,
)

OLD, NEW = Direction
YES, OPEN, UNKNOWN, NO = Kind


def test_the_worst_verdict_of_each_direction_counts() -> None:
    assert combine([]) == {OLD: YES, NEW: YES}
    assert combine([{OLD: OPEN}, {OLD: UNKNOWN, NEW: YES}, {NEW: NO}]) == {OLD: UNKNOWN, NEW: NO}
    assert combine([{OLD: NO}, {OLD: UNKNOWN}])[OLD] is NO


@pytest.mark.parametrize(
    ("old", "new", "order"),
    [
        (YES, YES, Order.ANY),
        (OPEN, OPEN, Order.ANY),
        (YES, NO, Order.PROVIDER_FIRST),
        (OPEN, UNKNOWN, Order.PROVIDER_FIRST),
        (NO, YES, Order.CONSUMER_FIRST),
        (UNKNOWN, OPEN, Order.CONSUMER_FIRST),
        (NO, NO, Order.LOCKSTEP),
        (UNKNOWN, NO, Order.LOCKSTEP),
    ],
)
def test_the_order_follows_from_who_is_safe(old: Kind, new: Kind, order: Order) -> None:
    assert choose_order({OLD: old, NEW: new}) is order


@pytest.mark.parametrize(
    ("forth", "back", "effect"),
    [
        (YES, YES, Effect.SAME),
        (YES, NO, Effect.WIDEN),
        (NO, YES, Effect.NARROW),
        (OPEN, YES, Effect.NARROW),
        (NO, OPEN, Effect.BOTH),
        (UNKNOWN, YES, Effect.UNKNOWN),
        (NO, UNKNOWN, Effect.UNKNOWN),
    ],
)
def test_the_effect_is_told_by_containment_both_ways(
    forth: Kind, back: Kind, effect: Effect
) -> None:
    assert find_effect(forth, back) is effect
