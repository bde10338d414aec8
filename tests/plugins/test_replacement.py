from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest
from pi_contracts.plugins.replacement import Demand, Replacement

if TYPE_CHECKING:
    from pi_contracts.plugins.replacement import Direction, Order

OLD: frozenset[Direction] = frozenset({"old-consumer"})
NEW: frozenset[Direction] = frozenset({"new-consumer"})


def demand(text: str) -> Demand:
    """Make the demand of ``SERVICE: PROVIDERS < CONSUMERS``, ``>`` for consumers first."""
    name, _, rest = text.partition(": ")
    left, sign, right = rest.partition(" <> ")
    directions = OLD | NEW
    if not sign:
        left, sign, right = rest.partition(" < ")
        directions = NEW
    if not sign:
        left, _, right = rest.partition(" > ")
        directions = OLD
    return Demand(
        "app", name, frozenset(left.split("+")), frozenset(right.split("+")), frozenset(directions)
    )


def replace(*texts: str) -> Replacement:
    return Replacement(map(demand, texts))


BOTH_SIDES = ", since other services ask for the other order, or keep both sides"


@pytest.mark.parametrize(
    ("texts", "orders", "sequence", "advice"),
    [
        (
            ["x: main < web"],
            ["provider-first"],
            [("main",), ("web",)],
            'replace the hosts of kind "main" before those of kind "web"',
        ),
        (
            ["x: main > web"],
            ["consumer-first"],
            [("web",), ("main",)],
            ('replace the hosts of kind "web" before those of kind "main", '
            "or keep providing what they require"),
        ),
        (
            ["x: main <> web"],
            ["lockstep"],
            [("main", "web")],
            'replace the hosts of kind "main" and "web" together, or keep both sides',
        ),
        (
            ["x: main < web", "y: main > web"],
            ["lockstep", "lockstep"],
            [("main", "web")],
            f'replace the hosts of kind "main" and "web" together{BOTH_SIDES}',
        ),
        (
            ["x: main < web", "y: web < main"],
            ["lockstep", "lockstep"],
            [("main", "web")],
            f'replace the hosts of kind "main" and "web" together{BOTH_SIDES}',
        ),
        (
            ["x: a < b", "y: b < c", "z: c < a", "w: c < d", "v: e < a"],
            ["lockstep", "lockstep", "lockstep", "provider-first", "provider-first"],
            [("e",), ("a", "b", "c"), ("d",)],
            f'replace the hosts of kind "a", "b" and "c" together{BOTH_SIDES}',
        ),
        (
            ["x: main < web+tui", "y: main > web"],
            ["lockstep", "lockstep"],
            [("main", "web"), ("tui",)],
            ('replace the hosts of kind "main" and "web" together, before those of kind '
            f'"tui"{BOTH_SIDES}'),
        ),
        (
            ["x: main+cli < web", "y: main > web"],
            ["lockstep", "lockstep"],
            [("cli",), ("main", "web")],
            ('replace the hosts of kind "main" and "web" together, after those of kind '
            f'"cli"{BOTH_SIDES}'),
        ),
        (
            ["x: main+web > web"],
            ["consumer-first"],
            [("web",), ("main",)],
            ('replace the hosts of kind "web" before those of kind "main", '
            "or keep providing what they require"),
        ),
        (
            ["x: main+web <> main+web"],
            ["lockstep"],
            [("main", "web")],
            'replace the hosts of kind "main" and "web" together, or keep both sides',
        ),
    ],
    ids=[
        "providers first", "consumers first", "both", "two services that disagree",
        "two that depend on each other", "a ring of three", "one of two consumers",
        "one of two providers", "moved to its consumer", "moved to each other",
    ],
)  # fmt: skip
def test_what_all_services_ask_for_gives_an_order_or_kinds_to_replace_at_once(
    texts: list[str], orders: list[Order], sequence: list[tuple[str, ...]], advice: str
) -> None:
    replacement = replace(*texts)
    assert [one.order for one in replacement.upgrades] == orders
    assert list(replacement.sequence) == sequence
    assert replacement.advise("app", "x") == advice


def test_without_demands_nothing_is_to_be_replaced() -> None:
    assert replace().upgrades == replace().sequence == ()


def test_no_two_pieces_of_advice_contradict_each_other() -> None:
    """Of random demands: what is told of each pair of kinds holds in the sequence."""
    source = random.Random(4)
    for _ in range(300):
        texts: list[str] = []
        for number in range(source.randint(1, 5)):
            provider, other, consumer = source.sample("abcd", 3)
            more = source.choice(("", f"+{other}", f"+{consumer}"))
            sign = source.choice(("<", ">", "<>"))
            texts.append(f"s{number}: {provider}{more} {sign} {consumer}")
        replacement = replace(*texts)
        places = {k: i for i, group in enumerate(replacement.sequence) for k in group}
        for one in replacement.upgrades:
            pairs = [p for p in itertools.product(one.providers, one.consumers) if p[0] != p[1]]
            kept = {places[p] - places[c] for p, c in pairs}
            if one.order == "lockstep":
                assert 0 in kept, texts
            elif one.order == "provider-first":
                assert all(step < 0 for step in kept), texts
            else:
                assert all(step > 0 for step in kept), texts
