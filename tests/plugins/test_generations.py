from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.generations import make_generation, read_generation
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from pathlib import Path

NEED = {"scope": "app", "service": "x", "mode": "singleton"}
MANIFEST = {
    "manifest": 1,
    "plugins": [
        {"id": "a", "version": "1", "facets": {"main": {"entry": "a:main", "provides": [NEED]}}},
        {"id": "b", "facets": {"web": {"entry": "b:web", "requires": [NEED]}, "cli": "b:cli"}},
        {"id": "c"},
    ],
}


def write(folder: Path, value: object) -> Path:
    file = folder / "old.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def test_a_manifest_gives_versions_entries_and_what_is_not_known(tmp_path: Path) -> None:
    generation, faults = read_generation(write(tmp_path, MANIFEST), "old.json")
    assert generation is not None
    assert not faults
    assert generation.plugins == ("a", "b", "c")
    assert generation.has_manifest
    assert generation.versions == {"a": "1"}
    assert generation.entries[Facet("b", "cli")] == "b:cli"
    assert generation.unknown == (Facet("b", "cli"), Facet("c", "*"))


def test_a_kept_report_of_plan_is_a_generation(tmp_path: Path) -> None:
    manifest, _ = parse_manifest(json.dumps(MANIFEST).encode(), "m.json")
    plan = make_plan(manifest)
    generation, faults = read_generation(write(tmp_path, plan.to_json().decode()), "old.json")
    assert generation is not None
    assert not faults
    assert not generation.has_manifest
    assert generation.plugins == ("a", "b")
    assert generation.graph.assembly.reports == plan.assembly.reports


def test_standard_input_is_a_generation_whose_modules_are_in_the_folder_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("mine.py").write_text("def facet(facet): facet.server\n")
    text = b'{"manifest": 1, "plugins": [{"id": "a", "facets": {"web": "mine:facet"}}]}'
    missing = (Facet("a", "web"),)
    for folder, unknown in ((tmp_path, ()), (tmp_path / "none", missing), (None, missing)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        generation, faults = read_generation("-", "<stdin>", folder)
        assert generation is not None
        assert not faults
        assert generation.unknown == unknown


@pytest.mark.parametrize("is_wrapped", [True, False], ids=["object", "list"])
def test_facet_reports_are_a_generation(tmp_path: Path, *, is_wrapped: bool) -> None:
    reports = [{"pluginId": "a", "facet": "main", "provides": [NEED]}]
    value: object = {"facets": reports} if is_wrapped else reports
    generation, faults = read_generation(write(tmp_path, value), "old.json")
    assert generation is not None
    assert not faults
    assert generation.graph.assembly.facets == [Facet("a", "main")]


SETUP = """
from pi_contracts.runtime import local_service

def facet(context):
    context.provide(local_service("cellar"), object())
"""


def test_a_setup_of_the_older_generation_has_the_time_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "slow_plugin.py").write_text(
        "import time\n\n\ndef facet(context):\n    time.sleep(60)\n"
    )
    value = {"manifest": 1, "plugins": [{"id": "a", "facets": {"tui": "slow_plugin:facet"}}]}
    generation, faults = read_generation(write(tmp_path, value), "old.json", timeout=0.5)
    assert not faults
    assert generation is not None
    assert generation.unknown == (Facet("a", "tui"),)


def test_facets_without_an_inline_report_are_set_up(tmp_path: Path) -> None:
    (tmp_path / "older_plugin.py").write_text(SETUP)
    facets: dict[str, Any] = {
        "tui": "older_plugin:facet",
        "web": {"entry": "older_plugin:gone", "provides": []},
    }
    value: dict[str, Any] = {"manifest": 1, "plugins": [{"id": "a", "facets": facets}]}
    generation, faults = read_generation(write(tmp_path, value), "old.json")
    assert generation is not None
    assert not faults
    tui, web = generation.graph.assembly.reports
    assert [entry.service for entry in tui.provides] == ["cellar"]
    assert web.provides == []
    assert generation.unknown == ()


def test_a_generation_without_a_manifest_has_the_plugins_of_its_facets() -> None:
    assert make_generation(make_plan().graph).plugins == ()


UNREADABLE: list[tuple[Any, str, str]] = [
    ("{", "invalid-json", ""),
    ({"manifest": 2, "plugins": []}, "invalid-manifest", ""),
    ({"report": 1, "tool": "check"}, "invalid-manifest", "no report of plan"),
    ({"report": 1, "plan": {"facets": [{}]}}, "invalid-manifest", "$.plan.facets[0]"),
    ([{"pluginId": 1}], "invalid-report", ""),
    ("[" * 100_000, "too-deep", ""),
    ('{"a": ' * 100_000, "too-deep", ""),
]


@pytest.mark.parametrize(
    ("value", "rule", "part"),
    UNREADABLE,
    ids=["no JSON", "no manifest", "another report", "a bad plan", "no reports", "deep", "deeper"],
)
def test_a_file_that_is_no_generation_is_told(
    tmp_path: Path, value: object, rule: str, part: str
) -> None:
    _, faults = read_generation(write(tmp_path, value), "old.json")
    assert faults
    assert rule in {fault.rule for fault in faults}
    assert all(fault.path == "old.json" for fault in faults)
    assert part in faults[0].message


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    generation, (fault,) = read_generation(tmp_path / "none.json", "none.json")
    assert generation is None
    assert fault.rule == "invalid-manifest"
    assert "cannot be read" in fault.message
