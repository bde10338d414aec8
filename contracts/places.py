"""Places: where the keywords of the dialect hold schemas in a contract file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .json_values import is_object, is_schema
from .slips import is_object_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .drafts import Schema
    from .model import Location


def find_contract_schemas(root: Location, value: object) -> Iterator[tuple[Location, Schema]]:
    """Yield the schemas of a contract, in the order of the dialect; what is none is passed over."""
    for location, candidate in _find_places(root, value):
        if is_schema(candidate):
            yield location, candidate


def _find_places(root: Location, value: object) -> Iterator[tuple[Location, object]]:
    if not is_object(value):
        return
    service = value.get("service")
    if is_object(service) and "key" in service:
        yield root / "service" / "key", service["key"]
    for name, member in _items(value.get("members")):
        at = root / "members" / name
        if is_object(member):
            params = member.get("params")
            if is_object_schema(params):  # a mistake, of which the parts are schemas all the same
                yield at / "params", params
                params = None
            for parameter, schema in _items(params):
                yield at / "params" / parameter, schema
            for keyword in ("result", "value", "payload"):
                if keyword in member:
                    yield at / keyword, member[keyword]
    for code, case in _items(value.get("errors")):
        if is_object(case) and "data" in case:
            yield root / "errors" / code / "data", case["data"]
    for name, schema in _items(value.get("$defs")):
        yield root / "$defs" / name, schema


def _items(value: object) -> Iterator[tuple[str, object]]:
    if is_object(value):
        yield from value.items()
