from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.findings import Facet
from pi_contracts.plugins.facets import Locator, Report, ReportFile, parse_reports, read_reports
from pi_contracts.plugins.shapes import make_validator

if TYPE_CHECKING:
    from pathlib import Path

ROW = {
    "pluginId": "a",
    "facet": "tui",
    "requires": [
        {
            "scope": "app",
            "service": "x",
            "mode": "keyed",
            "contract": {"digest": "sha256:0", "version": 2},
            "at": {"path": "a.py", "line": 3},
        }
    ],
    "provides": [],
    "order": -5,
}


def dump(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("document", [[ROW], {"facets": [ROW]}], ids=["list", "object"])
def test_reports_are_a_list_or_an_object_that_holds_one(document: object) -> None:
    file, faults = parse_reports(dump(document), "r.json")
    assert faults == ()
    assert msgspec.to_builtins(file.reports) == [ROW]
    assert file.get_pointer(0).endswith("/0")


@pytest.mark.parametrize(
    ("end", "problem"),
    [
        (b"", "Input data was truncated"),
        (b', {"pluginId": "b"}]', "Object missing required field `facet` - at `$[1]`"),
        (b', {"pluginId": "b", "facet": "\\u003a"}]', "a key may stand twice in one object"),
    ],
    ids=["no JSON", "not its shape", "what only the careful reader can tell"],
)
def test_of_a_file_too_large_for_the_careful_reader_the_first_mistake_is_told(
    end: bytes, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_contracts.plugins.facets.MAX_BYTES", 20)
    data = b'[{"pluginId": "a", "facet": "tui"}' + end
    file, (fault,) = parse_reports(data, "r.json")
    assert file.unread == (None,)
    assert (fault.rule, fault.path) == ("too-large", "r.json")
    assert fault.message == (
        f"the file has {len(data)} bytes, and of more than 20 only the first mistake is told: "
        f"{problem}"
    )
    whole, faults = parse_reports(b'[{"pluginId": "a", "facet": "tui"}]', "r.json")
    assert (len(whole.reports), faults) == (1, ())


def test_what_a_facet_does_not_do_may_be_left_out() -> None:
    file, faults = parse_reports(dump([{"pluginId": "a", "facet": "tui"}]), "r.json")
    assert faults == ()
    assert file.reports == [Report("a", "tui", [], [])]
    rows = [{**ROW, "provides": []}, {"pluginId": "b", "facet": "tui", "order": 2}]
    file, faults = parse_reports(dump({"facets": rows}), "r.json")
    assert faults == ()
    assert file.reports[1] == Report("b", "tui", [], [], 2)
    twice = b'[{"pluginId": "a", "facet": "tui", "facet": "tui"}]'
    assert [one.rule for one in parse_reports(twice, "r.json")[1]] == ["duplicate-key"]


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        (b"{", "invalid-json", "malformed JSON"),
        (b'"x"', "invalid-report", "at the root: expected an array or an object, found a string"),
        (b"{}", "invalid-report", 'at the root: the field "facets" is missing'),
        (b"[null]", "invalid-report", "at /0: expected an object, found null"),
        (b"[true]", "invalid-report", "at /0: expected an object, found a boolean"),
        (b'[{"pluginId": "a"}]', "invalid-report", 'at /0: the field "facet" is missing'),
        (
            b'[{"pluginId": "a", "facet": "t", "plugin": 1}]',
            "invalid-report",
            'at /0/plugin: unknown field "plugin" of a report; did you mean "pluginId"?',
        ),
        (
            b'[{"pluginId": "a", "facet": "t", "pluginId": "b"}]',
            "duplicate-key",
            'the key "pluginId" stands twice',
        ),
        (
            b'[{"pluginId":"a","facet":"t","requires":[],"provides":[],"requires":[]}]',
            "duplicate-key",
            'the key "requires" stands twice',
        ),
        (
            b'[{"pluginId":"a:\\u003a","facet":"t","facet":"u","requires":[],"provides":[]}]',
            "duplicate-key",
            'the key "facet" stands twice',
        ),
        (b'[{"pluginId": "\\ud800", "facet": "t"}]', "lone-surrogate", "U+D800"),
        (b'[{"pluginId": "a", "facet": "t", "order": 1e400}]', "invalid-json", "too large"),
        (b"[" * 100_000, "too-deep", "nest deeper"),
        (b"\xff", "invalid-json", "not UTF-8"),
    ],
)
def test_text_that_is_no_report_is_refused_in_words(text: bytes, rule: str, message: str) -> None:
    file, faults = parse_reports(text, "r.json")
    assert faults[0].rule == rule
    assert message.rstrip("?") in faults[0].message
    assert (faults[0].path, bool(faults[0].line)) == ("r.json", True)
    assert file.reports == []


