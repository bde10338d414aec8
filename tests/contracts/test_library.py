from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import jsonschema_rs
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = Any
Schema = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "contracts" / "library"
FIXTURES = LIBRARY / "fixtures"
BASE = "https://library.invalid/"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
LARGEST_SAFE = 2**53 - 1
LINE_LIMIT = 100
# A description opens with a sentence that a docstring can open with.
SENTENCE = re.compile(r"[^\n]{1,79}\.(\n\n.*\S)?", re.DOTALL)

MODES = {
    "accounts": "singleton",
    "chat": "singleton",
    "diff-review": "keyed",
    "diff-review-manager": "singleton",
    "git": "singleton",
    "index": "singleton",
    "index-job": "reference",
    "models": "singleton",
    "question-dialog": "keyed",
    "session-directory": "singleton",
    "session-management": "singleton",
}
SERVER_SERVICES = {"session-directory", "session-management"}

# What the runtime answers by itself, in any service.
RUNTIME_CODES = {
    *("cancelled", "disconnected", "unknown_service", "service_not_allowed"),
    *("unknown_member", "mode_mismatch", "invalid_arguments", "invalid_result"),
    *("stale_instance", "unknown_instance", "stale_reference", "not_attached"),
    *("not_authorized", "unknown_session", "session_unavailable", "service_not_implemented"),
    *("contract_mismatch", "protocol_version", "protocol_error", "too_large"),
    *("overflow", "internal"),
}

# The keywords that the library makes do with, by what their values hold.
SUBSCHEMAS = {"items", "propertyNames", "additionalProperties"}
SUBSCHEMA_ARRAYS = {"oneOf", "anyOf"}
LEAF_KEYWORDS = {
    *("$ref", "type", "const", "enum", "required", "pattern", "minimum", "maximum"),
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    *("description", "format", "$comment"),
}


def load(path: Path) -> Json:
    """Return the JSON of a file; a name that stands twice in an object fails."""

    def refuse_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), f"{path.name}: a name stands twice in {names}"
        return dict(pairs)

    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=refuse_duplicates)


# Frames carry the payloads of any contract, so their schema is open where these tests want bounds;
# tests/runtime/protocol/test_schema.py judges it.
DOCUMENTS: dict[str, Schema] = {
    path.name: load(path)
    for path in sorted(LIBRARY.glob("*.json"))
    if path.name != "wire.schema.json"
}
CONTRACTS = {
    name.removesuffix(".contract.json"): document
    for name, document in DOCUMENTS.items()
    if name.endswith(".contract.json")
}
REGISTRY = jsonschema_rs.Registry(
    [
        (BASE + name, {**doc, "$schema": DRAFT, "$id": BASE + name})
        for name, doc in DOCUMENTS.items()
    ]
)


class Schemas(NamedTuple):
    """The schemas of a document by fixture subject, with the pointers they stand at."""

    stem: str
    subjects: dict[str, Schema]
    """What a fixture of the subject is validated with."""
    positions: dict[str, Schema]
    """Each schema that stands in the file, by pointer."""


def collect(name: str) -> Schemas:
    """Return what a document says of payloads and definitions."""
    document = DOCUMENTS[name]
    found = Schemas(name.split(".", 1)[0], {}, {})

    def add(subject: str | None, schema: Schema, *tokens: str) -> Schema:
        pointer = "/" + "/".join(tokens)
        found.positions[pointer] = schema
        reference = {"$ref": f"{BASE}{name}#{pointer}"}
        if subject is not None:
            found.subjects[subject] = reference
        return reference

    for member, spec in document.get("members", {}).items():
        at = ("members", member)
        match spec["kind"]:
            case "state":
                add(member, spec["value"], *at, "value")
            case "events":
                add(member, spec["payload"], *at, "payload")
            case kind:
                assert kind == "method"
                params = {
                    param: add(None, schema, *at, "params", param)
                    for param, schema in spec.get("params", {}).items()
                }
                found.subjects[f"{member}.params"] = {
                    "type": "object",
                    "properties": params,
                    "required": [p for p in params if p not in spec.get("optional", [])],
                    "additionalProperties": False,
                }
                if "result" in spec:
                    add(f"{member}.result", spec["result"], *at, "result")
    for code, case in document.get("errors", {}).items():
        if "data" in case:
            add(f"{code}.error", case["data"], "errors", code, "data")
    for definition, schema in document.get("$defs", {}).items():
        add(definition, schema, "$defs", definition)
    if "key" in document.get("service", {}):
        add("$key", document["service"]["key"], "service", "key")
    return found


