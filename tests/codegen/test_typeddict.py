from __future__ import annotations

import typing as t

import pytest
from pi_contracts.codegen.layout import lay_out
from pi_contracts.codegen.sections import TypeSection, make_types
from pi_contracts.contracts.model import Location

if t.TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pi_contracts.contracts.catalogue import Catalogue

    ReadFiles = Callable[[Mapping[str, t.Any]], Catalogue]

OBJECT = {"type": "object"}


def print_types(read_files: ReadFiles, files: Mapping[str, t.Any], name: str) -> TypeSection:
    catalogue = read_files(files)
    layout = lay_out(catalogue)
    module = next(one for one in layout.modules if ".".join(one.name) == name)
    return make_types(catalogue, layout, module, "typed-dict")


def print_root(read_files: ReadFiles, schema: t.Any) -> TypeSection:
    return print_types(read_files, {"root.schema.json": schema}, "root")


def test_a_record_is_a_class_with_read_only_members(read_files: ReadFiles) -> None:
    schema = {
        **OBJECT,
        "description": "One model of one provider.",
        "properties": {
            "modelId": {"type": "string", "description": "Which model"},
            "level": {"enum": ["off", "low"]},
        },
        "required": ["modelId"],
    }
    section = print_root(read_files, schema)
    assert section.text == (
        "class Root(rt.TypedDict):\n"
        '    """One model of one provider."""\n'
        "\n"
        "    modelId: rt.ReadOnly[str]\n"
        '    """Which model."""\n'
        '    level: rt.NotRequired[rt.ReadOnly[t.Literal["off", "low"]]]'
    )
    assert section.exports == ("Root",)
    assert section.imports == ()
    assert section.uses_typing
    assert not section.uses_pydantic
    assert section.modelled == frozenset()


def test_an_alias_stands_below_what_it_mentions(read_files: ReadFiles) -> None:
    schema = {
        "description": "Either, or neither",
        "anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}],
        "$defs": {"A": OBJECT | {"required": ["x"]}},
    }
    assert print_root(read_files, schema).text == (
        "class A(rt.TypedDict):\n"
        '    """The schema at ``/$defs/A``."""\n'
        "\n"
        "    x: rt.ReadOnly[rt.JsonValue]\n"
        "\n"
        "\n"
        "Root: t.TypeAlias = A | None\n"
        '"""Either, or neither."""'
    )


@pytest.mark.parametrize(
    "name",
    [
        *("class", "__x", "__x__", "_", "a-b", "", "\ufb01le", "None"),
        *("t", "rt", "str", "list", "dict", "int", "float", "bool", "Root"),
    ],
)
def test_a_name_that_no_class_body_takes_makes_a_call(name: str, read_files: ReadFiles) -> None:
    text = print_root(read_files, {**OBJECT, "properties": {name: {"type": "null"}}}).text
    assert text.startswith(
        f'Root = rt.TypedDict("Root", {{"{name}": rt.NotRequired[rt.ReadOnly[None]]}})'
    )


@pytest.mark.parametrize("name", ["_id", "match", "type", "self", "keys", "copy", "\u00e9"])
def test_any_other_name_stands_in_the_class(name: str, read_files: ReadFiles) -> None:
    text = print_root(read_files, {**OBJECT, "properties": {name: {"type": "null"}}}).text
    assert f"\n    {name}: rt.NotRequired[rt.ReadOnly[None]]" in text


def test_a_long_call_has_a_line_for_each_member(read_files: ReadFiles) -> None:
    schema = {
        **OBJECT,
        "description": "Some members.",
        "properties": {
            "a-b": {"enum": ["one value", "another value", "something", "nothing"]},
            "c": {"type": "string", "description": "The last one."},
        },
        "required": ["c"],
    }
    assert print_root(read_files, schema).text == (
        "Root = rt.TypedDict(\n"
        '    "Root",\n'
        "    {\n"
        '        "a-b": rt.NotRequired[\n'
        '            rt.ReadOnly[t.Literal["one value", "another value", "something", "nothing"]]\n'
        "        ],\n"
        '        "c": rt.ReadOnly[str],\n'
        "    },\n"
        ")\n"
        '"""Some members.\n'
        "\n"
        "c: The last one.\n"
        '"""'
    )


def test_a_call_quotes_what_follows_it(read_files: ReadFiles) -> None:
    schema = {
        **OBJECT,
        "properties": {"a-b": {"$ref": "#"}, "c": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["c"],
    }
    text = print_root(read_files, schema).text
    assert '"a-b": rt.NotRequired[rt.ReadOnly["Root"]]' in text
    assert '"c": rt.ReadOnly["list[Root]"]' in text


def test_a_ring_of_aliases_is_anything_at_run_time(read_files: ReadFiles) -> None:
    schema = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}]}
    assert print_root(read_files, schema).text == (
        "if t.TYPE_CHECKING:\n"
        '    Root: t.TypeAlias = "str | list[Root]"\n'
        "else:\n"
        "    Root: t.TypeAlias = t.Any"
    )


