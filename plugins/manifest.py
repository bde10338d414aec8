"""The manifest: the ordered list of plugins that an application is assembled from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import msgspec
from msgspec import UNSET, UnsetType
from pi_contracts.contracts.findings import Finding, Severity, Subject, escape
from pi_contracts.contracts.source import parse_source

from .facets import Declaration, Locator, Name, Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_contracts.contracts.source import Source


class FacetEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One facet of a plugin: its entry point and, inline, what it declares."""

    entry: Name
    requires: list[Declaration] | UnsetType = UNSET
    provides: list[Declaration] | UnsetType = UNSET
    order: int | float | UnsetType = UNSET
    grants: object = None
    """Reserved."""


class Plugin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One plugin of the manifest."""

    id: Name
    version: Name | UnsetType = UNSET
    facets: dict[Name, Name | FacetEntry] | UnsetType = UNSET
    """Host kind to facet; unset: from the installed distribution's entry points."""
    grants: object = None
    """Reserved."""


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    manifest: Literal[1]
    plugins: list[Plugin]
    grants: object = None
    schema: str | UnsetType = msgspec.field(name="$schema", default=UNSET)


class InlineReport(NamedTuple):
    """A report that stands in the manifest, and the pointer of the object that holds it."""

    report: Report
    pointer: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The plugins of one application, in order."""

    plugins: tuple[Plugin, ...]
    locator: Locator = field(default_factory=lambda: Locator(None))
    indexes: tuple[int, ...] | None = None
    """Where in the file each plugin stands, if some of them could not be read."""
    unread: frozenset[tuple[str, str]] = frozenset()
    """Plugin and kind of each facet whose inline report is not valid."""
    is_partial: bool = False
    """Whether a plugin is missing here because its entry is not valid."""

    def get_pointer(self, index: int) -> str:
        """Return the JSON pointer of the plugin at *index* of `plugins`."""
        return f"/plugins/{index if self.indexes is None else self.indexes[index]}"

    def iter_inline_reports(self) -> Iterator[InlineReport]:
        """Give each inline report, in the order of the file."""
        for index, plugin in enumerate(self.plugins):
            if plugin.facets is UNSET:
                continue
            for kind, entry in plugin.facets.items():
                if isinstance(entry, str) or (entry.requires is UNSET and entry.provides is UNSET):
                    continue
                report = Report(
                    plugin.id, kind, entry.requires or [], entry.provides or [], entry.order
                )
                step = kind.replace("~", "~0").replace("/", "~1")
                yield InlineReport(report, f"{self.get_pointer(index)}/facets/{step}")


def read_manifest(
    path: str | Path, name: str | None = None
) -> tuple[Manifest | None, tuple[Finding, ...]]:
    """Read a manifest file.

    Args:
        path: The file.
        name: How findings name the file, if not by its path.

    Returns:
        The manifest, without the parts that are not valid, or None if nothing
        of it can be judged; and a finding for each mistake.
    """
    shown = name or Path(path).as_posix()
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        message = f"the manifest cannot be read: {escape(problem.strerror or str(problem))}"
        fault = Finding(
            "invalid-manifest",
            Severity.ERROR,
            message,
            path=shown,
            subject=Subject(document=shown),
            fix="name a manifest file",
        )
        return None, (fault,)
    return parse_manifest(data, shown)


def parse_manifest(data: bytes, name: str) -> tuple[Manifest | None, tuple[Finding, ...]]:
    """Make a manifest from JSON; see `read_manifest`."""
    source = parse_source(data, name)
    if not source.is_readable:
        return None, source.findings
    try:
        document = msgspec.convert(source.value, _Document)
    except msgspec.ValidationError:
        return _parse_carefully(source)
    return Manifest(tuple(document.plugins), Locator(name, source=source)), ()


def _parse_carefully(source: Source) -> tuple[Manifest | None, tuple[Finding, ...]]:
    """Read a manifest that the quick decoder refused, noting every mistake."""
    from .shapes import find_mistakes  # noqa: PLC0415 # loads jsonschema_rs, seldom needed

    mistakes = find_mistakes(source, "manifest")
    is_other = any(path in {("manifest",), ("plugins",)} for path in mistakes.paths)
    if is_other or not isinstance(source.value, dict):
        return None, mistakes.findings
    value = cast("dict[str, object]", source.value)
    if "manifest" not in value or "plugins" not in value:
        return None, mistakes.findings
    rows = cast("list[dict[str, object]]", value["plugins"])
    faulty_facets: dict[int, set[str]] = {}
    faulty_plugins: set[int] = set()
    for path in mistakes.paths:
        match path:
            case ("plugins", int(index), "facets", str(kind), *_) if kind:
                faulty_facets.setdefault(index, set()).add(kind)
            case ("plugins", int(index), *_):
                faulty_plugins.add(index)
            case _:
                pass  # an unknown field of the manifest itself leaves its plugins as they are
    indexes = tuple(i for i in range(len(rows)) if i not in faulty_plugins)
    plugins = tuple(_make_plugin(rows[i], faulty_facets.get(i, set())) for i in indexes)
    manifest = Manifest(
        plugins,
        Locator(source.path, source=source),
        indexes,
        frozenset((str(rows[i]["id"]), kind) for i in indexes for kind in faulty_facets.get(i, ())),
        is_partial=bool(faulty_plugins),
    )
    return manifest, mistakes.findings


def _make_plugin(row: dict[str, object], faulty: set[str]) -> Plugin:
    """Make a plugin from an object that is valid but for the *faulty* facets."""
    facets = row.get("facets")
    if isinstance(facets, dict):
        entries = cast("dict[str, object]", facets)
        row = {**row, "facets": {k: "?" if k in faulty else v for k, v in entries.items()}}
    # Not strict: the schema lets 1.0 stand for 1, as JSON does.
    return msgspec.convert(row, Plugin, strict=False)
