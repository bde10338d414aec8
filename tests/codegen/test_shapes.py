from __future__ import annotations

import typing as t

import pytest
from pi_contracts.codegen.layout import lay_out
from pi_contracts.codegen.shaper import get_shapes_of
from pi_contracts.codegen.shapes import (
    ANY_LIST,
    ANY_MAP,
    ANYTHING,
    ATOMS,
    NOTHING,
    NULL,
    Alias,
    ListOf,
    Literal,
    MapOf,
    Named,
    Record,
    Shape,
    Union,
    shape_values,
    unite,
    walk,
)
from pi_contracts.contracts.model import Location

if t.TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pi_contracts.codegen.naming import ModuleShapes
    from pi_contracts.contracts.catalogue import Catalogue

    ReadFiles = Callable[[Mapping[str, t.Any]], Catalogue]

STRING, INTEGER, NUMBER = ATOMS["string"], ATOMS["integer"], ATOMS["fraction"]
BOOLEAN = ATOMS["boolean"]
SERVICE = {"id": "models", "mode": "singleton"}


def shape_files(read_files: ReadFiles, files: Mapping[str, t.Any], path: str) -> ModuleShapes:
    catalogue = read_files(files)
    layout = lay_out(catalogue)
    uri = next(uri for uri, one in catalogue.documents.items() if one.path == path)
    return get_shapes_of(catalogue, layout, layout.module_of(uri))


def describe(shape: Shape, shapes: ModuleShapes) -> str:
    """Word a shape, with the names of records."""
    match shape:
        case Named(key):
            declaration = shapes.declarations.get(key)
            return shapes.names[declaration.key] if declaration else "elsewhere"
        case ListOf(item):
            return f"[{describe(item, shapes)}]"
        case MapOf(value):
            return f"{{{describe(value, shapes)}}}"
        case Union(options):
            return " | ".join(describe(one, shapes) for one in options)
        case Literal(values):
            return f"<{' '.join(values)}>"
        case _:
            return shape.text.removeprefix("rt.")


def describe_root(read_files: ReadFiles, schema: t.Any) -> dict[str, str]:
    """Word every declaration that a schema file gives."""
    shapes = shape_files(read_files, {"root.schema.json": schema}, "root.schema.json")
    words: dict[str, str] = {}
    for one in {id(one): one for one in shapes.declarations.values()}.values():
        if isinstance(one, Alias):
            words[shapes.names[one.key]] = describe(one.shape, shapes)
        else:
            words[shapes.names[one.key]] = ", ".join(
                f"{field.name}{'' if field.required else '?'}: {describe(field.shape, shapes)}"
                for field in one.fields
            )
    return words


@pytest.mark.parametrize(
    ("shapes", "union"),
    [
        ([STRING, STRING], STRING),
        ([STRING, ANYTHING], ANYTHING),
        ([NULL, STRING], Union((STRING, NULL))),
        ([INTEGER, NUMBER], NUMBER),
        ([Literal(('"a"',)), STRING], STRING),
        (
            [Literal(('"a"',)), INTEGER, Literal(('"b"', "1"))],
            Union((Literal(('"a"', '"b"')), INTEGER)),
        ),
        ([Literal(("1",)), NUMBER], NUMBER),
        ([Literal(("True",)), BOOLEAN], BOOLEAN),
        ([Literal(("True",)), Literal(("False",))], BOOLEAN),
        ([Literal(("True",)), Literal(("1",))], Literal(("True", "1"))),
        ([Union((STRING, NULL)), INTEGER], Union((STRING, INTEGER, NULL))),
        ([NOTHING, STRING], STRING),
        ([], NOTHING),
    ],
)
def test_a_union_says_nothing_twice(shapes: list[Shape], union: Shape) -> None:
    assert unite(shapes) == union


