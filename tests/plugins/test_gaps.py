from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from pi_contracts.plugins.entry_points import InstalledFacets
from pi_contracts.plugins.facets import ReportFile, parse_reports
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Facets = Callable[[str], ReportFile]

START = '"a:main" requires "{}", which no facet provides, and cannot start without it'


@pytest.mark.parametrize(
    ("need", "others", "hint", "fix"),
    [
        ("app/x", "b:main;; app/y", "", 'add a facet that provides "app/x", or drop'),
        (
            "session/clock",
            "b:main;; app/clock",
            '; "b:main" provides it in scope "app"',
            'require it in scope "app", or provide it in scope "session"',
        ),
        (
            "app/clock",
            "b:main;; room/clock\nc:main;; room/clock hall/clock",
            (
                '; "c:main" provides it in scope "hall"; "b:main" and "c:main" provide it in '
                'scope "room"'
            ),
            'require it in scope "hall"',
        ),
        (
            "app/clock",
            "b:ui;; local/clock",
            '; "b:ui" provides it as a local service, which only host kind "ui" sees',
            'provide it in scope "app"',
        ),
        (
            "app/clock",
            "b:main;; App/clock",
            '; "b:main" provides it in scope "App" (U+0041), and not in scope "app" (U+0061)',
            'require it in scope "App"',
        ),
        (
            "app/clokc",
            "b:main;; app/clock",
            '; "b:main" provides "app/clock", a similar id',
            'require "app/clock", or provide "app/clokc"',
        ),
        (
            "app/Clock",
            "b:main;; app/clock",
            (
                '; "b:main" provides "clock" (U+0063) in scope "app", which is not the same id as '
                '"Clock" (U+0043)'
            ),
            'require "app/clock"',
        ),
        (
            "app/session-manager",
            "b:main;; hall/sessionManager app/session-manger",
            '; "b:main" provides "hall/sessionManager", a similar id',
            'require "hall/sessionManager"',
        ),
        ("local/clokc", "b:ui;; local/clock", "", "add a facet that provides"),
    ],
    ids=[
        "nothing close",
        "other scope",
        "two other scopes, one disputed",
        "local in another host",
        "scope in another case",
        "a slip",
        "id in another case",
        "other separators in another scope",
        "similar but local elsewhere",
    ],
)
def test_a_missing_provider_names_what_comes_close(
    facets: Facets, need: str, others: str, hint: str, fix: str
) -> None:
    plan = make_plan(None, [facets(f"a:main; {need};\n{others}")])
    finding = next(f for f in plan.findings if f.rule == "missing-provider")
    where = ' in host kind "main"' if need.startswith("local/") else ""
    start = START.format(need).replace(", and cannot", f"{where}, and cannot")
    assert finding.message == start + hint
    assert finding.fix is not None
    assert finding.fix.startswith(fix)


def test_many_scopes_are_searched_as_well_as_few(facets: Facets) -> None:
    others = "\n".join(f"b{i}:main;; scope{i}/other{i}" for i in range(40))
    plan = make_plan(None, [facets(f"a:main; app/clock;\n{others}\nc:main;; hall/clock")])
    (finding,) = plan.findings
    assert '"c:main" provides it in scope "hall"' in finding.message


def test_everyone_who_misses_a_service_is_named_up_to_a_bound(facets: Facets) -> None:
    text = "\n".join(f"u{i:02}:main; app/x;" for i in range(15))
    (finding,) = make_plan(None, [facets(text)]).findings
    assert '"u08:main" and 6 more (--format json lists all) require "app/x"' in finding.message
    assert len(finding.subject.facets) == 15
    assert not finding.related


def test_of_many_who_miss_a_service_the_last_line_says_how_to_see_the_others(
    facets: Facets,
) -> None:
    text = "\n".join(f"u{i:02}:main; app/x;" for i in range(15))
    file = facets(text)
    reports = msgspec.json.encode(file.reports)
    plan = make_plan(None, [parse_reports(reports, "r.json")[0]])
    *first, last = plan.findings[0].related
    assert [one.message for one in first] == [
        f'"u{i:02}:main" requires it here' for i in range(1, 11)
    ]
    assert (last.message, last.path) == ('and 4 more: --why "app/x" --format json lists all', None)


