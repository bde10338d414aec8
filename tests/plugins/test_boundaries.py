from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.boundaries import find_crossings
from pi_contracts.plugins.entry_points import InstalledFacets, find_search_path, list_entries
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.plan import Plan, make_plan, read_plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

QUESTION = {
    "pi_q/__init__.py": "",
    "pi_q/contract.py": "TOKEN = 1\n",
    "pi_q/session.py": "from .contract import TOKEN\n",
    "pi_q/tui.py": "from .contract import TOKEN\nfrom .dialog import show\n",
    "pi_q/dialog.py": "def show(): pass\n",
    "pi_q/web.py": "from .contract import TOKEN\n",
}
MANIFEST = """{"manifest": 1, "plugins": [{"id": "@pi/q", "facets": {
  "session": "pi_q.session:facet", "tui": "pi_q.tui:facet", "web": "pi_q.web:facet"}}, %s
  {"id": "@pi/absent", "facets": {"tui": "nowhere:facet", "web": "malformed"}}]}"""


def plan(
    folder: Path,
    files: dict[str, str],
    forbidden: Mapping[str, Sequence[str]] | None = None,
    more: str = "",
) -> Plan:
    for name, text in (QUESTION | files).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    manifest, faults = parse_manifest((MANIFEST % more).encode(), "app.json")
    assert manifest is not None, faults
    entries = list_entries(manifest, InstalledFacets(str(folder)))
    path = find_search_path(str(folder))
    crossings = find_crossings(entries, path, forbidden or {}, os.path.basename)
    return make_plan(manifest, crossings=crossings, rules={"no-report": "off"})


def test_facets_that_share_a_contract_alone_cross_nothing(tmp_path: Path) -> None:
    """PLN-3: no session module is reachable from a presentation."""
    assert plan(tmp_path, {}).findings == ()


def test_a_facet_that_reaches_another_kinds_entry_module_is_told_with_the_chain(
    tmp_path: Path,
) -> None:
    """PLN-3."""
    dialog = {"pi_q/dialog.py": "def show():\n    from .session import facet\n"}
    (finding,) = plan(tmp_path, dialog).findings
    assert finding.rule == "boundary-crossed"
    assert finding.message == (
        '"@pi/q:tui" reaches "pi_q.session", which belongs to "@pi/q:session", of another host '
        "kind: pi_q.tui -> pi_q.dialog -> pi_q.session"
    )
    assert (finding.path, finding.line) == ("dialog.py", 2)
    assert [(r.path, r.line, r.message) for r in finding.related] == [
        ("tui.py", 2, "pi_q.tui imports pi_q.dialog here")
    ]
    assert finding.fix


def test_one_import_that_several_facets_reach_is_one_finding(tmp_path: Path) -> None:
    """PLN-22: the root cause is the import."""
    files = {
        "pi_q/dialog.py": "import pi_q.session\n",
        "pi_q/web.py": "from . import dialog\n",
    }
    (finding,) = plan(tmp_path, files).findings
    assert finding.subject.facets == (Facet("@pi/q", "tui"), Facet("@pi/q", "web"))
    assert finding.message.endswith('; so does "@pi/q:web"')
    more = '{"id": "x", "facets": {"cli": "pi_q.dialog:show"}},'
    (finding,) = plan(tmp_path, files, more=more).findings[:1]
    assert "of another host kind" in finding.message


def test_a_package_as_entry_module_owns_what_is_below_it(tmp_path: Path) -> None:
    more = '{"id": "@pi/deep", "facets": {"server": "pi_deep:facet"}},'
    files = {
        "pi_deep/__init__.py": "",
        "pi_deep/store.py": "",
        "pi_q/tui.py": "import pi_deep.store\n",
    }
    (finding,) = plan(tmp_path, files, more=more).findings
    assert 'reaches "pi_deep.store", which belongs to "@pi/deep:server"' in finding.message


def test_a_module_that_two_kinds_enter_belongs_to_neither(tmp_path: Path) -> None:
    more = '{"id": "@pi/both", "facets": {"session": "both:session", "tui": "both:tui"}},'
    files = {"both.py": "", "pi_q/tui.py": "import both\n", "pi_q/session.py": "import both\n"}
    assert plan(tmp_path, files, more=more).findings == ()


def test_a_module_beside_an_entry_module_is_shared(tmp_path: Path) -> None:
    """Only a package owns what is below it."""
    files = {"pi_q/tui.py": "import pi_q.session_model\n", "pi_q/session_model.py": ""}
    assert plan(tmp_path, files).findings == ()


@pytest.mark.parametrize(
    ("text", "prefixes", "target"),
    [
        ("import tkinter.ttk\n", ["tkinter"], "tkinter.ttk"),
        ("import tkinter.ttk\n", ["tkinter."], "tkinter.ttk"),
        ("import sqlite3\n", ["sql"], None),
        ("import msgspec\n", ["msgspec"], "msgspec"),
        ("if TYPE_CHECKING:\n    import sqlite3\n", ["sqlite3"], None),
    ],
)
def test_a_forbidden_prefix_is_told(
    tmp_path: Path, text: str, prefixes: list[str], target: str | None
) -> None:
    findings = plan(tmp_path, {"pi_q/dialog.py": text}, {"tui": prefixes}).findings
    messages = [finding.message for finding in findings]
    if target is None:
        assert messages == []
    else:
        assert messages == [
            (
                f'"@pi/q:tui" reaches "{target}", which is forbidden for kind "tui" as '
                f'"{prefixes[0]}": pi_q.tui -> pi_q.dialog -> {target}'
            )
        ]
    assert plan(tmp_path, {"pi_q/dialog.py": text}, {"web": prefixes}).findings == ()


def test_a_package_that_is_entered_by_its_parts_has_no_line_of_its_own(tmp_path: Path) -> None:
    """The package of a module is imported by no statement."""
    more = '{"id": "@pi/root", "facets": {"server": "pi_q:facet"}},'
    findings = plan(tmp_path, {}, more=more).findings
    assert {(f.path, f.line) for f in findings} == {(None, None)}
    assert all('which belongs to "@pi/root:server"' in f.message for f in findings)
    assert len(findings) == 3


def test_the_plan_follows_imports_if_it_is_asked(tmp_path: Path) -> None:
    tmp_path.joinpath("here.py").write_text("import sqlite3\ndef facet(facet): pass\n")
    manifest = tmp_path / "m.json"
    manifest.write_text(
        '{"manifest": 1, "plugins": [{"id": "a", "facets": {"tui": "here:facet"}}]}'
    )
    plans = [
        read_plan(str(manifest), with_dry_run=True, boundaries=boundaries)
        for boundaries in (None, {}, {"tui": ["sqlite3"]})
    ]
    assert [[f.rule for f in plan.findings] for plan in plans] == [[], [], ["boundary-crossed"]]
