"""Rules about size: what a contract that is stable lets grow without end."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from pi_contracts.contracts.json_values import is_object
from pi_contracts.contracts.model import Stability

from .lint import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pi_contracts.contracts.model import Location

    from .lint import Lint

_VALUES: Final = frozenset({"const", "enum"})
_IN_PLACE: Final = frozenset({"allOf", "anyOf", "dependentSchemas", "else", "oneOf", "then"})


class _Kind(NamedTuple):
    """A kind of value that can grow, and the keyword that bounds it."""

    noun: str
    keyword: str
    grows: Callable[[Lint, Location], bool]


def _is_string(lint: Lint, location: Location) -> bool:
    return "string" in lint.list_types(location)


def _is_array(lint: Lint, location: Location) -> bool:
    schema = lint.get_keywords(location)
    is_one = "array" in lint.list_types(location) or ("type" not in schema and "items" in schema)
    return is_one and schema.get("items") is not False


def _is_map(lint: Lint, location: Location) -> bool:
    return is_object(lint.get_keywords(location).get("additionalProperties"))


def _find(kind: _Kind, lint: Lint) -> Iterator[Fault]:
    """Yield values of one kind that nothing bounds, wherever payloads lead."""
    if lint.contract.stability is not Stability.STABLE:
        return
    seen: set[tuple[Location, bool]] = set()
    told: set[Location] = set()
    pending = [(payload, False) for payload in reversed(lint.payloads)]
    while pending:
        location, bounded = pending.pop()
        if (location, bounded) in seen or not _is_ours(lint, location):
            continue
        seen.add((location, bounded))
        bounded = bounded or _bounds(kind, lint, location)
        if not bounded and location not in told and kind.grows(lint, location):
            told.add(location)
            yield Fault(
                location,
                f"the {kind.noun} has no greatest size, and the contract says that it is stable: "
                "a bound that is added later breaks those who send more",
                f'add "{kind.keyword}"',
            )
        pending.extend(reversed(list(_follow(lint, location, bounded=bounded))))


def _follow(lint: Lint, location: Location, *, bounded: bool) -> Iterator[tuple[Location, bool]]:
    """Yield where a schema leads, and whether what stands there is bounded from here."""
    if "$ref" in lint.get_keywords(location):
        target = lint.catalogue.find_target(location)
        if target is not None:
            yield target, bounded
    for keyword, place in lint.descend(location):
        if keyword not in {"$defs", "definitions"}:
            yield place, bounded and keyword in _IN_PLACE


def _bounds(kind: _Kind, lint: Lint, location: Location) -> bool:
    limits = _VALUES | {kind.keyword}
    return any(limits & lint.get_keywords(part).keys() for part in lint.find_parts(location))


def _is_ours(lint: Lint, location: Location) -> bool:
    """Tell whether somebody can edit a schema: that of JSON Schema itself nobody can."""
    return lint.catalogue.documents[location.document].generated


find_unbounded_strings = partial(_find, _Kind("string", "maxLength", _is_string))
find_unbounded_arrays = partial(_find, _Kind("array", "maxItems", _is_array))
find_unbounded_maps = partial(_find, _Kind("map", "maxProperties", _is_map))
