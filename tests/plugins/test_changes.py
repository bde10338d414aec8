from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.assembly import assemble
from pi_contracts.plugins.changes import Against, compare, find_moved
from pi_contracts.plugins.facets import ContractVersion
from pi_contracts.plugins.generations import Generation, make_generation
from pi_contracts.plugins.graph import Graph
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.skew import Skew

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.plugins.facets import ReportFile

    Facets = Callable[[str], ReportFile]

BASE = "a:main;; app/x\nb:web; app/x;\nc:web;;"


def read(plugins: list[dict[str, Any]]) -> Generation:
    text = json.dumps({"manifest": 1, "plugins": plugins}).encode()
    manifest, faults = parse_manifest(text, "m.json")
    assert not faults
    return make_generation(Graph(assemble(manifest, ())), manifest)


def judge(old: Generation, new: Generation) -> Against:
    return compare(old, new, Skew(old.graph, new.graph))


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (BASE, []),
        (BASE + "\nd:web;;", ["plugin-added"]),
        ("a:main;; app/x\nb:web; app/x;", ["plugin-removed"]),
        (BASE + "\nc:cli;;", ["facet-added"]),
        ("a:main;; app/x\nb:web; app/x;\nc:cli;;", ["facet-added", "facet-removed"]),
        ("a:main;; app/x\nb:web; app/x;\nc:web; app/x;", ["requirement-changed"]),
        ("a:main;; app/x app/y\nb:web; app/x;\nc:web;;", ["provision-changed"]),
        (
            "a:main;; app/x*\nb:web; app/x*;\nc:web;;",
            ["requirement-changed", "provision-changed"],
        ),
        ("a:main;; app/x\nc:web;;\nb:web; app/x;", ["order-changed"]),
        ("b:web; app/x;\na:main;; app/x\nc:web;;", ["order-changed"]),
    ],
    ids=[
        "nothing", "plugin added", "plugin removed", "facet added", "another host", "needs more",
        "gives more", "another mode", "another order", "another order in the manifest only",
    ],
)  # fmt: skip
def test_a_change_is_structural_where_the_shape_does_not_stay(
    facets: Facets, text: str, reasons: list[str]
) -> None:
    """PLN-19."""
    old, new = (make_generation(Graph(assemble(None, [facets(one)]))) for one in (BASE, text))
    answer = judge(old, new)
    assert list(answer.reasons) == reasons
    assert answer.change == ("structural" if reasons else "none")


def make_plugin(
    version: str = "1", entry: str = "a:main", contract: dict[str, Any] | None = None
) -> dict[str, Any]:
    service = {"scope": "app", "service": "x", "mode": "singleton"}
    held = service if contract is None else {**service, "contract": contract}
    facets = {
        "main": {"entry": entry, "provides": [held]},
        "web": {"entry": "a:web", "requires": [held]},
    }
    return {"id": "a", "version": version, "facets": facets}


@pytest.mark.parametrize(
    "plugin",
    [
        make_plugin(version="2"),
        make_plugin(entry="a.b:main"),
        make_plugin(contract={"digest": "two", "version": 1}),
        make_plugin(contract={"version": 2}),
    ],
    ids=["version", "entry point", "contract", "its version"],
)
def test_a_change_is_in_place_where_the_shape_stays(plugin: dict[str, Any]) -> None:
    """PLN-19."""
    old, new = read([make_plugin(contract={"digest": "one", "version": 1})]), read([plugin])
    assert judge(old, new).change == "in-place"
    assert judge(new, old).change == "in-place"
    assert judge(old, old).change == "none"


def test_where_a_service_is_named_is_no_change() -> None:
    plugin = make_plugin()
    plugin["facets"]["main"]["provides"] = [
        {**plugin["facets"]["main"]["provides"][0], "at": {"path": "a.py", "line": 3}}
    ]
    assert judge(read([make_plugin()]), read([plugin])).change == "none"


@pytest.mark.parametrize(
    "contract",
    [None, {}, {"digest": "one"}, {"version": 1}],
    ids=["none", "nothing of it", "digest", "version"],
)
def test_what_is_not_told_of_a_contract_differs_from_nothing(
    contract: dict[str, Any] | None,
) -> None:
    old = read([make_plugin(contract={"digest": "one", "version": 1})])
    assert judge(old, read([make_plugin(contract=contract)])).change == "none"


def test_versions_and_entries_and_contracts_are_told() -> None:
    plugin = make_plugin("2", "b:main", {"version": 3})
    answer = judge(read([make_plugin(contract={"version": 1})]), read([plugin]))
    (version,) = answer.plugins.versions
    assert (version.plugin, version.old, version.new) == ("a", "1", "2")
    first, second = answer.facets.changed
    assert first.entry == ("a:main", "b:main")
    assert [one.service for one in first.provides.contracts] == ["x"]
    assert [one.service for one in second.requires.contracts] == ["x"]
    (service,) = answer.services.changed
    assert service.contract == (ContractVersion(version=1), ContractVersion(version=3))


def test_services_are_told_by_name_with_owner_and_mode(facets: Facets) -> None:
    old, new = (
        make_generation(Graph(assemble(None, [facets(text)])))
        for text in (
            "a:main;; app/x app/y local/l app/z",
            "a:main;; app/y* app/w\nb:main;; app/x local/l",
        )
    )
    services = judge(old, new).services
    assert [(one.service, one.mode) for one in services.added] == [("w", "singleton")]
    assert [(one.service, one.mode) for one in services.removed] == [("z", "singleton")]
    assert [(one.service, one.host, one.mode) for one in services.changed] == [
        ("x", None, None),
        ("y", None, ("singleton", "keyed")),
        ("l", "main", None),
    ]
    assert services.changed[0].owner == (Facet("a", "main"), Facet("b", "main"))


def test_without_manifests_versions_are_not_compared() -> None:
    old = read([make_plugin()])
    new = make_generation(old.graph)
    answer = judge(old, new)
    assert answer.plugins.versions == ()
    assert answer.change == "none"


def test_what_is_not_known_is_not_compared() -> None:
    old = read([make_plugin(), {"id": "b", "facets": {"cli": "b:cli"}}, {"id": "c"}])
    full: dict[str, Any] = {"id": "c", "facets": {"cli": {"entry": "c:cli", "provides": []}}}
    new = read([make_plugin(), {"id": "b", "facets": {"cli": "b:cli"}}, full])
    answer = judge(old, new)
    assert answer.facets.unknown == (Facet("b", "cli"), Facet("c", "*"))
    assert (answer.change, answer.facets.added) == ("none", ())


def is_in_order(moved: tuple[int, ...], old: list[int], new: list[int]) -> bool:
    stay = [item for item in old if item in new and item not in moved]
    return stay == [item for item in new if item in old and item not in moved]


@given(st.permutations(range(7)), st.permutations(range(7)), st.integers(0, 7))
def test_the_fewest_are_moved(old: list[int], new: list[int], length: int) -> None:
    new = new[:length]
    moved = find_moved(old, new)
    assert is_in_order(moved, old, new)
    assert not any(
        is_in_order(fewer, old, new)
        for size in range(len(moved))
        for fewer in combinations(new, size)
    )


def test_the_same_generations_give_the_same_bytes(facets: Facets) -> None:
    def encode() -> bytes:
        old, new = (
            make_generation(Graph(assemble(None, [facets(text)])))
            for text in (BASE, "c:main; app/x;\na:main;; app/x app/q app/p")
        )
        return msgspec.json.encode(judge(old, new))

    assert encode() == encode()