COLLECTED = {schemas.stem: schemas for schemas in map(collect, DOCUMENTS)}
SUBJECTS = {
    f"{stem}.{subject}": schema
    for stem, schemas in COLLECTED.items()
    for subject, schema in schemas.subjects.items()
}
FIXTURE_PATHS = sorted(path for path in FIXTURES.iterdir() if not path.match("wire.*"))


def walk(schema: Schema, place: str) -> Iterator[tuple[str, Schema]]:
    """Yield a schema and every schema in it; a keyword that is not known here fails."""
    yield place, schema
    for keyword, value in schema.items():
        at = f"{place}/{keyword}"
        if keyword in SUBSCHEMAS and isinstance(value, dict):
            yield from walk(cast("Schema", value), at)
        elif keyword in SUBSCHEMA_ARRAYS:
            for index, branch in enumerate(value):
                yield from walk(branch, f"{at}/{index}")
        elif keyword == "properties":
            for name, inner in value.items():
                yield from walk(inner, f"{at}/{name}")
        else:
            closed = keyword == "additionalProperties" and value is False
            assert closed or keyword in LEAF_KEYWORDS, f"{at}: a keyword these tests do not judge"


EVERY_SCHEMA = {
    place: inner
    for stem, schemas in COLLECTED.items()
    for pointer, schema in schemas.positions.items()
    for place, inner in walk(schema, f"{stem}#{pointer}")
}


def follow(schema: Schema, name: str) -> tuple[Schema, str]:
    """Return the schema that a chain of references leads to, and its document's name."""
    while "$ref" in schema:
        target, fragment = schema["$ref"].split("#/$defs/")
        name = target or name
        schema = DOCUMENTS[name]["$defs"][fragment]
    return schema, name


def branches(schema: Schema, name: str) -> list[Schema]:
    """Return what a union's branches are, or the one schema that is no union."""
    schema, name = follow(schema, name)
    return [follow(branch, name)[0] for branch in schema.get("oneOf", [schema])]


def where(place: str) -> str:
    """Return the name of the document that a place of `EVERY_SCHEMA` lies in."""
    stem = place.split("#", 1)[0]
    return next(name for name in DOCUMENTS if name.split(".", 1)[0] == stem)


def admits(schema: Schema, kind: str) -> bool:
    types = schema.get("type")
    return types == kind or (isinstance(types, list) and kind in types)


def complaints(schema: Schema) -> list[str]:
    """Return what keeps a schema from bounding the values it admits."""
    said: list[str] = []
    if admits(schema, "object"):
        closed = schema.get("additionalProperties")
        if closed is None:
            said.append("an object that is open")
        elif closed is not False and not {"propertyNames", "maxProperties"} <= schema.keys():
            said.append("a map without bounds")
        elif closed is False and schema["required"] != list(schema["properties"]):
            said.append("an optional property: business absence is null")
    if admits(schema, "array") and not {"items", "maxItems"} <= schema.keys():
        said.append("an array without bounds")
    if admits(schema, "string") and "maxLength" not in schema:
        said.append("a string without a longest length")
    if admits(schema, "number"):
        said.append("a number that is no integer")
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if admits(schema, "integer") and (low < -LARGEST_SAFE or high > LARGEST_SAFE):
        said.append("an integer beyond what every JSON parser keeps")
    if not schema.keys() & {"type", "const", "enum", "$ref", "oneOf", "anyOf"}:
        said.append("a schema that admits every type")
    return said