def test_a_local_service_elsewhere_is_named_with_a_shared_one(facets: Facets) -> None:
    plan = make_plan(None, [facets("a:ui; local/x;\nb:main;; local/x\nc:main;; app/x")])
    (finding,) = plan.findings
    assert finding.message == (
        '"a:ui" requires "local/x", which only "b:main" provides, in another process; a local '
        'service is not seen outside its host; "c:main" provides "app/x", which is another service'
    )


def make_manifest(plugins: dict[str, dict[str, object]]) -> bytes:
    rows = [{"id": plugin, "facets": kinds} for plugin, kinds in plugins.items()]
    return json.dumps({"manifest": 1, "plugins": rows}).encode()


def needs(scope: str, service: str) -> dict[str, object]:
    need = {"scope": scope, "service": service, "mode": "singleton"}
    return {"entry": "m:f", "requires": [need]}


@pytest.mark.parametrize(
    ("plugins", "hint"),
    [
        ({"@pi/ask": {"tui": needs("session", "x")}}, '"@pi/ask" has no facet of kind "session"'),
        (
            {
                "@pi/picker": {"tui": needs("session", "models"), "session": needs("app", "y")},
                "@pi/models": {"web": {"entry": "m:f", "provides": []}},
            },
            '"@pi/models" has no facet of kind "session"',
        ),
        (
            {
                "@pi/ask": {"tui": needs("session", "models")},
                "@pi/models": {},
                "@other/models": {},
            },
            '"@other/models" and "@pi/models" have no facet of kind "session"',
        ),
        (
            {"@pi/ask": {"tui": needs("local", "models")}, "@pi/models": {}},
            '"@pi/models" has no facet of kind "tui"',
        ),
        ({"@pi/ask": {"tui": needs("app", "models")}, "@pi/models": {}}, ""),
        ({"@pi/ask": {"tui": needs("local", "models")}}, ""),
    ],
    ids=[
        "own",
        "named like it",
        "two named like it",
        "for a local",
        "no host's scope",
        "nothing lacks",
    ],
)
def test_a_plugin_without_a_facet_there_is_named(
    plugins: dict[str, dict[str, object]], hint: str
) -> None:
    manifest, _ = parse_manifest(make_manifest(plugins), "m.json")
    finding = make_plan(manifest).findings[0]
    assert finding.rule == "missing-provider"
    assert finding.message.endswith(f"it; {hint}" if hint else "without it")


def announce(folder: Path, *names: str) -> InstalledFacets:
    info = folder / "board-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: board\nVersion: 1.0\n")
    lines = "".join(f"{name} = m:f\n" for name in names)
    info.joinpath("entry_points.txt").write_text(f"[pi_contracts.facets]\n{lines}")
    return InstalledFacets(str(folder))


@pytest.mark.parametrize(
    ("names", "need", "hint", "fix"),
    [
        (
            ["@kb/core:session", "@kb/dark:tui", "@far/x:session"],
            "session/board",
            'installed, not in the manifest: "@kb/core"',
            'add "@kb/core" to the manifest, if it provides "session/board"',
        ),
        (
            ["my-board:session", "@far/x:session"],
            "session/board",
            'installed, not in the manifest: "my-board"',
            'add "my-board" to the manifest, if it provides "session/board"',
        ),
        (
            ["@far/x:tui", "@far/y:session"],
            "local/board",
            'installed, not in the manifest: "@far/x"',
            'add "@far/x" to the manifest, if it provides "local/board"',
        ),
        (
            ["d:a", "c:b", "b:c", "a:d"],
            "app/board",
            'installed, not in the manifest: "a", "b", "c" and 1 more',
            'add the right one of them to the manifest, if it provides "app/board"',
        ),
        (
            ["@kb/ui:tui", "@kb/ui:session"],
            "session/board",
            'installed with a facet of kind "session" that the manifest leaves out: "@kb/ui"',
            'name that facet in the manifest too, if it provides "session/board"',
        ),
        (
            ["@kb/ui:web"],
            "app/board",
            'installed with a facet that the manifest leaves out: "@kb/ui"',
            'name that facet in the manifest too, if it provides "app/board"',
        ),
        (
            ["@kb/ui:tui", "@kb/dark:tui"],
            "session/board",
            '"@kb/ui" has no facet of kind "session"',
            'add the facet of kind "session" that provides "session/board"',
        ),
        (
            ["@far/x:tui"],
            "server/theme",
            '"@pi/theme" has no facet of kind "server"',
            'add the facet of kind "server" that provides "server/theme"',
        ),
        (
            ["@far/x:server"],
            "server/theme",
            '"@pi/theme" has no facet of kind "server"',
            'add the facet of kind "server" that provides "server/theme"',
        ),
    ],
    ids=[
        "of a consumer's owner",
        "named like it",
        "for a local",
        "many, for no host's scope",
        "a listed plugin's facet",
        "a listed plugin's facet of any kind",
        "of other kinds only",
        "none",
        "a listed plugin named like it comes first",
    ],
)
def test_what_is_installed_and_not_in_the_manifest_may_be_the_provider(
    tmp_path: Path, names: list[str], need: str, hint: str, fix: str
) -> None:
    """The consumer is not to be blamed for it, and no setup is run to know."""
    scope, _, service = need.partition("/")
    plugins: dict[str, dict[str, object]] = {
        "@kb/ui": {"tui": needs(scope, service)},
        "@pi/theme": {"web": {"entry": "m:f", "provides": []}},
    }
    manifest, _ = parse_manifest(make_manifest(plugins), "m.json")
    (finding,) = make_plan(manifest, installed=announce(tmp_path, *names)).findings
    assert finding.message.endswith(f"cannot start without it; {hint}")
    assert finding.fix == fix


