"""Digests: one short name for what a contract says on the wire.

The digest is the SHA-256 of the canonical JSON (RFC 8785, but integers in full
digits) of the contract with the definitions that it reaches. Annotations,
the order of keys and the place of a file do not change it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from .bundle import Arguments, Bundle, make_bundle
from .model import Contract, Events, Member, Method, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .catalogue import Catalogue
    from .model import Location


def get_payloads(contract: Contract) -> dict[str, Location | Arguments]:
    """Return every payload of a contract by the name that its bundle gives it.

    ``select.params``, ``refresh.result``, ``state.value``, ``changed.payload``,
    ``unknown_model.data`` and ``$key``.
    """
    return dict(_name_payloads(contract))


def get_digest(contract: Contract, bundle: Bundle) -> str:
    """Return ``sha256:…`` of a contract; *bundle* is the one of all its payloads."""
    pointers = bundle.pointers
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
        "schemas": bundle.document,
    }
    return "sha256:" + hashlib.sha256(encode_canonically(facts)).hexdigest()


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
    if isinstance(value, dict):
        items = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be"))
        return "{" + ",".join(f"{_encode(key)}:{_encode(item)}" for key, item in items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_encode, value)) + "]"
    if isinstance(value, float):
        return _encode_float(value)
    return json.dumps(value, ensure_ascii=False)


_EXACT = 10.0**21
_SMALL = 10.0**-6


def _encode_float(value: float) -> str:
    """Spell a double as ECMAScript does; a whole one in full digits, as integers are."""
    if value == int(value) and (abs(value) < _EXACT):
        return str(int(value))
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    power = int(exponent)
    if _SMALL <= abs(value) < _EXACT:
        return f"{value:.{len(digits.replace('.', '').lstrip('-')) - 1 - power}f}"
    return f"{digits.removesuffix('.0')}e{'+' if power > 0 else '-'}{abs(power)}"
