from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import referencing.jsonschema
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.catalogue import Catalogue, find_embedded_draft, unescape
from pi_contracts.contracts.documents import Document
from pi_contracts.contracts.drafts import Dialect, Draft, find_draft
from pi_contracts.contracts.json_values import is_object, look_up
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.source import parse_source
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable

if TYPE_CHECKING:
    from collections.abc import Mapping

D4, D6, D7, D19, D20 = Draft
BASE = "file:///w/"
SPECIFICATIONS: dict[Draft, Any] = {
    D4: referencing.jsonschema.DRAFT4,
    D6: referencing.jsonschema.DRAFT6,
    D7: referencing.jsonschema.DRAFT7,
    D19: referencing.jsonschema.DRAFT201909,
    D20: referencing.jsonschema.DRAFT202012,
}


def make_document(path: str, value: Any, role: Any = "schema") -> Document:
    declared = value.get("$schema", D20.value) if is_object(value) else D20.value
    source = parse_source(json.dumps(value), path)
    dialect = Dialect(find_draft(declared) or D20)
    return Document(BASE + path, BASE + path, path, source, dialect, role)


def make_catalogue(files: Mapping[str, Any], role: Any = "schema") -> Catalogue:
    catalogue = Catalogue()
    for path, value in files.items():
        catalogue.add(make_document(path, value, role))
    catalogue.settle()
    return catalogue


