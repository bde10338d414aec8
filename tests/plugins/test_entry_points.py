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


def install(folder: Path, package: str, text: str, metadata: str | bytes | None = None) -> None:
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    if metadata is None:
        metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n"
    info.joinpath("METADATA").write_bytes(
        metadata.encode() if isinstance(metadata, str) else metadata
    )
    info.joinpath("entry_points.txt").write_text(text)


def list_announced(folder: Path, plugin: str) -> dict[str, list[tuple[str, str | None]]]:
    found = InstalledFacets(str(folder)).find(plugin)
    return {kind: list(map(tuple, rows)) for kind, rows in found.items()}  # type: ignore[arg-type]


GROUP = "[pi_contracts.facets]\n"


def test_installed_packages_announce_facets_by_plugin_and_kind(tmp_path: Path) -> None:
    """PLN-2: a missing entry point means no facet."""
    install(tmp_path, "pi-a", f"{GROUP}@pi/a:tui = a.tui:f\n@pi/a:web = a.web:f\n@pi/a = a:f\n")
    install(tmp_path, "pi_b", f"{GROUP}@pi/a:tui = b:f\n:tui = c:f\n[other]\n@pi/a:server = d:f\n")
    assert list_announced(tmp_path, "@pi/a") == {
        "tui": [("a.tui:f", "pi-a"), ("b:f", "pi_b")],
        "web": [("a.web:f", "pi-a")],
    }
    assert list_announced(tmp_path, "@pi/none") == {}


@pytest.mark.parametrize(
    ("line", "plugin", "found"),
    [
        ("@a/b:c:tui = m:f", "@a/b:c", {"tui": [("m:f", "p")]}),
        ("a:tui = m:f [extra]", "a", {"tui": [("m:f", "p")]}),
        ("a:tui = m:f[one, two]", "a", {"tui": [("m:f", "p")]}),
        ("a:tui = m:f\na:tui = m:f [x]", "a", {"tui": [("m:f", "p")]}),
        ("a:tui = m:f\na:tui = m:g", "a", {"tui": [("m:f", "p"), ("m:g", "p")]}),
        ("# a:tui = m:f\na:web=m:f", "a", {"web": [("m:f", "p")]}),
        ("a:tui\na:web = m:f\n= m:f\na:x =", "a", {"web": [("m:f", "p")]}),
        ("a: tui = m:f", "a", {" tui": [("m:f", "p")]}),
        ("grün:tui = größe:f", "grün", {"tui": [("größe:f", "p")]}),
    ],
    ids=[
        "the kind stands after the last colon",
        "extras count for nothing",
        "nor do several",
        "the same twice is one",
        "two of one package",
        "a remark",
        "lines that are no entry point hide no other",
        "a kind as it is written",
        "other letters",
    ],
)
def test_a_line_of_a_package_announces_one_facet(
    tmp_path: Path, line: str, plugin: str, found: dict[str, list[tuple[str, str | None]]]
) -> None:
    install(tmp_path, "p", f"[other]\na:tui = o:f\n{GROUP}{line}\n[last]\na:tui = l:f\n")
    assert list_announced(tmp_path, plugin) == found


def test_an_announcement_without_a_kind_is_no_facet_and_is_remembered(tmp_path: Path) -> None:
    install(tmp_path, "p", f"{GROUP}@pi/a = m:f\n@pi/b: = m:g\n")
    installed = InstalledFacets(str(tmp_path))
    assert installed.find("@pi/a") == installed.find("@pi/b") == {}
    assert installed.find_without_kind("@pi/a") == [("m:f", "p")]
    assert installed.find_without_kind("@pi/b") == [("m:g", "p")]
    assert installed.find_without_kind("@pi/c") == []


def test_a_package_whose_announcement_is_no_text_hides_no_other(tmp_path: Path) -> None:
    install(tmp_path, "pi-a", f"{GROUP}@pi/a:tui = a:f\n")
    install(tmp_path, "broken", "")
    broken = tmp_path / "broken-1.0.dist-info" / "entry_points.txt"
    broken.write_bytes(b"\xff\xfe[pi_contracts.facets]\n")
    assert list_announced(tmp_path, "@pi/a") == {"tui": [("a:f", "pi-a")]}


@pytest.mark.parametrize(
    "metadata",
    ["", "Metadata-Version: 2.1\nVersion: 1\n", b"Name: \xff\n", "no header at all"],
    ids=["empty", "without a name", "no text", "no header"],
)
def test_packages_whose_name_cannot_be_read_hide_nothing(
    tmp_path: Path, metadata: str | bytes
) -> None:
    install(tmp_path, "p", f"{GROUP}a:tui = p:f\n", metadata)
    install(tmp_path, "q", f"{GROUP}a:tui = q:f\n", metadata)
    found = InstalledFacets(str(tmp_path)).find("a")
    assert found == {"tui": [("p:f", None), ("q:f", None)]}
    assert [str(one) for one in found["tui"]] == [
        'one without a name ("p:f")',
        'one without a name ("q:f")',
    ]


def test_a_package_without_metadata_announces_what_it_says(tmp_path: Path) -> None:
    install(tmp_path, "p", f"{GROUP}a:tui = p:f\n")
    (tmp_path / "p-1.0.dist-info" / "METADATA").unlink()
    assert list_announced(tmp_path, "a") == {"tui": [("p:f", None)]}


def test_a_package_that_is_on_the_path_twice_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, place in enumerate(("near", "far")):
        install(tmp_path / place, ("pi-a", "PI.A")[number], f"{GROUP}@pi/a:tui = a:f{number}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "far"))
    assert list_announced(tmp_path / "near", "@pi/a") == {"tui": [("a:f0", "pi-a")]}


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
