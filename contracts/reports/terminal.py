"""Spans on a stream: in colour on a terminal, plain anywhere else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .text import Span, Style

_STYLES: Final[dict[Style, str]] = {
    "path": "bold",
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold blue",
    "rule": "dim",
    "quote": "",
    "caret": "bold red",
    "good": "green",
    "": "",
}


def write_spans(spans: Iterable[Span], stream: TextIO) -> None:
    """Write *spans* to *stream*; what it cannot encode is written as escapes."""
    if is_coloured(stream):
        _write_coloured(spans, stream)
        return
    write_text("".join(span.text for span in spans), stream)


def write_text(text: str, stream: TextIO) -> None:
    """Write *text*; characters that the stream cannot encode are written as escapes."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def is_coloured(stream: TextIO) -> bool:
    """Tell whether *stream* is a terminal that wants colours (https://no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def _write_coloured(spans: Iterable[Span], stream: TextIO) -> None:
    from rich.console import Console  # noqa: PLC0415 # costs more than most commands
    from rich.text import Text  # noqa: PLC0415

    text = Text()
    for span in spans:
        text.append(span.text, style=_STYLES[span.style])
    console = Console(file=stream, force_terminal=True, highlight=False, soft_wrap=True)
    console.print(text, end="")
