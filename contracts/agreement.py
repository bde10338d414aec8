"""What documents must agree on: names given once, references that lead somewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import Finding, Severity, Subject, escape
from .json_values import find_nearest, is_object
from .lone_refs import VoidParts
from .meaning import list_calls
from .model import Location, Mode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .catalogue import Catalogue, Duplicate, Node, Reference
    from .documents import Document


class Unread(set[str]):
    """The URIs of files that have findings of their own, by which they are left out.

    That a reference into one of them leads nowhere is no news.
    """

    has_folders = False
    """Whether a folder could not be listed, so that any file may be missing."""


def check_agreement(catalogue: Catalogue, unread: Unread) -> Iterator[Finding]:
    """Yield names taken twice and references that lead nowhere.

    *unread* are files that are left out; what follows from that is not reported.
    """
    for duplicate in catalogue.duplicates:
        yield _word_duplicate(catalogue, duplicate)
    void = VoidParts(catalogue)
    for reference in catalogue.get_references():
        if reference.target is None and not _follows(reference, unread):
            yield _word_reference(catalogue, reference, void.find(reference))
    yield from _check_services(catalogue, unread)


def _follows(reference: Reference, unread: Unread) -> bool:
    """Tell whether that a reference is broken follows from a file that is left out."""
    if reference.is_found:
        return False
    return unread.has_folders or reference.uri in unread or reference.file in unread


_NAMING = {
    "duplicate-anchor": ("anchor", ("$anchor", "$dynamicAnchor", "$id", "id")),
    "duplicate-id": ("identifier", ("$id", "id")),
}
"""Of each rule what is named twice, and the keywords that may name it."""


def _word_duplicate(catalogue: Catalogue, duplicate: Duplicate) -> Finding:
    rule, name, first, second = duplicate
    source = catalogue.documents[second.document].source
    schema = catalogue.find_value(second)
    keywords = (
        ("$id", "id") if rule == "duplicate-id" else ("$anchor", "$dynamicAnchor", "$id", "id")
    )
    said = [one for one in keywords if is_object(schema) and one in schema]
    kind = "identifier" if rule == "duplicate-id" else "anchor"
    where = escape(catalogue.name_location(first))
    return source.find(
        rule,
        f'the {kind} "{escape(name)}" is taken: {where} has it',
        (second / said[0]).pointer,
        subject=Subject(document=source.path, detail=name),
        fix="give one of the two another name",
    )


def _word_reference(catalogue: Catalogue, reference: Reference, above: Node | None) -> Finding:
    """Word that a reference is broken; *above* has the lone ``$ref`` that makes it void."""
    source = catalogue.documents[reference.location.document].source
    value = escape(reference.value)
    if reference.rule == "ambiguous-ref":
        message = f'"{value}" may mean two things: {escape(reference.problem)}'
        fix = "write the identifier or the path in full, or give the files identifiers that differ"
    else:
        message = f'"{value}" leads nowhere: {escape(reference.problem)}'
        fix = "correct the part after #, or add what it names"
        if not reference.is_found:
            fix = "correct it, give that file too, or map its prefix: --map PREFIX=DIR"
    if above is not None:
        draft = above.dialect.draft.label
        message += f"; it changes nothing, since {draft} passes over what stands beside a $ref"
        fix = "remove what stands beside that $ref, or put the $ref into an allOf"
    severity = Severity.ERROR if above is None else Severity.WARNING
    at = (reference.location / reference.keyword).pointer
    subject = Subject(document=source.path, detail=reference.value)
    return source.find(reference.rule, message, at, severity=severity, subject=subject, fix=fix)


def _check_services(catalogue: Catalogue, unread: Unread) -> Iterator[Finding]:
    owners: dict[str, str] = {}
    modes: dict[str, object] = {}
    contracts = [one for one in catalogue.documents.values() if one.role == "contract"]
    for document in contracts:
        service, mode = _identify(document)
        if service is None:
            continue
        modes.setdefault(service, mode)
        first = owners.setdefault(service, document.uri)
        if first != document.uri:
            path = escape(catalogue.documents[first].source.path)
            yield document.source.find(
                "duplicate-id",
                f'the service id "{escape(service)}" is taken: {path} has it',
                "/service/id",
                subject=Subject(document=document.source.path, service=service),
                fix="give one of the two another id",
            )
    for document in contracts:
        for name, member in list_calls(document.value):
            returned = member.get("returns")
            if isinstance(returned, str) and returned:
                at = Location(document.uri, "") / "members" / name / "returns"
                yield from _check_returns(catalogue, at, returned, modes, unread)


def _identify(document: Document) -> tuple[str | None, object]:
    """Return the id of a service, if it has one, and its mode, whatever else is wrong there."""
    service = document.value.get("service") if is_object(document.value) else None
    if not is_object(service):
        return None, None
    identity, mode = service.get("id"), service.get("mode")
    return identity if isinstance(identity, str) and identity else None, mode


def _check_returns(
    catalogue: Catalogue, at: Location, service: str, modes: dict[str, object], unread: Unread
) -> Iterator[Finding]:
    """Yield what is wrong with a service that a method returns."""
    source = catalogue.documents[at.document].source
    subject = Subject(document=source.path, detail=service)
    name = escape(service)
    if service in modes:
        if modes[service] in (Mode.SINGLETON, Mode.KEYED):
            message = (
                f'"returns" names the service "{name}" of mode {modes[service]};'
                " only services of mode reference are returned"
            )
            fix = "give that service the mode reference, or return data"
            yield source.find("unresolved-ref", message, at.pointer, subject=subject, fix=fix)
    elif not unread and not unread.has_folders and not _has_unknown(catalogue):
        near = find_nearest(service, modes)
        hint = f'; did you mean "{escape(near)}"?' if near else ""
        message = f'"returns" names the service "{name}", and no contract given has this id{hint}'
        fix = "give its contract too, or correct the id"
        yield source.find("unresolved-ref", message, at.pointer, subject=subject, fix=fix)


def _has_unknown(catalogue: Catalogue) -> bool:
    """Tell whether a contract does not say which service it is of."""
    return any(
        document.role == "contract" and _identify(document)[0] is None
        for document in catalogue.documents.values()
    )