# Of each set of files, where the reference in a.json leads: a path and a pointer.
TARGETS: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "the document": ({"a.json": {"items": {"$ref": "#"}}}, ("a.json", "")),
    "nothing but a base": ({"a.json": {"items": {"$ref": ""}}}, ("a.json", "")),
    "a pointer": ({"a.json": {"$ref": "#/$defs/b", "$defs": {"b": {}}}}, ("a.json", "/$defs/b")),
    "an escaped pointer": (
        {"a.json": {"$ref": "#/$defs/a~1b%25%20c~0", "$defs": {"a/b% c~": {}}}},
        ("a.json", "/$defs/a~1b% c~0"),
    ),
    "a pointer with a bare tilde": (
        {"a.json": {"$ref": "#/$defs/a~b", "$defs": {"a~b": {}}}},
        ("a.json", "/$defs/a~0b"),
    ),
    "a pointer through an array": (
        {
            "a.json": {
                "items": {"$ref": "#/prefixItems/1/allOf/0"},
                "prefixItems": [{}, {"allOf": [{}]}],
            }
        },
        ("a.json", "/prefixItems/1/allOf/0"),
    ),
    "an unknown keyword": (
        {"a.json": {"$ref": "#/x/y", "x": {"y": {"z": 1}}}},
        ("a.json", "/x/y"),
    ),
    "an anchor": (
        {"a.json": {"$ref": "#b", "$defs": {"c": {"$anchor": "b"}}}},
        ("a.json", "/$defs/c"),
    ),
    "a dynamic anchor": (
        {"a.json": {"$ref": "#b", "$defs": {"c": {"$dynamicAnchor": "b"}}}},
        ("a.json", "/$defs/c"),
    ),
    "another file": ({"a.json": {"$ref": "b.json"}, "b.json": {}}, ("b.json", "")),
    "a file in a folder": (
        {"a.json": {"$ref": "s/../s/b.json#"}, "s/b.json": {}},
        ("s/b.json", ""),
    ),
    "a file with a space": ({"a.json": {"$ref": "a b.json"}, "a%20b.json": {}}, ("a%20b.json", "")),
    "an escaped file": ({"a.json": {"$ref": "%62.json"}, "b.json": {}}, ("b.json", "")),
    "a file whose identifier differs": (
        {"a.json": {"$ref": "b.json#/items"}, "b.json": {"$id": "http://x/y", "items": {}}},
        ("b.json", "/items"),
    ),
    "a file, from below an identifier": (
        {"a.json": {"$id": "http://x/y", "$ref": "b.json"}, "b.json": {}},
        ("b.json", ""),
    ),
    "an identifier": (
        {
            "a.json": {"$ref": "http://x/y#c"},
            "b.json": {"$id": "http://x/y", "items": {"$anchor": "c"}},
        },
        ("b.json", "/items"),
    ),
    "an embedded identifier": (
        {
            "a.json": {"$ref": "http://x/z#/items"},
            "b.json": {"$defs": {"c": {"$id": "http://x/z", "items": {}}}},
        },
        ("b.json", "/$defs/c/items"),
    ),
    "a urn": ({"a.json": {"$ref": "urn:x:y#"}, "b.json": {"$id": "urn:x:y"}}, ("b.json", "")),
    "an identifier of draft 4": (
        {
            "a.json": {"$ref": "http://x/z#q"},
            "b.json": {"$schema": D4.value, "id": "http://x/z", "not": {"id": "#q"}},
        },
        ("b.json", "/not"),
    ),
    "an identifier with an anchor": (
        {
            "a.json": {"$ref": "http://x/z#q"},
            "b.json": {"$schema": D7.value, "not": {"$id": "http://x/z#q"}},
        },
        ("b.json", "/not"),
    ),
}
BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "no file": ({"a.json": {"$ref": "b.json"}}, "no file given has this name or identifier"),
    "backslashes": ({"a.json": {"$ref": "s\\b.json"}, "s/b.json": {}}, "separated by /, not by \\"),
    "no anchor": ({"a.json": {"$ref": "#b"}}, 'a.json has no anchor "b"'),
    "no definition": (
        {"a.json": {"$ref": "#/$defs/B", "$defs": {"b": {}}}},
        'a.json#/$defs has no "B"; did you mean "b"?',
    ),
    "definitions of another draft": (
        {"a.json": {"$ref": "#/definitions/b", "$defs": {"b": {}}}},
        'a.json has no "definitions"; did you mean "$defs"?',
    ),
    "a file of another name": (
        {"a.json": {"$ref": "models.jsn"}, "x/models.json": {}},
        'has this name or identifier; did you mean "models.json"?',
    ),
    "no definitions": ({"a.json": {"$ref": "#/$defs/b/c"}}, 'a.json has no "$defs"'),
    "a wrong index": (
        {"a.json": {"$ref": "#/allOf/01", "allOf": [{}, {}]}},
        'a.json#/allOf has no "01"',
    ),
    "no schema": (
        {"a.json": {"$ref": "#/title", "title": ""}},
        "no schema stands at a.json#/title",
    ),
    "an anchor of another draft": (
        {"a.json": {"$schema": D7.value, "$ref": "#b", "not": {"$anchor": "b"}}},
        'has no anchor "b"',
    ),
    "beside a lone reference": (
        {"a.json": {"$schema": D7.value, "$ref": "#b", "$id": "#b"}},
        'has no anchor "b"',
    ),
    "a URI that is none": (
        {"a.json": {"$ref": "//["}},
        "no file given has this name or identifier",
    ),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_reference_leads_where_the_specification_says(name: str) -> None:
    files, (path, pointer) = TARGETS[name]
    (reference,) = make_catalogue(files).get_references()
    assert reference.target == Location(BASE + path, pointer)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_reference_says_why(name: str) -> None:
    files, problem = BROKEN[name]
    (reference,) = make_catalogue(files).get_references()
    assert (reference.target, reference.rule) == (None, "unresolved-ref")
    assert problem in reference.problem


def test_hints_are_given_up_to_a_bound() -> None:
    value: dict[str, Any] = {"$defs": {"b": {}}, "anyOf": [{"$ref": "#/$defs/B"}] * 300}
    problems = [one.problem for one in make_catalogue({"a.json": value}).get_references()]
    assert "did you mean" in problems[0]
    assert "did you mean" not in problems[-1]


