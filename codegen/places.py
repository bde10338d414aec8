"""Which name a schema's place gives to its type: the path from the nearest thing that has a name.

A name depends on the path alone and, for a branch of a union, on what the branch
says itself: neighbours rename nothing, and neither do titles.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pi_contracts.contracts.catalogue import unescape
from pi_contracts.contracts.documents import get_stem
from pi_contracts.contracts.drafts import ANNOTATIONS
from pi_contracts.contracts.json_values import is_array, is_object
from pi_contracts.contracts.model import Contract, Location, Method, State
from pi_contracts.contracts.names import LONGEST, capitalize, digest, shorten

from .merge import as_dict, as_list, find_reference, get_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_contracts.contracts.catalogue import Catalogue

    from .merge import Node

_DEFINITIONS = ("$defs", "definitions")
_NAMED = ("properties", "dependentSchemas", "dependencies")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_WORDS = {
    "additionalItems": "Rest",
    "additionalProperties": "Value",
    "items": "Item",
    "propertyNames": "Key",
    "unevaluatedItems": "Rest",
    "unevaluatedProperties": "Value",
}
_MANY_REQUIRED = 3


_LONGEST_PATH = 1_000


class Place(NamedTuple):
    """The name that a place gives, and what tells the place apart from others of that name."""

    name: str
    path: str
    """The pointer, but for branches of unions, which are told apart by their content."""
    exact: bool = False
    """The file spells the name so."""


def find_place(catalogue: Catalogue, location: Location) -> Place:
    """Return the name that the place of a schema gives to its type."""
    document = catalogue.documents[location.document]
    tokens = [unescape(token) for token in location.pointer.split("/")[1:]]
    is_contract = document.role == "contract"
    place = Place("" if is_contract else capitalize(get_stem(document.path)), "")
    value: Any = document.value
    if is_contract and tokens[:1] != ["$defs"]:
        place, used = _find_payload(tokens, document.value)
        for token in tokens[:used]:
            value = _step(value, token)
        tokens = tokens[used:]
    while tokens:
        take = _count_tokens(tokens, value)
        schema = value
        for token in tokens[:take]:
            schema = _step(schema, token)
        place = extend(place, tokens[:take], schema)
        value, tokens = schema, tokens[take:]
    return place


def extend(place: Place, tokens: list[str], schema: object) -> Place:
    """Return the place of *schema*, which stands below another one's place."""
    name, path, exact = _extend(place, tokens, schema)
    if len(name) > 2 * LONGEST:
        name = shorten(name)
    return Place(name, path if len(path) < _LONGEST_PATH else digest(path, 64), exact)


def _extend(place: Place, tokens: list[str], schema: object) -> Place:
    keyword, name = tokens[0], tokens[-1]
    path = f"{place.path}/{'/'.join(tokens)}"
    if len(tokens) == 1:
        return Place(place.name + (_WORDS.get(keyword) or capitalize(keyword)), path)
    if keyword in _DEFINITIONS:
        word = capitalize(name)
        return Place(word, path, exact=word == name and not place.path)
    if keyword in _NAMED:
        return Place(place.name + capitalize(name), path)
    if keyword in {"anyOf", "oneOf"}:
        return extend_branch(place, schema)
    if keyword in {"prefixItems", "items"}:
        return Place(f"{place.name}Item{name}", path)
    return Place(place.name + ("Value" if keyword == "patternProperties" else ""), path)


def extend_branch(place: Place, schema: object) -> Place:
    """Return the place of a branch of a union, which its own content names."""
    return Place(place.name + name_branch(schema), f"{place.path}/|{_digest_content(schema)}")


def extend_reference(catalogue: Catalogue, place: Place, branch: Location) -> Place:
    """Return the place of a branch; one that only refers is named by what it refers to."""
    schema = get_schema(catalogue, branch)
    target = find_reference(catalogue, branch)
    below = extend_branch(place, schema)
    if target is None or isinstance(schema, bool) or "$ref" not in schema:
        return below
    word = find_place(catalogue, target).name
    return Place(place.name + word, below.path)


