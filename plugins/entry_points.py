"""Entry points: which facets a manifest means, and where modules are looked for.

Nothing is imported here.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import UNSET

from .facets import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .manifest import Manifest

GROUP: Final = "pi_contracts.facets"
"""The group of entry points in which an installed package announces its facets."""
_ENTRY: Final = re.compile(
    r"\s*([^\W\d]\w*(?:\.[^\W\d]\w*)*)\s*:\s*([^\W\d]\w*(?:\.[^\W\d]\w*)*)\s*"
)


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


class InstalledFacets:
    """The facets that installed packages announce, looked up once, at the first question."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._found: dict[str, dict[str, list[str]]] | None = None

    def find(self, plugin: str) -> dict[str, list[str]]:
        """Return the entry points announced for each kind of facet of *plugin*, by kind.

        More than one for a kind means that two packages announce the same facet.
        """
        if self._found is None:
            self._found = {}
            for name, value in sorted(self._iter_entry_points()):
                owner, _, kind = name.rpartition(":")
                if owner and kind:
                    self._found.setdefault(owner, {}).setdefault(kind, []).append(value)
        return self._found.get(plugin, {})

    def _iter_entry_points(self) -> Iterator[tuple[str, str]]:
        from importlib.metadata import distributions  # noqa: PLC0415 # slow, and seldom needed

        path = sys.path if self._folder is None else find_whole_path(self._folder)
        seen: set[str] = set()
        for distribution in distributions(path=path):
            name = re.sub(r"[-_.]+", "-", str(distribution.metadata["Name"])).lower()
            if name not in seen:  # what comes first on the path hides the rest, as for imports
                seen.add(name)
                try:
                    points = distribution.entry_points.select(group=GROUP)
                except (OSError, ValueError):  # not text, or not readable: it announces nothing
                    continue
                yield from ((point.name, point.value) for point in points)


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
                Entry(plugin.id, kind, values[0], origin) for kind, values in announced.items()
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
