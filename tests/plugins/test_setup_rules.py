from __future__ import annotations

import pytest
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins import setup_rules
from pi_contracts.plugins.dry_run import Recording
from pi_contracts.plugins.entry_points import Entry, InstalledFacets, list_entries
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.outcomes import Fault, Frame
from pi_contracts.plugins.plan import Plan, make_plan

MANIFEST = """{"manifest": 1, "plugins": [
  {"id": "@pi/a", "facets": {"tui": "%s", "web": "a.web:facet"}}]}"""


def plan(*faults: Fault, entry: str = "a.tui:facet") -> Plan:
    manifest, _ = parse_manifest((MANIFEST % entry).encode(), "app.json")
    assert manifest is not None
    entries = list_entries(manifest, InstalledFacets())
    recordings = [Recording(entries[0], faults=list(faults)), Recording(entries[1])]
    return make_plan(manifest, recordings=recordings)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault("raised", "ValueError: x\n"), "raised ValueError: x\\n"),
        (Fault("caught", "bad call"), "went on after bad call"),
        (Fault("late", "bad call"), "has given its context away, which raised bad call"),
        (
            Fault("coroutine"),
            "is a coroutine function, but what it declares has to be complete when it returns",
        ),
        (Fault("generator"), "is a generator function, of which nothing runs"),
        (
            Fault("awaitable", "Task"),
            (
                "returned an awaitable (Task), but what it declares has to be complete when it "
                "returns"
            ),
        ),
        (Fault("returned", "int"), "returned an object of type int"),
        (
            Fault("refused", "opens a socket"),
            "opens a socket, which has to wait until the facet is active",
        ),
        (
            Fault("printed", "99999"),
            "printed 99999 bytes; the output of its host is not its own",
        ),
        (
            Fault("patched", "time.sleep"),
            "changed time.sleep, which all facets of its process share",
        ),
        (Fault("hung", "10"), "did not return within 10 s"),
        (Fault("ended", "SIGSEGV"), "ended its process (SIGSEGV)"),
        (
            Fault("noise"),
            "wrote to, or closed, the file in which the result of the run is told",
        ),
    ],
    ids=lambda value: value.kind if isinstance(value, Fault) else "",
)
def test_a_failed_setup_is_worded_with_its_facet_and_a_way_out(fault: Fault, message: str) -> None:
    (finding,) = plan(fault).findings
    assert finding.rule == "setup-failed"
    assert finding.message == f'the setup of "@pi/a:tui" {message}'
    assert finding.fix
    assert (finding.path, finding.line, finding.pointer) == (
        "app.json",
        2,
        "/plugins/0/facets/tui",
    )
    assert finding.subject.facets == (Facet("@pi/a", "tui"),)


@pytest.mark.parametrize(
    ("entry", "fault", "message", "fix"),
    [
        ("a.tui", Fault("malformed"), "is not of the form module:attribute", "a.tui:facet"),
        (
            "a.tui:facet",
            Fault("no-module", "a"),
            (
                'cannot be resolved: there is no module "a" beside the manifest, in PYTHONPATH, '
                "or installed"
            ),
            "install the plugin, or name its folder in PYTHONPATH",
        ),
        (
            "a.tui:facet",
            Fault("no-module", "a.tui"),
            'cannot be resolved: "a" has no module "a.tui"',
            "name a module of the package, or leave the facet out",
        ),
        (
            "a.tui:fact",
            Fault("no-attribute", "facet"),
            'cannot be resolved: "a.tui" has no "fact"; did you mean "facet"?',
            'write "facet"',
        ),
        (
            "a.tui:fact",
            Fault("no-attribute"),
            'cannot be resolved: "a.tui" has no "fact"',
            "name a function of the module",
        ),
        (
            "a.tui:facet",
            Fault("not-callable", "list"),
            (
                'cannot be resolved: "facet" is an object of type list; a facet is a function of '
                "its context"
            ),
            "name the setup function",
        ),
        (
            "a.tui:facet",
            Fault("import-raised", "ImportError: no"),
            'cannot be resolved: importing "a.tui" raised ImportError: no',
            "mend the import; it should define and do nothing else",
        ),
        (
            "a.tui:facet",
            Fault("import-raised", "ImportError: no", advice="run: pi-contracts gen"),
            'cannot be resolved: importing "a.tui" raised ImportError: no',
            "run: pi-contracts gen",
        ),
        (
            "a.tui:facet",
            Fault("hung", "10"),
            'cannot be resolved: importing "a.tui" took longer than 10 s',
            "let the import define and do nothing else, or allow more with --timeout",
        ),
        (
            "a.tui:facet",
            Fault("not-callable", "NoneType"),
            (
                'cannot be resolved: "facet" of "a.tui" is None; a facet is a function of its '
                "context"
            ),
            "name the setup function",
        ),
        (
            ".tui:facet",
            Fault("malformed"),
            "is relative, but there is no package that it could be relative to",
            "write the whole name of the module, such as my_plugin.tui:facet",
        ),
        (
            "__main__:facet",
            Fault("reserved"),
            ('cannot be resolved: "__main__" is a module of whoever runs it, and not of a plugin'),
            "name the module of the plugin that holds the setup function",
        ),
        (
            "queue:facet",
            Fault("standard", "queue"),
            'cannot be resolved: "queue" is a module of Python\'s own, and of no plugin',
            "name the plugin's module; if it has this name, give it another one",
        ),
        (
            "a.tui:facet",
            Fault("attribute-raised", "SystemExit"),
            'cannot be resolved: looking for "facet" in "a.tui" raised SystemExit',
            "define the setup function in the module itself",
        ),
        (
            "a.tui:facet",
            Fault("ended", "exit code 1"),
            'cannot be resolved: importing "a.tui" ended the process (exit code 1)',
            "let it return, and never end the process",
        ),
        (
            "a.tui:facet",
            Fault("printed", "9"),
            'cannot be resolved: importing "a.tui" printed 9 bytes',
            "let the import define and do nothing else",
        ),
        (
            "a.tui:facet",
            Fault("noise"),
            (
                'cannot be resolved: importing "a.tui" wrote to, or closed, the file in which the '
                "result of the run is told"
            ),
            "let it use no descriptor that it has not opened",
        ),
    ],
)
def test_an_entry_point_that_leads_nowhere_is_told_where_it_is_written(
    entry: str, fault: Fault, message: str, fix: str
) -> None:
    fault = Fault(fault.kind, fault.text, phase="import", advice=fault.advice)
    (finding,) = plan(fault, entry=entry).findings
    assert finding.rule == "unresolvable-entry-point"
    assert finding.message == f'the entry point "{entry}" of "@pi/a:tui" {message}'
    assert finding.fix is not None
    assert finding.fix.endswith(fix) or entry == "a.tui"
    assert (finding.path, finding.line) == ("app.json", 2)


