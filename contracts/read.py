"""Reading: files in, a catalogue of documents and contracts out, and every finding."""

from __future__ import annotations

import importlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from .agreement import Unread, check_agreement
from .catalogue import Catalogue
from .dialect import check_contract, make_contract
from .documents import Document, Input, find_inputs, get_role
from .drafts import DIALECT, Dialect, Draft, find_draft
from .findings import Finding, Severity, Subject, sort_findings
from .json_values import is_object, is_schema
from .keywords import check_keywords
from .meta_schemas import check_by_meta_schema, find_dialect
from .rings import check_rings
from .source import MAX_BYTES, Source, make_printable, parse_source, refuse_size
from .uris import join, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NOT_READ = frozenset(
    {"invalid-json", "duplicate-key", "lone-surrogate", "too-large", "too-deep", "unreadable-file"}
)
"""Rules that mean a file did not parse; the command line exits with 3 for them."""
MAX_SCHEMA_DEPTH = 240
"""How deep a document may nest; the validator compiles 254 levels, of which a bundle adds some."""
_IDENTIFIER = re.compile(r'"(?:\$id|id)"\s*:\s*"([^"\\\s]+)"')


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading: a catalogue of the documents that are sound, and findings."""

    catalogue: Catalogue
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether no error was found, so that code can be generated from the catalogue."""
        return not _has_error(self.findings)


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
        # the longest prefix wins
        self.mapped = dict(sorted(mapped.items(), key=lambda item: (-len(item[0]), item[0])))
        self.base = base
        self.catalogue = Catalogue()
        self.findings: list[Finding] = []
        self.sources: dict[str, tuple[Input, Source]] = {}
        self.unread = Unread()
        self.tried: set[str] = set()
        self.paths: set[str] = set()
        self.identifiers: dict[str, object] = {}
        """Of each identifier the value that has it, so that meta-schemas can be found."""

    def read(self, paths: Sequence[Path]) -> Reading:
        for one in self._find_inputs(paths):
            source = self._load(one.file)
            if source is not None:
                self.sources[one.file.as_uri()] = (one, source)
                self._note_identifiers(source.value)
        for uri, (one, source) in self.sources.items():
            self._add(uri, uri, one.path, source)
        self._follow_references()
        self.catalogue.settle()
        self._check()
        return Reading(self.catalogue, sort_findings(self.findings))

    def _find_inputs(self, paths: Sequence[Path]) -> tuple[Input, ...]:
        there: list[Path] = []
        for path in paths:
            if os.path.isdir(path) or os.path.isfile(path):  # noqa: PTH112, PTH113 # never raise
                there.append(path)
                continue
            message = "there is no such file or folder"
            if os.path.lexists(path):
                message = "this is neither a file nor a folder, or a link that leads nowhere"
            fix = "check the path, or the setting contracts in pyproject.toml"
            self._report("unreadable-file", Severity.ERROR, message, path, fix)
            self.unread.add(Path(os.path.abspath(path)).as_uri())  # noqa: PTH100
        inputs = find_inputs(there, self._report_folder)
        if there and not inputs and not self.findings:
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

    def _report_folder(self, problem: OSError) -> None:
        message = f"the folder cannot be listed: {problem.strerror}"
        fix = "check its permissions, or leave it out"
        self._report("unreadable-file", Severity.ERROR, message, Path(problem.filename), fix)
        self.unread.has_folders = True

    def _name(self, file: Path) -> str:
        """Return how findings name a file: relative to the base, with ``/``."""
        return make_printable(Path(os.path.relpath(file, self.base)).as_posix())

    def _load(self, file: Path) -> Source | None:
        """Return what a file says, None if it cannot be read, which is reported."""
        name = self._name(file)
        try:
            size = file.stat().st_size
            source = (
                refuse_size(size, name)
                if size > MAX_BYTES
                else parse_source(file.read_bytes(), name, max_depth=MAX_SCHEMA_DEPTH)
            )
        except OSError as problem:
            message = f"the file cannot be read: {problem.strerror}"
            fix = "check that it is there and its permissions"
            self._report("unreadable-file", Severity.ERROR, message, file, fix)
            self.unread.add(file.as_uri())
            return None
        if source.is_readable:
            return source
        self.findings.extend(source.findings)
        self._leave_out(file.as_uri(), file.as_uri(), _IDENTIFIER.findall(source.text))
        return None

    def _leave_out(self, uri: str, base: str, identifiers: Iterable[str]) -> None:
        """Note that a file has findings of its own: references into it are no news."""
        self.unread.add(uri)
        self.unread.add(base)
        for identifier in identifiers:
            self.unread.add(split(join(base, identifier))[0])

    def _note_identifiers(self, value: object) -> None:
        for keyword in ("$id", "id"):
            if is_object(value) and isinstance(value.get(keyword), str):
                self.identifiers.setdefault(value[keyword].rstrip("#"), value)

    def _look_up(self, uri: str) -> object:
        """Return the value of a meta-schema among the files or below a mapped prefix."""
        key = uri.rstrip("#")
        if key not in self.identifiers:
            found = self._find_mapped(uri)
            source = self._load(found[0]) if found else None
            self.identifiers[key] = source.value if source else None
        return self.identifiers[key]

    def _add(self, uri: str, base: str, path: str, source: Source) -> None:
        value = source.value
        dialect = find_dialect(source, self._look_up)
        if isinstance(dialect, Finding):
            if not (is_object(value) and str(value["$schema"]).rstrip("#") in self.unread):
                self.findings.append(dialect)
        elif not is_schema(value):
            message = "the file holds no schema: a schema is an object, true or false"
            fix = "leave the file out, or write a schema"
            self.findings.append(source.find("invalid-keyword", message, "", fix=fix))
        else:
            in_dialect = is_object(value) and value.get("$schema") == DIALECT
            role = get_role(path, value, in_dialect=in_dialect)
            self.paths.add(path)
            self.catalogue.add(Document(uri, base, path, source, dialect, role))
            return
        self._leave_out(uri, base, _IDENTIFIER.findall(source.text))

    def _find_mapped(self, uri: str) -> tuple[Path, str] | None:
        """Return the file that a URI below a mapped prefix means, and its path there."""
        for prefix, folder in self.mapped.items():
            rest = uri.removeprefix(prefix)
            is_below = rest[:1] in {"", "/", "?", "#"} or prefix.endswith(("/", ":"))
            if uri.startswith(prefix) and is_below:
                path = unquote(rest.partition("#")[0].partition("?")[0]).lstrip("/")
                root = os.path.abspath(folder)  # noqa: PTH100 # links are named as the user does
                file = Path(os.path.normpath(Path(root, path)))
                is_inside = Path(root) in file.parents
                if is_inside and os.path.isfile(file):  # noqa: PTH113 # never raises
                    return file, file.relative_to(root).as_posix()
                return None
        return None

    def _follow_references(self) -> None:
        """Take in what references mean below mapped prefixes and in JSON Schema itself."""
        for reference in self.catalogue.get_references():
            if not reference.is_found and reference.uri not in self.tried:
                self.tried.add(reference.uri)
                self._fetch(reference.uri)

    def _fetch(self, uri: str) -> None:
        mapped = self._find_mapped(uri)
        if mapped is not None:
            file, path = mapped
            identity = file.as_uri()
            if identity in self.catalogue.documents:
                self.catalogue.name_document(uri, identity)
                return
            source = None if identity in self.unread else self._load(file)
            if source is None:
                self.unread.add(uri)
            else:
                self._add(identity, uri, self._make_unique(path, file), source)
        elif "//json-schema.org/draft" in uri:
            self._add_meta_schema(uri)

    def _make_unique(self, path: str, file: Path) -> str:
        """Return *path*, with more of the folders above the file where it is taken."""
        above = iter(file.parents[path.count("/") :])
        while path in self.paths:
            path = f"{next(above).name}/{path}"
        return path

    def _add_meta_schema(self, uri: str) -> None:
        registry: Any = importlib.import_module("jsonschema_specifications").REGISTRY
        draft = find_draft(uri)
        name = draft.value.rstrip("#") if draft else uri
        resource = registry.get(name)
        if resource is None:
            return
        if name not in self.catalogue.documents:
            source = Source("", name)
            source.value = resource.contents
            dialect = Dialect(find_draft(resource.contents["$schema"]) or Draft.DRAFT202012)
            document = Document(name, name, name, source, dialect, "schema", generated=False)
            self.catalogue.add(document)
        self.catalogue.name_document(uri, name)

    def _check(self) -> None:
        catalogue = self.catalogue
        for document in catalogue.documents.values():
            if not document.generated:
                continue
            keywords = tuple(check_keywords(catalogue, document))
            self.findings.extend(keywords)
            if not _has_error(keywords):
                self.findings.extend(check_by_meta_schema(catalogue, document))
            if document.role == "contract":
                findings = check_contract(document)
                self.findings.extend(findings)
                if not _has_error(findings):
                    catalogue.contracts[document.uri] = make_contract(document)
        self.findings.extend(check_agreement(catalogue, self.unread))
        self.findings.extend(check_rings(catalogue))


def _has_error(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)
