from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from pi_contracts.contracts.findings import Finding, Related, Severity
from pi_contracts.contracts.reports import text as text_module
from pi_contracts.contracts.reports.report import Report
from pi_contracts.contracts.reports.text import Quoter, render_text, show_witness


def render(
    *findings: Finding, texts: dict[str, str] | None = None, done: str = "", quiet: bool = False
) -> str:
    quoter = Quoter(Path("/nowhere"), texts or {})
    spans = render_text(Report("check", findings, done=done), quoter, quiet=quiet)
    return "".join(span.text for span in spans)


def make(rule: str = "rule", severity: str = "error", **facts: object) -> Finding:
    return Finding(rule, Severity(severity), "it is bad", **facts)  # type: ignore[arg-type]


def test_findings_are_grouped_by_file_with_line_caret_and_help() -> None:
    shown = render(
        make(path="a.json", line=2, column=3, fix="mend it"),
        make("other-rule", "warning", path="a.json"),
        make(path="b.json", line=1, related=(Related("see this", "a.json", 1, 2),)),
        texts={"a.json": '{\n  "x": 1\n}\n'},
    )
    assert (
        shown
        == """\
a.json
  2:3 error it is bad [rule]
     2 |   "x": 1
       |   ^
      help: mend it
  warning it is bad [other-rule]

b.json
  1:1 error it is bad [rule]
      also: a.json:1:2: see this

2 errors and 1 warning in 2 files.
"""
    )


@pytest.mark.parametrize(
    ("findings", "done", "last"),
    [
        ([], "", "No problems found."),
        ([], "Wrote 2 files.", "No problems found."),
        ([make()], "", "1 error."),
        ([make(path="a")], "", "1 error in 1 file."),
        (
            [make(path="a"), make(severity="warning", path="a"), make(severity="note", path="b")],
            "",
            "1 error, 1 warning and 1 note in 2 files.",
        ),
        ([make(severity="note", path="a")] * 2, "", "2 notes in 1 file."),
    ],
    ids=str,
)
def test_the_last_line_sums_up(findings: list[Finding], done: str, last: str) -> None:
    lines = render(*findings, done=done).splitlines()
    assert lines[-1] == last
    assert not done or lines[0] == done


def test_quiet_is_findings_and_nothing_else() -> None:
    assert render(done="Wrote 2 files.", quiet=True) == ""
    assert render(make(), quiet=True) == "(no file)\n  error it is bad [rule]\n\n"


@pytest.mark.parametrize(
    ("line", "column", "quoted", "indent"),
    [
        ("\t\tx", 3, "        x", 8),
        ("ab\x1b[31mc", 8, "ab\\u001b[31mc", 12),
        ("漢字x", 3, "漢字x", 4),
        ("e\u0301x", 3, "e\u0301x", 1),
        ("short\r", 99, "short", 5),
        ("y" * 200, 150, "..." + "y" * 96 + "...", 3 + 48),
        ("y" * 200, 1, "y" * 96 + "...", 0),
        ("y" * 200, 200, "..." + "y" * 49, 3 + 48),
    ],
    ids=["tabs", "controls", "wide", "combining", "beyond", "middle", "begin", "end"],
)
def test_the_caret_stands_below_what_is_wrong(
    line: str, column: int, quoted: str, indent: int
) -> None:
    shown = render(make(path="a", line=1, column=column), texts={"a": line})
    _, _, quote, caret, *_ = shown.split("\n")
    assert quote == f"     1 | {quoted}"
    assert caret == f"       | {' ' * indent}^"


def test_a_finding_without_a_column_has_its_line_and_no_caret() -> None:
    shown = render(make(path="a", line=1), texts={"a": "text"})
    assert "     1 | text\n" in shown
    assert "^" not in shown


def test_control_characters_in_paths_and_messages_are_escaped() -> None:
    finding = Finding("r", Severity.ERROR, "bad \x1b", path="a\nb", fix="\x07")
    related = Finding("r", Severity.ERROR, "m", related=(Related("\x1b", "p\r", 1),))
    shown = render(finding, related, done="\x1b[1m")
    assert not set(shown) & {"\x1b", "\x07", "\r"}


def test_a_diff_is_shown_line_by_line_without_the_quote() -> None:
    diff = Related("--- a\n+++ b\n-old\x1b\n+new\n same", "a")
    shown = render(make(path="a", line=1, related=(diff,)), texts={"a": "old"})
    assert "      --- a\n      +++ b\n      -old\\u001b\n      +new\n       same\n" in shown
    assert " | " not in shown


def test_pictures_stand_with_their_findings() -> None:
    spans = render_text(
        Report("plan", (make(),)), Quoter(Path()), draw=lambda one: f"<{one.rule}\n  >\n"
    )
    assert "      <rule\n        >\n" in "".join(span.text for span in spans)


def test_lines_of_files_on_disk_are_read_once(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"\xef\xbb\xbfone\ntwo \xff")
    quoter = Quoter(tmp_path)
    assert quoter.find_line("a", 1) == "one"
    file.unlink()
    assert quoter.find_line("a", 2) == "two \ufffd"
    assert quoter.find_line("a", 3) is None


@pytest.mark.parametrize("path", ["none", "folder", "nul\0", "large"])
def test_lines_that_cannot_be_had_are_none(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"x" * 11)
    monkeypatch.setattr(text_module, "_LARGEST_SOURCE", 10)
    assert Quoter(tmp_path).find_line(path, 1) is None


def test_a_file_that_may_not_be_read_is_not_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError

    (tmp_path / "a").write_text("text")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert Quoter(tmp_path).find_line("a", 1) is None


def test_a_finding_in_a_file_that_is_gone_has_its_place_alone() -> None:
    assert "  7:1 error it is bad [rule]\n\n" in render(make(path="gone", line=7))


def test_a_witness_is_shown_on_one_line_and_cut_where_it_has_no_end() -> None:
    witness = msgspec.Raw(b'{"a":"x\\u001b"}')
    finding = Finding("r", Severity.ERROR, "it breaks", witness=witness, direction="old-consumer")
    text = "".join(span.text for span in render_text(Report("compat", (finding,)), Quoter(Path())))
    assert '      such as: {"a":"x\\u001b"}\n' in text
    assert f"      fingerprint: {finding.fingerprint}\n" in text
    long = show_witness(msgspec.Raw(b'"' + b"x" * 1000 + b'"'))
    assert long.endswith("x... (1002 characters, in full in the report in JSON)")
    assert len(long) < 500


def test_fingerprints_are_told_where_they_are_needed() -> None:
    note = Finding("r", Severity.NOTE, "x")
    error = Finding("r", Severity.ERROR, "x")
    for tool, finding in (("compat", note), ("check", error), ("compat", error)):
        spans = render_text(Report(tool, (finding,)), Quoter(Path()))
        assert "fingerprint" not in "".join(span.text for span in spans)
    version = Finding("version-not-raised", Severity.ERROR, "x")
    spans = render_text(Report("compat", (version,)), Quoter(Path()))
    assert f"fingerprint: {version.fingerprint}" in "".join(span.text for span in spans)
