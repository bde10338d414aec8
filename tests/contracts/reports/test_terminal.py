from __future__ import annotations

import io
import subprocess
import sys

import pytest
from pi_contracts.contracts.reports.terminal import is_coloured, write_spans, write_text
from pi_contracts.contracts.reports.text import Span

SPANS = (
    Span("a.json\n", "path"),
    Span("error", "error"),
    Span(" [b]bold[/b]\n"),
    Span("^", "caret"),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.usefixtures("environment")
def test_a_terminal_gets_colours_and_the_same_text() -> None:
    stream = Terminal()
    write_spans(SPANS, stream)
    shown = stream.getvalue()
    assert "\x1b[1;31merror\x1b[0m" in shown
    assert " [b]bold[/b]\n" in shown


@pytest.mark.usefixtures("environment")
def test_a_long_line_is_not_broken_on_a_terminal() -> None:
    stream = Terminal()
    write_spans([Span("x" * 500 + "\n")], stream)
    assert stream.getvalue() == "x" * 500 + "\n"


@pytest.mark.usefixtures("environment")
def test_other_streams_get_plain_text() -> None:
    stream = io.StringIO()
    write_spans(SPANS, stream)
    assert stream.getvalue() == "a.json\nerror [b]bold[/b]\n^"


@pytest.mark.parametrize(
    ("name", "value", "coloured"),
    [("NO_COLOR", "1", False), ("NO_COLOR", "", True), ("TERM", "dumb", False)],
)
def test_the_environment_can_refuse_colours(
    environment: pytest.MonkeyPatch, name: str, value: str, *, coloured: bool
) -> None:
    environment.setenv(name, value)
    assert is_coloured(Terminal()) is coloured


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_a_stream_cannot_encode_is_escaped(encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    write_text("漢\n", stream)
    stream.flush()
    assert raw.getvalue() == b"\\u6f22\n"


def test_rich_is_loaded_for_terminals_only() -> None:
    code = (
        "import sys, io\n"
        "from pi_contracts.contracts.reports.terminal import write_spans\n"
        "from pi_contracts.contracts.reports.text import Span\n"
        "write_spans([Span('x')], io.StringIO())\n"
        "assert 'rich' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)
