"""Writes a generated package: all of its files change, or none does."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .comparison import Comparison, Difference, compare, make_findings, read_file
from .lock import LOCK_NAME, Lock, parse_lock, render_lock
from .staging import OutputError, remove_empty_folders, remove_leftovers, replace_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = (
    "Comparison",
    "Difference",
    "OutputError",
    "Written",
    "check_paths",
    "compare",
    "make_findings",
    "write",
)


@dataclass(frozen=True, slots=True)
class Written:
    """What `write` did; if somebody's work stood in the way, it did nothing."""

    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    refused: tuple[Difference, ...] = ()
    """Somebody's work that stood in the way."""
    left: tuple[Difference, ...] = ()
    """Python files in the package that nobody generated: worth a warning."""


def write(root: Path, files: Mapping[str, str], *, force: bool = False) -> Written:
    """Bring the folder *root* to *files*, which map paths to texts and hold a lock.

    Generated files that are not among *files* are deleted. Somebody's work is
    replaced, or deleted, only with *force*.

    Raises:
        OutputError: Something could not be read or written; everything is as it was.
    """
    check_paths(files)
    comparison = compare(root, files)
    in_the_way = tuple(one for one in comparison.edited if one.path != LOCK_NAME)
    if in_the_way and not force:
        return Written(refused=in_the_way, left=comparison.unlisted)
    edited = [one.path for one in in_the_way]
    aside = [path for path in edited if any(name.startswith(f"{path}/") for name in files)]
    deletes = sorted({*(one.path for one in comparison.stale), *edited} - files.keys() - {*aside})
    chosen = _choose(root, files, comparison, {*edited, *aside})
    known = {*files, *deletes, *comparison.lock.files, *comparison.lock.pending}
    for path in {path.rpartition("/")[0] for path in known}:
        remove_leftovers(root / path)
    if chosen or deletes:
        replace_files(
            root,
            {path: files[path].encode() for path in sorted(chosen, key=_order)},
            deletes,
            aside=aside,
            journal=(LOCK_NAME, _make_journal(comparison.lock, files).encode()),
        )
        remove_empty_folders(root, {path.rpartition("/")[0] for path in known - files.keys()})
    return Written(tuple(sorted(chosen)), tuple(deletes), left=comparison.unlisted)


def check_paths(paths: Iterable[str]) -> None:
    """Raise `ValueError` if two paths are one where neither case nor Unicode form counts."""
    seen: dict[str, str] = {}
    for path in paths:
        other = seen.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if other != path:
            raise ValueError(f"{other!r} and {path!r} are one file where case does not count")


def _choose(
    root: Path, files: Mapping[str, str], comparison: Comparison, edited: set[str]
) -> set[str]:
    """Return the paths to write: what differs, what stands in the way of it, and the lock."""
    outdated = {one.path for one in (*comparison.missing, *comparison.changed)}
    chosen = {*outdated, *edited, *comparison.respelled} & files.keys()
    for path in edited - files.keys():
        chosen |= {name for name in files if name.startswith(f"{path}/")}
    data = read_file(root / LOCK_NAME)
    if chosen or data != files[LOCK_NAME].encode():
        chosen.add(LOCK_NAME)
    return chosen


def _make_journal(old: Lock, files: Mapping[str, str]) -> str:
    """Return a lock that owns each file as it was and as it will be.

    It stands from the first rename to the last. If the process dies in between, the
    next run knows every file it meets.
    """
    return render_lock(replace(old, pending={**old.pending, **parse_lock(files[LOCK_NAME]).files}))


def _order(path: str) -> tuple[bool, bool, str]:
    """Sort indexes after what they lead to, and the lock last."""
    return path == LOCK_NAME, path.endswith("__init__.py"), path
