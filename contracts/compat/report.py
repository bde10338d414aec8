"""Findings: what a comparison has to say, as every command says it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec
from pi_contracts.contracts.findings import Finding, Related, Severity, Subject, escape, quote

from .decide import Kind
from .services import make_fingerprint
from .verdicts import Direction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_contracts.contracts.documents import Document
    from pi_contracts.contracts.model import Location

    from .compare import CompatReport
    from .services import Change, Generation, ServiceReport

_RULES: Final = {
    Kind.COMPATIBLE: "compat-unnamed-error",
    Kind.UNDECLARED: "compat-undeclared",
    Kind.UNDECIDED: "compat-undecided",
    Kind.BREAKING: "compat-breaking",
}
_SEVERITIES: Final = {
    Kind.COMPATIBLE: Severity.WARNING,
    Kind.UNDECLARED: Severity.WARNING,
    Kind.UNDECIDED: Severity.ERROR,
    Kind.BREAKING: Severity.ERROR,
}
"""Of what breaks old consumers; what breaks new ones sets the order, and is a note."""
_FIXES: Final = {
    Kind.COMPATIBLE: None,
    Kind.UNDECLARED: "declare the member in both generations, or close the object",
    Kind.UNDECIDED: "simplify what differs, or accept it by its fingerprint",
    Kind.BREAKING: "keep what was accepted before, or accept the break by its fingerprint",
}
_ACCEPT: Final = ", or accept the break by its fingerprint"
_KEPT: Final = {
    "discriminator-changed": "keep the discriminator, and send other events by another member",
    "error-data-removed": "keep sending the data",
    "kind-changed": "keep the member, and give that of the other kind another name",
    "member-removed": "keep the member and mark it deprecated until no consumer uses it",
    "mode-changed": "keep the mode, and give the service of the other mode another id",
    "reference-changed": "keep what it returns, and return the other by another method",
    "result-changed": "keep what it returns, and return the other by another method",
    "result-removed": "keep returning something that the old result allows",
    "scopes-narrowed": "keep the scopes of before",
    "service-removed": "keep the service and mark it deprecated until no consumer uses it",
}
"""How not to break old consumers, of changes that are not about what flows."""


def make_findings(report: CompatReport) -> tuple[Finding, ...]:
    """Return the findings of a comparison."""
    return tuple(one for service in report.services for one in _report_service(service))


def _report_service(service: ServiceReport) -> Iterator[Finding]:
    for change in service.changes:
        yield _report_change(service, change)
    if service.old is None or service.new is None:
        return
    if service.needs_version:
        yield _report_version(service.service, service.old, service.new)
    if service.moved is not None:
        yield _report_move(service.service, service.new, service.moved[0])


def _report_change(service: ServiceReport, change: Change) -> Finding:
    is_note = change.direction is Direction.NEW_CONSUMER and not change.is_warning
    severity = Severity.NOTE if is_note else _SEVERITIES[change.kind]
    generation = service.new or service.old
    assert generation is not None  # noqa: S101 # a service is in one of both
    document = _get_document(generation)
    what = quote(service.service) + (f", {change.flow}" if change.flow else "")
    finding = document.source.find(
        _RULES[change.kind],
        f"{what} {_word(change)} ({change.rule})",
        change.pointer,
        severity=severity,
        subject=Subject(
            document=document.source.path,
            service=service.service,
            member=change.member,
            detail=change.rule,
        ),
        fix=None if is_note else _choose_fix(change),
    )
    return msgspec.structs.replace(
        finding,
        direction=change.direction.value,
        flow=change.flow,
        witness=msgspec.Raw(msgspec.json.encode(change.witness))
        if change.has_witness
        else msgspec.UNSET,
        related=_relate(service, change),
        fingerprint=make_fingerprint(service.service, change),
    )


def _choose_fix(change: Change) -> str | None:
    if change.kind is not Kind.BREAKING:
        return _FIXES[change.kind]
    if change.flow is None:
        return _KEPT[change.rule] + _ACCEPT
    if change.is_sent_by_provider:
        return "keep to what was sent before" + _ACCEPT
    return _FIXES[change.kind]


def _word(change: Change) -> str:
    """Word a change, with who is broken by it."""
    match change.kind:
        case Kind.BREAKING:
            return f"breaks {change.direction.consumers}: {change.text}"
        case Kind.UNDECLARED:
            return f"breaks {change.direction.consumers} by undeclared members: {change.text}"
        case Kind.UNDECIDED:
            return f"may break {change.direction.consumers}: {change.text}"
        case Kind.COMPATIBLE:
            return f"leaves {change.direction.consumers} without a name: {change.text}"


def _relate(service: ServiceReport, change: Change) -> tuple[Related, ...]:
    """Return where the older generation says it, and what in the newer one it comes from."""
    if service.old is None or service.new is None:
        return ()
    source = _get_document(service.old).source
    place = source.find_place(change.pointer)
    older = Related("the older generation", source.path, place.line, place.column)
    origin = change.origin
    if origin is None or _is_within(origin, service.new.contract.document, change.pointer):
        return (older,)
    source = service.new.catalogue.documents[origin.document].source
    place = source.find_place(origin.pointer, of_key=True)
    return (Related("it comes from this", source.path, place.line, place.column), older)


def _is_within(place: Location, document: str, pointer: str) -> bool:
    return place.document == document and f"{place.pointer}/".startswith(f"{pointer}/")


def _report_move(service: str, new: Generation, before: str) -> Finding:
    source = _get_document(new).source
    message = (
        f"the contract of {quote(service)} has moved from {escape(before)}: nothing breaks on the"
        " wire, since the id has stayed; imports of its module have to follow"
    )
    subject = Subject(document=source.path, service=service)
    return source.find("compat-moved", message, "", severity=Severity.NOTE, subject=subject)


def _report_version(service: str, old: Generation, new: Generation) -> Finding:
    document = _get_document(new)
    version = new.contract.version
    finding = document.source.find(
        "version-not-raised",
        f"{quote(service)} breaks old consumers, and its version {_say_version(old, new)}",
        "/service/version",
        subject=Subject(document=document.source.path, service=service),
        fix=f'set "version" to {old.contract.version + 1} in "service"',
    )
    facts = msgspec.json.encode(["version-not-raised", service, old.contract.version, version])
    digest = hashlib.sha256(facts).hexdigest()[:16]
    return msgspec.structs.replace(finding, fingerprint=digest)


def _say_version(old: Generation, new: Generation) -> str:
    before, after = old.contract.version, new.contract.version
    return f"is still {after}" if before == after else f"went back from {before} to {after}"


def _get_document(generation: Generation) -> Document:
    return generation.catalogue.documents[generation.contract.document]
