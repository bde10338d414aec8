"""Compares a generated package with what is on disk; nothing is written here.

The lock says which files are generated. What it does not list, or what was changed
since, is somebody's work.
"""

from __future__ import annotations

import difflib
import os
import stat
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pi_contracts.contracts.findings import Finding, Related, Severity, Subject, escape

from .lock import LOCK_NAME, InvalidLockError, Lock, parse_lock
from .staging import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Rule = Literal["missing-file", "changed-file", "extra-file", "hand-edited"]


class Difference(NamedTuple):
    """One file that is not as `gen` would leave it."""

    rule: Rule
    path: str
    """Below the output folder, with ``/``."""
    reason: str
    """What is the matter, to follow the path."""
    fix: str
    diff: str = ""
    """A unified diff from the file to what `gen` would write; control characters are escaped."""
    line: int | None = None
    """The first line that differs."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an output folder differs from what `gen` would write; each tuple sorted by path."""

    lock: Lock
    """The lock on disk; an empty one if there is none that can be used."""
    missing: tuple[Difference, ...] = ()
    changed: tuple[Difference, ...] = ()
    """Generated files that hold something else than they would now."""
    stale: tuple[Difference, ...] = ()
    """Generated files that would not be generated any more."""
    edited: tuple[Difference, ...] = ()
    """Somebody's work where a generated file is, was, or would be."""
    unlisted: tuple[Difference, ...] = ()
    """Python files of the package that nobody generated; they are left alone."""
    respelled: tuple[str, ...] = ()
    """Files that differ in nothing but line ends, which is no difference."""

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every difference, sorted by path."""
        found = (*self.missing, *self.changed, *self.stale, *self.edited, *self.unlisted)
        return tuple(sorted(found, key=lambda difference: difference.path))


def compare(root: Path, files: Mapping[str, str]) -> Comparison:
    """Return how the folder *root* differs from *files*, which map paths to texts.

    The generator's version in the lock does not count.

    Raises:
        OutputError: Something could not be read.
    """
    if root.exists() and not root.is_dir():
        raise OutputError(f"cannot write into {str(root)!r}: it is not a folder")
    lock, problem = _read_lock(root)
    listed = lock.files.keys() | lock.pending.keys()
    found: list[Difference] = []
    stale: list[Difference] = []
    respelled: list[str] = []
    for path in sorted((files.keys() | listed) - {LOCK_NAME}):
        data = read_file(root / path)
        text = files.get(path)
        if data is not None and text is not None and _normalize(data) == text.encode():
            if data != text.encode():
                respelled.append(path)
            continue
        difference = _judge(root, path, data, text, lock=lock, problem=problem)
        if difference is not None:
            (stale if difference.rule == "extra-file" else found).append(difference)
    if not found and not stale:
        # Otherwise that the lock differs follows from the rest.
        found += _compare_locks(root, files, lock, problem)
    unique = {difference.path: difference for difference in found}.values()

    def pick(rule: Rule) -> tuple[Difference, ...]:
        return tuple(sorted(one for one in unique if one.rule == rule))

    return Comparison(
        lock,
        missing=pick("missing-file"),
        changed=pick("changed-file"),
        stale=tuple(stale),
        edited=pick("hand-edited"),
        unlisted=tuple(sorted(_find_unlisted(root, files, lock))),
        respelled=tuple(respelled),
    )


def make_findings(
    differences: Iterable[Difference], folder: str, *, severity: Severity = Severity.ERROR
) -> tuple[Finding, ...]:
    """Return a finding for each difference; *folder* is how reports name the output folder.

    The diff is the message of a related place.
    """
    prefix = "" if folder in {"", "."} else folder.rstrip("/") + "/"
    return tuple(_make_finding(one, prefix, severity) for one in differences)


def read_file(path: Path) -> bytes | None:
    """Return what the file at *path* holds, or None if no file is there.

    Raises:
        OutputError: It is there and cannot be read.
    """
    try:
        # A pipe or a device would never end.
        return path.read_bytes() if stat.S_ISREG(path.stat().st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise OutputError(f"cannot read {str(path)!r}: {error.strerror}") from error


_NO_LOCK = Lock("", {}, {}, {})
_GENERATE = "run: pi-contracts gen"


def _read_lock(root: Path) -> tuple[Lock, str]:
    """Return the lock on disk and, if there is one that cannot be used, why."""
    data = read_file(root / LOCK_NAME)
    if data is None:
        return _NO_LOCK, ""
    try:
        return parse_lock(data.decode()), ""
    except UnicodeDecodeError:
        return _NO_LOCK, "it is not UTF-8"
    except InvalidLockError as error:
        return _NO_LOCK, str(error)


def _judge(
    root: Path, path: str, data: bytes | None, text: str | None, *, lock: Lock, problem: str
) -> Difference | None:
    """Return how the file at *path* differs from *text*, or from not being there."""
    obstacle = _find_obstacle(root, path)
    if text is None:
        return _judge_stale(path, data, lock) if obstacle is None else None
    if obstacle is not None:
        place, reason = obstacle
        return Difference(
            "hand-edited", place, reason, "move it away, or run: pi-contracts gen --force"
        )
    if data is None:
        return Difference("missing-file", path, "is missing", _GENERATE)
    if lock.owns(path, data):
        diff, line = _diff(path, data, text)
        return Difference("changed-file", path, "is out of date", _GENERATE, diff, line)
    reason, fix = _say_whose(path, lock, problem)
    return Difference("hand-edited", path, reason, fix, *_diff(path, data, text))


def _judge_stale(path: str, data: bytes | None, lock: Lock) -> Difference | None:
    if data is None:
        return None
    if lock.owns(path, data):
        reason = "was generated from what is no longer there"
        return Difference("extra-file", path, reason, _GENERATE)
    reason = "was generated from what is no longer there, and was edited since"
    fix = "move it away, or run: pi-contracts gen --force, which deletes it"
    return Difference("hand-edited", path, reason, fix)


def _say_whose(path: str, lock: Lock, problem: str) -> tuple[str, str]:
    if lock.lists(path):
        fix = "make the change in the contract, then run: pi-contracts gen --force"
        return "was edited since it was generated", fix
    why = f"the lock cannot be used: {problem}" if problem else "the lock does not list it"
    return (
        f"is not known to be generated ({why})",
        "move it away if it is your own, then run: pi-contracts gen --force",
    )


def _find_obstacle(root: Path, path: str) -> tuple[str, str] | None:
    """Return the place, and what is the matter with it, that keeps a file from *path*."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        place = "/".join(parts[:count])
        full = root / place
        is_last = count == len(parts)
        if full.is_symlink():
            return place, "is a symbolic link, which gen does not write through"
        if is_last and full.is_dir():
            return place, "is a folder where a file belongs"
        if not is_last and full.exists() and not full.is_dir():
            return place, "is a file where a folder belongs"
        if is_last and full.exists() and not full.is_file():
            return place, "is not a regular file"
    return None


