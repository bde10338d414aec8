"""Findings: what every command has to say, as data of one shape.

Printing them belongs to the command line. The published schema of a report is
``contracts/meta/report.schema.json``.
"""

from __future__ import annotations

import enum
import hashlib
import unicodedata
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Severity(enum.StrEnum):
    """How much a finding weighs; a report with an error is not ok."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Facet(msgspec.Struct, frozen=True, order=True):
    """One facet of one plugin, as findings and plans name it."""

    plugin: str
    facet: str

    def __str__(self) -> str:
        """Word the facet as ``plugin:facet``, on one line."""
        return f"{escape(self.plugin)}:{escape(self.facet)}"


class Subject(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a finding is about; unset fields do not apply."""

    document: str | None = None
    """The file, relative to the report's folder, with ``/``."""
    service: str | None = None
    scope: str | None = None
    member: str | None = None
    facets: tuple[Facet, ...] = ()
    detail: str | None = None
    """What else tells two findings of one rule apart: a name, a keyword, a place."""


class Related(msgspec.Struct, frozen=True, omit_defaults=True):
    """Another place that belongs to a finding."""

    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong, or worth knowing, with its place and a way out.

    Lines and columns count from 1, in code points. ``message`` never holds a
    payload's value and is printable on one line.
    """

    rule: str
    severity: Severity
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    pointer: str | None = None
    subject: Subject = Subject()
    related: tuple[Related, ...] = ()
    fix: str | None = None
    fingerprint: str = ""
    """Filled in on construction, from rule, subject and pointer alone; `compat` gives its own."""
    direction: str | None = None
    """Of `compat`: whose consumers are broken by the change."""
    flow: str | None = None
    """Of `compat`: what flows, such as ``select.params``."""
    witness: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """Of `compat`: a value that proves the break, as JSON."""

    def __post_init__(self) -> None:
        """Give the finding its fingerprint."""
        if not self.fingerprint:
            facts = msgspec.json.encode([self.rule, self.subject, self.pointer])
            digest = hashlib.sha256(facts).hexdigest()[:16]
            msgspec.structs.force_setattr(self, "fingerprint", digest)


UNREADABLE: Final = frozenset(
    {
        "duplicate-key",
        "invalid-configuration",
        "invalid-json",
        "invalid-manifest",
        "invalid-report",
        "lone-surrogate",
        "too-deep",
        "too-large",
    }
)
"""Rules that say an input could not be read: a run that reports one of them exits with 3."""


def error(rule: str, message: str, **facts: object) -> Finding:
    """Return a finding of severity error; *facts* are further fields of it."""
    return msgspec.structs.replace(Finding(rule, Severity.ERROR, message), fingerprint="", **facts)


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings in the order of every report: by place, then rule, then message."""
    return tuple(
        sorted(
            findings,
            key=lambda f: (
                f.path or "",
                f.line or 0,
                f.column or 0,
                f.pointer or "",
                f.rule,
                f.message,
            ),
        )
    )


def to_document(
    tool: str, findings: Iterable[Finding], additions: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Return the report of one command, ready to be encoded as JSON.

    Args:
        tool: The command's name.
        findings: They are sorted here.
        additions: Further members, which the command's section of the schema describes.
    """
    ordered = sort_findings(findings)
    return {
        "report": 1,
        "tool": tool,
        "ok": all(f.severity is not Severity.ERROR for f in ordered),
        "findings": ordered,
        **(additions or {}),
    }


def quote(text: str) -> str:
    """Return *text* escaped and in double quotes, as messages show ids."""
    return f'"{escape(text)}"'


def escape(text: str) -> str:
    r"""Return *text* fit for one line: control, format and lone surrogate characters are escaped.

    ``\\n`` stays readable as backslash n; others become ``\\u001b`` and the like.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape_character(c) for c in text)


_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LAST_OF_FOUR_DIGITS = 0xFFFF
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def _escape_character(character: str) -> str:
    if short := _SHORT.get(character):
        return short
    if unicodedata.category(character) not in _UNSAFE:
        return character
    code = ord(character)
    return f"\\U{code:08x}" if code > _LAST_OF_FOUR_DIGITS else f"\\u{code:04x}"
