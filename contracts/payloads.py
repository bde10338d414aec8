"""Payloads: what of a document fixtures can be examples of, and what each is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .bundle import Arguments
from .json_values import is_object
from .model import Contract, Events, Location, Method, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .documents import Document


class Payload(NamedTuple):
    """What a fixture is an example of."""

    document: Document
    subject: str
    """What the name of the fixture says between the document and the verdict."""
    root: Location | Arguments
    pointer: str
    """Where in the document it stands."""


def list_payloads(document: Document, contract: Contract) -> Iterator[Payload]:
    """Yield what a contract sends and takes, in the order of its file."""
    for member in contract.members:
        at = Location(document.uri, "") / "members" / member.name
        if isinstance(member, State):
            yield Payload(document, member.name, member.value, at.pointer)
        elif isinstance(member, Events):
            yield Payload(document, member.name, member.payload, at.pointer)
        else:
            yield Payload(document, f"{member.name}.params", close(member), at.pointer)
            if member.result is not None:
                yield Payload(document, f"{member.name}.result", member.result, at.pointer)
    for case in contract.errors:
        if case.data is not None:
            yield Payload(document, f"{case.code}.error", case.data, case.data.pointer)
    if contract.key is not None:
        yield Payload(document, "$key", contract.key, contract.key.pointer)


def list_subjects(document: Document, contract: Contract | None) -> Iterator[Payload]:
    """Yield all that fixtures can be examples of; members come before definitions."""
    root = Location(document.uri, "")
    if contract is not None:
        yield from list_payloads(document, contract)
    else:
        yield Payload(document, "", root, "")
    value = document.value if is_object(document.value) else {}
    for keyword in ("$defs", "definitions"):
        definitions = value.get(keyword)
        if is_object(definitions):
            for name in definitions:
                at = root / keyword / name
                yield Payload(document, name, at, at.pointer)


def close(method: Method) -> Arguments:
    """Return the arguments object of a method."""
    required = tuple(parameter.name for parameter in method.params if parameter.required)
    return Arguments({parameter.name: parameter.schema for parameter in method.params}, required)
