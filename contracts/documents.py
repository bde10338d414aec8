"""Documents: which files a command means, and what kind of document each is."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

from .json_values import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .drafts import Dialect
    from .source import Source

CONTRACT_SUFFIX = ".contract.json"
SCHEMA_SUFFIX = ".schema.json"
FIXTURES = "fixtures"
"""The name of the folders that hold fixtures, not documents."""

Role = Literal["contract", "schema"]


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One file of contracts or schemas, read."""

    uri: str
    """Its identity: where it was read from."""
    base: str
    """The URI that relative references start from, unless an identifier changes it."""
    path: str
    """What its module is named by: relative to the PATH given, with ``/``."""
    source: Source
    dialect: Dialect
    role: Role
    generated: bool = True
    """False for what comes with JSON Schema itself."""

    @property
    def value(self) -> object:
        """The JSON value of the file."""
        return self.source.value


@dataclass(frozen=True, slots=True)
class Input:
    """A file that a command means, and the path that its module is named by."""

    file: Path
    path: str


def find_inputs(
    paths: Sequence[Path], on_error: Callable[[OSError], object] | None = None
) -> tuple[Input, ...]:
    """Return the files meant by *paths*, each once, in a stable order.

    A folder yields its contracts and schemas, and names them relative to itself; of
    two folders, one in the other, the outer one names. A file named outright is named
    relative to the nearest common folder of all paths, as are files of two folders
    that would else be named alike. Folders for fixtures and hidden folders are passed
    over.

    Args:
        paths: What is neither a folder nor a file yields nothing.
        on_error: Is told of each folder that cannot be listed.
    """
    # not resolve(): a link is named as the user names it
    absolute = sorted({Path(os.path.abspath(path)) for path in paths})  # noqa: PTH100
    common = _find_common_folder(absolute)
    found: dict[Path, str] = {}
    # a folder sorts before what is in it
    for folder in absolute:
        if os.path.isdir(folder):  # noqa: PTH112 # never raises, whatever the name
            for file in _walk(folder, on_error):
                found.setdefault(file, file.relative_to(folder).as_posix())
    for file in absolute:
        if os.path.isfile(file):  # noqa: PTH113 # as above
            found.setdefault(file, file.relative_to(common).as_posix())
    _tell_apart(found, common)
    return tuple(sorted((Input(*one) for one in found.items()), key=lambda one: one.path))


def _tell_apart(found: dict[Path, str], common: Path) -> None:
    """Name files that are named alike relative to the common folder, until none are."""
    while True:
        count = Counter(found.values())
        alike = [file for file, name in found.items() if count[name] > 1]
        if not alike:
            return
        for file in alike:
            found[file] = file.relative_to(common).as_posix()


def _walk(folder: Path, on_error: Callable[[OSError], object] | None) -> Iterable[Path]:
    for parent, folders, files in os.walk(folder, onerror=on_error):
        folders[:] = sorted(
            name for name in folders if name != FIXTURES and not name.startswith(".")
        )
        for name in sorted(files):
            if name.endswith((CONTRACT_SUFFIX, SCHEMA_SUFFIX)):
                yield Path(parent, name)


def _find_common_folder(paths: Iterable[Path]) -> Path:
    folders = [path.parent if os.path.isfile(path) else path for path in paths]  # noqa: PTH113
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def get_stem(path: str) -> str:
    """Return the file name of *path* without the suffix that says what it is."""
    name = PurePosixPath(path).name
    for suffix in (CONTRACT_SUFFIX, SCHEMA_SUFFIX, ".json"):
        if name.endswith(suffix) and name != suffix:
            return name.removesuffix(suffix)
    return name


def get_role(path: str, value: object, *, in_dialect: bool) -> Role:
    """Tell what a document is: a contract by its name or by what it says in our dialect."""
    if path.endswith(CONTRACT_SUFFIX):
        return "contract"
    is_service = in_dialect and is_object(value) and ("service" in value or "members" in value)
    return "contract" if is_service else "schema"
