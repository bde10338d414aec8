from __future__ import annotations

import msgspec
import pytest
from pi_contracts.contracts.findings import Finding, Related, Severity
from pi_contracts.contracts.reports.github import render_github
from pi_contracts.contracts.reports.report import Report


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        (
            Finding("some-rule", Severity.ERROR, "it is bad", path="a/b.json", line=3, column=7),
            "::error file=a/b.json,line=3,col=7,title=some-rule::it is bad",
        ),
        (
            Finding("r", Severity.WARNING, "100% bad\nor so", path="a,b:c%.json"),
            "::warning file=a%2Cb%3Ac%25.json,title=r::100%25 bad%0Aor so",
        ),
        (
            Finding("r", Severity.NOTE, "bell \x07", fix="mend it"),
            "::notice title=r::bell \\u0007%0Ahelp: mend it",
        ),
        (
            Finding(
                "r",
                Severity.ERROR,
                "m",
                path="p\n::error::fake",
                related=(Related("first", "q", 2, 1), Related("-a\n+b")),
            ),
            "::error file=p\\n%3A%3Aerror%3A%3Afake,title=r::m%0Aq:2: first%0A-a%0A+b",
        ),
    ],
    ids=["place", "escapes", "fix", "related"],
)
def test_a_finding_is_one_line_for_the_runner(finding: Finding, line: str) -> None:
    assert render_github(Report("check", (finding,))) == f"{line}\n"


def test_without_findings_nothing_is_printed() -> None:
    assert render_github(Report("check", (), done="all is well")) == ""


def test_a_value_that_proves_a_break_is_told() -> None:
    witness = msgspec.Raw(b'{"a":"50%"}')
    finding = Finding("r", Severity.ERROR, "it breaks", witness=witness, fix="x")
    assert render_github(Report("compat", (finding,))) == (
        '::error title=r::it breaks%0Asuch as: {"a":"50%25"}%0Ahelp: x\n'
    )
