"""Two bare schemas: whether values of one fit the other, at a position of a service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.compat.decide import Kind
from pi_contracts.contracts.compat.flat import make_schemas
from pi_contracts.contracts.compat.flows import compare_schemas
from pi_contracts.contracts.compat.verdicts import Direction, Position, choose_order
from pi_contracts.contracts.findings import Finding, Related, Severity, Subject
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.sides import InvalidSideError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_contracts.contracts.compat.flat import FlatSchema
    from pi_contracts.contracts.compat.flows import Break, FlowReport
    from pi_contracts.contracts.documents import Document
    from pi_contracts.contracts.read import Reading

_ROOT: Final = "$root"
_RULES: Final = {
    Kind.UNDECLARED: "compat-undeclared",
    Kind.UNDECIDED: "compat-undecided",
    Kind.BREAKING: "compat-breaking",
}


def compare_bare(
    old: Reading, new: Reading, position: str
) -> tuple[tuple[Finding, ...], dict[str, Any]]:
    """Return the findings of two schemas, and the verdicts of the report.

    Raises:
        InvalidSideError: A side is not one schema file.
    """
    before, after = _get_document(old), _get_document(new)
    ends = _make_schema(old, before), _make_schema(new, after)
    flow = compare_schemas(*ends, Position(position))
    additions = {
        "verdicts": {direction.value: kind.value for direction, kind in flow.verdicts.items()},
        "order": choose_order(flow.verdicts).value,
    }
    return tuple(_report(flow, before, after)), additions


def _get_document(reading: Reading) -> Document:
    documents = [
        one
        for one in reading.catalogue.documents.values()
        if one.generated and one.base == one.uri  # what a mapped prefix brought in has another
    ]
    if len(documents) != 1 or documents[0].role != "schema":
        raise InvalidSideError("--position is for two schema files that are no contracts")
    return documents[0]


def _make_schema(reading: Reading, document: Document) -> FlatSchema:
    root = Location(document.uri, "")
    return make_schemas(make_bundle(reading.catalogue, {_ROOT: root}, document.uri))[_ROOT]


def _report(flow: FlowReport, before: Document, after: Document) -> Iterator[Finding]:
    for one in flow.breaks:
        is_old = one.direction is Direction.OLD_CONSUMER
        severity = Severity.WARNING if one.kind is Kind.UNDECLARED else Severity.ERROR
        finding = after.source.find(
            _RULES[one.kind],
            _word(flow, one),
            "",
            severity=severity if is_old else Severity.NOTE,
            subject=Subject(
                document=after.source.path,
                detail=" ".join((flow.name, one.direction.value, *flow.digests)),
            ),
        )
        yield msgspec.structs.replace(
            finding,
            direction=one.direction.value,
            flow=flow.name,
            witness=msgspec.Raw(msgspec.json.encode(one.witness))
            if one.has_witness
            else msgspec.UNSET,
            related=(Related("the older generation", before.source.path, 1, 1),),
        )


def _word(flow: FlowReport, one: Break) -> str:
    ends = (one.direction.consumer, one.direction.provider)
    sender, receiver = ends if flow.position.is_sent_by_consumer else ends[::-1]
    consumers = one.direction.consumers
    if one.explanation is None:
        return (
            f"may break {consumers}: whether {receiver} takes all that {sender} may send "
            "was neither proved nor refuted"
        )
    text = one.explanation.text.format(sender=sender, receiver=receiver)
    at = f"at {one.explanation.at}: " if one.explanation.at else ""
    how = " by undeclared members" if one.kind is Kind.UNDECLARED else ""
    verb = "may break" if one.kind is Kind.UNDECIDED else "breaks"
    return f"{verb} {consumers}{how}: {at}{text}"
