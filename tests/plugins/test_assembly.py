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


def announce(folder: Path, package: str, *facets: str, entries: tuple[str, ...] = ("m:f",)) -> None:
    """Put the metadata of an installed package in a folder."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {entry}\n" for name in facets for entry in entries)
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
    """One finding, which names them, also where the plugin is listed twice."""
    for package in ("pi-a", "pi-b"):
        announce(tmp_path, package, "@pi/a:tui")
    manifest = read('{"manifest": 1, "plugins": [{"id": "@pi/a"}]}')
    assembly = assemble(manifest, [], installed=InstalledFacets(str(tmp_path)))
    assert [(r.plugin, r.facet) for r in assembly.repeated] == [("@pi/a", "tui")]
    twice = read('{"manifest": 1, "plugins": [{"id": "@pi/a"}, {"id": "@pi/a"}]}')
    assembly = assemble(twice, [], installed=InstalledFacets(str(tmp_path)))
    assert [(r.plugin, r.facet) for r in assembly.repeated] == [("@pi/a", "tui"), ("@pi/a", None)]
    assert [(u.plugin, u.facet) for u in assembly.unreported] == [("@pi/a", "tui")]
    found = make_plan(manifest, installed=InstalledFacets(str(tmp_path))).findings
    duplicate = next(one for one in found if one.rule == "duplicate-plugin")
    assert duplicate.message == (
        'the installed packages "pi-a" ("m:f") and "pi-b" ("m:f") announce the facet "@pi/a:tui"; '
        "it cannot be loaded more than once"
    )
    assert duplicate.fix == "remove what is not meant, or name the facet in the manifest"


def test_a_facet_that_one_package_announces_twice_is_a_duplicate(tmp_path: Path) -> None:
    announce(tmp_path, "pi-a", "a:tui", entries=("m:f", "n:f"))
    manifest = read('{"manifest": 1, "plugins": [{"id": "a"}]}')
    found = make_plan(manifest, installed=InstalledFacets(str(tmp_path))).findings
    duplicate = next(one for one in found if one.rule == "duplicate-plugin")
    assert duplicate.message == (
        'the installed package "pi-a" announces the facet "a:tui" twice, as "m:f" and "n:f"; '
        "it cannot be loaded more than once"
    )


def test_a_plugin_without_facets_that_is_listed_twice_is_unreported_once(tmp_path: Path) -> None:
    announce(tmp_path, "pi-a", "a")
    manifest = read('{"manifest": 1, "plugins": [{"id": "a"}, {"id": "a"}]}')
    found = make_plan(manifest, installed=InstalledFacets(str(tmp_path))).findings
    assert [(one.rule, one.pointer) for one in found] == [
        ("no-report", "/plugins/0"),
        ("duplicate-plugin", "/plugins/1"),
    ]
    assert found[0].message == (
        'plugin "a" names no facets, and no installed package does; '
        '"pi-a" ("m:f") announces it without a kind'
    )
    assert found[0].fix == 'announce each facet by the name "a:KIND"'


@pytest.mark.parametrize(
    ("plugin", "hint", "fix"),
    [
        (
            "@kb/iu",
            '; did you mean "@kb/ui", which is installed?',
            'write "@kb/ui", or install the package of "@kb/iu"',
        ),
        (
            "@kb/ux",
            '; did you mean "@kb/ui", which is installed?',
            'write "@kb/ui", or install the package of "@kb/ux"',
        ),
        (
            "@kb/cord",
            "",
            "install its package, name its facets here, or give reports of them with --facets",
        ),
    ],
    ids=["swapped", "changed", "like one that is listed"],
)
def test_an_id_that_nothing_announces_is_told_with_the_installed_one_that_is_like_it(
    tmp_path: Path, plugin: str, hint: str, fix: str
) -> None:
    announce(tmp_path, "kb", "@kb/core:session", "@kb/ui:tui")
    listed = f'[{{"id": "@kb/core", "facets": {{}}}}, {{"id": "{plugin}"}}]'
    manifest = read(f'{{"manifest": 1, "plugins": {listed}}}')
    (finding,) = make_plan(manifest, installed=InstalledFacets(str(tmp_path))).findings
    assert finding.message == (
        f'plugin "{plugin}" names no facets, and no installed package does{hint}'
    )
    assert finding.fix == fix


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