def find_below(
    catalogue: Catalogue, node: Node, place: Place, location: Location, tokens: list[str] | None
) -> Place:
    """Return the place of a schema below *node*; of one that stands elsewhere, its own."""
    parent = node[0].location
    if len(node) > 1 or location.document != parent.document:
        return find_place(catalogue, location)
    below = location.pointer.removeprefix(parent.pointer).split("/")
    if not location.pointer.startswith(parent.pointer + "/") or len(below) > 3:  # noqa: PLR2004 # a keyword and a name
        return find_place(catalogue, location)
    schema = get_schema(catalogue, location)
    return extend_branch(place, schema) if tokens is None else extend(place, tokens, schema)


def name_branch(schema: object) -> str:
    """Return the word for a branch: its tag, else what it requires, else a digest of it."""
    properties = as_dict(as_dict(schema).get("properties"))
    required = [one for one in as_list(as_dict(schema).get("required")) if isinstance(one, str)]
    tags = [(name, tag) for name in properties if (tag := _find_tag(properties[name])) is not None]
    tags.sort(key=lambda one: (one[0] not in required, not isinstance(one[1], str)))
    if tags:
        return capitalize(_word_tag(tags[0][1]))
    if required and len(required) <= _MANY_REQUIRED:
        return "With" + "".join(map(capitalize, sorted(required)))
    if properties or required:
        return f"Option{digest(json.dumps(sorted({*properties, *required})))}"
    return ""


def _find_tag(schema: object) -> object:
    schema = as_dict(schema)
    values = [schema["const"]] if "const" in schema else as_list(schema.get("enum"))
    value = values[0] if len(values) == 1 else None
    return value if isinstance(value, str | int) else None


def _word_tag(tag: object) -> str:
    return tag if isinstance(tag, str) else json.dumps(tag).replace("-", "minus")


def _digest_content(schema: object) -> str:
    return digest(json.dumps(_strip(schema), sort_keys=True))


def _strip(schema: object, depth: int = 0) -> object:
    """Return a schema without its annotations, and without what lies very deep."""
    if depth > 40:  # noqa: PLR2004 # deeper than any branch that differs there alone
        return None
    if is_object(schema):
        return {
            key: _strip(item, depth + 1) for key, item in schema.items() if key not in ANNOTATIONS
        }
    return [_strip(item, depth + 1) for item in schema] if is_array(schema) else schema


def find_payloads(contract: Contract) -> Iterator[Location]:
    """Yield where the payload schemas of a contract stand."""
    for member in contract.members:
        if isinstance(member, Method):
            yield from (parameter.schema for parameter in member.params)
            if member.result is not None:
                yield member.result
        elif isinstance(member, State):
            yield member.value
        else:
            yield member.payload
    for case in contract.errors:
        if case.data is not None:
            yield case.data
    if contract.key is not None:
        yield contract.key


def _find_payload(tokens: list[str], contract: object) -> tuple[Place, int]:
    """Return the place of a payload of a contract, and how many tokens lead to it."""
    path = "".join(f"/{token}" for token in tokens)
    match tokens:
        case ["service", "key", *_]:
            service = _step(_step(contract, "service"), "id")
            return Place(f"{capitalize(str(service))}Key", path), 2
        case ["members", member, "params", parameter, *_]:
            return Place(f"{capitalize(member)}Params{capitalize(parameter)}", path), 4
        case ["members", member, role, *_]:
            return Place(capitalize(member) + capitalize(role), path), 3
        case ["errors", code, *_]:
            return Place(f"{capitalize(code)}Data", path), 3
        case _:
            return Place("", ""), 0


def _count_tokens(tokens: list[str], schema: object) -> int:
    """Return how many tokens lead to the next schema."""
    keyword = tokens[0]
    pairs = (*_DEFINITIONS, *_NAMED, "patternProperties")
    if len(tokens) > 1 and (
        keyword in pairs or (keyword in _LISTS and isinstance(_step(schema, keyword), list))
    ):
        return 2
    return 1


def _step(value: object, token: str) -> Any:
    if is_array(value):
        return value[int(token)]
    return value[token] if is_object(value) else None
