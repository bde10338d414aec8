from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.plugins.against import Comparison
from pi_contracts.plugins.assembly import assemble
from pi_contracts.plugins.changes import compare
from pi_contracts.plugins.facets import ContractVersion, Declaration, Report, ReportFile
from pi_contracts.plugins.generations import Generation, make_generation
from pi_contracts.plugins.graph import Graph
from pi_contracts.plugins.manifest import FacetEntry, Manifest, Plugin
from pi_contracts.plugins.skew import Skew

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]


def join(file: ReportFile) -> Generation:
    return make_generation(Graph(assemble(None, [file])))


def draw(old: Generation, new: Generation, *, shown: int = 20) -> list[str]:
    answer = compare(old, new, Skew(old.graph, new.graph))
    return Comparison(old, new, answer, shown=shown).draw().splitlines()


def list_plugins(*plugins: tuple[str, str, str]) -> Generation:
    entries = [
        Plugin(name, version, {"main": FacetEntry(entry, provides=[])})
        for name, version, entry in plugins
    ]
    manifest = Manifest(tuple(entries))
    return make_generation(Graph(assemble(manifest, ())), manifest)


def test_that_nothing_has_changed_is_one_line(facets: Facets) -> None:
    same = join(facets("a:main;; app/x"))
    assert draw(same, same) == ["Compared: nothing has changed"]


def test_every_kind_of_structural_change_has_a_line(facets: Facets) -> None:
    old = join(facets("@pi/a:main;; app/x app/w\n@pi/b:web; app/x;\n@pi/c:web;;\n@pi/e:cli;;"))
    new = join(
        facets(
            "@pi/e:cli;;\n@pi/b:web; app/y*; local/z\n@pi/c:main;; app/x*\n"
            "@pi/a:main; ; app/y*\n@pi/d:tui;;"
        )
    )
    assert draw(old, new) == [
        (
            "Since the older generation structural: plugins are added, facets are added, "
            "facets are removed, facets require something else, facets provide something else, "
            "the order is another"
        ),
        "  + plugin @pi/d",
        "  + facet c:main",
        "  + facet d:tui",
        "  - facet c:web",
        "  ~ facet b:web",
        "      + requires app/y (keyed)",
        "      - requires app/x (singleton)",
        "      + provides local/z (singleton) in host kind web",
        "  ~ facet a:main",
        "      + provides app/y (keyed)",
        "      - provides app/w (singleton)",
        "      - provides app/x (singleton)",
        "  + service app/y (keyed)",
        "  + service local/z (singleton) in host kind web",
        "  - service app/w (singleton)",
        "  ~ service app/x of a:main -> c:main, singleton -> keyed",
        "  > plugin @pi/e has another place",
        "  > plugin @pi/a has another place",
        "While hosts of both generations run:",
        "  app/x: replace hosts that provide it and hosts that consume it together",
        "    old b:web <- new c:main: mode",
        "  app/y: replace hosts that provide it and hosts that consume it together",
        "    new b:web <- old nobody: not-provided",
        "  Hosts to replace, in this order: main and web together",
    ]


def test_a_change_in_place_shows_versions_and_entry_points() -> None:
    old = list_plugins(("a", "1", "a:main"), ("b", "1", "b:main"))
    new = list_plugins(("a", "2", "a:main"), ("b", "1", "b.c:main"))
    assert draw(old, new) == [
        "Since the older generation in place: the facets are joined and started as before",
        "  ~ plugin a 1 -> 2",
        "  ~ facet b:main",
        "      entry b:main -> b.c:main",
    ]


def test_a_facet_that_starts_at_another_time_is_told(facets: Facets) -> None:
    old, new = join(facets("a:x;;\na:y;;")), join(facets("a:y;;\na:x;;"))
    assert draw(old, new)[1:] == ["  > a:y starts at another time"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (ContractVersion(version=1), ContractVersion(version=2), "version 1 -> version 2"),
        (
            ContractVersion("sha256:" + "0" * 64, 1),
            ContractVersion("sha256:" + "f" * 64),
            "version 1 sha256:000000000000 -> sha256:ffffffffffff",
        ),
    ],
    ids=["versions", "digests are shortened"],
)
def test_another_contract_is_told(old: ContractVersion, new: ContractVersion, words: str) -> None:
    def hold(contract: ContractVersion) -> Generation:
        provides = [Declaration("local", "x", "singleton", contract)]
        return join(ReportFile([Report("a", "main", [], provides)]))

    assert draw(hold(old), hold(new))[1:] == [
        "  ~ facet a:main",
        "      ~ provides local/x (singleton) in host kind main by another contract",
        f"  ~ service local/x in host kind main contract {words}",
    ]


def test_a_facet_that_is_not_known_is_told() -> None:
    manifest = Manifest((Plugin("a", facets={"main": "a:main"}),))
    unknown = make_generation(Graph(assemble(manifest, ())), manifest)
    assert draw(unknown, unknown) == [
        "Since the older generation nothing has changed",
        "  ? a:main is not known",
    ]


def test_long_lists_are_cut_and_say_how_to_see_the_rest(facets: Facets) -> None:
    old = join(facets(""))
    text = "".join(f"p{i}:main;; app/s{i}\nc{i}:web; app/s{i};\n" for i in range(5))
    drawn = draw(old, join(facets(text)), shown=2)
    assert drawn[1:4] == [
        "  + plugin p0",
        "  + plugin c0",
        "  …and 8 more (--format json lists all)",
    ]
    assert drawn[-6:] == [
        "  app/s0: replace the hosts that provide it first",
        "    new c0:web <- old nobody: not-provided",
        "  app/s1: replace the hosts that provide it first",
        "    new c1:web <- old nobody: not-provided",
        "  …and 3 more (--format json lists all)",
        "  Hosts to replace, in this order: main, then web",
    ]
