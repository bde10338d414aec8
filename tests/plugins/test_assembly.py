from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.assembly import assemble
from pi_contracts.plugins.entry_points import InstalledFacets
from pi_contracts.plugins.facets import Report, ReportFile
from pi_contracts.plugins.manifest import Manifest, parse_manifest
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Facets = Callable[[str], ReportFile]


def read(text: str) -> Manifest:
    manifest, faults = parse_manifest(text.encode(), "m.json")
    assert manifest is not None
    assert not faults
    return manifest


def name_all(manifest: Manifest | None, *files: ReportFile) -> list[str]:
    return [str(facet) for facet in assemble(manifest, files).facets]


@pytest.mark.parametrize(
    ("orders", "names"),
    [
        ([], ["p0:main", "p1:main", "p2:main"]),
        ([0, -5, 0], ["p1:main", "p0:main", "p2:main"]),
        ([10**20, 0.5, -(10**20)], ["p2:main", "p1:main", "p0:main"]),
    ],
    ids=["unset", "equal", "huge"],
)
def test_without_a_manifest_reports_are_sorted_by_order_then_place(
    orders: list[float], names: list[str]
) -> None:
    reports = [Report(f"p{i}", "main", [], []) for i in range(3)]
    if orders:
        reports = [
            Report(r.plugin, r.facet, [], [], o) for r, o in zip(reports, orders, strict=True)
        ]
    assert name_all(None, ReportFile(reports)) == names


def test_with_a_manifest_its_order_comes_first_then_that_of_reports() -> None:
    manifest = read("""{"manifest": 1, "plugins": [
        {"id": "b", "facets": {"x": "b:x", "y": "b:y"}}, {"id": "a", "facets": {"x": "a:x"}}]}""")
    rows = [("a", "x", -9), ("b", "x", 5), ("b", "y", 1)]
    file = ReportFile([Report(plugin, kind, [], [], order) for plugin, kind, order in rows])
    assert name_all(manifest, file) == ["b:y", "b:x", "a:x"]


def test_several_files_are_one_assembly(facets: Facets) -> None:
    first, second = facets("a:main;; app/x"), facets("b:main; app/x;")
    assembly = assemble(None, [first, second])
    assert [facet.plugin for facet in assembly.facets] == ["a", "b"]
    assert assembly.get_origin(1, "requires", 2).pointer == "/0/requires/2"
    assert assembly.get_origin(1).pointer == "/0"


def announce(folder: Path, package: str, *facets: str) -> None:
    """Put the metadata of an installed package in a folder."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "".join(f"{name} = m:f\n" for name in facets)
    info.joinpath("entry_points.txt").write_text(f"[pi_contracts.facets]\n{lines}")


def test_a_plugin_that_names_no_facets_has_those_that_its_package_announces(
    facets: Facets, tmp_path: Path
) -> None:
    announce(tmp_path, "pi-a", "@pi/a:tui", "@pi/a:web", "@pi/other:tui", "@pi/a")
    manifest = read('{"manifest": 1, "plugins": [{"id": "@pi/a"}]}')
    assembly = assemble(manifest, [facets("@pi/a:web;;")], installed=InstalledFacets(str(tmp_path)))
    assert [(u.plugin, u.facet) for u in assembly.unreported] == [("@pi/a", "tui")]
    assert assembly.facets == [Facet("@pi/a", "web")]


def test_a_facet_that_two_installed_packages_announce_is_a_duplicate(tmp_path: Path) -> None:
    for package in ("pi-a", "pi-b"):
        announce(tmp_path, package, "@pi/a:tui")
    manifest = read('{"manifest": 1, "plugins": [{"id": "@pi/a"}]}')
    assembly = assemble(manifest, [], installed=InstalledFacets(str(tmp_path)))
    assert [(r.plugin, r.facet, r.announced) for r in assembly.repeated] == [("@pi/a", "tui", 2)]
    messages = [
        f.message for f in make_plan(manifest, installed=InstalledFacets(str(tmp_path))).findings
    ]
    assert (
        '2 installed packages announce the facet "@pi/a:tui"; it cannot be loaded more than once'
        in messages
    )


def test_a_report_that_agrees_with_the_inline_one_is_no_drift(facets: Facets) -> None:
    manifest = read("""{"manifest": 1, "plugins": [{"id": "a", "facets": {"tui": {"entry": "a:f",
        "requires": [{"scope": "app", "service": "x", "mode": "singleton"}]}}}]}""")
    assembly = assemble(manifest, [facets("a:tui; app/x;")])
    assert assembly.drifts == []
    assert len(assembly.facets) == 1


def test_inline_reports_of_one_facet_in_two_entries_are_joined() -> None:
    entry = """{"id": "a", "facets": {"tui": {"entry": "a:f", "provides": [
        {"scope": "app", "service": "%s", "mode": "keyed"},
        {"scope": "app", "service": "z", "mode": "keyed"}]}}}"""
    manifest = read(f'{{"manifest": 1, "plugins": [{entry % "x"}, {entry % "y"}]}}')
    assembly = assemble(manifest, [])
    assert [d.service for d in assembly.reports[0].provides] == ["x", "z", "y"]
    assert [repeated.plugin for repeated in assembly.repeated] == ["a"]


def test_reports_are_not_called_unlisted_where_a_plugin_could_not_be_read(facets: Facets) -> None:
    manifest, faults = parse_manifest(b'{"manifest": 1, "plugins": [{"ID": "a"}]}', "m.json")
    assert faults
    assert assemble(manifest, [facets("a:tui;;")]).unlisted == []
