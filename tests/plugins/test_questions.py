from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec
import pytest
from pi_contracts.contracts.findings import to_document
from pi_contracts.plugins.contract_book import ContractBook
from pi_contracts.plugins.contract_fit import Verdict
from pi_contracts.plugins.facets import parse_reports
from pi_contracts.plugins.plan import make_plan, read_plan
from pi_contracts.plugins.questions import RULES, Answers, Older, UnknownNameError, ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.plugins.facets import ReportFile

    Facets = Callable[[str], ReportFile]

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / "plugins" / "library" / "coding-agent.manifest.json"
META = ROOT / "contracts" / "meta"


def list_rules(answers: Answers) -> list[str]:
    return [finding.rule for finding in answers.findings]


def test_nothing_asked_is_the_plan_itself() -> None:
    plan = read_plan(str(MANIFEST))
    answers = ask(plan)
    assert (answers.plan, answers.additions, answers.text) == (plan, {}, "")
    assert answers.findings == plan.findings


def test_the_plan_without_a_plugin_is_that_of_the_rest() -> None:
    answers = ask(read_plan(str(MANIFEST)), without="@pi/git")
    assert all(facet.plugin != "@pi/git" for facet in answers.plan.order)
    assert list_rules(answers) == ["retained-consumer"]
    assert answers.text.startswith("Without @pi/git (session, tui):\n")


def test_other_questions_are_about_what_remains() -> None:
    answers = ask(
        read_plan(str(MANIFEST)),
        without="@pi/git",
        why=["local/diff-source"],
        against=Older(MANIFEST, "old.json"),
    )
    (why,) = msgspec.to_builtins(answers.additions["why"])
    assert "providers" not in why
    against = msgspec.to_builtins(answers.additions["against"])
    assert against["plugins"]["removed"] == ("@pi/git",)
    assert list_rules(answers) == ["retained-consumer", "skew-break"]


