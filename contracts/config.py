"""Settings: what ``[tool.pi-contracts]`` of a pyproject.toml says, and what is wrong with it.

Checked by hand: every mistake of one table is a finding with its place, and no
library has to be loaded. See docs/design/cli.md.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from .findings import UNREADABLE, Finding, Severity, Subject, escape, quote
from .read import NOT_READ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

FILE_NAME: Final = "pyproject.toml"
TypesKind: TypeAlias = Literal["typed-dict", "pydantic"]
"""The kinds of types that can be generated."""
LEVELS: Final = ("error", "warning", "note", "off")
"""What a rule can be set to."""
_LONGEST_TIMEOUT: Final = 3600
_TIMEOUT: Final = f"a number of seconds above 0, at most {_LONGEST_TIMEOUT}"
_MOST_LISTED: Final = 20
_TABLE: Final = ("tool", "pi-contracts")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is configured; paths are absolute, and unset ones None or empty."""

    contracts: tuple[Path, ...] = ()
    out: Path | None = None
    types: TypesKind | None = None
    manifest: Path | None = None
    map: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """Folder by the prefix of the URIs that are looked up in it."""
    rules: Mapping[str, str] = field(default_factory=dict[str, str])
    """Level by rule."""
    acceptances: tuple[Mapping[str, object], ...] = ()
    boundaries: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Prefixes of modules that must not be loaded, by host kind."""
    timeout: float | None = None
    """Seconds that the setup of one facet may take."""
    text: str = field(default="", compare=False, repr=False)
    """The file that says all this, in which places can be found."""

    def choose_timeout(self, given: float | None, refuse: Callable[[str], object]) -> float | None:
        """Return how long a setup may take; what was *given* wins, or is refused."""
        if given is not None and not _is_timeout(given):
            refuse(f"--timeout takes {_TIMEOUT}")
        return self.timeout if given is None else given


class InvalidMapError(ValueError):
    """A mapping of a prefix to a folder that cannot be meant."""


def join_map(configured: Mapping[str, Path], pairs: Iterable[str]) -> dict[str, Path]:
    """Return the folder of each prefix; *pairs*, each ``PREFIX=DIR``, win.

    Raises:
        InvalidMapError: A pair is none, or a folder is not there.
    """
    joined = dict(configured)
    for pair in pairs:
        prefix, _, path = pair.partition("=")
        if not prefix or not path:
            raise InvalidMapError(f"--map takes PREFIX=DIR, found {pair!r}")
        joined[prefix] = Path(path)
    for prefix, folder in joined.items():
        if not folder.is_dir():
            shown = Path(os.path.relpath(folder)).as_posix()
            raise InvalidMapError(f"the prefix {prefix!r} is mapped to {shown!r}: no such folder")
    return joined


def find_settings(start: Path) -> Path | None:
    """Return the nearest pyproject.toml from *start* upward that has our table.

    A file that is broken and speaks of us counts: it is for the user to mend.
    """
    for folder in (start, *start.parents):
        file = folder / FILE_NAME
        try:
            text = file.read_text("utf-8", "replace")
        except OSError:
            continue
        if "pi-contracts" in text and _has_table(text):
            return file
    return None


def _has_table(text: str) -> bool:
    try:
        tool: object = tomllib.loads(text).get(_TABLE[0], {})
    except tomllib.TOMLDecodeError:
        return True
    return isinstance(tool, dict) and _TABLE[1] in tool


def read_settings(
    file: Path, name: str, list_rules: Callable[[], Mapping[str, str]]
) -> tuple[Settings, tuple[Finding, ...]]:
    """Read the settings in *file*; without a valid table they are those of none.

    Args:
        file: A TOML file.
        name: How findings name it.
        list_rules: Gives every rule that a level can be set for; called where one is set.
    """
    try:
        text = file.read_bytes().decode()
    except OSError as problem:
        return _refuse(name, f"the file cannot be read: {problem.strerror}")
    except UnicodeDecodeError:
        return _refuse(name, "the file is not UTF-8")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        return _refuse_text(name, str(problem))
    tool = document.get(_TABLE[0])
    table: object = cast("dict[str, Any]", tool).get(_TABLE[1]) if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        return _refuse(name, "the file has no table [tool.pi-contracts]")
    checker = _Checker(name, text, file.parent, list_rules)
    settings = checker.check(cast("dict[str, Any]", table))
    return settings, tuple(checker.findings)


def _refuse(name: str, message: str) -> tuple[Settings, tuple[Finding, ...]]:
    return Settings(), (_fault(name, message, ()),)


def _refuse_text(name: str, problem: str) -> tuple[Settings, tuple[Finding, ...]]:
    """Take the place out of the parser's message, which ends in it."""
    message, _, place = problem.partition(" (at ")
    numbers = [int(digits) for digits in re.findall("[0-9]+", place)]
    line, column = numbers if len(numbers) == 2 else (None, None)  # noqa: PLR2004
    message = f"malformed TOML: {message[:1].lower()}{message[1:]}"
    return Settings(), (_fault(name, message, (), line=line, column=column),)


