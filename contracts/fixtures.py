"""Fixtures: payloads beside the contracts that say which values must pass and which must not.

A fixture is judged by the bundle of its document, as generated code judges values.
How a refusal is worded is the caller's.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import jsonschema_rs
import msgspec

from .bundle import make_bundle
from .documents import CONTRACT_SUFFIX, FIXTURES, SCHEMA_SUFFIX, find_inputs, get_stem
from .findings import Finding, Related, Severity, Subject, escape
from .payloads import Payload, list_subjects
from .remains import Remains
from .soundness import find_broken
from .source import Source, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .catalogue import Catalogue
    from .documents import Document
    from .read import Reading


class Violation(Protocol):
    """Why a value is refused; as a string, in words."""

    @property
    def pointer(self) -> str:
        """Where in the value."""
        ...


Explain: TypeAlias = "Callable[[jsonschema_rs.Validator, object, dict[str, Any]], Violation | None]"
"""Says why a validator, compiled from a document, refuses a value; None if it does not."""

_ROOT: Final = "$root"
_NAME: Final = re.compile(r"(?P<name>.+)\.(?P<verdict>valid|invalid)(?:-[0-9]+)?\.json")


@dataclass(frozen=True, slots=True)
class _Fixture:
    file: Path
    target: Payload
    is_valid: bool


@dataclass(slots=True)
class _Folder:
    """One folder of documents, and whose names fixtures there can begin with."""

    path: Path
    targets: dict[str, Payload] = field(default_factory=dict[str, Payload])
    judged: set[str] = field(default_factory=set[str])
    """Stems of the documents whose fixtures are judged."""
    others: set[str] = field(default_factory=set[str])
    """Stems of files beside them that are not among the documents, or are broken."""
    documents: set[Path] = field(default_factory=set[Path])
    read: set[Path] = field(default_factory=set[Path])
    """All files that were read as documents, also those that references led to."""
    contracts: set[str] = field(default_factory=set[str])
    """Stems of the contracts among those whose fixtures are judged."""

    def take(self, stem: str, payloads: Iterable[Payload]) -> None:
        """Note the payloads of a document, by the names of their fixtures."""
        for target in payloads:
            name = f"{stem}.{target.subject}" if target.subject else stem
            self.targets.setdefault(name, target)

    def is_meant(self, file: Path) -> bool:
        """Tell whether a file is named after a contract, and yet is no contract or schema."""
        is_document = file.name.endswith((CONTRACT_SUFFIX, SCHEMA_SUFFIX)) or file in self.read
        stem = file.name.removesuffix(".json")
        return not is_document and any(stem.startswith(f"{one}.") for one in self.contracts)


@dataclass(frozen=True, slots=True)
class FixtureReport:
    """What came of the fixtures: findings, and which payloads have examples."""

    findings: tuple[Finding, ...]
    verdicts: Mapping[tuple[str, str], frozenset[bool]]
    """By document and subject: whether there are values that must pass, and that must not."""


def check_fixtures(
    reading: Reading, paths: Sequence[Path], explain: Explain, base: Path | None = None
) -> FixtureReport:
    """Judge the fixtures beside the documents of *paths*, and in folders for fixtures.

    Payloads that an error reaches are passed over.

    Args:
        reading: What came of reading *paths*.
        paths: Folders and files.
        explain: Words a refusal.
        base: The folder that findings name files relative to; the working directory.
    """
    checker = _Checker(reading.catalogue, explain, base or Path.cwd())
    checker.check(_find_folders(reading, [path for path in paths if path.exists()]))
    verdicts = {key: frozenset(found) for key, found in checker.verdicts.items()}
    return FixtureReport(tuple(checker.findings), verdicts)


def _find_folders(reading: Reading, paths: Sequence[Path]) -> list[_Folder]:
    catalogue = reading.catalogue
    broken = find_broken(reading)
    remains = Remains(reading) if broken else None
    folders: dict[Path, _Folder] = {}
    given = {one.file for one in find_inputs(paths)}
    for file in sorted(given):
        folder = folders.setdefault(file.parent, _Folder(file.parent))
        folder.documents.add(file)
        document = catalogue.documents.get(file.as_uri())
        stem = get_stem(file.name)
        if document is None or document.uri in broken:
            folder.others.add(stem)
            if document is not None and remains is not None:
                folder.take(stem, remains.list_payloads(document))
            continue
        folder.judged.add(stem)
        if document.role == "contract":
            folder.contracts.add(stem)
        folder.take(stem, list_subjects(document, catalogue.contracts.get(document.uri)))
    for path in paths:
        for parent, names, _ in os.walk(path):
            names[:] = sorted(name for name in names if not name.startswith("."))
            if FIXTURES in names:
                # not resolve(): a link is named as the user names it
                absolute = Path(os.path.abspath(parent))  # noqa: PTH100
                folders.setdefault(absolute, _Folder(absolute))
    for folder in folders.values():
        for file in folder.path.glob("*.json"):
            if file.as_uri() in catalogue.documents:
                folder.read.add(file)
            if file not in folder.documents and not _NAME.fullmatch(file.name):
                folder.others.add(get_stem(file.name))
    return sorted(folders.values(), key=lambda folder: folder.path)


class _Checker:
    def __init__(self, catalogue: Catalogue, explain: Explain, base: Path) -> None:
        self.catalogue = catalogue
        self.explain = explain
        self.base = base
        self.findings: list[Finding] = []
        self.verdicts: dict[tuple[str, str], set[bool]] = {}

    def check(self, folders: Sequence[_Folder]) -> None:
        fixtures: dict[str, list[_Fixture]] = {}
        for folder in folders:
            files = _list_files(folder)
            self._check_names(files)
            for file in files:
                match = _NAME.fullmatch(file.name)
                target = folder.targets.get(match["name"]) if match else None
                if match is None or target is None:
                    self._note_stray(folder, file, match["name"] if match else None)
                else:
                    fixture = _Fixture(file, target, match["verdict"] == "valid")
                    uri = target.document.uri
                    fixtures.setdefault(uri, []).append(fixture)
                    self.verdicts.setdefault((uri, target.subject), set()).add(fixture.is_valid)
        for uri, group in fixtures.items():
            self._judge(self.catalogue.documents[uri], group)

    def _check_names(self, files: Sequence[Path]) -> None:
        """Note files whose names some file systems do not tell apart."""
        first: dict[Path, Path] = {}
        for file in files:
            other = first.setdefault(file.with_name(file.name.casefold()), file)
            if other != file:
                name = self._name(file)
                self.findings.append(
                    Finding(
                        "confusable-fixture",
                        Severity.WARNING,
                        f"the name differs only by case from {escape(other.name)}: where file "
                        "systems do not tell case, one of the two is lost",
                        path=name,
                        subject=Subject(document=name),
                        fix="rename one of the two, and what it is named after",
                    )
                )

    def _judge(self, document: Document, fixtures: Sequence[_Fixture]) -> None:
        roots = {one.target.subject or _ROOT: one.target.root for one in fixtures}
        bundle = make_bundle(self.catalogue, roots, document.uri)
        for subject in roots:
            group = [one for one in fixtures if (one.target.subject or _ROOT) == subject]
            schema = {**bundle.document, "$ref": bundle.pointers[subject]}
            asserts = bundle.document.get("formats") == "assert"
            try:
                validator = jsonschema_rs.validator_for(
                    schema, validate_formats=asserts, offline=True
                )
            except (ValueError, jsonschema_rs.ReferencingError) as problem:
                self._note_uncompilable(group[0].target, problem)
                continue
            for fixture in group:
                self._judge_one(fixture, validator, bundle.document)

    def _judge_one(
        self, fixture: _Fixture, validator: jsonschema_rs.Validator, document: dict[str, Any]
    ) -> None:
        source = self._read(fixture.file)
        if source is None:
            return
        target = fixture.target
        what = _name_target(target)
        related = (_relate(target),)
        if not fixture.is_valid:
            if validator.is_valid(source.value):
                message = f"the fixture must be refused as {what}, and is accepted"
                fix = "tighten the schema, or name the fixture .valid.json"
                finding = source.find("fixture-accepted", message, "", fix=fix)
                self.findings.append(msgspec.structs.replace(finding, related=related))
            return
        violation = self.explain(validator, source.value, document)
        if violation is not None:
            message = f"the fixture must be accepted as {what}, and is refused: {violation}"
            fix = "change the fixture or the schema, or name the fixture .invalid.json"
            finding = source.find("fixture-refused", message, violation.pointer, fix=fix)
            self.findings.append(msgspec.structs.replace(finding, related=related))

    def _read(self, file: Path) -> Source | None:
        name = self._name(file)
        try:
            text = file.read_bytes()
        except OSError as problem:
            message = f"the fixture cannot be read: {problem.strerror}"
            subject = Subject(document=name)
            fault = Finding("unreadable-file", Severity.ERROR, message, path=name, subject=subject)
            self.findings.append(fault)
            return None
        source = parse_source(text, name)
        self.findings.extend(source.findings)
        return source if source.is_readable else None

    def _note_uncompilable(self, target: Payload, problem: Exception) -> None:
        words = escape(str(problem).partition("\n")[0])
        message = f"the schema of {_name_target(target)} does not compile: {words}"
        source = target.document.source
        self.findings.append(source.find("uncompilable-schema", message, target.pointer))

    def _name(self, file: Path) -> str:
        return Path(os.path.relpath(file, self.base)).as_posix()

    def _note_stray(self, folder: _Folder, file: Path, name: str | None) -> None:
        if name is None:
            problem = "its name does not end in .valid.json, .invalid.json or .valid-2.json"
            is_sure = file.parent != folder.path or _is_sure(file.name, folder.targets)
            self._note_unmatched(file, problem, None, is_sure=is_sure)
            return
        stem = _find_stem(name, folder.judged | folder.others)
        if stem in folder.others:
            return
        if stem is None:
            problem = "no contract or schema beside it has this name"
            close = _find_close(name.partition(".")[0], folder.judged)
            self._note_unmatched(file, problem, close)
            return
        subject = name.removeprefix(stem).removeprefix(".")
        close = _find_close(subject, {one.subject for one in folder.targets.values()})
        problem = (
            f'"{escape(stem)}" has no "{escape(subject)}"'
            if subject
            else (f'"{escape(stem)}" is a contract, and a fixture names one of its payloads')
        )
        self._note_unmatched(file, problem, close)

    def _note_unmatched(
        self, file: Path, problem: str, close: str | None, *, is_sure: bool = True
    ) -> None:
        name = self._name(file)
        hint = f'; did you mean "{escape(close)}"?' if close else ""
        fix = (
            "name it after its contract and a member, an error or a definition, "
            "such as models.select.params.valid.json"
        )
        self.findings.append(
            Finding(
                "unmatched-fixture",
                Severity.ERROR if is_sure else Severity.WARNING,
                f"the fixture belongs to nothing: {problem}{hint}"
                if is_sure
                else f"the file is named after a contract and is no fixture of it: {problem}",
                path=name,
                subject=Subject(document=name),
                fix=fix if is_sure else f"{fix}; or keep it in another folder",
            )
        )


def _list_files(folder: _Folder) -> list[Path]:
    """Return the files that are fixtures by their names or their folder, in a stable order."""
    beside = [
        file
        for file in folder.path.glob("*.json")
        if _NAME.fullmatch(file.name) or folder.is_meant(file)
    ]
    inside = (folder.path / FIXTURES).glob("*.json")
    found = {*beside, *inside} - folder.documents
    return sorted(file for file in found if not file.is_dir())


def _find_stem(name: str, stems: set[str]) -> str | None:
    """Return the longest of *stems* that *name* begins with."""
    fitting = [stem for stem in stems if name == stem or name.startswith(f"{stem}.")]
    return max(fitting, key=len, default=None)


def _is_sure(name: str, targets: Mapping[str, Payload]) -> bool:
    """Tell whether a file is meant as a fixture: by a payload in its name, or by its verdict."""
    tokens = name.casefold().removesuffix(".json").split(".")
    words = [re.split(r"[-_ ]", token)[0] for token in tokens[1:]]
    return any(name.startswith(f"{target}.") for target in targets if "." in target) or any(
        _find_close(word, {"valid", "invalid"}) for word in words
    )


def _find_close(name: str, known: set[str]) -> str | None:
    import difflib  # noqa: PLC0415 # only where something is wrong

    return next(iter(difflib.get_close_matches(name, sorted(known - {""}), n=1)), None)


def _name_target(target: Payload) -> str:
    path = escape(target.document.path)
    return f'"{escape(target.subject)}" of {path}' if target.subject else path


def _relate(target: Payload) -> Related:
    """Say where the schema stands that a fixture is judged by."""
    source = target.document.source
    place = source.find_place(target.pointer, of_key=True)
    return Related("it is judged by this", source.path, place.line, place.column)
