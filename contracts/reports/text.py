"""Findings as text for people: grouped by file, with the line that each is about.

The text is made of spans, so that one rendering serves both plain streams and
terminals; colours are added by ``terminal.py``.
"""

from __future__ import annotations

import unicodedata
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import msgspec
from pi_contracts.contracts.findings import Finding, Severity, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pi_contracts.contracts.findings import Related

    from .report import Report

Style = Literal["path", "error", "warning", "note", "rule", "quote", "caret", "good", ""]

Draw: TypeAlias = "Callable[[Finding], str]"


class Span(NamedTuple):
    """A piece of a text, and what it is; a line end is part of a span."""

    text: str
    style: Style = ""


_LARGEST_SOURCE: Final = 8 * 1024 * 1024
_LONGEST_WITNESS: Final = 400
_WIDEST_QUOTE: Final = 96
"""How many characters of a line are shown at most."""


class Quoter:
    """Shows lines of the files that findings are about; each file is read once.

    Args:
        folder: What the paths of findings are relative to.
        texts: Files that are not on disk.
    """

    def __init__(self, folder: Path, texts: Mapping[str, str] = MappingProxyType({})) -> None:
        self._folder = folder
        self._texts: dict[str, list[str] | None] = {
            path: text.split("\n") for path, text in texts.items()
        }

    def find_line(self, path: str, line: int) -> str | None:
        """Return a line of a file, without its end; None if it cannot be had."""
        if path not in self._texts:
            self._texts[path] = self._read(self._folder / path)
        lines = self._texts[path]
        return lines[line - 1] if lines is not None and line <= len(lines) else None

    def _read(self, file: Path) -> list[str] | None:
        try:
            if not file.is_file() or file.stat().st_size > _LARGEST_SOURCE:
                return None
            return file.read_bytes().decode("utf-8-sig", "replace").split("\n")
        except OSError:
            return None


def draw_nothing(finding: Finding) -> str:
    """Draw no picture of *finding*."""
    del finding
    return ""


def render_text(
    report: Report, quoter: Quoter, *, draw: Draw = draw_nothing, quiet: bool = False
) -> Iterator[Span]:
    """Yield the report for people.

    Args:
        report: What to print.
        quoter: Shows the lines that findings are about.
        draw: Returns the lines of a picture of a finding, or nothing.
        quiet: Findings and nothing else.
    """
    for path, group in groupby(report.findings, key=lambda finding: finding.path):
        yield Span(f"{'(no file)' if path is None else escape(path)}\n", "path")
        for finding in group:
            yield from _render(finding, quoter, draw(finding))
            if finding.severity is Severity.ERROR and _is_break(finding):
                yield Span(f"      fingerprint: {finding.fingerprint}\n", "rule")
        yield Span("\n")
    if not quiet:
        yield from _summarize(report)


def _is_break(finding: Finding) -> bool:
    """Tell whether a finding is one that acceptances name by its fingerprint."""
    return finding.direction is not None or finding.rule == "version-not-raised"


def _render(finding: Finding, quoter: Quoter, picture: str) -> Iterator[Span]:
    place = f"{finding.line}:{finding.column or 1} " if finding.line is not None else ""
    yield Span(f"  {place}")
    yield Span(finding.severity, finding.severity.value)
    yield Span(f" {escape(finding.message)} ")
    yield Span(f"[{finding.rule}]\n", "rule")
    has_diff = any("\n" in related.message for related in finding.related)
    if finding.path is not None and finding.line is not None and not has_diff:
        line = quoter.find_line(finding.path, finding.line)
        if line is not None:
            yield from _quote(finding.line, finding.column, line)
    for line in picture.splitlines():
        yield Span(f"      {line}\n", "quote")
    if isinstance(finding.witness, msgspec.Raw):
        yield Span("      such as: ", "note")
        yield Span(f"{show_witness(finding.witness)}\n", "quote")
    for related in finding.related:
        yield from _render_related(related)
    if finding.fix:
        yield Span("      help: ", "good")
        yield Span(f"{escape(finding.fix)}\n")


def show_witness(witness: msgspec.Raw) -> str:
    """Return a value that proves a break on one line; one without end is cut."""
    text = escape(bytes(witness).decode())
    if len(text) <= _LONGEST_WITNESS:
        return text
    return f"{text[:_LONGEST_WITNESS]}... ({len(text)} characters, in full in the report in JSON)"


def _render_related(related: Related) -> Iterator[Span]:
    first, *rest = related.message.split("\n")
    if rest:
        for line in (first, *rest):
            yield Span(f"      {escape(line)}\n", _style_of_diff(line))
        return
    place = "" if related.path is None else f"{escape(related.path)}: "
    if related.path is not None and related.line is not None:
        place = f"{escape(related.path)}:{related.line}:{related.column or 1}: "
    yield Span("      also: ", "note")
    yield Span(f"{place}{escape(first)}\n")


def _style_of_diff(line: str) -> Style:
    if line.startswith("+"):
        return "good"
    return "error" if line.startswith("-") else "quote"


def _quote(number: int, column: int | None, line: str) -> Iterator[Span]:
    """Yield a line with its number, and a caret below the column."""
    line = line.rstrip("\r")
    index = min((column or 1) - 1, len(line))
    start = max(0, index - _WIDEST_QUOTE // 2) if len(line) > _WIDEST_QUOTE else 0
    shown = line[start : start + _WIDEST_QUOTE]
    before = "..." if start else ""
    after = "..." if start + len(shown) < len(line) else ""
    gutter = f"{number:>6}"
    yield Span(f"{gutter} | ", "rule")
    yield Span(f"{before}{_show(shown)}{after}\n", "quote")
    if column is not None:
        indent = len(before) + _measure(_show(line[start:index]))
        yield Span(f"{'':>{len(gutter)}} | ", "rule")
        yield Span(f"{' ' * indent}^\n", "caret")


def _show(text: str) -> str:
    return escape(text.replace("\t", "    "))


def _measure(text: str) -> int:
    """Return how many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "FW")
        for char in text
    )


def _summarize(report: Report) -> Iterator[Span]:
    for line in report.done.splitlines():
        yield Span(f"{escape(line)}\n")
    counts = [
        (severity, sum(one.severity is severity for one in report.findings))
        for severity in Severity
    ]
    told: list[str] = [_count(number, severity.value) for severity, number in counts if number]
    if not told:
        yield Span("No problems found.\n", "good")
        return
    files = len({finding.path for finding in report.findings if finding.path is not None})
    where = f" in {_count(files, 'file')}" if files else ""
    yield Span(f"{_list(told)}{where}.\n", "error" if counts[0][1] else "warning")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _list(parts: Sequence[str]) -> str:
    return " and ".join([*filter(None, [", ".join(parts[:-1])]), parts[-1]])
