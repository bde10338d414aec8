"""Rules about objects: whether they are open, and how a member can be absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_contracts.contracts.findings import escape
from pi_contracts.contracts.json_values import is_array, is_object
from pi_contracts.contracts.model import Method

from .lint import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_contracts.contracts.model import Location

    from .lint import Lint

_DECIDING: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
_DESCRIBING: Final = frozenset({"properties", "patternProperties"})
_JOINED: Final = frozenset({"allOf", "then", "else", "dependentSchemas"})
"""Keywords whose schemas add to the one they stand in."""
_CHOSEN: Final = frozenset({"anyOf", "oneOf"})


def find_open_objects(lint: Lint) -> Iterator[Fault]:
    """Yield objects that do not say whether they take members that are not named."""
    pending = [(top, _is_part(lint, top)) for top in reversed(lint.tops)]
    while pending:
        location, decided = pending.pop()
        decided = decided or _decides(lint, location)
        if not decided and _describes_object(lint, location):
            yield Fault(
                location,
                "the object takes members that it does not name, and does not say so: when "
                "one is named later, old senders may have sent something else under that name",
                'add "additionalProperties": false, or true if it is meant '
                '("unevaluatedProperties" beside allOf and $ref)',
            )
            decided = True
        below = [
            (place, keyword in _JOINED or (keyword in _CHOSEN and decided))
            for keyword, place in lint.descend(location)
        ]
        pending.extend(reversed(below))


def find_nullable_optionals(lint: Lint) -> Iterator[Fault]:
    """Yield members and parameters that may be absent and may be null."""
    for location, schema in lint.schemas:
        properties, required = schema.get("properties"), schema.get("required")
        for name in properties if is_object(properties) else ():
            place = location / "properties" / name
            if not (is_array(required) and name in required) and _takes_null(lint, place):
                yield _word_optional(f'the member "{escape(name)}"', place)
    for member in lint.contract.members:
        for parameter in member.params if isinstance(member, Method) else ():
            if not parameter.required and _takes_null(lint, parameter.schema):
                yield _word_optional(f'the parameter "{escape(parameter.name)}"', parameter.schema)


def _word_optional(what: str, place: Location) -> Fault:
    message = f"{what} may be left out and may be null: two kinds of absence, which readers mix up"
    return Fault(place, message, "require it, or do not let it be null", of_key=True)


def _decides(lint: Lint, location: Location) -> bool:
    return any(_DECIDING & lint.get_keywords(part).keys() for part in lint.find_parts(location))


def _describes_object(lint: Lint, location: Location) -> bool:
    """Tell whether a schema itself, or what it joins by allOf, describes objects."""
    schema = lint.get_keywords(location)
    if schema.keys() & {"const", "enum"}:
        return False
    is_own = _DESCRIBING & schema.keys() or "object" in lint.list_types(location)
    if is_own or "allOf" not in schema:
        return bool(is_own)
    return any(
        _DESCRIBING & lint.get_keywords(part).keys() or "object" in lint.list_types(part)
        for part in lint.find_parts(location)
    )


def _is_part(lint: Lint, top: Location) -> bool:
    """Tell whether a definition is used only where another schema adds to it and decides."""
    if top in lint.payloads:
        return False
    uses = lint.uses.get(top, ())
    return bool(uses) and all(_adds(lint, use) for use in uses)


def _adds(lint: Lint, use: Location) -> bool:
    if (_DECIDING | _DESCRIBING) & lint.get_keywords(use).keys():
        return True
    above = use.pointer.split("/")[-2:]
    return above[-1] in {"then", "else"} or above[0] in {"allOf", "dependentSchemas"}


def _takes_null(lint: Lint, location: Location) -> bool:
    """Tell whether a schema lets a value be null on purpose: by name, not by saying nothing."""
    seen: set[Location] = set()
    pending = [location]
    while pending:
        place = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        for part in lint.find_parts(place):
            schema = lint.get_keywords(part)
            enum = schema.get("enum")
            if "type" in schema and "null" not in lint.list_types(part):
                break
            if "null" in lint.list_types(part) or ("const" in schema and schema["const"] is None):
                return True
            if is_array(enum):
                if None in enum:
                    return True
                break
            for keyword in _CHOSEN:
                branches = schema.get(keyword)
                count = len(branches) if is_array(branches) else 0
                pending.extend(part / keyword / index for index in range(count))
    return False