def test_the_library_has_a_contract_for_each_service() -> None:
    assert {name: doc["service"]["mode"] for name, doc in CONTRACTS.items()} == MODES
    assert DOCUMENTS.keys() - {f"{name}.contract.json" for name in MODES} == {"scalars.schema.json"}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_file_is_named_by_its_id_and_laid_out_for_reading(name: str) -> None:
    text = (LIBRARY / name).read_text(encoding="utf-8")
    assert DOCUMENTS[name]["$id"] == name
    assert text.endswith("}\n")
    lines = [
        line for line in text.splitlines() if not re.match(r' *"(description|pattern)": ', line)
    ]
    assert max(map(len, lines)) <= LINE_LIMIT
    assert not [line for line in lines if (len(line) - len(line.lstrip())) % 2]


@pytest.mark.parametrize("service", CONTRACTS)
def test_a_contract_says_where_it_lives_and_what_it_promises(service: str) -> None:
    document = CONTRACTS[service]
    order = ["$schema", "$id", "title", "description", "service", "members", "errors", "$defs"]
    assert list(document) == [keyword for keyword in order if keyword in document]
    assert document["$schema"] == "urn:pi-contracts:dialect:1"
    head = dict(document["service"])
    assert head.pop("id") == service
    assert head.pop("version") == 1
    assert head.pop("stability") == "experimental"
    mode = head.pop("mode")
    assert (head.pop("key", None) is not None) == (mode == "keyed")
    # A reference is handed over by a method and never provided, so it has no scope.
    scope = "server" if service in SERVER_SERVICES else "session"
    assert head == ({} if mode == "reference" else {"scopes": [scope]})


@pytest.mark.parametrize("service", CONTRACTS)
def test_methods_and_errors_agree(service: str) -> None:
    document = CONTRACTS[service]
    declared = document.get("errors", {})
    raised: set[str] = set()
    for member in document["members"].values():
        if member["kind"] != "method":
            continue
        raised.update(member.get("errors", []))
        assert set(member.get("optional", [])) <= member.get("params", {}).keys()
        assert not {"result", "returns"} <= member.keys()
        if "returns" in member:
            assert MODES[member["returns"]] == "reference"
    assert raised == declared.keys()
    assert not declared.keys() & RUNTIME_CODES
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", code) for code in declared)