def test_each_of_several_gaps_names_what_is_installed(tmp_path: Path) -> None:
    plugins: dict[str, dict[str, object]] = {
        "@kb/ui": {"tui": needs("session", "board"), "web": needs("session", "cards")}
    }
    manifest, _ = parse_manifest(make_manifest(plugins), "m.json")
    findings = make_plan(manifest, installed=announce(tmp_path, "@kb/core:session")).findings
    assert [f.subject.service for f in findings] == ["board", "cards"]
    assert all(f.message.endswith('not in the manifest: "@kb/core"') for f in findings)


def test_where_an_id_comes_close_an_installed_plugin_is_named_only_if_it_is_near(
    tmp_path: Path,
) -> None:
    offer = {"scope": "local", "service": "store", "mode": "singleton"}
    plugins: dict[str, dict[str, object]] = {
        "@kb/ui": {"tui": needs("local", "stroe")},
        "@kb/store": {"tui": {"entry": "m:f", "provides": [offer]}},
    }
    manifest, _ = parse_manifest(make_manifest(plugins), "m.json")
    near = '"@kb/store:tui" provides "local/store", a similar id'
    for name, hint in (("@far/x:tui", near), ("@kb/x:tui", f"{near}; installed, not in the")):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        finding = make_plan(manifest, installed=announce(folder, name)).findings[0]
        _, _, hints = finding.message.partition("without it; ")
        assert hints.startswith(hint)
        assert (hints == near) is (hint == near)
        assert finding.fix == 'require "local/store", or provide "local/stroe"'


@pytest.mark.parametrize(
    ("unknown", "need", "is_told"),
    [
        ("session", "session/x", False),
        ("session", "app/x", False),
        ("session", "server/x", True),
        ("session", "local/x", True),
        ("tui", "local/x", False),
        ("web", "local/x", True),
    ],
)
def test_what_an_unknown_facet_may_provide_is_not_told_as_missing(
    unknown: str, need: str, *, is_told: bool
) -> None:
    scope, _, service = need.partition("/")
    plugins: dict[str, dict[str, object]] = {
        "p": {"tui": needs(scope, service)},
        "q": {unknown: "q:f"},
    }
    manifest, _ = parse_manifest(make_manifest(plugins), "m.json")
    rules = [finding.rule for finding in make_plan(manifest).findings]
    assert ("missing-provider" in rules) is is_told
    assert "no-report" in rules


def test_what_an_invalid_report_may_provide_is_not_told_as_missing() -> None:
    text = b"""[{"pluginId": "a", "facet": "tui",
                 "requires": [{"scope": "session", "service": "x", "mode": "keyed"}]},
                {"pluginId": "b", "facet": "session", "provides": 1}]"""
    file, faults = parse_reports(text, "r.json")
    assert [f.rule for f in make_plan(None, [file], findings=faults).findings] == ["invalid-report"]
    file, faults = parse_reports(text.replace(b'"pluginId": "b", ', b""), "r.json")
    rules = {f.rule for f in make_plan(None, [file], findings=faults).findings}
    assert rules == {"invalid-report"}
