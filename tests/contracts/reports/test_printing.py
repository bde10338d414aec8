from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from pi_contracts.contracts.findings import Finding, Severity
from pi_contracts.contracts.reports.printing import Format, print_report
from pi_contracts.contracts.reports.report import Report
from pi_contracts.contracts.reports.text import draw_nothing

REPORT = Report("check", (Finding("a-rule", Severity.ERROR, "it is bad", path="a.json"),))


def show(stream: io.TextIOWrapper | io.StringIO, style: Format = "text") -> str | None:
    return print_report(
        REPORT,
        style,
        stream,
        folder=Path(),
        list_rules=lambda: {"a-rule": "What a means."},
        draw=draw_nothing,
    )


@pytest.mark.parametrize(
    ("style", "part"),
    [
        ("text", "1 error in 1 file."),
        ("json", '"report": 1'),
        ("github", "::error file=a.json,title=a-rule::it is bad"),
        ("sarif", "What a means."),
    ],
)
def test_each_form_is_printed(style: Format, part: str) -> None:
    stream = io.StringIO()
    assert show(stream, style) is None
    assert part in stream.getvalue()


def test_that_nobody_reads_on_is_no_fault() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        assert show(stream) is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_told() -> None:
    with Path("/dev/full").open("w") as stream:
        assert show(stream) == "No space left on device"
