"""A contract and its fixtures to start from, and how an editor learns the dialect."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .documents import CONTRACT_SUFFIX, FIXTURES
from .drafts import DIALECT
from .findings import Finding, Severity, Subject, escape
from .names import capitalize

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNSAFE: Final = re.compile(r'[\\:*?"<>|\x00-\x1f\x7f-\x9f\ud800-\udfff]')
_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]+")
"""What can stand in a URI as it is."""
_LONGEST: Final = 100
"""In bytes of UTF-8; the longest name of a fixture adds some fifty."""


class InvalidNameError(ValueError):
    """A name that is no name of a service, or of no file."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f'"{escape(name)}" cannot name a contract: {problem}')


@dataclass(frozen=True, slots=True)
class Scaffold:
    """The files of a new contract, not yet written."""

    contract: Path
    files: Mapping[Path, str]

    def write(self) -> tuple[Finding, ...]:
        """Write every file, or none where one is there already or cannot be written."""
        there = [file for file in self.files if os.path.lexists(file)]
        there = [self.contract] if self.contract in there else there
        if there:
            return tuple(
                _fault(file, "the file is there already", "choose another name, or move it away")
                for file in there
            )
        written: list[Path] = []
        for file, text in self.files.items():
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("x", encoding="utf-8", newline="\n") as stream:
                    written.append(file)
                    stream.write(text)
            except OSError as problem:
                for one in written:
                    one.unlink()
                message = f"the file cannot be written: {problem.strerror}"
                return (_fault(file, message, "check the folder and its permissions"),)
        return ()


def make_scaffold(name: str) -> Scaffold:
    """Return the files of a contract called *name*, which may stand behind a folder.

    Raises:
        InvalidNameError: A contract cannot have this name.
    """
    folder, _, last = name.replace(os.sep, "/").rpartition("/")
    last = last.removesuffix(CONTRACT_SUFFIX)
    if not last:
        raise InvalidNameError(name, "it is empty")
    if last[0] in ".$" or last[-1] in ". ":
        raise InvalidNameError(name, "it begins with . or $, or ends with . or a space")
    if _UNSAFE.search(name):
        raise InvalidNameError(name, "it holds a character that file names do not take everywhere")
    if len(last.encode()) > _LONGEST:
        raise InvalidNameError(name, f"it is longer than {_LONGEST} bytes")
    root = Path(f"{folder}/" if folder or name.startswith("/") else ".")
    contract = root / f"{last}{CONTRACT_SUFFIX}"
    title = capitalize(last)
    fixtures = {
        root / FIXTURES / f"{last}.{subject}.{verdict}.json": _print(value)
        for subject, examples in _make_examples(title).items()
        for verdict, value in zip(("valid", "invalid"), examples, strict=True)
    }
    return Scaffold(contract, {contract: _print(_make_contract(last, title)), **fixtures})


def say_next_steps(scaffold: Scaffold) -> str:
    """Return what was written, and what to do with it; one line a step."""
    contract = scaffold.contract
    folder, fixtures = contract.parent, contract.parent / FIXTURES
    settings = {
        "json.schemas": [
            {
                "fileMatch": [f"*{CONTRACT_SUFFIX}"],
                "url": DIALECT,
                "schema": {"$ref": find_dialect_file().as_uri()},
            }
        ]
    }
    return f"""\
Wrote {contract.as_posix()} and {len(scaffold.files) - 1} fixtures in {fixtures.as_posix()}.

Next:
  1. Say in {contract.name} what the service is.
  2. pi-contracts check {folder.as_posix()}
  3. pi-contracts gen {folder.as_posix()} --out services

For completion and hints while you type, tell your editor where the dialect's schema is:
  {find_dialect_file()}
In VS Code, put this into .vscode/settings.json:
{json.dumps(settings, indent=2)}
"""


def find_dialect_file() -> Path:
    """Return the file of the schema that contract files are written by."""
    return Path(str(resources.files("pi_contracts.contracts") / "meta" / "dialect.schema.json"))


def _make_contract(name: str, title: str) -> dict[str, Any]:
    entry, entry_id, state = f"{title}Entry", f"{title}EntryId", f"{title}State"
    return {
        "$schema": DIALECT,
        **({"$id": f"{name}{CONTRACT_SUFFIX}"} if _PLAIN.fullmatch(name) else {}),
        "title": title,
        "description": "What the service is for, in one sentence.",
        "service": {
            "id": name,
            "mode": "singleton",
            "scopes": ["session"],
            "version": 1,
            "stability": "experimental",
        },
        "members": {
            "state": {
                "kind": "state",
                "description": "What every consumer sees, kept up to date.",
                "value": {"$ref": f"#/$defs/{state}"},
            },
            "rename": {
                "kind": "method",
                "description": "Give an entry another label; return the entry as it is then.",
                "params": {
                    "entryId": {"description": "Which entry.", "$ref": f"#/$defs/{entry_id}"},
                    "label": {
                        "description": "The new label.",
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 200,
                    },
                },
                "result": {"$ref": f"#/$defs/{entry}"},
                "errors": ["unknown_entry"],
            },
        },
        "errors": {
            "unknown_entry": {
                "description": "There is no entry with this id.",
                "data": {
                    "type": "object",
                    "properties": {"id": {"$ref": f"#/$defs/{entry_id}"}},
                    "required": ["id"],
                    "additionalProperties": False,
                },
            }
        },
        "$defs": {
            entry_id: {
                "description": "What tells entries apart.",
                "type": "string",
                "pattern": "^[a-z0-9-]+$",
                "maxLength": 100,
            },
            entry: {
                "description": "One entry.",
                "type": "object",
                "properties": {
                    "id": {"$ref": f"#/$defs/{entry_id}"},
                    "label": {"type": "string", "minLength": 1, "maxLength": 200},
                },
                "required": ["id", "label"],
                "additionalProperties": False,
            },
            state: {
                "description": "All entries, in order.",
                "type": "object",
                "properties": {
                    "entries": {
                        "type": "array",
                        "items": {"$ref": f"#/$defs/{entry}"},
                        "maxItems": 1000,
                    }
                },
                "required": ["entries"],
                "additionalProperties": False,
            },
        },
    }


def _make_examples(title: str) -> dict[str, tuple[object, object]]:
    """Return for each payload a value that fits its schema and one that does not."""
    entry = {"id": "first", "label": "The first entry"}
    return {
        "state": ({"entries": [entry]}, {"entries": [entry], "count": 1}),
        "rename.params": ({"entryId": "first", "label": "New"}, {"entryId": "first", "label": ""}),
        "rename.result": (entry, {"id": "first"}),
        "unknown_entry.error": ({"id": "second"}, {}),
        f"{title}EntryId": ("first", "not an id"),
        f"{title}Entry": (entry, {**entry, "label": 5}),
        f"{title}State": ({"entries": []}, {"entries": None}),
    }


def _print(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _fault(file: Path, message: str, fix: str) -> Finding:
    name = file.as_posix()
    subject = Subject(document=name)
    return Finding(
        "unwritable-output", Severity.ERROR, message, path=name, subject=subject, fix=fix
    )