def test_a_fault_with_a_line_is_placed_there_and_names_the_manifest_too() -> None:
    fault = Fault("raised", "E", (Frame("a/tui.py", 3), Frame("a/x.py", 7)), advice="do else")
    (finding,) = plan(fault).findings
    assert (finding.path, finding.line, finding.pointer) == ("a/tui.py", 3, None)
    assert [(r.path, r.line, r.message) for r in finding.related] == [
        ("a/x.py", 7, "called from here"),
        ("app.json", 2, "the facet is named here"),
    ]
    assert finding.fix == "do else"


def test_two_faults_of_one_facet_are_two_findings_with_fingerprints_of_their_own() -> None:
    findings = plan(Fault("printed", "99999"), Fault("refused", "opens a socket")).findings
    assert len({finding.fingerprint for finding in findings}) == 2


def test_what_a_failed_facet_may_provide_is_named_and_not_called_missing() -> None:
    """PLN-22."""
    text = """{"manifest": 1, "plugins": [{"id": "a", "facets": {
      "session": "a:s", "tui": {"entry": "a:t",
        "requires": [{"scope": "session", "service": "x", "mode": "keyed"}]}}}]}"""
    manifest, _ = parse_manifest(text.encode(), "app.json")
    assert manifest is not None
    session, tui = list_entries(manifest, InstalledFacets())
    recordings = [Recording(session, faults=[Fault("hung", "10")]), Recording(tui, is_absent=True)]
    (finding,) = make_plan(manifest, recordings=recordings).findings
    assert finding.message == (
        'the setup of "a:session" did not return within 10 s; '
        'so it is not known who provides "session/x"'
    )


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            Fault("not-started", "no python", phase="import"),
            'no process could be started to run the setups of kind "tui": no python',
        ),
        (
            Fault("not-run", "61"),
            (
                'setups of kind "tui" took 61 s and did not return, so "a:tui" and "b:tui" were '
                "not run"
            ),
        ),
    ],
)
def test_what_befalls_a_whole_host_kind_is_one_finding(fault: Fault, message: str) -> None:
    text = """{"manifest": 1, "plugins": [
      {"id": "a", "facets": {"tui": "a:f"}}, {"id": "b", "facets": {"tui": "b:f"}}]}"""
    manifest, _ = parse_manifest(text.encode(), "app.json")
    assert manifest is not None
    entries = list_entries(manifest, InstalledFacets())
    recordings = [Recording(entry, faults=[fault]) for entry in entries]
    (finding,) = make_plan(manifest, recordings=recordings).findings
    assert (finding.rule, finding.message) == ("setup-failed", message)
    assert finding.subject.facets == (Facet("a", "tui"), Facet("b", "tui"))


def test_every_kind_of_fault_has_words_and_a_way_out() -> None:
    for table in (setup_rules.OF_SETUP, setup_rules.OF_IMPORT, setup_rules.OF_HOST):
        for words in table.values():
            assert words.text
            assert words.fix
    assert isinstance(Recording(Entry("a", "b", "c", None)).faults, list)  # type: ignore[arg-type]
