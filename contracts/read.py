"""Reading: files in, a catalogue of documents and contracts out, and every finding."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from .agreement import check_agreement
from .catalogue import Catalogue
from .dialect import check_contract, make_contract
from .documents import Document, Input, find_inputs, get_role
from .drafts import DIALECT, Dialect, Draft, find_draft
from .findings import Finding, Severity, Subject, sort_findings
from .keywords import check_keywords
from .meta_schemas import find_dialect
from .rings import check_rings
from .source import Source, parse_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOT_READ = frozenset(
    {"invalid-json", "duplicate-key", "lone-surrogate", "too-large", "too-deep", "unreadable-file"}
)
"""Rules that mean a file did not parse; the command line exits with 3 for them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading: a catalogue of the documents that are sound, and findings."""

    catalogue: Catalogue
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether no error was found, so that code can be generated from the catalogue."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)


def read(
    paths: Sequence[Path],
    *,
    mapped: Mapping[str, Path] = MappingProxyType({}),
    base: Path | None = None,
) -> Reading:
    """Read the files that *paths* mean, and what they refer to below mapped prefixes.

    Args:
        paths: Folders and files.
        mapped: Folders by the prefix of the URIs that are looked up in them.
        base: The folder that findings name files relative to; the working directory.
    """
    return _Reader(mapped, base or Path.cwd()).read(paths)


class _Reader:
    def __init__(self, mapped: Mapping[str, Path], base: Path) -> None:
        self.mapped = dict(sorted(mapped.items(), key=lambda item: -len(item[0])))
        self.base = base
        self.catalogue = Catalogue()
        self.findings: list[Finding] = []
        self.sources: dict[str, tuple[Input, Source]] = {}
        self.unread: set[str] = set()
        """URIs of files that did not parse: references to them are no news."""
        self.tried: set[str] = set()
        self.by_identifier: dict[str, dict[str, Any]] = {}

    def read(self, paths: Sequence[Path]) -> Reading:
        for one in self._find_inputs(paths):
            self._read_source(one)
        self._note_identifiers()
        for uri, (one, source) in self.sources.items():
            self._add(uri, uri, one.path, source)
        self._follow_references()
        self.catalogue.settle()
        self._check()
        return Reading(self.catalogue, sort_findings(self.findings))

    def _find_inputs(self, paths: Sequence[Path]) -> tuple[Input, ...]:
        there = [path for path in paths if path.exists()]
        for path in paths:
            if path not in there:
                message = "there is no such file or folder"
                fix = "check the path, or the setting contracts in pyproject.toml"
                self._report("unreadable-file", Severity.ERROR, message, path, fix)
        inputs = find_inputs(there)
        if there and not inputs:
            message = "there are no *.contract.json and *.schema.json files here"
            fix = "pi-contracts new NAME makes a contract to start from"
            self._report("nothing-found", Severity.WARNING, message, there[0], fix)
        return inputs

    def _report(
        self, rule: str, severity: Severity, message: str, file: Path, fix: str | None = None
    ) -> None:
        """Note a finding about a whole file."""
        name = self._name(file)
        subject = Subject(document=name)
        self.findings.append(Finding(rule, severity, message, path=name, subject=subject, fix=fix))

    def _name(self, file: Path) -> str:
        """Return how findings name a file: relative to the base, with ``/``."""
        return Path(os.path.relpath(file, self.base)).as_posix()

    def _read_source(self, one: Input) -> None:
        uri, name = one.file.as_uri(), self._name(one.file)
        try:
            text = one.file.read_bytes()
        except OSError as problem:
            message = f"the file cannot be read: {problem.strerror}"
            self._report("unreadable-file", Severity.ERROR, message, one.file)
            self.unread.add(uri)
            return
        source = parse_source(text, name)
        if source.is_readable:
            self.sources[uri] = (one, source)
        else:
            self.findings.extend(source.findings)
            self.unread.add(uri)

    def _note_identifiers(self) -> None:
        """Note which values have which identifier, so that meta-schemas can be found."""
        for _, source in self.sources.values():
            value = source.value
            if isinstance(value, dict):
                for keyword in ("$id", "id"):
                    if isinstance(value.get(keyword), str):
                        self.by_identifier.setdefault(value[keyword].rstrip("#"), value)

    def _look_up(self, uri: str) -> object:
        """Return the value of a meta-schema among the files or below a mapped prefix."""
        value = self.by_identifier.get(uri.rstrip("#"))
        file = self._find_mapped(uri) if value is None else None
        return parse_source(file[0].read_bytes(), file[1]).value if file else value

    def _add(self, uri: str, base: str, path: str, source: Source) -> None:
        value = source.value
        dialect = find_dialect(source, self._look_up)
        if isinstance(dialect, Finding):
            self.findings.append(dialect)
        elif not isinstance(value, dict | bool):
            message = "the file holds no schema: a schema is an object, true or false"
            self.findings.append(source.find("invalid-keyword", message, ""))
        else:
            is_ours = isinstance(value, dict) and value.get("$schema") == DIALECT
            role = get_role(path, value, in_dialect=is_ours)
            self.catalogue.add(Document(uri, base, path, source, dialect, role))
            return
        self.unread.add(uri)

    def _find_mapped(self, uri: str) -> tuple[Path, str] | None:
        """Return the file that a URI below a mapped prefix means, and its path there."""
        for prefix, folder in self.mapped.items():
            if uri.startswith(prefix):
                path = unquote(uri[len(prefix) :].partition("?")[0]).lstrip("/")
                file = Path(os.path.normpath(folder.absolute() / path))
                inside = folder.absolute() in file.parents
                return (file, path) if inside and file.is_file() else None
        return None

    def _follow_references(self) -> None:
        """Take in what references mean below mapped prefixes and in JSON Schema itself."""
        while True:
            known = len(self.catalogue.documents)
            for reference in list(self.catalogue.get_references()):
                if reference.target is None and reference.uri not in self.tried:
                    self.tried.add(reference.uri)
                    self._fetch(reference.uri)
            if len(self.catalogue.documents) == known:
                return
            self.catalogue.settle()

    def _fetch(self, uri: str) -> None:
        mapped = self._find_mapped(uri)
        if mapped is not None:
            file, path = mapped
            identity = file.as_uri()
            if identity in self.catalogue.documents:
                self.catalogue.name_document(uri, identity)
                return
            self._read_source(Input(file, path))
            if identity in self.sources:
                self._add(identity, uri, path, self.sources[identity][1])
            else:
                self.unread.add(uri)
        elif "//json-schema.org/draft" in uri:
            self._add_meta_schema(uri)

    def _add_meta_schema(self, uri: str) -> None:
        import jsonschema_specifications  # noqa: PLC0415 # rarely needed

        contents = jsonschema_specifications.REGISTRY.get(uri.rstrip("#"), None)
        if contents is None:
            return
        source = Source("", uri)
        source.value = contents.contents
        dialect = Dialect(find_draft(contents.contents["$schema"]) or Draft.DRAFT202012)
        document = Document(uri, uri, uri, source, dialect, "schema", generated=False)
        self.catalogue.add(document)

    def _check(self) -> None:
        catalogue = self.catalogue
        for document in catalogue.documents.values():
            if not document.generated:
                continue
            self.findings.extend(check_keywords(catalogue, document))
            if document.role == "contract":
                findings = check_contract(document)
                self.findings.extend(findings)
                if all(finding.severity is not Severity.ERROR for finding in findings):
                    catalogue.contracts[document.uri] = make_contract(document)
        self.findings.extend(check_agreement(catalogue, self.unread))
        self.findings.extend(check_rings(catalogue))