def test_the_schemas_of_a_document_come_in_the_order_of_the_text() -> None:
    value: dict[str, Any] = {
        "items": {"not": True},
        "$defs": {"b": {"$ref": "#/x/0"}, "a": {}},
        "x": [{"items": {}}],
    }
    catalogue = make_catalogue({"a.json": value})
    (document,) = catalogue.documents.values()
    pointers = [location.pointer for location, _ in catalogue.get_schemas(document)]
    assert pointers == ["", "/items", "/items/not", "/$defs/b", "/$defs/a", "/x/0", "/x/0/items"]


def test_a_schema_is_entered_once_from_whichever_place() -> None:
    value: dict[str, Any] = {"anyOf": [{"$ref": "#/x/not"}, {"$ref": "#/x"}], "x": {"not": {}}}
    catalogue = make_catalogue({"a.json": value})
    (document,) = catalogue.documents.values()
    pointers = [location.pointer for location, _ in catalogue.get_schemas(document)]
    assert pointers == ["", "/anyOf/0", "/anyOf/1", "/x/not", "/x"]


def test_what_holds_for_a_schema_is_that_of_its_resource() -> None:
    old = {"$schema": D7.value, "$id": "http://x/old", "not": {"$schema": D4.value}}
    catalogue = make_catalogue({"a.json": {"$id": "http://x/a", "items": old, "not": True}})
    root = Location(BASE + "a.json", "")
    assert catalogue.get_node(root).base == "http://x/a"
    assert catalogue.get_node(root / "items").resource == root / "items"
    assert catalogue.get_node(root / "items" / "not").base == "http://x/old"
    assert catalogue.get_draft(root / "items" / "not") is D7
    assert catalogue.get(root / "not") is True
    assert catalogue.find_value(root / "items" / "$schema") == D7.value
    assert catalogue.name_location(root / "items") == "a.json#/items"
    assert catalogue.name_location(root) == "a.json"


def test_a_place_that_holds_no_schema_is_refused() -> None:
    catalogue = make_catalogue({"a.json": {"title": "A", "x": {"y": {}}}})
    assert catalogue.get(Location(BASE + "a.json", "/x/y")) == {}
    with pytest.raises(KeyError):
        catalogue.get(Location(BASE + "a.json", "/title"))


def test_the_schemas_of_a_contract_are_those_that_its_keywords_hold() -> None:
    value: dict[str, Any] = {
        "$id": "http://x/c",
        "service": {"key": {}},
        "members": {"a": {"params": {"p": {"$ref": "#/$defs/D"}}, "result": {"$ref": "#/members"}}},
        "$defs": {"D": {"items": {"$ref": "http://x/c"}}},
    }
    catalogue = make_catalogue({"a.json": value}, role="contract")
    found = {one.location.pointer: one.target for one in catalogue.get_references()}
    assert found["/members/a/params/p"] == Location(BASE + "a.json", "/$defs/D")
    assert found["/members/a/result"] is None
    assert found["/$defs/D/items"] is None
    with pytest.raises(KeyError):
        catalogue.get(Location(BASE + "a.json", ""))


@pytest.mark.parametrize("value", [5, [], "x"])
def test_a_document_that_is_no_schema_has_none(value: object) -> None:
    for role in ("schema", "contract"):
        catalogue = make_catalogue({"a.json": value}, role)
        assert list(catalogue.get_references()) == []


def test_a_document_may_have_another_name_and_a_base_of_its_own() -> None:
    source = parse_source('{"items": {"$ref": "c"}}', "b.json")
    mapped = Document(BASE + "b.json", "http://x/b", "b.json", source, Dialect(D20), "schema")
    catalogue = make_catalogue({"a.json": {"anyOf": [{"$ref": "http://x/b"}, {"$ref": "urn:a"}]}})
    catalogue.add(mapped)
    catalogue.name_document("urn:a", BASE + "a.json")
    catalogue.settle()
    uris = [one.target and one.target.document for one in catalogue.get_references()]
    assert uris == [BASE + "b.json", BASE + "a.json", None]
    assert [one.uri for one in catalogue.get_references()][-1] == "http://x/c"


