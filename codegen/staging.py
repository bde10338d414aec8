"""Replaces a set of files as a whole: all of them change, or none does.

Everything is staged beside its target before the first rename, and every old file
keeps a second name until the last one, so that undoing needs renames alone. What
may be replaced is decided elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

_PREFIX = ".pi-contracts-"
_SUFFIX = ".tmp"


class OutputError(Exception):
    """An output could not be read or written; it is as it was before."""


def is_leftover(name: str) -> bool:
    """Return whether a file of that name was staged by a run that was killed."""
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def replace_files(
    root: Path,
    writes: Mapping[str, bytes],
    deletes: Sequence[str],
    *,
    aside: Iterable[str] = (),
    journal: tuple[str, bytes],
) -> None:
    """Write and delete files below *root*, in that order; undo everything on a failure.

    *aside* are files and links that stand where a folder is needed. *journal* is
    written before anything is renamed, and stays if the process dies before the
    end; if it is among the *writes* as well, that is what it holds in the end.

    Raises:
        OutputError: Something could not be written; the message names it.
    """
    replacement = _Replacement(root)
    try:
        replacement.run(writes, deletes, aside, journal)
    except BaseException as error:
        failures = replacement.undo()
        if isinstance(error, OSError):
            raise _word(error, failures, root) from error
        raise
    replacement.finish()


class _Replacement:
    """One replacement under way: what was done, and how to undo it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._undo: list[Callable[[], object]] = []
        self._spare: list[Path] = []
        self._count = 0

    def run(
        self,
        writes: Mapping[str, bytes],
        deletes: Sequence[str],
        aside: Iterable[str],
        journal: tuple[str, bytes],
    ) -> None:
        self._make_folder(self._root)
        for path in aside:
            self._put_aside(self._root / path)
        staged = [(self._root / path, self._stage(path, data)) for path, data in writes.items()]
        last = journal[0]
        self._replace(self._root / last, self._stage(*journal))
        # Two names that one file answers to, where case does not count: the old one goes first.
        folded = {path.casefold() for path in writes}
        for path in deletes:
            if path.casefold() in folded:
                self._put_aside(self._root / path)
        for target, temporary in staged:
            if target != self._root / last:
                self._replace(target, temporary)
        for path in deletes:
            if path.casefold() not in folded:
                self._put_aside(self._root / path)
        for target, temporary in staged:
            if target == self._root / last:
                self._replace(target, temporary)
        for folder in sorted({target.parent for target, _ in staged}):
            _sync_folder(folder)

    def undo(self) -> list[OSError]:
        """Restore everything, newest first; return what could not be restored."""
        failures: list[OSError] = []
        for step in reversed(self._undo):
            try:
                step()
            except OSError as error:
                failures.append(error)
        return failures

    def finish(self) -> None:
        """Let go of the old files; one that will not go is a leftover, not a failure."""
        for path in self._spare:
            _remove_quietly(path)

    def _make_folder(self, folder: Path) -> None:
        missing = [folder, *folder.parents]
        for parent in reversed([path for path in missing if not path.exists()]):
            parent.mkdir()
            self._undo.append(parent.rmdir)

    def _stage(self, path: str, data: bytes) -> Path:
        target = self._root / path
        self._make_folder(target.parent)
        temporary = self._name_spare(target)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        self._undo.append(lambda: temporary.unlink(missing_ok=True))
        with open(descriptor, "wb") as file:  # noqa: PTH123  # an open descriptor has no path
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        if _is_file(target):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        return temporary

    def _replace(self, target: Path, temporary: Path) -> None:
        if _exists(target):
            spare = self._name_spare(target)
            _link(target, spare)
            self._spare.append(spare)
            self._undo.append(lambda: _restore(spare, target))
        else:
            self._undo.append(lambda: target.unlink(missing_ok=True))
        temporary.replace(target)

    def _put_aside(self, target: Path) -> None:
        spare = self._name_spare(target)
        target.replace(spare)
        self._spare.append(spare)
        self._undo.append(lambda: spare.replace(target))

    def _name_spare(self, target: Path) -> Path:
        self._count += 1
        return target.with_name(f"{_PREFIX}{os.getpid()}-{self._count}{_SUFFIX}")


def remove_leftovers(folder: Path) -> None:
    """Remove what a run that was killed has left in *folder*; never fails."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return
    for name in names:
        if is_leftover(name):
            _remove_quietly(folder / name)


def remove_empty_folders(root: Path, folders: Iterable[str]) -> None:
    """Remove *folders* below *root*, and those above them, that hold nothing any more.

    Compiled files that Python left there count as nothing: without their sources
    they would keep an empty package importable. Never fails.
    """
    for path in sorted(folders, key=len, reverse=True):
        folder = root / path
        while folder != root and _is_spent(folder):
            try:
                shutil.rmtree(folder)
            except OSError:
                break
            folder = folder.parent


def _is_spent(folder: Path) -> bool:
    try:
        return all(path.name == "__pycache__" for path in folder.iterdir())
    except OSError:
        return False


def _link(target: Path, spare: Path) -> None:
    try:
        os.link(target, spare, follow_symlinks=False)
    except OSError:
        # Not every file system has links; a copy serves as well.
        shutil.copy2(target, spare, follow_symlinks=False)


def _restore(spare: Path, target: Path) -> None:
    spare.replace(target)
    # Two names of one file are left as they are by a rename.
    spare.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    # Not every platform does this for folders; there the renames are as durable as they get.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove_quietly(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _exists(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _word(error: OSError, failures: Sequence[OSError], root: Path) -> OutputError:
    # What happens to an open file does not name it.
    text = f"cannot write {str(error.filename or root)!r}: {error.strerror}"
    if not failures:
        return OutputError(f"{text}; nothing was changed")
    names = ", ".join(repr(str(failure.filename)) for failure in failures)
    return OutputError(f"{text}; and not restored after it: {names}")
