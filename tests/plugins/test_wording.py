from __future__ import annotations

import pytest
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.facets import Locator, Origin
from pi_contracts.plugins.graph import Service
from pi_contracts.plugins.wording import (
    agree,
    list_facets,
    list_ids,
    list_names,
    name_facet,
    name_service,
    place_origin,
)


@pytest.mark.parametrize(
    ("names", "listed"),
    [
        (["a"], "a"),
        (["a", "a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more (--format json lists all)"),
    ],
)
def test_names_are_listed_as_in_a_sentence_up_to_a_bound(names: list[str], listed: str) -> None:
    assert list_names(names, shown=4) == listed


def test_names_are_quoted_and_escaped() -> None:
    assert name_facet(Facet("a\n", "tui")) == '"a\\n:tui"'
    assert name_service(Service("app", "x\u001b")) == '"app/x\\u001b"'
    assert list_ids(["a", "b"]) == '"a" and "b"'
    assert list_facets([Facet("a", "tui")]) == '"a:tui"'


def test_a_verb_agrees_with_the_number_of_its_subjects() -> None:
    assert (agree([1], "require"), agree([1, 2], "require")) == ("requires", "require")


def test_a_place_is_told_as_far_as_it_is_known() -> None:
    assert place_origin(Origin(Locator(None), "/0")) == {}
    assert place_origin(Origin(Locator("m.json"), "/0")) == {"path": "m.json", "pointer": "/0"}
    assert place_origin(Origin(Locator("m.json", b"[1]"), "/0")) == {
        "path": "m.json",
        "pointer": "/0",
        "line": 1,
        "column": 2,
    }