def test_dynamic_anchors_belong_to_their_resource() -> None:
    value: dict[str, Any] = {
        "$schema": D19.value,
        "$recursiveAnchor": True,
        "items": {"$recursiveAnchor": True, "$dynamicAnchor": "T"},
        "$defs": {
            "m": {"$schema": D20.value, "$id": "m", "$dynamicAnchor": "T", "$recursiveAnchor": True}
        },
    }
    catalogue = make_catalogue({"a.json": value})
    root = Location(BASE + "a.json", "")
    assert catalogue.get_dynamic_anchors(root) == {"": root}
    assert catalogue.get_dynamic_anchors(root / "$defs" / "m") == {"T": root / "$defs" / "m"}
    assert catalogue.get_dynamic_anchors(root / "items") == {}


def test_a_switch_of_drafts_needs_an_identifier() -> None:
    assert find_embedded_draft({"$schema": D7.value}, D20) is None
    assert find_embedded_draft({"$schema": D7.value, "$id": "x"}, D20) is D7
    assert find_embedded_draft({"$schema": D4.value, "id": "x"}, D20) is D4
    assert find_embedded_draft({"$schema": D20.value, "$id": "x"}, D20) is None
    assert find_embedded_draft({"$schema": 5, "$id": "x"}, D20) is None
    assert unescape("a~1b") == "a/b"


names = st.sampled_from(["a", "b", "c/d", "e~f", "g%h"])
# no urn: the library joins what is relative to one by other rules than RFC 3986
identifiers = st.sampled_from(["http://x/p", "q/r", "../s", "/t", "http://y/u?v", "p"])


@st.composite
def nests(draw: Any, draft: Draft, depth: int = 0) -> dict[str, Any]:
    schema: dict[str, Any] = {"title": str(draw(st.integers()))}
    place = "definitions" if draft.has_lone_refs else "$defs"
    if draw(st.booleans()):
        schema[draft.id_keyword] = draw(identifiers)
    elif draw(st.booleans()):
        anchor = draw(st.sampled_from("xyz"))
        key, value = (
            (draft.id_keyword, f"#{anchor}") if draft.has_lone_refs else ("$anchor", anchor)
        )
        schema[key] = value
    if depth < 3:
        schema[place] = draw(st.dictionaries(names, nests(draft, depth + 1), max_size=2))
    return schema


@given(st.data(), st.sampled_from(Draft))
def test_references_lead_where_the_referencing_library_finds_them(data: Any, draft: Draft) -> None:
    files = {f"{name}.json": {**data.draw(nests(draft)), "$schema": draft.value} for name in "mn"}
    catalogue = make_catalogue(files)
    if catalogue.duplicates:
        return
    nodes = [
        (location, node)
        for document in catalogue.documents.values()
        for location, node in catalogue.get_schemas(document)
    ]
    home, node = data.draw(st.sampled_from(nodes))
    target, other = data.draw(st.sampled_from(nodes))
    pointer = target.pointer.removeprefix(other.resource.pointer).replace("%", "%25")
    spellings = [f"{other.base}#{pointer}", f"#{pointer}", "#x", "#y", "m.json", "q/r"]
    reference = data.draw(st.sampled_from(spellings) | identifiers)
    schema: Any = look_up(files[home.document.removeprefix(BASE)], home.pointer)
    schema["not"] = {"$ref": reference}

    empty: Registry[Any] = Registry()
    registry = empty.with_resources(
        (BASE + path, Resource(value, SPECIFICATIONS[draft])) for path, value in files.items()
    )
    try:
        expected = registry.crawl().resolver(node.base).lookup(reference).contents
    except Unresolvable:
        expected = files.get(reference)  # by path, which the library does not know
    found = make_catalogue(files).find_target(home / "not")
    path = found.document.removeprefix(BASE) if found else ""
    assert (look_up(files[path], found.pointer) if found else None) == expected
