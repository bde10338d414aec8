from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from pi_contracts.plugins.entry_points import (
    Entry,
    InstalledFacets,
    find_search_path,
    find_whole_path,
    list_entries,
)
from pi_contracts.plugins.facets import Locator, Origin
from pi_contracts.plugins.manifest import parse_manifest

ORIGIN = Origin(Locator(None), "")


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("a:f", ("a", "f")),
        ("a.b.c:F.make", ("a.b.c", "F.make")),
        (" a.b : f ", ("a.b", "f")),
        ("ünï:größe", ("ünï", "größe")),
        ("a", None),
        ("a:", None),
        (":f", None),
        ("a:b:c", None),
        ("a b:f", None),
        ("a..b:f", None),
        ("1a:f", None),
        ("./a.py:f", None),
        ("a:f()", None),
    ],
)
def test_an_entry_point_names_a_module_and_an_attribute(
    text: str, parsed: tuple[str, str] | None
) -> None:
    assert Entry("p", "tui", text, ORIGIN).parse() == parsed


def test_modules_are_looked_for_beside_the_manifest_then_where_pythonpath_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """PLN-23: not in the working directory, on which a plan must not depend."""
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([first, "", second, first]))
    monkeypatch.setattr(sys, "path", ["", str(Path.cwd()), "/installed"])
    monkeypatch.setattr(sys, "argv", [])
    assert find_search_path(str(tmp_path)) == [str(tmp_path), first, second]
    assert find_whole_path(str(tmp_path)) == [str(tmp_path), first, second, "/installed"]
    monkeypatch.setattr(sys, "argv", ["/installed/script.py"])
    assert find_whole_path(str(tmp_path)) == [str(tmp_path), first, second]


def install(folder: Path, package: str, text: str) -> None:
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    info.joinpath("entry_points.txt").write_text(text)


def test_installed_packages_announce_facets_by_plugin_and_kind(tmp_path: Path) -> None:
    """PLN-2: a missing entry point means no facet."""
    group = "[pi_contracts.facets]\n"
    install(tmp_path, "pi-a", f"{group}@pi/a:tui = a.tui:f\n@pi/a:web = a.web:f\n@pi/a = a:f\n")
    install(tmp_path, "pi_b", f"{group}@pi/a:tui = b:f\n:tui = c:f\n[other]\n@pi/a:server = d:f\n")
    installed = InstalledFacets(str(tmp_path))
    assert installed.find("@pi/a") == {"tui": ["a.tui:f", "b:f"], "web": ["a.web:f"]}
    assert installed.find("@pi/none") == {}


def test_a_package_whose_announcement_is_no_text_hides_no_other(tmp_path: Path) -> None:
    install(tmp_path, "pi-a", "[pi_contracts.facets]\n@pi/a:tui = a:f\n")
    install(tmp_path, "broken", "")
    broken = tmp_path / "broken-1.0.dist-info" / "entry_points.txt"
    broken.write_bytes(b"\xff\xfe[pi_contracts.facets]\n")
    assert InstalledFacets(str(tmp_path)).find("@pi/a") == {"tui": ["a:f"]}


def test_a_package_that_is_on_the_path_twice_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, place in enumerate(("near", "far")):
        entry = f"[pi_contracts.facets]\n@pi/a:tui = a:f{number}\n"
        install(tmp_path / place, ("pi-a", "PI.A")[number], entry)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "far"))
    assert InstalledFacets(str(tmp_path / "near")).find("@pi/a") == {"tui": ["a:f0"]}


def test_the_facets_of_a_manifest_come_in_its_order_each_once(tmp_path: Path) -> None:
    install(tmp_path, "pi-b", "[pi_contracts.facets]\nb:tui = b:f\n")
    manifest, _ = parse_manifest(
        b"""{"manifest": 1, "plugins": [
        {"id": "a", "facets": {"web/x": "a:web", "tui": {"entry": "a:tui"}}},
        {"id": "b"}, {"id": "a", "facets": {"tui": "again:f", "session": "a:s"}},
        {"id": "c", "facets": {"tui": {"entry": "c:f", "oops": 1}, "web": "c:web"}}]}""",
        "m.json",
    )
    assert manifest is not None
    entries = list_entries(manifest, InstalledFacets(str(tmp_path)))
    assert [(e.plugin, e.kind, e.text, e.origin.pointer) for e in entries] == [
        ("a", "web/x", "a:web", "/plugins/0/facets/web~1x"),
        ("a", "tui", "a:tui", "/plugins/0/facets/tui"),
        ("b", "tui", "b:f", "/plugins/1"),
        ("a", "session", "a:s", "/plugins/2/facets/session"),
        ("c", "web", "c:web", "/plugins/3/facets/web"),
    ]
