from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.facets import Declaration, Report, ReportFile, parse_reports
from pi_contracts.plugins.manifest import parse_manifest
from pi_contracts.plugins.plan import Plan, make_plan, read_plan

if TYPE_CHECKING:
    from random import Random

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / ".." / "shared" / "cases" / "plan.json"
MANIFEST = ROOT / "plugins" / "library" / "coding-agent.manifest.json"
META = ROOT / "contracts" / "meta"
OUR_RULES = {"cycle": "dependency-cycle", "wrong-process": "local-not-reachable"}

Facets = Callable[[str], ReportFile]


def load_cases() -> list[Any]:
    if not CASES.exists():
        return []
    return [pytest.param(case, id=case["id"]) for case in json.loads(CASES.read_text("utf-8"))]


def build_facets(build: dict[str, int]) -> list[dict[str, Any]]:
    ((shape, count),) = build.items()

    def name(number: int) -> dict[str, str]:
        return {"scope": "app", "service": f"s{number}", "mode": "singleton"}

    return [
        {
            "plugin": f"n{i}",
            "facet": "main",
            "requires": [name((i + 1) % count)] if shape == "ring" or i + 1 < count else [],
            "provides": [name(i)],
        }
        for i in range(count)
    ]


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside the checkout")
@pytest.mark.parametrize("case", load_cases())
def test_every_shared_case_is_judged_as_its_author_says(case: dict[str, Any]) -> None:
    given_facets = case["input"].get("facets")
    rows = build_facets(case["input"]["build"]) if given_facets is None else given_facets
    renamed = [{"pluginId" if k == "plugin" else k: v for k, v in row.items()} for row in rows]
    file, faults = parse_reports(json.dumps(renamed).encode(), "facets.json")
    assert not faults
    plan = make_plan(None, [file])

    left = list(plan.findings)
    for wanted in case["expect"]["findings"]:
        rule = OUR_RULES.get(wanted["finding"], wanted["finding"])
        match = next(
            f
            for f in left
            if f.rule == rule and all(name in f.message for name in wanted["must_mention"])
        )
        assert match.severity == wanted.get("severity", "error")
        assert match.message.isprintable()
        assert match.fix
        left.remove(match)
    assert not left
    for name in case["expect"].get("must_not_mention", ()):
        assert all(name not in f"{f.message} {f.fix} {f.subject.facets}" for f in plan.findings)
    check_order(plan, case["expect"].get("start_order", ()))
    check_order_is_topological(plan)


def check_order(plan: Plan, wanted: list[str]) -> None:
    names = [facet.plugin for facet in plan.order]
    for entry in wanted:
        first, _, second = entry.partition(" before ")
        assert not second or names.index(first) < names.index(second)
    if wanted and " before " not in wanted[0]:
        assert names == wanted


def check_order_is_topological(plan: Plan) -> None:
    assert sorted(plan.order) == sorted(plan.assembly.facets)
    place = {facet: number for number, facet in enumerate(plan.order)}
    rings = {
        plan.assembly.facets[node]: number
        for number, component in enumerate(plan.graph.components)
        for node in component
    }
    disputed = {plan.graph.get_service(number) for number in plan.graph.claims}
    for edge in plan.edges:
        ring = rings.get(edge.consumer)
        same_ring = ring is not None and ring == rings.get(edge.provider)
        is_disputed = any((s.scope, s.id) == (edge.scope, edge.service) for s in disputed)
        if edge.consumer != edge.provider and not same_ring and not is_disputed:
            assert place[edge.provider] < place[edge.consumer]


def test_the_two_cases_beyond_the_given_sizes_are_judged(facets: Facets) -> None:
    """A ring of thousands is one finding with its size, and lists no thousand names."""
    rows = build_facets({"ring": 3000})
    renamed = [{"pluginId" if k == "plugin" else k: v for k, v in row.items()} for row in rows]
    plan = make_plan(None, [parse_reports(json.dumps(renamed).encode(), "f.json")[0]])
    (finding,) = plan.findings
    assert "3000 facets" in finding.message
    assert "… and 2950 more (--format json lists all) …" in finding.message
    assert len(finding.subject.facets) == 3000
    assert len(plan.order) == 3000
    assert not make_plan(None, [facets("")]).findings