def test_what_was_found_of_the_plugin_alone_goes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    plugin: dict[str, Any] = {"id": "a", "facets": {"main": {"entry": "a:main", "provides": [{}]}}}
    file.write_text(json.dumps({"manifest": 1, "plugins": [plugin, {"id": "A", "facets": {}}]}))
    plan = read_plan(str(file))
    assert {one.rule for one in plan.findings} >= {"invalid-manifest", "confusable-id"}
    assert "confusable-id" not in list_rules(ask(plan, without="a"))


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            {"why": ["session/modles"]},
            'no service "session/modles"; did you mean "session/models"?',
        ),
        (
            {"why": ["session/git", "nothing/like-it"]},
            'the assembly has no service "nothing/like-it"',
        ),
        ({"without": "git"}, 'no plugin "git"; did you mean "@pi/git"?'),
        ({"without": "a\n"}, 'the assembly has no plugin "a\\n"'),
    ],
    ids=["a service", "nothing near", "a plugin", "control characters"],
)
def test_an_unknown_name_is_refused_with_near_ones(question: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ask(read_plan(str(MANIFEST)), **question)
    assert str(caught.value).endswith(message)


def test_a_name_that_may_stand_in_what_could_not_be_read_is_not_unknown(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text('{"manifest": 1, "plugins": [{"id": 1}]}')
    answers = ask(read_plan(str(file)), why=["app/x"], without="a")
    assert answers.additions == {"without": None, "why": []}
    assert set(list_rules(answers)) == {"invalid-manifest"}


def test_several_services_are_explained_in_the_order_asked_each_once() -> None:
    answers = ask(read_plan(str(MANIFEST)), why=["session/git", "session/chat", "session/git"])
    why = msgspec.to_builtins(answers.additions["why"])
    assert [one["service"] for one in why] == ["git", "chat"]
    assert answers.text.startswith("session/git\n")
    assert "\n\nsession/chat\n" in answers.text


def test_services_of_one_name_in_two_scopes_are_told_apart(facets: Facets) -> None:
    entry = {"service": "b/c", "mode": "keyed", "scope": "a"}
    other = {"service": "c", "mode": "keyed", "scope": "a/b"}
    row = {"pluginId": "p", "facet": "f", "provides": [entry, other]}
    file, _ = parse_reports(json.dumps([row]).encode(), "r.json")
    texts = ask(make_plan(None, [file]), why=["a/b/c"]).text.split("\n\n")
    assert [text.splitlines()[0] for text in texts] == [
        'a/b/c in scope "a"',
        'a/b/c in scope "a/b"',
    ]
    local = ask(make_plan(None, [facets("a:x;; local/k\nb:y;; local/k")]), why=["local/k"])
    assert local.text.startswith("local/k in host kind x\n")


def test_an_older_generation_that_cannot_be_read_is_a_finding() -> None:
    answers = ask(read_plan(str(MANIFEST)), against=Older(Path("none.json"), "none.json"))
    assert answers.additions == {"against": None}
    assert list_rules(answers) == ["invalid-manifest"]


def test_contracts_are_compared_by_who_can(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    class Book(ContractBook):
        def judge(self, consumer: str, provider: str) -> Verdict | None:
            asked.append((consumer, provider))
            return Verdict(is_compatible=False, reason="r")

    new, _ = parse_reports(hold_contract("two"), "new.json")
    older = tmp_path / "old.json"
    older.write_bytes(hold_contract("one"))
    plan = make_plan(None, [new], contracts=Book())
    answers = ask(plan, against=Older(older, "old.json"))
    assert asked == [("one", "two"), ("two", "one")]
    assert list_rules(answers) == ["skew-break", "skew-break"]


def hold_contract(digest: str) -> bytes:
    service = {"scope": "app", "service": "x", "mode": "singleton"}
    entry = {**service, "contract": {"digest": digest}}
    reports = [
        {"pluginId": "own", "facet": "main", "provides": [entry]},
        {"pluginId": "ask", "facet": "web", "requires": [entry]},
    ]
    return json.dumps(reports).encode()


def load_schema() -> Any:
    registry = jsonschema_rs.Registry(
        [
            (document["$id"], document)
            for name in ("facet-report", "report")
            for document in (json.loads((META / f"{name}.schema.json").read_text("utf-8")),)
        ]
    )
    return jsonschema_rs.validator_for(
        {"$ref": "urn:pi-contracts:report:1"}, registry=registry, offline=True
    )


def test_answers_fit_the_published_schema_and_are_the_same_each_time(
    facets: Facets, tmp_path: Path
) -> None:
    text = """
    a:main; app/gone app/x; app/x local/l app/old*
    b:web; app/x app/old*; app/page
    c:web; app/page; local/m
    d:main; local/l;
    """
    validator = load_schema()

    def encode(**question: Any) -> bytes:
        answers = ask(make_plan(None, [facets(text)]), **question)
        additions = {**answers.plan.to_additions(), **answers.additions}
        return msgspec.json.encode(to_document("plan", answers.findings, additions))

    older = tmp_path / "old.json"
    older.write_bytes(
        b'[{"pluginId": "c", "facet": "web", "provides": [{"scope": "local", "service": "m",'
        b' "mode": "keyed", "contract": {"version": 2}}]}, {"pluginId": "e", "facet": "web"}]'
    )
    for question in (
        {"why": ["app/x"]},
        {"why": ["app/gone"]},
        {"why": ["local/l"]},
        {"without": "a"},
        {"without": "b"},
        {"against": (older, "old.json")},
        {"against": (MANIFEST, "old.json"), "without": "c"},
        {"against": (Path("none.json"), "none.json")},
    ):
        data = encode(**question)
        assert data == encode(**question)
        assert [error.message for error in validator.iter_errors(json.loads(data))] == []


def test_each_rule_of_questions_is_described_in_a_sentence() -> None:
    assert set(RULES) == {"retained-consumer", "skew-break"}
    assert all(text.endswith(".") for text in RULES.values())