def test_valid_reports_are_kept_beside_one_that_is_not() -> None:
    rows = [{"pluginId": "a", "facet": "t"}, {"pluginId": "b", "facet": "t", "order": "1"}, ROW, 7]
    file, faults = parse_reports(dump({"facets": rows}), "r.json")
    assert [fault.pointer for fault in faults] == ["/facets/1/order", "/facets/3"]
    assert [report.facet for report in file.reports] == ["t", "tui"]
    assert file.unread == (Facet("b", "t"), None)
    assert [file.get_pointer(index) for index in (0, 1)] == ["/facets/0", "/facets/2"]
    assert parse_reports(dump([{"facet": 1, "pluginId": "x"}]), "r.json")[0].unread == (None,)


def test_an_unknown_field_beside_the_list_leaves_the_reports_as_they_are() -> None:
    file, faults = parse_reports(dump({"facets": [ROW], "facet": []}), "r.json")
    assert [fault.message for fault in faults] == [
        'at /facet: unknown field "facet" of a list of reports; did you mean "facets"?'
    ]
    assert len(file.reports) == 1
    assert file.unread == ()


def test_every_mistake_is_told_up_to_a_bound() -> None:
    _, faults = parse_reports(dump([7] * 1500), "r.json")
    assert len(faults) == 1001
    assert any("500 further mistakes in this file" in fault.message for fault in faults)


@pytest.mark.parametrize("order", [0, -1, 10**20, 1.5])
def test_order_is_any_number_and_stays_exact(order: float) -> None:
    file, faults = parse_reports(dump([{**ROW, "order": order}]), "r.json")
    assert faults == ()
    assert file.reports[0].order == order


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    file, faults = parse_reports(b"\xef\xbb\xbf" + dump([ROW]), "r.json")
    assert (len(file.reports), faults) == (1, ())


def test_files_and_standard_input_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(dump([ROW]))
    assert len(read_reports(str(path))[0].reports) == 1
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[1]")))
    file, faults = read_reports("-")
    assert faults[0].path == "<stdin>"
    assert file.unread == (None,)


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    file, (fault,) = read_reports(str(tmp_path / "absent.json"), "absent.json")
    assert fault.message == "the reports cannot be read: No such file or directory"
    assert (fault.rule, fault.path) == ("invalid-report", "absent.json")
    assert file.unread == (None,)


def test_places_are_found_in_text_only() -> None:
    assert Locator(None).find_place("/0") is None
    place = Locator("r.json", b"[\n 1]").find_place("/0")
    assert place is not None
    assert (place.line, place.column) == (2, 2)
    assert Locator("r.json", b"[").find_place("/0") is None
    assert ReportFile([]).locator.path is None


def make_object(
    members: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(members, optional=optional)


names = st.sampled_from(["", "a", "b:c", "\u00e9"])
modes = st.sampled_from(["singleton", "keyed", "reference", 1])
declaration = make_object(
    {"scope": names, "service": names, "mode": modes},
    {
        "contract": make_object({}, {"version": st.sampled_from([1, 1.0, 0])}),
        "at": make_object({"path": names, "line": st.sampled_from([1, "1", 2.0])}, {}),
        "other": st.none(),
    },
)
row = make_object(
    {"pluginId": names, "facet": names},
    {
        "requires": st.lists(declaration, max_size=2),
        "provides": st.none() | st.lists(declaration, max_size=2),
        "order": st.sampled_from([1, 1.5, True, "1"]),
    },
)


@given(st.lists(row, max_size=3))
def test_reader_and_published_schema_agree(rows: list[Any]) -> None:
    is_valid = make_validator("facet-report").is_valid(rows)
    file, faults = parse_reports(dump(rows), "r.json")
    assert (not faults) is is_valid
    assert (len(file.reports) == len(rows)) is is_valid


def test_the_published_schemas_are_valid_schemas() -> None:
    for kind in ("manifest", "facet-report"):
        assert isinstance(make_validator(kind), jsonschema_rs.Draft202012Validator)
