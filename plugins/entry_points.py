"""Entry points: which facets a manifest means, and where modules are looked for.

Nothing is imported here.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import UNSET
from pi_contracts.contracts.findings import quote

from .facets import Origin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from importlib.metadata import Distribution

    from .manifest import Manifest
    from .similar import SimilarIds

GROUP: Final = "pi_contracts.facets"
"""The group of entry points in which an installed package announces its facets."""
_ENTRY: Final = re.compile(
    r"\s*([^\W\d]\w*(?:\.[^\W\d]\w*)*)\s*:\s*([^\W\d]\w*(?:\.[^\W\d]\w*)*)\s*"
)
_EXTRAS: Final = re.compile(r"\s*\[[^\]]*\]$")
_SEPARATORS: Final = re.compile(r"[-_.]+")


class Entry(NamedTuple):
    """One facet of a manifest, and the entry point of its setup."""

    plugin: str
    kind: str
    text: str
    """As it is written: ``module:attribute``, if it is valid."""
    origin: Origin

    def parse(self) -> tuple[str, str] | None:
        """Return module and attribute, None for what names none."""
        match = _ENTRY.fullmatch(self.text)
        return None if match is None else (match[1], match[2])


def find_search_path(folder: str) -> list[str]:
    """Return where the modules of a manifest in *folder* are looked for, before what is installed.

    The folder itself, as Python does for a script, and what PYTHONPATH names. The
    working directory is not among them: a plan depends on the manifest alone.
    """
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return list(dict.fromkeys(os.path.abspath(path) for path in (folder, *filter(None, named))))  # noqa: PTH100 - strings, as in sys.path


def find_whole_path(folder: str) -> list[str]:
    """Return the search path together with what is installed for this interpreter."""
    script = os.path.dirname(os.path.abspath(sys.argv[0])) if sys.argv else ""  # noqa: PTH100, PTH120 - as above
    own = {"", os.getcwd(), script}  # noqa: PTH109 - as above
    return [*find_search_path(folder), *(path for path in sys.path if path not in own)]


class Announcement(NamedTuple):
    """The entry point of one facet, as an installed package announces it."""

    entry: str
    """Without the extras that may stand behind it, which say what to install."""
    package: str | None
    """Its name; None for one that has none that can be read."""

    def __str__(self) -> str:
        """Name the package with what it announces."""
        return f"{name_package(self.package)} ({quote(self.entry)})"


def name_package(package: str | None) -> str:
    """Name an installed package in a sentence."""
    return "one without a name" if package is None else quote(package)


class InstalledFacets:
    """The facets that installed packages announce, looked up once, at the first question."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder

    def find(self, plugin: str) -> dict[str, list[Announcement]]:
        """Return what is announced for each kind of facet of *plugin*, by kind.

        More than one for a kind means that the same facet is announced twice.
        """
        return self._found[0].get(plugin, {})

    def list_kinds(self) -> Mapping[str, Collection[str]]:
        """Return the kinds of facets that are announced, by plugin."""
        return self._found[0]

    def find_without_kind(self, plugin: str) -> list[Announcement]:
        """Return what is announced by the id of *plugin* alone, so that it is no facet."""
        return self._found[1].get(plugin, [])

    @cached_property
    def _found(
        self,
    ) -> tuple[dict[str, dict[str, list[Announcement]]], dict[str, list[Announcement]]]:
        """What is announced by plugin and kind, and what by plugin only."""
        facets: dict[str, dict[str, list[Announcement]]] = {}
        others: dict[str, list[Announcement]] = {}
        rows = {(name, entry, package or "") for name, entry, package in self._iter_rows()}
        for name, entry, package in sorted(rows):
            announcement = Announcement(entry, package or None)
            owner, _, kind = name.rpartition(":")  # an id may hold colons, a kind may not
            if owner and kind:
                facets.setdefault(owner, {}).setdefault(kind, []).append(announcement)
            else:
                others.setdefault(name.rstrip(":"), []).append(announcement)
        return facets, others

    def _iter_rows(self) -> Iterator[tuple[str, str, str | None]]:
        from importlib.metadata import distributions  # noqa: PLC0415 # slow, and seldom needed

        path = sys.path if self._folder is None else find_whole_path(self._folder)
        seen: set[str] = set()
        for distribution in distributions(path=path):
            package = _find_name(distribution)
            if package is not None:
                name = _SEPARATORS.sub("-", package).lower()
                if name in seen:  # what comes first on the path hides the rest, as for imports
                    continue
                seen.add(name)
            for key, value in _read_group(distribution):
                yield key, _EXTRAS.sub("", value), package


@dataclass(frozen=True)
class SpareFacets:
    """The facets that installed packages announce and that a manifest does not have."""

    installed: InstalledFacets
    listed: Mapping[str, Collection[str]]
    """The kinds of facets of each plugin of the manifest."""

    def find_plugins(self, kind: str | None) -> list[str]:
        """Return the plugins with a facet to spare, of this kind or of any, sorted."""
        return sorted(
            plugin
            for plugin, kinds in self.installed.list_kinds().items()
            if any(one not in self.listed.get(plugin, ()) and kind in {None, one} for one in kinds)
        )

    def find_similar(self, plugin: str) -> list[str]:
        """Return the installed plugins that are not listed and whose ids are like this one."""
        return self._unlisted.find(plugin)

    @cached_property
    def _unlisted(self) -> SimilarIds:
        from .similar import SimilarIds  # noqa: PLC0415 # only where something is wrong

        return SimilarIds(one for one in self.installed.list_kinds() if one not in self.listed)


def _find_name(distribution: Distribution) -> str | None:
    """Return the name that a package gives itself; None if that cannot be read."""
    try:
        metadata = distribution.metadata
        return metadata["Name"] if "Name" in metadata else None  # noqa: SIM401 # it has no get()
    except (LookupError, OSError, TypeError, ValueError):  # no text, or nothing at all
        return None


def _read_group(distribution: Distribution) -> Iterator[tuple[str, str]]:
    """Give name and value of each of our entry points; a line that is none is passed over.

    The library reads a file all or nothing, so that one line would hide the others.
    """
    try:
        text = distribution.read_text("entry_points.txt") or ""
    except (OSError, ValueError):  # not text, or not readable: it announces nothing
        return
    is_ours = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            is_ours = line == f"[{GROUP}]"
        elif is_ours and not line.startswith("#"):
            name, _, value = map(str.strip, line.partition("="))
            if name and value:
                yield name, value


def list_entries(manifest: Manifest, installed: InstalledFacets) -> list[Entry]:
    """Return every facet of a manifest, in its order; what cannot be read is left out.

    Of a facet that stands twice, with its plugin, the first one.
    """
    found: list[Entry] = []
    for index, plugin in enumerate(manifest.plugins):
        pointer = manifest.get_pointer(index)
        if plugin.facets is UNSET:
            origin = Origin(manifest.locator, pointer)
            announced = installed.find(plugin.id)
            found += (
                Entry(plugin.id, kind, values[0].entry, origin)
                for kind, values in announced.items()
            )
            continue
        for kind, facet in plugin.facets.items():
            if (plugin.id, kind) in manifest.unread:
                continue
            step = kind.replace("~", "~0").replace("/", "~1")
            text = facet if isinstance(facet, str) else facet.entry
            origin = Origin(manifest.locator, f"{pointer}/facets/{step}")
            found.append(Entry(plugin.id, kind, text, origin))
    firsts: dict[tuple[str, str], Entry] = {}
    for entry in found:
        firsts.setdefault((entry.plugin, entry.kind), entry)
    return list(firsts.values())