def test_wire_names_are_camel_case_and_definitions_pascal_case() -> None:
    names = [
        name
        for document in CONTRACTS.values()
        for member, spec in document["members"].items()
        for name in (member, *spec.get("params", ()))
    ]
    names += [name for schema in EVERY_SCHEMA.values() for name in schema.get("properties", ())]
    definitions = [name for document in DOCUMENTS.values() for name in document.get("$defs", ())]
    assert [name for name in names if not re.fullmatch("[a-z]+([A-Z][a-z]+)*", name)] == []
    assert [name for name in definitions if not re.fullmatch("([A-Z][a-z]+)+", name)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_everything_is_described(name: str) -> None:
    document = DOCUMENTS[name]
    texts = {"": document["description"]}
    for group in ("members", "errors", "$defs"):
        texts |= {
            f"/{group}/{key}": v.get("description") for key, v in document.get(group, {}).items()
        }
    for member, spec in document.get("members", {}).items():
        for param, schema in spec.get("params", {}).items():
            texts[f"/members/{member}/params/{param}"] = schema.get("description")
    stem = name.split(".", 1)[0]
    for place, schema in EVERY_SCHEMA.items():
        if not place.startswith(f"{stem}#"):
            continue
        for key, inner in schema.get("properties", {}).items():
            texts[f"{place}/properties/{key}"] = inner.get("description")
        if admits(schema, "object"):
            texts[place] = schema.get("description")
    assert document["title"]
    assert [place for place, text in texts.items() if not SENTENCE.fullmatch(text or "")] == []


def test_every_object_is_closed_and_every_value_bounded() -> None:
    said = {place: complaints(schema) for place, schema in EVERY_SCHEMA.items()}
    assert {place: texts for place, texts in said.items() if texts} == {}


def test_the_branches_of_a_union_differ_in_one_constant() -> None:
    """Unions are `oneOf`; `anyOf` does nothing but add null."""
    for place, schema in EVERY_SCHEMA.items():
        assert "anyOf" not in schema or schema["anyOf"][1:] == [{"type": "null"}], place
        if "oneOf" not in schema:
            continue
        found = branches(schema, where(place))
        tags = [
            [branch["properties"][key]["const"] for branch in found]
            for key in found[0]["properties"]
            if all("const" in branch["properties"].get(key, {}) for branch in found)
        ]
        assert len(tags) == 1, f"{place}: one discriminator is wanted"
        assert len(tags[0]) == len(set(tags[0])), f"{place}: two branches have one tag"


def test_events_are_told_apart_by_their_discriminator() -> None:
    found = [
        (service, member)
        for service, document in CONTRACTS.items()
        for member in document["members"].values()
        if member["kind"] == "events"
    ]
    assert {service for service, _ in found} == {"git", "session-directory"}
    for service, member in found:
        for branch in branches(member["payload"], f"{service}.contract.json"):
            assert "const" in branch["properties"][member["discriminator"]]


def test_references_resolve_and_every_definition_is_used() -> None:
    used: set[tuple[str, str]] = set()
    for place, schema in EVERY_SCHEMA.items():
        if "$ref" in schema:
            target, fragment = schema["$ref"].split("#/$defs/")
            name = target or where(place)
            assert fragment in DOCUMENTS[name]["$defs"], f"{place}: leads nowhere"
            used.add((name, fragment))
    defined = {
        (name, key) for name, document in DOCUMENTS.items() for key in document.get("$defs", ())
    }
    assert defined == used


def test_schemas_are_correct_2020_12() -> None:
    for place, schema in EVERY_SCHEMA.items():
        assert jsonschema_rs.meta.is_valid({"$schema": DRAFT, **schema}), place


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_payload_or_definition_has_a_valid_and_an_invalid_fixture(subject: str) -> None:
    for verdict in ("valid", "invalid"):
        assert (FIXTURES / f"{subject}.{verdict}.json").is_file()


@pytest.mark.parametrize("path", FIXTURE_PATHS, ids=lambda path: path.name)
def test_a_fixture_belongs_to_a_payload_and_is_judged_as_its_name_says(path: Path) -> None:
    match = re.fullmatch(r"(.+)\.(valid|invalid)(-[2-9])?\.json", path.name)
    assert match
    schema = {"$schema": DRAFT, **SUBJECTS[match[1]]}
    validator = jsonschema_rs.validator_for(schema, registry=REGISTRY, offline=True)
    errors = list(validator.iter_errors(load(path)))
    # One fault each: more would hide which of them the schema catches.
    assert len(errors) == (match[2] == "invalid"), [error.message for error in errors]


def test_fixtures_stay_apart_where_file_names_ignore_case() -> None:
    assert len({path.name.casefold() for path in FIXTURE_PATHS}) == len(FIXTURE_PATHS)


def test_the_page_of_the_library_names_all_there_is() -> None:
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## `([^`]+)`\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE))
    assert sections.keys() == CONTRACTS.keys()
    for service, document in CONTRACTS.items():
        first = document["description"].partition("\n\n")[0]
        assert first in sections[service]
        listed = set(re.findall(r"^\| `(\w+)", sections[service], re.MULTILINE))
        assert listed == document["members"].keys() | document.get("errors", {}).keys()