def test_a_plan_tells_facets_edges_order_and_allowlists(facets: Facets) -> None:
    plan = make_plan(
        None,
        [
            facets(
                """
                picker:tui; session/models session/dialog*;
                models:session; local/keys; session/models local/keys session/dialog*
                """
            )
        ],
    )
    document = json.loads(plan.to_json())
    assert plan.is_ok
    assert document["ok"] is True
    assert document["plan"]["order"] == [
        {"plugin": "models", "facet": "session"},
        {"plugin": "picker", "facet": "tui"},
    ]
    assert document["plan"]["edges"][:2] == [
        {
            "consumer": {"plugin": "picker", "facet": "tui"},
            "provider": {"plugin": "models", "facet": "session"},
            "scope": "session",
            "service": service,
            "mode": mode,
        }
        for service, mode in (("models", "singleton"), ("dialog", "keyed"))
    ]
    assert document["plan"]["allowlists"] == {
        "session": {"session": ["dialog", "models"]},
        "tui": {},
    }
    assert document["plan"]["facets"][0]["requires"][0] == {
        "scope": "session",
        "service": "models",
        "mode": "singleton",
    }


def make_report_validator() -> jsonschema_rs.Draft202012Validator:
    schemas = [
        json.loads((META / f"{n}.schema.json").read_text()) for n in ("report", "facet-report")
    ]
    registry = jsonschema_rs.Registry([(schema["$id"], schema) for schema in schemas])
    return jsonschema_rs.Draft202012Validator(schemas[0], registry=registry)


@pytest.mark.parametrize(
    "text",
    ["a:main; app/x;", "a:main;; app/x\nb:tui; app/x* app/y; app/x", ""],
    ids=["a gap", "two owners", "nothing"],
)
def test_a_report_fits_its_published_schema(facets: Facets, text: str) -> None:
    plan = make_plan(None, [facets(text)])
    make_report_validator().validate(json.loads(plan.to_json()))


def test_rules_can_be_turned_off_and_weighed_otherwise(facets: Facets) -> None:
    file = facets("a:main; app/gone; app/idle")
    levels = {"missing-provider": "warning", "unused-provider": "error"}
    plan = make_plan(None, [file], rules=levels)
    assert sorted((f.rule, f.severity) for f in plan.findings) == sorted(levels.items())
    assert not make_plan(None, [file], rules={"missing-provider": "off"}).findings


def test_the_manifest_of_the_coding_agent_plans_clean() -> None:
    plan = read_plan(str(MANIFEST), rules={"unused-provider": "error"})
    assert plan.findings == ()
    assert {facet.facet for facet in plan.order} == {"server", "session", "tui", "web"}
    contracts = {
        document["service"]["id"]: document["service"]
        for path in (ROOT / "contracts" / "library").glob("*.contract.json")
        for document in (json.loads(path.read_text("utf-8")),)
    }
    provided = {d.service: d for f in plan.facets for d in f.provides if d.scope != "local"}
    referenced = {i for i, service in contracts.items() if service["mode"] == "reference"}
    assert set(provided) == set(contracts) - referenced
    for service, declaration in provided.items():
        assert declaration.mode == contracts[service]["mode"]
        assert declaration.scope in contracts[service].get("scopes", [declaration.scope])


def test_files_are_read_and_judged_together(tmp_path: Path) -> None:
    manifest, reports = tmp_path / "m.json", tmp_path / "r.json"
    manifest.write_text('{"manifest": 1, "plugins": [{"id": "a", "facets": {"tui": "a:f"}}]}')
    need = {"scope": "session", "service": "x", "mode": "keyed"}
    row = {"pluginId": "a", "facet": "tui", "requires": [need], "provides": []}
    reports.write_text(json.dumps([row], indent=1))
    plan = read_plan(str(manifest), [str(reports)], show=lambda path: Path(path).name)
    (finding,) = plan.findings
    assert (finding.rule, finding.path, finding.pointer) == (
        "missing-provider",
        "r.json",
        "/0/requires/0",
    )
    assert (finding.line, finding.column) == (6, 4)
    assert read_plan(None, [str(reports)]).findings[0].rule == "missing-provider"


def test_of_an_unreadable_manifest_only_that_is_told(tmp_path: Path) -> None:
    reports = tmp_path / "r.json"
    reports.write_text("[")
    plan = read_plan(str(tmp_path / "absent.json"), [str(reports)])
    assert [finding.rule for finding in plan.findings] == ["invalid-manifest", "invalid-json"]
    assert plan.order == ()


