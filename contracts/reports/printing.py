"""A report on a stream, in the form that was asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from .report import render_json
from .terminal import write_spans, write_text
from .text import Quoter, render_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TextIO

    from .report import Report
    from .text import Draw

Format: TypeAlias = Literal["text", "json", "github", "sarif"]


def print_report(
    report: Report,
    style: Format,
    stream: TextIO | None,
    *,
    folder: Path,
    list_rules: Callable[[], Mapping[str, str]],
    draw: Draw,
    quiet: bool = False,
) -> str | None:
    """Write a report to *stream*; return why that failed, if it did.

    The report names files relative to *folder*.

    That nobody reads the stream any more, or that it was closed from the start (None),
    is no failure: the report's verdict stands.
    """
    if stream is None:
        return None
    try:
        _write(report, style, stream, folder=folder, list_rules=list_rules, draw=draw, quiet=quiet)
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError as problem:
        _silence(stream)
        return problem.strerror or str(problem)
    return None


def print_bytes(data: bytes, stream: TextIO) -> str | None:
    """Write *data* to *stream* as it is; return why that failed, as `print_report` does."""
    try:
        stream.buffer.write(data)
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError as problem:
        _silence(stream)
        return problem.strerror or str(problem)
    return None


def _write(
    report: Report,
    style: Format,
    stream: TextIO,
    *,
    folder: Path,
    list_rules: Callable[[], Mapping[str, str]],
    draw: Draw,
    quiet: bool,
) -> None:
    if style == "text":
        spans = render_text(report, Quoter(folder), draw=draw, quiet=quiet)
        write_spans(spans, stream)
    elif style == "json":
        write_text(render_json(report), stream)
    elif style == "github":
        from .github import render_github  # noqa: PLC0415 # rarely asked for

        write_text(render_github(report), stream)
    else:
        from .sarif import render_sarif  # noqa: PLC0415 # rarely asked for

        write_text(render_sarif(report, list_rules()), stream)


def _silence(stream: TextIO) -> None:
    """Let what is still buffered go nowhere, instead of failing when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
