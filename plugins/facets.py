"""Facet reports: what each facet provides and requires, read from JSON.

A report comes from a file made elsewhere or stands inline in a manifest. What
the reports mean together belongs to the graph.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, cast

import msgspec
from msgspec import UNSET, UnsetType
from pi_contracts.contracts.findings import Facet, Finding, Severity, Subject, escape
from pi_contracts.contracts.source import MAX_BYTES

if TYPE_CHECKING:
    from pi_contracts.contracts.source import Place, Source

Name = Annotated[str, msgspec.Meta(min_length=1)]
Mode = Literal["singleton", "keyed"]
LOCAL: Final = "local"
"""The scope that is seen in one host's process only."""
HOST_SCOPES: Final = ("server", "session")
"""The scopes that the host of the same kind serves."""

STDIN: Final = "-"
"""The path that means standard input."""


class ContractVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The contract that one side of a service holds."""

    digest: Name | UnsetType = UNSET
    version: Annotated[int, msgspec.Meta(ge=1)] | UnsetType = UNSET


class CallSite(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Where in a facet's source a service is acquired or provided."""

    path: Name
    line: Annotated[int, msgspec.Meta(ge=1)]


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One service that a facet provides or requires."""

    scope: Name
    service: Name
    mode: Mode
    contract: ContractVersion | UnsetType = UNSET
    at: CallSite | UnsetType = UNSET


class Report(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    rename={"plugin": "pluginId"},
):
    """Everything that one facet of one plugin declares."""

    plugin: Name
    facet: Name
    """The facet's kind, which is also the kind of its host."""
    requires: list[Declaration]
    provides: list[Declaration]
    order: int | float | UnsetType = UNSET
    """Sorts facets before their place in the list does; 0 if unset."""


class Locator:
    """Finds places in one JSON file, which is scanned for them only when one is asked for."""

    def __init__(self, path: str | None, data: bytes = b"", source: Source | None = None) -> None:
        self.path = path
        self._data = data
        self._source = source

    def find_place(self, pointer: str) -> Place | None:
        """Return where the value at *pointer* begins; None if the text is not at hand."""
        if self._source is None:
            if not self._data:
                return None
            from pi_contracts.contracts.source import parse_source  # noqa: PLC0415 # seldom needed

            self._source = parse_source(self._data, self.path or "")
        return self._source.find_place(pointer) if self._source.is_readable else None


class Origin(NamedTuple):
    """Where something stands: a pointer in a file."""

    locator: Locator
    pointer: str


@dataclass(frozen=True, slots=True)
class ReportFile:
    """The reports of one file, or of a list in memory."""

    reports: list[Report]
    locator: Locator = field(default_factory=lambda: Locator(None))
    prefix: str = ""
    """The JSON pointer of the list that holds the reports."""
    indexes: tuple[int, ...] | None = None
    """Where in that list each report stands, if some of it could not be read."""
    unread: tuple[Facet | None, ...] = ()
    """Facets whose report is not valid; None for each that cannot even be named."""

    def get_pointer(self, index: int) -> str:
        """Return the JSON pointer of the report at *index* of `reports`."""
        return f"{self.prefix}/{index if self.indexes is None else self.indexes[index]}"


class _SparseReport(
    msgspec.Struct, forbid_unknown_fields=True, gc=False, rename={"plugin": "pluginId"}
):
    """A report that leaves out what its facet does not do."""

    plugin: Name
    facet: Name
    requires: list[Declaration] | UnsetType = UNSET
    provides: list[Declaration] | UnsetType = UNSET
    order: int | float | UnsetType = UNSET

    def fill(self) -> Report:
        return Report(self.plugin, self.facet, self.requires or [], self.provides or [], self.order)