def _fault(
    name: str,
    message: str,
    path: tuple[str | int, ...],
    *,
    line: int | None = None,
    column: int | None = None,
    fix: str | None = None,
) -> Finding:
    tokens = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    return Finding(
        "invalid-configuration",
        Severity.ERROR,
        message,
        path=name,
        line=line,
        column=column,
        pointer="".join(f"/{token}" for token in tokens),
        subject=Subject(document=name, detail=message),
        fix=fix,
    )


class _Checker:
    """Makes settings of one table, and notes what is wrong with it."""

    def __init__(
        self, name: str, text: str, folder: Path, list_rules: Callable[[], Mapping[str, str]]
    ) -> None:
        self.name = name
        self.text = text
        self.folder = folder
        self.list_rules = list_rules
        self.findings: list[Finding] = []
        self.takes: dict[str, Callable[[Any], object]] = {
            "contracts": self._take_folders,
            "out": lambda value: self._take_path(("out",), value),
            "types": self._take_types,
            "manifest": lambda value: self._take_path(("manifest",), value),
            "map": self._take_map,
            "rules": self._take_rules,
            "acceptances": self._take_acceptances,
            "boundaries": self._take_boundaries,
            "timeout": self._take_timeout,
        }

    def check(self, table: dict[str, Any]) -> Settings:
        values: dict[str, Any] = {}
        for key, value in table.items():
            take = self.takes.get(key)
            if take is None:
                self._note_unknown((key,), f"unknown key {quote(key)}", key, self.takes)
                continue
            taken = take(value)
            if taken is not None:
                values[key] = taken
        return Settings(**values, text=self.text)

    def _note(self, path: tuple[str | int, ...], message: str, fix: str | None = None) -> None:
        from .toml_places import find_near_place  # noqa: PLC0415 # only where something is wrong

        full = (*_TABLE, *path)
        line, column = find_near_place(self.text, full) or (None, None)
        finding = _fault(self.name, message, full, line=line, column=column, fix=fix)
        self.findings.append(finding)

    def _note_unknown(
        self, path: tuple[str | int, ...], what: str, name: str, known: Mapping[str, Any]
    ) -> None:
        import difflib  # noqa: PLC0415 # only where something is wrong

        close = difflib.get_close_matches(name, known, n=1)
        hint = f'; did you mean "{close[0]}"?' if close else ""
        listed = f"known are {', '.join(sorted(known))}"
        if len(known) > _MOST_LISTED:  # of rules alone there are so many
            listed = "pi-contracts explain lists them"
        self._note(path, what + hint, f'write "{close[0]}"' if close else listed)

    def _refuse(self, path: tuple[str | int, ...], expected: str) -> None:
        where = ".".join(escape(str(part)) for part in path)
        self._note(path, f'"{where}" takes {expected}')

    def _take_text(self, path: tuple[str | int, ...], value: object, what: str) -> str | None:
        if isinstance(value, str) and value and "\0" not in value:
            return value
        self._refuse(path, what)
        return None

    def _take_path(self, path: tuple[str | int, ...], value: object) -> Path | None:
        text = self._take_text(path, value, "a path, as a string")
        # not resolve(): findings name files as the settings do
        return None if text is None else Path(os.path.normpath(self.folder / text))

    def _take_folders(self, value: object) -> tuple[Path, ...] | None:
        if not isinstance(value, list):
            self._refuse(("contracts",), "an array of paths")
            return None
        items = enumerate(cast("list[object]", value))
        return _drop_none(self._take_path(("contracts", index), item) for index, item in items)

    def _take_types(self, value: object) -> TypesKind | None:
        if value in ("typed-dict", "pydantic"):
            return value
        self._refuse(("types",), '"typed-dict" or "pydantic"')
        return None

    def _take_timeout(self, value: object) -> float | None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and _is_timeout(cast("float", value)):
            return float(cast("float", value))
        self._refuse(("timeout",), _TIMEOUT)
        return None

    def _take_table(self, path: tuple[str | int, ...], value: object) -> dict[str, Any]:
        if isinstance(value, dict):
            return cast("dict[str, Any]", value)
        self._refuse(path, "a table")
        return {}

    def _take_map(self, value: object) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for prefix, item in self._take_table(("map",), value).items():
            path = self._take_path(("map", prefix), item)
            if not prefix:
                self._note(("map", prefix), "a prefix is empty", "name the beginning of a URI")
            elif path is not None:
                found[prefix] = path
        return found

    def _take_rules(self, value: object) -> dict[str, str]:
        found: dict[str, str] = {}
        table = self._take_table(("rules",), value)
        known: Mapping[str, str] = self.list_rules() if table else {}
        for rule, level in table.items():
            if rule not in known:
                self._note_unknown(("rules", rule), f"unknown rule {quote(rule)}", rule, known)
            elif level not in LEVELS:
                self._refuse(("rules", rule), "one of " + ", ".join(f'"{one}"' for one in LEVELS))
            elif rule in UNREADABLE | NOT_READ and level != "error":
                message = f"{quote(rule)} says that a file was not read, and stays an error"
                self._note(("rules", rule), message, "remove this line")
            else:
                found[rule] = level
        return found

    def _take_acceptances(self, value: object) -> tuple[dict[str, Any], ...] | None:
        if not isinstance(value, list):
            self._refuse(("acceptances",), "an array of tables")
            return None
        from .compat.acceptances import parse_acceptances  # noqa: PLC0415 # rarely configured

        taken: list[dict[str, Any]] = []
        for index, item in enumerate(cast("list[object]", value)):
            path = ("acceptances", index)
            if not isinstance(item, dict):
                self._refuse(path, "a table")
                continue
            table = cast("dict[str, Any]", item)
            _, faults = parse_acceptances([table])
            for fault in faults:
                problem = fault.message.partition(": ")[2]
                self._note(path, f"an acceptance is not understood: {problem}", fault.fix)
            taken.append(table)
        return tuple(taken)

    def _take_boundaries(self, value: object) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for kind, prefixes in self._take_table(("boundaries",), value).items():
            path = ("boundaries", kind)
            if not isinstance(prefixes, list):
                self._refuse(path, "an array of module prefixes")
                continue
            expected = "the prefix of a module, as a string"
            items = enumerate(cast("list[object]", prefixes))
            found[kind] = _drop_none(
                self._take_text((*path, index), prefix, expected) for index, prefix in items
            )
        return found


def _is_timeout(seconds: float) -> bool:
    return 0 < seconds <= _LONGEST_TIMEOUT


def _drop_none(items: Iterator[Any]) -> tuple[Any, ...]:
    return tuple(item for item in items if item is not None)