def test_planning_from_memory_loads_no_authoring_library() -> None:
    heavy = (
        "pydantic",
        "jsonschema",
        "jsonschema_rs",
        "typer",
        "rich",
        "jinja2",
        "importlib.metadata",
    )
    program = (
        f"import sys, pi_contracts.plugins.plan; print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


scopes = st.sampled_from(["app", "session", "local"])
declarations = st.builds(
    Declaration, scopes, st.sampled_from("abcdef"), st.sampled_from(["singleton", "keyed"])
)
rows = st.lists(
    st.tuples(
        st.sampled_from(["p", "q", "r", "s", "t"]),
        st.sampled_from(["main", "session", "tui"]),
        st.lists(declarations, max_size=3),
        st.lists(declarations, max_size=2),
    ),
    max_size=8,
    unique_by=lambda row: row[:2],
).map(lambda found: [Report(*row) for row in found])


@given(rows)
def test_the_order_is_topological_and_complete(reports: list[Report]) -> None:
    check_order_is_topological(make_plan(None, [ReportFile(reports)]))


@given(rows)
def test_reported_cycles_are_real_and_cover_each_facet_on_a_ring(reports: list[Report]) -> None:
    plan = make_plan(None, [ReportFile(reports)])
    disputed = {plan.graph.get_service(number) for number in plan.graph.claims}
    needs: dict[Facet, set[Facet]] = {}
    for node, facet in enumerate(plan.assembly.facets):
        for edge in plan.graph.iter_edges(node):
            if edge.service not in disputed and edge.provider != node:
                needs.setdefault(facet, set()).add(plan.assembly.facets[edge.provider])
    told = [f.subject.facets for f in plan.findings if f.rule == "dependency-cycle"]
    on_rings = {facet for facet in needs if measure_ring(facet, needs)}
    assert {facet for ring in told for facet in ring} == on_rings
    assert len({frozenset(ring) for ring in told}) <= len(told)
    assert len(set(told)) == len(told)
    for ring in told:
        assert all(b in needs[a] for a, b in zip(ring, (*ring[1:], ring[0]), strict=True))
        assert len(ring) in {measure_ring(facet, needs) for facet in ring}


def measure_ring(start: Facet, needs: dict[Facet, set[Facet]]) -> int:
    """Return the length of a shortest ring through *start*, 0 if there is none."""
    level, length, seen = {start}, 0, set[Facet]()
    while level:
        length += 1
        level = {n for facet in level for n in needs.get(facet, ())} - seen
        if start in level:
            return length
        seen |= level
    return 0


@given(rows, st.randoms(use_true_random=False))
def test_findings_do_not_depend_on_the_order_of_reports(
    reports: list[Report], source: Random
) -> None:
    shuffled = [
        Report(r.plugin, r.facet, source.sample(r.requires, len(r.requires)), r.provides)
        for r in source.sample(reports, len(reports))
    ]
    first = make_plan(None, [ReportFile(reports)]).findings
    second = make_plan(None, [ReportFile(shuffled)]).findings
    assert [(f.rule, f.subject) for f in first] == [(f.rule, f.subject) for f in second]


@given(rows)
def test_the_same_assembly_gives_the_same_bytes(reports: list[Report]) -> None:
    first = make_plan(None, [ReportFile(reports)]).to_json()
    assert first == make_plan(None, [ReportFile(list(reports))]).to_json()


def test_a_whole_manifest_is_the_same_on_every_hash_seed() -> None:
    program = (
        "from pi_contracts.plugins.plan import read_plan; "
        f"print(read_plan({str(MANIFEST)!r}).to_json())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_a_large_assembly_with_every_kind_of_trouble_is_planned() -> None:
    """A long chain, a long ring and many gaps exhaust no stack, and are all told."""

    def name(number: int) -> Declaration:
        return Declaration("app", f"s{number}", "singleton")

    needs = [[i + 1] for i in range(19_999)] + [[]]
    needs += [[20_000 + (i + 1) % 1000] for i in range(1000)]
    needs += [[100_000 + i] for i in range(1000)]
    reports = [
        Report(f"p{i}", "main", [name(n) for n in row], [name(i)]) for i, row in enumerate(needs)
    ]
    plan = make_plan(None, [ReportFile(reports)])
    rules = [finding.rule for finding in plan.findings]
    assert rules.count("missing-provider") == 1000
    assert rules.count("dependency-cycle") == 1
    assert len(rules) == 1001
    check_order_is_topological(plan)


def test_findings_of_readers_are_part_of_the_plan() -> None:
    manifest, faults = parse_manifest(
        b'{"manifest": 1, "colour": 2, "plugins": [{"id": "a", "facets": {"tui": "a:f"}}]}',
        "m.json",
    )
    plan = make_plan(manifest, findings=faults)
    assert [finding.rule for finding in plan.findings] == ["invalid-manifest", "no-report"]
    assert not plan.is_ok
