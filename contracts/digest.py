"""Digests: one short name for what a contract says on the wire.

The digest is the SHA-256 of the canonical JSON (RFC 8785, but integers in full
digits) of the contract with the definitions that it reaches. Annotations,
the order of keys, and the names of files and definitions do not change it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from .bundle import Arguments, Bundle, make_bundle, put, refer
from .drafts import Draft, subschemas
from .json_values import is_array, is_object
from .model import Contract, Events, Member, Method, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .catalogue import Catalogue
    from .drafts import Schema
    from .model import Location


def get_payloads(contract: Contract) -> dict[str, Location | Arguments]:
    """Return every payload of a contract by the name that its bundle gives it.

    ``select.params``, ``refresh.result``, ``state.value``, ``changed.payload``,
    ``unknown_model.data`` and ``$key``.
    """
    return dict(_name_payloads(contract))


def get_digest(contract: Contract, bundle: Bundle) -> str:
    """Return ``sha256:…`` of a contract; *bundle* is the one of all its payloads."""
    definitions = _Definitions(bundle)
    pointers = {name: definitions.number(bundle.pointers[name]) for name in sorted(bundle.pointers)}
    facts = {
        "service": {
            "id": contract.service_id,
            "mode": contract.mode.value,
            "version": contract.version,
            **({"scopes": sorted(contract.scopes)} if contract.scopes is not None else {}),
            **({"key": pointers["$key"]} if contract.key is not None else {}),
        },
        "members": {member.name: _describe(member, pointers) for member in contract.members},
        "errors": {case.code: pointers.get(f"{case.code}.data") for case in contract.errors},
        "formats": bundle.document.get("formats"),
        "definitions": definitions.get_all(),
    }
    return "sha256:" + hashlib.sha256(encode_canonically(facts)).hexdigest()


class _Definitions:
    """The definitions of a bundle, numbered in the order in which they are first needed.

    A name depends on the file and the place of a definition, a number does not.
    """

    def __init__(self, bundle: Bundle) -> None:
        self.schemas = {refer(name): schema for name, schema in bundle.document["$defs"].items()}
        self.numbers: dict[str, int] = {}

    def number(self, reference: str) -> int:
        return self.numbers.setdefault(reference, len(self.numbers))

    def get_all(self) -> list[Schema]:
        """Return every definition that is needed; those numbered last are found on the way."""
        result: list[Schema] = []
        while len(result) < len(self.numbers):
            reference = list(self.numbers)[len(result)]
            result.append(self._renumber(self.schemas[reference]))
        return result

    def _renumber(self, schema: Schema) -> Schema:
        """Return a schema with numbers for references, and with sorted sets of names."""
        if isinstance(schema, bool):
            return schema
        result = dict(schema)
        for keyword in _SETS:
            if is_array(result.get(keyword)):
                result[keyword] = sorted(result[keyword])
        for tokens, inner in sorted(subschemas(schema, Draft.DRAFT202012), key=lambda one: one[0]):
            put(result, schema, tokens, self._renumber(inner))
        if "$ref" in result:
            result["$ref"] = self.number(result["$ref"])
        return result


_SETS = ("required", "type")
"""Keywords that hold names in any order."""


def make_contract_bundle(catalogue: Catalogue, contract: Contract) -> Bundle:
    """Return the bundle of every payload of a contract."""
    return make_bundle(catalogue, get_payloads(contract), contract.document)


def encode_canonically(value: Any) -> bytes:
    """Return the canonical JSON of *value*: sorted keys, no spaces, one spelling a number."""
    return _encode(value).encode()


def _name_payloads(contract: Contract) -> Iterator[tuple[str, Location | Arguments]]:
    if contract.key is not None:
        yield "$key", contract.key
    for member in contract.members:
        if isinstance(member, State):
            yield f"{member.name}.value", member.value
        elif isinstance(member, Events):
            yield f"{member.name}.payload", member.payload
        else:
            schemas = {parameter.name: parameter.schema for parameter in member.params}
            required = tuple(one.name for one in member.params if one.required)
            yield f"{member.name}.params", Arguments(schemas, required)
            if member.result is not None:
                yield f"{member.name}.result", member.result
    for case in contract.errors:
        if case.data is not None:
            yield f"{case.code}.data", case.data


def _describe(member: Member, pointers: Any) -> dict[str, Any]:
    if isinstance(member, Method):
        facts = {
            "kind": "method",
            "params": pointers[f"{member.name}.params"],
            "errors": sorted(member.errors),
            "result": pointers.get(f"{member.name}.result"),
            "returns": member.returns,
        }
        return {name: fact for name, fact in facts.items() if fact is not None}
    if isinstance(member, State):
        return {"kind": "state", "value": pointers[f"{member.name}.value"]}
    payload = pointers[f"{member.name}.payload"]
    return {"kind": "events", "payload": payload, "discriminator": member.discriminator}


def _encode(value: Any) -> str:
    if is_object(value):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_encode(name)}:{_encode(value[name])}" for name in names) + "}"
    if is_array(value):
        return "[" + ",".join([_encode(item) for item in value]) + "]"
    if isinstance(value, float):
        return _encode_double(value)
    return json.dumps(value, ensure_ascii=False)


_LONGEST = 21
"""How many digits ECMAScript writes before it turns to an exponent."""
_SMALLEST = -6


def _encode_double(value: float) -> str:
    """Spell a double as ECMAScript does (RFC 8785, section 3.2.2.3)."""
    if not value:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if len(digits) <= point <= _LONGEST:
        return sign + digits.ljust(point, "0")
    if 0 < point <= _LONGEST:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if _SMALLEST < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if digits[1:] else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"
