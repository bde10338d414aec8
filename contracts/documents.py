"""Documents: which files a command means, and what kind of document each is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def find_inputs(paths: Sequence[Path]) -> tuple[Input, ...]:
    """Return the files meant by *paths*, each once, in a stable order.

    A folder yields its contracts and schemas, and names them relative to itself. A
    file named outright is named relative to the nearest common folder of all paths,
    as are files of two folders that would else be named alike. Folders for fixtures
    and hidden folders are passed over.

    Raises:
        FileNotFoundError: A path leads nowhere.
    """
    # not resolve(): a link is named as the user names it
    absolute = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100
    common = _common_folder(absolute)
    found: dict[Path, str] = {}
    for path in absolute:
        if path.is_dir():
            for file in _walk(path):
                found.setdefault(file, file.relative_to(path).as_posix())
        elif path.is_file():
            found.setdefault(path, path.relative_to(common).as_posix())
        else:
            raise FileNotFoundError(path)
    names = list(found.values())
    inputs = (
        Input(file, file.relative_to(common).as_posix() if names.count(name) > 1 else name)
        for file, name in found.items()
    )
    return tuple(sorted(inputs, key=lambda one: one.path))


def _walk(folder: Path) -> Iterable[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name != FIXTURES and not name.startswith(".")
        )
        for name in sorted(files):
            if name.endswith((CONTRACT_SUFFIX, SCHEMA_SUFFIX)):
                yield Path(parent, name)


def _common_folder(paths: Iterable[Path]) -> Path:
    folders = [path if path.is_dir() else path.parent for path in paths]
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
    is_service = (
        in_dialect and isinstance(value, dict) and ("service" in value or "members" in value)
    )
    return "contract" if is_service else "schema"
