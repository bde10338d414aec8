"""Declarations as text: what both kinds of types write alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from .expressions import Expression, write_line
from .literals import WIDTH, measure, write_docstring

_ENDS = ".!?\"'`)]"
_PLAIN = re.compile(r"[!#-\[\]-~]+(?: [!#-\[\]-~]+)*[A-Za-z0-9.!?]")
"""Words of ASCII without a quote or a backslash, each one blank from the next."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .shapes import Alias, Key, Record, Shape


class Printer(Protocol):
    """What the two kinds of types differ in."""

    def express(self, shape: Shape) -> Expression:
        """Return the annotation for a shape."""
        ...

    def write_preamble(self) -> Sequence[str]:
        """Return the declarations that all others stand on."""
        ...

    def write_record(self, record: Record, name: str) -> str:
        """Return the declaration of a record."""
        ...

    def write_ring(self, alias: Alias, name: str, ring: frozenset[Key], /) -> str:
        """Return an alias that leads back to itself through nothing but aliases."""
        ...


def write_alias(alias: Alias | None, name: str, expression: Expression) -> str:
    """Return an alias, with what its schema says of it below."""
    line = write_line(f"{name}: t.TypeAlias = ", expression, "", 0)
    return line + write_note(alias.description, 0) if alias else line


def write_note(text: str, indent: int) -> str:
    """Return a docstring for what stands above it, on lines of its own; nothing for no text."""
    if _PLAIN.fullmatch(text) and len(text) < WIDTH - indent - 6:
        return f"\n{' ' * indent}{write_plain(text)}"
    return f"\n{' ' * indent}{write_docstring(text, indent)}" if text.strip() else ""


def write_plain(text: str) -> str:
    """Return the docstring for one plain sentence, which most descriptions are."""
    return f'"""{text}."""' if text[-1].isalnum() else f'"""{text}"""'


def describe(text: str, pointer: str, indent: int) -> str:
    """Return the docstring of a class, whose first line has to be a sentence.

    Where the first sentence of *text* takes more than a line, or there is no text,
    the place of the schema comes first.
    """
    if _PLAIN.fullmatch(text) and len(text) < WIDTH - indent - 6:
        return write_plain(text)
    first = text.strip().partition("\n\n")[0].replace("\n", " ")
    sentence = _SENTENCE.split(first, maxsplit=1)[0]
    room = WIDTH - indent - 7
    summary = " ".join(sentence.split())
    if summary and measure(summary) < room and (summary[-1].isalnum() or summary[-1] in _ENDS):
        return write_docstring(text, indent)
    place = f"The schema at ``{pointer or '/'}``."
    if measure(place) > room:
        place = "A schema without a name of its own."
    return write_docstring(f"{place}\n\n{text}".strip(), indent)


def is_spaced(block: str) -> bool:
    """Tell whether two blank lines stand around a declaration."""
    return block.startswith(("class ", "def "))


def get_pointer(record: Record) -> str:
    """Return where the schema of a record stands in its document."""
    return record.key.location.pointer