def _compare_locks(
    root: Path, files: Mapping[str, str], lock: Lock, problem: str
) -> Iterator[Difference]:
    text = files[LOCK_NAME]
    data = read_file(root / LOCK_NAME)
    if data is None:
        yield Difference("missing-file", LOCK_NAME, "is missing", _GENERATE)
    elif problem:
        reason = f"cannot be used: {problem}"
        yield Difference("hand-edited", LOCK_NAME, reason, _GENERATE, *_diff(LOCK_NAME, data, text))
    else:
        expected = parse_lock(text)
        if (lock.options, lock.sources, lock.files, lock.pending) != (
            expected.options,
            expected.sources,
            expected.files,
            expected.pending,
        ):
            diff, line = _diff(LOCK_NAME, data, text)
            yield Difference("changed-file", LOCK_NAME, "is out of date", _GENERATE, diff, line)


def _find_unlisted(root: Path, files: Mapping[str, str], lock: Lock) -> Iterator[Difference]:
    """Yield the Python files of the package that are neither generated nor were."""
    known = files.keys() | lock.files.keys() | lock.pending.keys()
    folders = {folder for path in known for folder in _get_folders(path)}
    pending = [""]
    while pending:
        folder = pending.pop()
        for entry in _scan(root / folder):
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                # A folder that is no package is none of ours.
                if path in folders or Path(entry.path, "__init__.py").exists():
                    pending.append(f"{path}/")
            elif path not in known and path.endswith((".py", ".pyi")) and path not in folders:
                reason = "is in the generated package, and gen has not written it"
                fix = "move it out of the package"
                yield Difference("extra-file", path, reason, fix)


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise OutputError(f"cannot read {str(folder)!r}: {error.strerror}") from error


def _get_folders(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _normalize(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _diff(path: str, data: bytes, text: str) -> tuple[str, int | None]:
    """Return a unified diff from *data* to *text*, and the first line that differs."""
    old = _split(_normalize(data).decode(errors="replace"))
    new = _split(text)
    equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    diff = difflib.unified_diff(old, new, path, f"{path} (generated)", lineterm="")
    return "\n".join(map(escape, diff)), equal + 1


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else [*lines[:-1], f"{lines[-1]} (no line end)"]


def _make_finding(difference: Difference, prefix: str, severity: Severity) -> Finding:
    path = prefix + difference.path
    related = (Related(difference.diff, path),) if difference.diff else ()
    return Finding(
        difference.rule,
        severity,
        f"{escape(repr(path))} {difference.reason}",
        path=path,
        line=difference.line,
        subject=Subject(document=path),
        related=related,
        fix=difference.fix,
    )
