"""The two sides of a comparison: files as they are, or as a commit of git has them."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from .catalogue import Catalogue
from .documents import CONTRACT_SUFFIX, SCHEMA_SUFFIX
from .findings import Finding, Severity, Subject, escape
from .git_command import GitError
from .git_tree import GitTree
from .read import Reading, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PREFIX: Final = "git:"
_SPELLED: Final = re.compile(r"((?:\{[^}]*\}|[^:])*)(?::(.*))?", re.DOTALL)
"""A revision and a path; colons may stand in the braces of ``@{10:00}``."""
LEFT_OUT: Final = "unreadable-file"
"""The rule of what a side should have and could not be read."""


class InvalidSideError(ValueError):
    """A side that says too little to be found."""


class Side(NamedTuple):
    """Where one generation is: paths, and the revision of git that has them."""

    paths: tuple[Path, ...]
    revision: str | None = None
    is_implied: bool = False
    """Whether the paths are those of the other side."""

    @property
    def name(self) -> str:
        """The side as it was written."""
        paths = "" if self.is_implied else " ".join(path.as_posix() for path in self.paths)
        if self.revision is None:
            return paths
        return f"{_PREFIX}{self.revision}" + (f":{paths}" if paths else "")


def parse_sides(old: str, new: str | None, configured: Sequence[Path]) -> tuple[Side, Side]:
    """Return the sides that ``OLD [NEW]`` mean; what one leaves out, the other or settings say.

    Raises:
        InvalidSideError: A revision is empty, or nothing says which path is meant.
    """
    before = _parse(old)
    after = _parse(new) if new is not None else Side(tuple(configured))
    if not after.paths:
        if new is None:
            raise InvalidSideError("name NEW, or set contracts in [tool.pi-contracts]")
        after = after._replace(paths=tuple(configured) or before.paths, is_implied=True)
    if not after.paths:
        raise InvalidSideError(
            "name the path of NEW, as git:REF:PATH, or set contracts in [tool.pi-contracts]"
        )
    if not before.paths:
        before = before._replace(paths=after.paths, is_implied=True)
    return before, after


def _parse(text: str) -> Side:
    if not text.startswith(_PREFIX):
        return Side((Path(text),))
    spelled = _SPELLED.fullmatch(text.removeprefix(_PREFIX))
    revision, path = spelled.groups() if spelled else ("", None)
    if not revision:
        raise InvalidSideError(f'"{escape(text)}" names no revision: git:REF or git:REF:PATH')
    return Side((Path(path),) if path else (), revision)


def read_side(
    side: Side,
    mapped: Mapping[str, Path] = MappingProxyType({}),
    base: Path | None = None,
) -> Reading:
    """Read what a side has; a revision's files are named ``git:REF:path`` in findings.

    Others are named relative to *base*, or the working directory.

    A revision that lacks paths which only the other side named has no contracts yet.
    """
    if side.revision is None:
        return read(side.paths, mapped=mapped, base=base)
    try:
        return _read_revision(side, side.revision, mapped)
    except GitError as problem:
        finding = _refuse(side, str(problem), problem.fix)
        return Reading(Catalogue(), (finding,))


def _read_revision(side: Side, revision: str, mapped: Mapping[str, Path]) -> Reading:
    tree = _open_tree(revision, side.paths[0])
    wanted = _find_each(tree, {str(path): path for path in side.paths})
    lacking = [path for path in side.paths if str(path) not in wanted]
    if lacking and not side.is_implied:
        message = f'the revision "{escape(revision)}" has no {escape(lacking[0].as_posix())}'
        fix = "paths are relative to the working directory; git ls-tree lists what is there"
        return Reading(Catalogue(), (_refuse(side, message, fix),))
    if not wanted:
        return Reading(Catalogue(), ())
    inside = _find_each(tree, mapped)
    with tempfile.TemporaryDirectory(prefix="pi-contracts-") as name:
        root = Path(name).resolve()
        left = tree.export((*wanted.values(), *inside.values()), root)
        then = {prefix: root / at for prefix, at in inside.items()}
        paths = [path for path in (root / at for at in wanted.values()) if path.exists()]
        reading = read(paths, mapped={**mapped, **then}, base=root)
    named = _name_files(reading, f"{_PREFIX}{revision}:")
    return Reading(named.catalogue, (*named.findings, *_warn_of_left(revision, left)))


def _open_tree(revision: str, path: Path) -> GitTree:
    """Return the tree of the repository here, if the path is in it, else of the path's own."""
    try:
        tree = GitTree(revision, Path.cwd())
    except GitError:
        return GitTree(revision, path)
    return tree if tree.locate(path) is not None else GitTree(revision, path)


def _find_each(tree: GitTree, paths: Mapping[str, Path]) -> dict[str, str]:
    """Return where each of *paths* leads in a tree, without those that lead nowhere."""
    located = {name: tree.locate(path) for name, path in paths.items()}
    found = {name: tree.find(at) for name, at in located.items() if at is not None}
    return {name: at for name, at in found.items() if at is not None}


def _warn_of_left(revision: str, left: Sequence[str]) -> Iterator[Finding]:
    """Yield a warning for each thing of a revision that was not read and may be meant."""
    for path in left:
        is_link = path.endswith(".json")
        if is_link and not path.endswith((CONTRACT_SUFFIX, SCHEMA_SUFFIX)):
            continue
        yield Finding(
            LEFT_OUT,
            Severity.WARNING,
            "the link leads to no file of the revision, and what it should be was not read"
            if is_link
            else "this is a submodule, and what is in it was not read",
            path=_name(f"{_PREFIX}{revision}:", path),
            subject=Subject(document=path),
            fix="name a folder that has the files of then",
        )


def _refuse(side: Side, message: str, fix: str) -> Finding:
    return Finding(
        LEFT_OUT,
        Severity.ERROR,
        escape(message),
        path=side.name,
        subject=Subject(document=side.name, detail=message),
        fix=fix,
    )


def _name_files(reading: Reading, prefix: str) -> Reading:
    """Return the reading with the revision in front of the names of all its files."""
    for document in reading.catalogue.documents.values():
        if document.generated:
            document.source.path = _name(prefix, document.source.path)
    findings = tuple(
        msgspec.structs.replace(one, path=None if one.path is None else _name(prefix, one.path))
        for one in reading.findings
    )
    return Reading(reading.catalogue, findings)


def _name(prefix: str, path: str) -> str:
    """Return how a file of a revision is named; one that is mapped from elsewhere stays."""
    return path if path.startswith("..") else prefix + path