LISTED: list[tuple[list[t.Any], Shape]] = [
    (["a", 1, True, None], Union((Literal(('"a"', "1", "True")), NULL))),
    ([1.5], NUMBER),
    ([1.0], NUMBER),
    ([{}, {"a": 1}], ANY_MAP),
    ([[]], ANY_LIST),
    (["x" * 200, "a"], STRING),
    ([10**90], INTEGER),
    ([-1], Literal(("-1",))),
    ([], NOTHING),
]


@pytest.mark.parametrize(("values", "shape"), LISTED)
def test_what_cannot_be_listed_is_widened(values: list[t.Any], shape: Shape) -> None:
    assert shape_values(values) == shape


def test_walking_goes_through_everything_but_declarations() -> None:
    shape = Union((ListOf(MapOf(STRING)), INTEGER))
    assert list(walk(shape)) == [shape, ListOf(MapOf(STRING)), MapOf(STRING), STRING, INTEGER]


OBJECT = {"type": "object"}
TAGGED = [
    {**OBJECT, "properties": {"k": {"const": "a"}}, "required": ["k"]},
    {**OBJECT, "properties": {"k": {"const": "b"}}, "required": ["k"]},
]
SHAPES: dict[str, tuple[t.Any, dict[str, str]]] = {
    "anything": (True, {"Root": "JsonValue"}),
    "nothing": (False, {"Root": "JsonValue"}),
    "types": ({"type": ["null", "integer", "string"]}, {"Root": "str | int | None"}),
    "all types": (
        {"type": ["null", "number", "string", "boolean", "array", "object"]},
        {"Root": "{JsonValue} | [JsonValue] | str | float | bool | None"},
    ),
    "enum and type": ({"type": "string", "enum": ["a", 1, None]}, {"Root": '<"a">'}),
    "enum and const": ({"enum": [1, True, "a"], "const": 1}, {"Root": "<1>"}),
    "impossible": ({"type": "string", "const": 1}, {"Root": "JsonValue"}),
    "members": (
        {**OBJECT, "properties": {"a": {"type": "string"}, "b": False}, "required": ["a", "c"]},
        {"Root": "a: str, c: JsonValue"},
    ),
    "required but impossible": (
        {**OBJECT, "properties": {"a": False}, "required": ["a"]},
        {"Root": "a: JsonValue"},
    ),
    "any object": (OBJECT, {"Root": "{JsonValue}"}),
    "empty object": ({**OBJECT, "additionalProperties": False}, {"Root": ""}),
    "map": ({**OBJECT, "additionalProperties": {"type": "integer"}}, {"Root": "{int}"}),
    "map of nothing": (
        {**OBJECT, "patternProperties": {"a": False}, "additionalProperties": False},
        {"Root": "{JsonValue}"},
    ),
    "map by patterns": (
        {
            **OBJECT,
            "patternProperties": {"^a": {"type": "integer"}, "^b": {"type": "string"}},
            "additionalProperties": False,
        },
        {"Root": "{int | str}"},
    ),
    "open map by patterns": (
        {**OBJECT, "patternProperties": {"^a": {"type": "integer"}}},
        {"Root": "{JsonValue}"},
    ),
    "required of a map": (
        {**OBJECT, "additionalProperties": {"type": "integer"}, "required": ["a"]},
        {"Root": "a: int"},
    ),
    "no type": (
        {"properties": {"a": {"type": "string"}}},
        {"Root": "RootObject | [JsonValue] | str | float | bool | None", "RootObject": "a?: str"},
    ),
    "nullable object": (
        {"type": ["object", "null"], "properties": {"a": {}}},
        {"Root": "RootObject | None", "RootObject": "a?: JsonValue"},
    ),
    "array": ({"type": "array", "items": {"type": "integer"}}, {"Root": "[int]"}),
    "array of nothing": ({"type": "array", "items": False}, {"Root": "[JsonValue]"}),
    "tuple": (
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "null"}], "items": False},
        {"Root": "[int | None]"},
    ),
    "open tuple": (
        {"type": "array", "prefixItems": [{"type": "integer"}]},
        {"Root": "[JsonValue]"},
    ),
    "tuple of draft 7": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "array",
            "items": [{"type": "integer"}],
            "additionalItems": {"type": "string"},
        },
        {"Root": "[int | str]"},
    ),
    "const of draft 4": (
        {"$schema": "http://json-schema.org/draft-04/schema#", "const": 1},
        {"Root": "JsonValue"},
    ),
    "siblings of a draft 7 reference": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"A": {"type": "string"}},
            "properties": {"a": {"$ref": "#/definitions/A", "type": "integer"}},
            "type": "object",
        },
        {"Root": "a?: A", "A": "str"},
    ),
    "inline object": (
        {**OBJECT, "properties": {"a-b": {**OBJECT, "properties": {"c": {}}}}},
        {"Root": "a-b?: RootAB", "RootAB": "c?: JsonValue"},
    ),
    "objects in arrays and maps": (
        {
            **OBJECT,
            "properties": {
                "a": {"type": "array", "items": {**OBJECT, "required": ["x"]}},
                "m": {**OBJECT, "additionalProperties": {**OBJECT, "required": ["y"]}},
            },
        },
        {
            "Root": "a?: [RootAItem], m?: {RootMValue}",
            "RootAItem": "x: JsonValue",
            "RootMValue": "y: JsonValue",
        },
    ),
    "tagged union": (
        {"oneOf": TAGGED},
        {"Root": "RootA | RootB", "RootA": 'k: <"a">', "RootB": 'k: <"b">'},
    ),
    "union with a common part": (
        {**OBJECT, "properties": {"id": {"type": "integer"}}, "oneOf": TAGGED},
        {
            "Root": "RootA | RootB",
            "RootA": 'id?: int, k: <"a">',
            "RootB": 'id?: int, k: <"b">',
        },
    ),
    "union of required members": (
        {
            **OBJECT,
            "properties": {"a": {}, "b": {}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        {"Root": "a?: JsonValue, b?: JsonValue"},
    ),
    "union of which a branch says nothing": (
        {
            **OBJECT,
            "properties": {"a": {}},
            "anyOf": [{"properties": {"b": {"type": "null"}}}, True],
        },
        {"Root": "a?: JsonValue, b?: JsonValue"},
    ),
    "union of references beside a type": (
        {
            **OBJECT,
            "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
            "$defs": {"A": {**OBJECT, "required": ["a"]}, "B": {**OBJECT, "required": ["b"]}},
        },
        {"Root": "A | B", "A": "a: JsonValue", "B": "b: JsonValue"},
    ),
    "references narrowed by what stands beside": (
        {
            **OBJECT,
            "properties": {"x": {}},
            "oneOf": [{"$ref": "#/$defs/A"}],
            "$defs": {"A": {**OBJECT, "properties": {"a": {"type": "null"}}}},
        },
        {"Root": "RootA", "RootA": "x?: JsonValue, a?: None", "A": "a?: None"},
    ),
    "all of": (
        {
            "allOf": [
                {"$ref": "#/$defs/A"},
                {"required": ["a"], "properties": {"b": {"type": "null"}}},
            ],
            "$defs": {"A": {**OBJECT, "properties": {"a": {"type": "string"}}}},
        },
        {"Root": "a: str, b?: None", "A": "a?: str"},
    ),
    "all of one": (
        {"allOf": [{**OBJECT, "required": ["a"]}]},
        {"Root": "a: JsonValue"},
    ),
    "members that two parts describe": (
        {
            "allOf": [
                {
                    **OBJECT,
                    "properties": {"p": {**OBJECT, "properties": {"a": {"type": "string"}}}},
                },
                {"properties": {"p": {"required": ["a"]}, "q": {}}},
                {"properties": {"q": {"type": "null"}, "r": True}},
                {"properties": {"r": True}},
            ]
        },
        {"Root": "p?: RootP, q?: None, r?: JsonValue", "RootP": "a: str"},
    ),
    "arrays that two parts describe": (
        {
            "type": "array",
            "allOf": [
                {"items": {**OBJECT, "required": ["a"]}},
                {"items": {**OBJECT, "required": ["b"]}},
            ],
        },
        {"Root": "[RootItem]", "RootItem": "a: JsonValue, b: JsonValue"},
    ),
    "members under a condition": (
        {
            **OBJECT,
            "properties": {"a": {"type": "string"}},
            "if": {"required": ["a"]},
            "then": {"properties": {"b": {"type": "string"}}},
            "dependentSchemas": {"a": {"properties": {"c": {}}}},
        },
        {"Root": "a?: str, b?: JsonValue, c?: JsonValue"},
    ),
    "tree": (
        {**OBJECT, "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}},
        {"Root": "kids?: [Root]"},
    ),
    "recursive alias": (
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}]},
        {"Root": "str | [Root]"},
    ),
    "ring without anything between": (
        {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/B"}, True]}, "B": {}}},
        {"Root": "A", "A": "JsonValue", "B": "JsonValue"},
    ),
    "reference into the middle": (
        {
            **OBJECT,
            "properties": {
                "a": {"type": "array", "items": {"enum": ["x"]}},
                "b": {"$ref": "#/properties/a/items"},
            },
        },
        {"Root": "a?: [RootAItem], b?: RootAItem", "RootAItem": '<"x">'},
    ),
    "reference to an unknown keyword": (
        {
            **OBJECT,
            "properties": {"b": {"$ref": "#/odd/thing"}},
            "odd": {"thing": {"type": "string"}},
        },
        {"Root": "b?: RootOddThing", "RootOddThing": "str"},
    ),
    "dynamic reference": (
        {"type": "array", "$dynamicAnchor": "x", "items": {"$dynamicRef": "#x"}},
        {"Root": "[JsonValue]"},
    ),
    "definitions": (
        {"$defs": {"thinking_level": {"type": "string"}, "A": {"$ref": "#/$defs/thinking_level"}}},
        {"Root": "JsonValue", "ThinkingLevel": "str", "A": "ThinkingLevel"},
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_schema_has_a_shape(name: str, read_files: ReadFiles) -> None:
    schema, words = SHAPES[name]
    assert describe_root(read_files, schema) == words


def test_deep_nesting_ends_in_anything(read_files: ReadFiles) -> None:
    schema: t.Any = {"type": "integer"}
    for _ in range(200):
        schema = {"type": "array", "items": schema}
    assert "JsonValue" in describe_root(read_files, schema)["Root"]


def test_objects_may_lie_deep_in_one_another(read_files: ReadFiles) -> None:
    schema: t.Any = {}
    for _ in range(100):
        schema = {"type": "object", "properties": {"a": schema}}
    words = describe_root(read_files, schema)
    assert len(words) == 100
    assert all(len(name) <= 71 for name in words)


def test_a_branch_keeps_its_name_when_another_comes(read_files: ReadFiles) -> None:
    other = {**OBJECT, "required": ["x", "y"]}
    plain: t.Any = {**OBJECT, "properties": {"q": {}}}
    before = describe_root(read_files, {"oneOf": [*TAGGED, plain]})
    after = describe_root(read_files, {"oneOf": [other, plain, *TAGGED]})
    assert before.keys() < after.keys()
    assert "RootWithXY" in after


def test_payloads_are_named_by_member_role_and_path(read_files: ReadFiles) -> None:
    inline = {"type": "object", "properties": {"deep": {"type": "object", "required": ["x"]}}}
    files = {
        "models.contract.json": {
            "service": {**SERVICE, "mode": "keyed", "key": {"enum": ["a"]}},
            "members": {
                "select": {
                    "kind": "method",
                    "params": {"model": inline},
                    "result": inline,
                    "errors": ["no_way"],
                },
                "state": {"kind": "state", "value": {"type": "array", "items": inline}},
                "changed": {
                    "kind": "events",
                    "payload": {"enum": [f"value {n}" for n in range(9)]},
                },
            },
            "errors": {"no_way": {"data": inline}},
            "$defs": {"ModelsState": {"type": "object", "properties": {"refresh": inline}}},
        }
    }
    shapes = shape_files(read_files, files, "models.contract.json")
    assert set(shapes.names.values()) == {
        "SelectParamsModel",
        "SelectParamsModelDeep",
        "SelectResult",
        "SelectResultDeep",
        "StateValueItem",
        "StateValueItemDeep",
        "ChangedPayload",
        "NoWayData",
        "NoWayDataDeep",
        "ModelsState",
        "ModelsStateRefresh",
        "ModelsStateRefreshDeep",
    }
    assert shapes.public is not None
    assert shapes.public.protocol == "Models"
    assert {describe(shape, shapes) for shape in shapes.payloads.values()} == {
        "SelectParamsModel",
        "SelectResult",
        "[StateValueItem]",
        "ChangedPayload",
        "NoWayData",
        "ModelsState",
        '<"a">',
    }


def test_a_definition_keeps_a_name_that_an_inline_type_wants(read_files: ReadFiles) -> None:
    schema = {
        **OBJECT,
        "properties": {"status": {**OBJECT, "required": ["x"]}},
        "$defs": {"RootStatus": {"type": "string"}},
    }
    words = describe_root(read_files, schema)
    assert words["RootStatus"] == "str"
    (other,) = words.keys() - {"Root", "RootStatus"}
    assert other.startswith("RootStatus_")


def test_titles_name_nothing(read_files: ReadFiles) -> None:
    schema = {
        **OBJECT,
        "title": "Other",
        "properties": {"a": {**OBJECT, "title": "B", "required": ["x"]}},
    }
    assert list(describe_root(read_files, schema)) == ["Root", "RootA"]


def test_types_of_another_file_stay_there(read_files: ReadFiles) -> None:
    files = {
        "a.schema.json": {**OBJECT, "properties": {"b": {"$ref": "b.schema.json#/$defs/B"}}},
        "b.schema.json": {"$defs": {"B": {**OBJECT, "required": ["x"]}}},
    }
    shapes = shape_files(read_files, files, "a.schema.json")
    assert list(shapes.names.values()) == ["A"]
    root = next(iter(shapes.declarations.values()))
    assert isinstance(root, Record)
    assert describe(root.fields[0].shape, shapes) == "elsewhere"


def test_parts_of_another_file_that_are_merged_become_own_types(read_files: ReadFiles) -> None:
    files = {
        "a.schema.json": {"allOf": [{"$ref": "b.schema.json#/$defs/B"}, {"required": ["c"]}]},
        "b.schema.json": {
            "$defs": {"B": {**OBJECT, "properties": {"c": {**OBJECT, "required": ["x"]}}}}
        },
    }
    shapes = shape_files(read_files, files, "a.schema.json")
    assert sorted(shapes.names.values()) == ["A", "BC"]


def test_files_in_a_ring_share_their_types(read_files: ReadFiles) -> None:
    files = {
        "a.schema.json": {**OBJECT, "properties": {"b": {"$ref": "b.schema.json"}}},
        "b.schema.json": {**OBJECT, "properties": {"a": {"$ref": "a.schema.json"}}},
    }
    shapes = shape_files(read_files, files, "a.schema.json")
    assert list(shapes.names.values()) == ["A"]


def test_a_payload_that_nothing_satisfies_is_anything(read_files: ReadFiles) -> None:
    files = {
        "models.contract.json": {
            "service": SERVICE,
            "members": {"state": {"kind": "state", "value": {"type": "string", "enum": [1]}}},
        }
    }
    shapes = shape_files(read_files, files, "models.contract.json")
    assert list(shapes.payloads.values()) == [ANYTHING]
    assert [at.pointer for at in shapes.payloads] == ["/members/state/value"]
    assert all(isinstance(at, Location) for at in shapes.payloads)