def test_another_file_is_imported_under_a_private_name(read_files: ReadFiles) -> None:
    files = {
        "sub/a.schema.json": {"$ref": "../common-v1.schema.json#/$defs/Id"},
        "sub/b.schema.json": {"$ref": "a.schema.json"},
        "common-v1.schema.json": {"$defs": {"Id": {"type": "string"}}},
    }
    section = print_types(read_files, files, "sub.a")
    assert section.imports == ("from .. import common_v1 as _common_v1",)
    assert section.text == "A: t.TypeAlias = _common_v1.Id"
    assert print_types(read_files, files, "sub.b").imports == ("from . import a as _sub_a",)


def test_a_long_import_is_broken(read_files: ReadFiles) -> None:
    long = "a_very_long_name_of_a_module_that_goes_on"
    files = {
        f"{long}/{long}.schema.json": {"type": "string"},
        "root.schema.json": {"$ref": f"{long}/{long}.schema.json"},
    }
    (line,) = print_types(read_files, files, "root").imports
    assert line == f"from .{long} import (\n    {long} as _{long}_{long},\n)"


def test_modules_whose_private_names_meet_are_told_apart(read_files: ReadFiles) -> None:
    files = {
        "a/b.schema.json": {"type": "string"},
        "a_b.schema.json": {"type": "integer"},
        "root.schema.json": {"anyOf": [{"$ref": "a/b.schema.json"}, {"$ref": "a_b.schema.json"}]},
    }
    section = print_types(read_files, files, "root")
    assert section.imports == ("from . import a_b as _a_b", "from .a import b as _a_b_1")
    assert "Root: t.TypeAlias = _a_b_1.B | _a_b.AB" in section.text


def test_a_ring_of_files_is_defined_in_one_module_and_named_in_each(read_files: ReadFiles) -> None:
    files = {
        "a.schema.json": {**OBJECT, "properties": {"b": {"$ref": "b.schema.json"}}},
        "b.schema.json": {**OBJECT, "properties": {"a": {"$ref": "a.schema.json"}}},
        "c.schema.json": {"$ref": "a.schema.json"},
    }
    section = print_types(read_files, files, "a")
    assert section.text == "A: t.TypeAlias = _a_ring.A"
    assert section.imports == ("from . import _a_ring",)
    assert print_types(read_files, files, "_a_ring").exports == ("A", "B")
    assert print_types(read_files, files, "c").text == "C: t.TypeAlias = _a.A"


def test_a_schema_that_comes_with_json_schema_is_copied(read_files: ReadFiles) -> None:
    uri = "http://json-schema.org/draft-07/schema#/definitions/simpleTypes"
    section = print_root(read_files, {"type": "array", "items": {"$ref": uri}})
    assert "SimpleTypes: t.TypeAlias = t.Literal[" in section.text
    assert "Root: t.TypeAlias = list[SimpleTypes]" in section.text


def test_annotations_are_given_by_location(read_files: ReadFiles) -> None:
    contract = {
        "service": {"id": "models", "mode": "singleton"},
        "members": {
            "refresh": {
                "kind": "method",
                "params": {"force": {"type": "boolean"}},
                "result": {"type": ["integer", "null"]},
            }
        },
    }
    catalogue = read_files({"models.contract.json": contract})
    layout = lay_out(catalogue)
    section = make_types(catalogue, layout, layout.modules[0], "typed-dict")
    (uri,) = catalogue.documents
    assert section.annotations == {
        Location(uri, "/members/refresh/params/force"): "bool",
        Location(uri, "/members/refresh/result"): "int | None",
    }
    assert (section.text, section.uses_typing) == ("", False)
    assert section.public is not None
    assert section.public.token == "MODELS"


@pytest.mark.parametrize(
    ("description", "lines"),
    [
        ("", ['"""The schema at ``/``."""']),
        (
            "A sentence that takes " + "very " * 20 + "long to end.",
            ['"""The schema at ``/``.', "", "A sentence that takes very"],
        ),
        ("Ends with a colon:", ['"""The schema at ``/``.', "", "Ends with a colon:"]),
        ("Two words. And more.", ['"""Two words. And more."""']),
    ],
)
def test_the_text_of_a_class_begins_with_a_sentence(
    description: str, lines: list[str], read_files: ReadFiles
) -> None:
    schema = {**OBJECT, "description": description, "required": ["a"]}
    text = print_root(read_files, schema).text.splitlines()
    for line, expected in zip(text[1:], lines, strict=False):
        assert line.strip().startswith(expected)


def test_a_very_deep_place_is_not_spelled_out(read_files: ReadFiles) -> None:
    schema: t.Any = {**OBJECT, "required": ["x"]}
    for _ in range(20):
        schema = {**OBJECT, "properties": {"member": schema}}
    assert '"""A schema without a name of its own."""' in print_root(read_files, schema).text