class _Envelope(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    facets: list[Report]


class _SparseEnvelope(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    facets: list[_SparseReport]


_LIST: Final = msgspec.json.Decoder(list[Report])
_SPARSE_LIST: Final = msgspec.json.Decoder(list[_SparseReport])
_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)
_SPARSE_ENVELOPE: Final = msgspec.json.Decoder(_SparseEnvelope)


def read_reports(path: str, name: str | None = None) -> tuple[ReportFile, tuple[Finding, ...]]:
    """Read the reports of one file; the path ``-`` means standard input.

    Args:
        path: The file.
        name: How findings name the file, if not by its path.
    """
    shown = name or ("<stdin>" if path == STDIN else path)
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as problem:
        message = f"the reports cannot be read: {escape(problem.strerror or str(problem))}"
        fault = Finding(
            "invalid-report",
            Severity.ERROR,
            message,
            path=shown,
            subject=Subject(document=shown),
            fix="name a file that holds a JSON list of facet reports",
        )
        return ReportFile([], Locator(shown), unread=(None,)), (fault,)
    return parse_reports(data, shown)


def parse_reports(data: bytes, name: str) -> tuple[ReportFile, tuple[Finding, ...]]:
    """Make reports from JSON: a list of them, or an object with that list as ``facets``.

    Reports that are not valid are left out; each mistake in them is a finding.
    """
    envelope = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    prefix = "/facets" if envelope else ""
    try:
        reports = _decode(data, is_envelope=envelope)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as fault:
        problem = str(fault)
    else:
        if reports is not None:
            return ReportFile(reports, Locator(name, data), prefix), ()
        problem = "a key may stand twice in one object"
    if len(data) > MAX_BYTES:
        return ReportFile([], Locator(name), unread=(None,)), (_word_large(data, name, problem),)
    return _parse_carefully(data, name)


def _word_large(data: bytes, name: str, problem: str) -> Finding:
    """Word what the quick decoder says of a file that is too large for the careful reader."""
    return Finding(
        "too-large",
        Severity.ERROR,
        f"the file has {len(data)} bytes, and of more than {MAX_BYTES} only the first mistake is "
        f"told: {escape(problem)}",
        path=name,
        subject=Subject(document=name),
        fix="name several smaller files, of which every mistake is told with its place",
    )


def _decode(data: bytes, *, is_envelope: bool) -> list[Report] | None:
    """Read reports that are valid; None if a key may stand twice in them.

    Most reports are complete, and read at once as what they are to be.
    """
    extra = 1 if is_envelope else 0
    try:
        full = _ENVELOPE.decode(data).facets if is_envelope else _LIST.decode(data)
    except msgspec.ValidationError:
        sparse = _SPARSE_ENVELOPE.decode(data).facets if is_envelope else _SPARSE_LIST.decode(data)
        is_whole = _has_no_lost_keys(data, sparse, extra)
        return [report.fill() for report in sparse] if is_whole else None
    return full if _has_no_lost_keys(data, full, extra) else None


def _has_no_lost_keys(data: bytes, reports: list[Report] | list[_SparseReport], extra: int) -> bool:
    """Tell whether as many colons are encoded again as the text holds, so that no key stood twice.

    False also where counting cannot tell; the careful reader decides then.
    """
    if b"\\u003" in data:  # how a colon in a string may be written
        return False
    return data.count(b":") == msgspec.json.encode(reports).count(b":") + extra


def _parse_carefully(data: bytes, name: str) -> tuple[ReportFile, tuple[Finding, ...]]:
    """Read reports that the quick decoder refused, noting every mistake."""
    from pi_contracts.contracts.source import parse_source  # noqa: PLC0415 # seldom needed

    from .shapes import find_mistakes  # noqa: PLC0415 # loads jsonschema_rs

    source = parse_source(data, name)
    locator = Locator(name, source=source)
    if not source.is_readable:
        return ReportFile([], locator, unread=(None,)), source.findings
    mistakes = find_mistakes(source, "facet-report")
    value, prefix, depth = source.value, "", 0
    if isinstance(value, dict):
        value, prefix, depth = cast("dict[str, object]", value).get("facets"), "/facets", 1
    if not isinstance(value, list):
        return ReportFile([], locator, unread=(None,)), mistakes.findings
    rows = cast("list[object]", value)
    faulty = {p[depth] for p in mistakes.paths if len(p) > depth and p[:depth] in {(), ("facets",)}}
    good = tuple(i for i in range(len(rows)) if i not in faulty)
    unread = tuple(_name_facet(rows[i]) for i in range(len(rows)) if i in faulty)
    reports = [_make_report(rows[i]) for i in good]
    return ReportFile(reports, locator, prefix, good, unread), mistakes.findings


def _make_report(row: object) -> Report:
    """Make a report from a JSON object that is known to be valid."""
    full: dict[str, object] = {"requires": [], "provides": [], **cast("dict[str, object]", row)}
    # Not strict: the schema lets 1.0 stand for 1, as JSON does.
    return msgspec.convert(full, Report, strict=False)


def _name_facet(row: object) -> Facet | None:
    if not isinstance(row, dict):
        return None
    members = cast("dict[str, object]", row)
    plugin, facet = members.get("pluginId"), members.get("facet")
    if not isinstance(plugin, str) or not isinstance(facet, str):
        return None
    return Facet(plugin, facet)
