"""What documents must agree on: names given once, references that lead somewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import Finding, Subject, escape
from .model import Location, Method, Mode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from .catalogue import Catalogue, Duplicate, Reference


def check_agreement(catalogue: Catalogue, unread: AbstractSet[str]) -> Iterator[Finding]:
    """Yield names taken twice and references that lead nowhere.

    *unread* are the URIs of files that have findings of their own; that a reference
    into one of them leads nowhere is no news.
    """
    for duplicate in catalogue.duplicates:
        yield _word_duplicate(catalogue, duplicate)
    for reference in catalogue.get_references():
        if reference.target is None and reference.uri not in unread:
            yield _word_reference(catalogue, reference)
    yield from _check_services(catalogue, has_unread=bool(unread))


def _word_duplicate(catalogue: Catalogue, duplicate: Duplicate) -> Finding:
    rule, name, first, second = duplicate
    source = catalogue.documents[second.document].source
    schema = catalogue.find_value(second)
    keywords = ("$id", "id") if rule == "duplicate-id" else ("$anchor", "$dynamicAnchor", "$id")
    said = [one for one in keywords if isinstance(schema, dict) and one in schema]
    kind = "identifier" if rule == "duplicate-id" else "anchor"
    return source.find(
        rule,
        f'the {kind} "{escape(name)}" is taken: {escape(catalogue.name_location(first))} has it',
        (second / said[0]).pointer if said else second.pointer,
        subject=Subject(document=source.path, detail=name),
        fix="give one of the two another name",
    )


def _word_reference(catalogue: Catalogue, reference: Reference) -> Finding:
    source = catalogue.documents[reference.location.document].source
    is_outside = reference.rule == "unresolved-ref" and not reference.is_found
    return source.find(
        reference.rule,
        f'"{escape(reference.value)}" leads nowhere: {escape(reference.problem)}'
        if reference.rule == "unresolved-ref"
        else f'"{escape(reference.value)}" may mean two things: {escape(reference.problem)}',
        (reference.location / reference.keyword).pointer,
        fix="give that file too, or map its prefix: --map PREFIX=DIR" if is_outside else None,
    )


def _check_services(catalogue: Catalogue, *, has_unread: bool) -> Iterator[Finding]:
    owners: dict[str, str] = {}
    modes: dict[str, Mode] = {}
    for uri, contract in catalogue.contracts.items():
        source = catalogue.documents[uri].source
        modes.setdefault(contract.service_id, contract.mode)
        first = owners.setdefault(contract.service_id, source.path)
        if first != source.path:
            service = contract.service_id
            yield source.find(
                "duplicate-id",
                f'the service id "{escape(service)}" is taken: {first} has it',
                "/service/id",
                subject=Subject(document=source.path, service=service),
                fix="give one of the two another id",
            )
    for uri, contract in catalogue.contracts.items():
        source = catalogue.documents[uri].source
        for member in contract.members:
            if isinstance(member, Method) and member.returns is not None:
                problem = _find_problem(member.returns, modes, has_unread=has_unread)
                if problem:
                    at = Location(uri, "") / "members" / member.name / "returns"
                    yield catalogue.documents[uri].source.find(
                        "unresolved-ref", problem, at.pointer
                    )


def _find_problem(service: str, modes: dict[str, Mode], *, has_unread: bool) -> str | None:
    name = escape(service)
    if service not in modes:
        if has_unread:
            return None
        return f'"returns" names the service "{name}", and no contract given has this id'
    if modes[service] is not Mode.REFERENCE:
        return (
            f'"returns" names the service "{name}" of mode {modes[service]};'
            " only services of mode reference are returned"
        )
    return None
