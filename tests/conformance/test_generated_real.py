"""Constructs of real schemas, each as small as it can be, give clean modules and right verdicts.

Met in a public catalogue of some 600 schemas of drafts 4 to 2020-12.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pydantic
import pytest
from generated_packages import KINDS, Package, dump, import_fresh, make_package, run_mypy
from pi_contracts.contracts.read import read

D4 = "http://json-schema.org/draft-04/schema#"
D6 = "http://json-schema.org/draft-06/schema#"
D7 = "http://json-schema.org/draft-07/schema#"
D2019 = "https://json-schema.org/draft/2019-09/schema"
WORDS = "aWordAsLongAsTheyAreInSomeCloudsResourceDefinitions"
TEXT: dict[str, Any] = {"type": "string"}

SCHEMAS: dict[str, tuple[dict[str, Any], list[Any], list[Any]]] = {
    "strings of draft 4": (
        {"$schema": D4, "type": "array", "items": TEXT},
        [["a", "b", ""]],
        [["\ud800"], [1]],
    ),
    "limits of draft 4": (
        {"$schema": D4, "id": "http://e.org/x#", "minimum": 1, "exclusiveMinimum": True},
        [2, "a"],
        [1],
    ),
    "no const in draft 4": ({"$schema": D4, "const": "a", "if": {}, "then": False}, ["b"], []),
    "names of generics": (
        {
            "$schema": D7,
            "properties": {"a": {"$ref": "#/definitions/Partial<Record<A,B|C>>"}},
            "definitions": {"Partial<Record<A,B|C>>": {"type": "integer"}},
        },
        [{"a": 1}],
        [{"a": "x"}],
    ),
    "names with blanks and braces": (
        {
            "$schema": D4,
            "properties": {"a": {"$ref": "#/definitions/{k?: a b}"}},
            "definitions": {"{k?: a b}": {"type": "null"}},
        },
        [{"a": None}],
        [{"a": 1}],
    ),
    "names with slashes": (
        {
            "$schema": D6,
            "items": {"$ref": "#/definitions/github.com~1a~1b.C"},
            "definitions": {"github.com/a/b.C": {"enum": ["x"]}},
        },
        [["x"]],
        [["y"]],
    ),
    "brackets that close nothing": (
        {"$schema": D7, "pattern": "^a]}$", "patternProperties": {"b]": {"type": "null"}}},
        ["a]}", {"b]": None}],
        ["a", {"b]": 1}],
    ),
    "lookahead beside digits": ({"$schema": D4, "pattern": r"^(?!-)\d+\b"}, ["1"], ["-1", "a"]),
    "references to members": (
        {
            "properties": {"a": {"properties": {"x": TEXT}}, "b": {"$ref": "#/properties/a"}},
            "additionalProperties": {"$ref": "#/properties/b"},
        },
        [{"b": {"x": "s"}, "c": {"x": "s"}}],
        [{"b": {"x": 1}}, {"c": {"x": 1}}],
    ),
    "references into arrays": (
        {"$schema": D7, "items": [TEXT, {"$ref": "#/items/0"}], "additionalItems": {"$ref": "#"}},
        [["a", "b", ["c"]]],
        [["a", 1], ["a", "b", [1]]],
    ),
    "beside a reference nothing counts": (
        {
            "$schema": D7,
            "properties": {"a": {"$ref": "#/definitions/t", "type": "null", "default": 1}},
            "definitions": {"t": TEXT},
        },
        [{"a": "x"}],
        [{"a": None}],
    ),
    "beside a reference all counts": (
        {
            "$schema": D2019,
            "properties": {"a": {"$ref": "#/$defs/t", "maxLength": 1}},
            "$defs": {"t": TEXT},
        },
        [{"a": "x"}],
        [{"a": "xy"}],
    ),
    "a recursion of draft 2019-09": (
        {
            "$schema": D2019,
            "$id": "http://e.org/strict",
            "$recursiveAnchor": True,
            "$ref": "tree",
            "unevaluatedProperties": False,
            "$defs": {
                "tree": {
                    "$id": "tree",
                    "$recursiveAnchor": True,
                    "properties": {"kids": {"items": {"$recursiveRef": "#"}}},
                }
            },
        },
        [{"kids": [{"kids": []}]}],
        [{"kids": [{"x": 1}]}],
    ),
    "dependencies of both kinds": (
        {"$schema": D7, "dependencies": {"a": ["b"], "c": {"properties": {"d": TEXT}}}},
        [{"a": 1, "b": 2}, {"c": 1, "d": "x"}, {"d": 1}],
        [{"a": 1}, {"c": 1, "d": 1}],
    ),
    "unions of one name in two casings": (
        {
            "$schema": D7,
            "anyOf": [{"$ref": "#/definitions/Rule"}, {"$ref": "#/definitions/rule"}],
            "definitions": {
                "Rule": {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
                "rule": {"type": "object", "properties": {"a": {"type": "null"}}},
            },
        },
        [{"a": "x"}, {"a": None}, {}],
        [{"a": 1}],
    ),
    "values or an object of them": (
        {
            "$defs": {
                "null": {"type": "null"},
                "deep": {"anyOf": [{"$ref": "#/$defs/null"}, {"type": ["null", "boolean"]}]},
            },
            "type": ["object", "array", "string"],
            "items": {"$ref": "#/$defs/deep"},
            "additionalProperties": {"anyOf": [{"$ref": "#/$defs/null"}, {"type": "null"}]},
        },
        ["a", [None, True], {"a": None}],
        [1, [1], {"a": True}],
    ),
    "aliases that hold themselves": (
        {
            "$ref": "#/$defs/value",
            "$defs": {
                "value": {
                    "anyOf": [
                        {"type": ["string", "number", "boolean", "null"]},
                        {"type": "array", "items": {"$ref": "#/$defs/value"}},
                        {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}},
                        *({"$ref": f"#/$defs/{WORDS}{name}"} for name in "ABCD"),
                    ]
                },
                **{WORDS + name: {"items": {"$ref": "#/$defs/value"}} for name in "ABCD"},
            },
        },
        [{"a": [1, {"b": None}]}],
        [],
    ),
    "an object of many names for itself": (  # which mypy must not try in every combination
        {
            "$ref": "#/$defs/all",
            "$defs": {
                "all": {
                    "type": "object",
                    "properties": {
                        name: {"$ref": f"#/$defs/{name}"}
                        for name in (*(f"part{number}" for number in range(30)), "last-part")
                    },
                },
                **{f"part{number}": {"$ref": "#/$defs/all"} for number in range(30)},
                "last-part": {"allOf": [{"$ref": "#/$defs/part1"}]},
            },
        },
        [{"part1": {"part2": {"last-part": {}}}}],
        [{"part1": {"part2": {"last-part": []}}}],
    ),
    "long names": (
        {
            "type": "object",
            "properties": {WORDS: {"$ref": f"#/$defs/{WORDS}And{WORDS}"}, "x": {"type": "null"}},
            "required": [WORDS],
            "$defs": {
                f"{WORDS}And{WORDS}": {"type": "object", "properties": {WORDS: {"enum": [WORDS]}}}
            },
        },
        [{WORDS: {WORDS: WORDS}}],
        [{WORDS: {WORDS: "x"}}, {}],
    ),
    "members that annotations mention": (
        {
            "properties": {
                name: {"type": "object", "properties": {name: {"type": ["integer", "null"]}}}
                for name in ("list", "dict", "str", "int", "t", "rt", "float", "bool", "pydantic")
            },
        },
        [{"list": {"list": 1}, "rt": {"rt": None}}],
        [{"t": {"t": "x"}}],
    ),
    "a list of values of many kinds": (
        {"enum": ["a", 1, 1.5, True, None, {"a": 1}, [1], "'\"\\\n"]},
        ["a", 1, 1.0, 1.5, True, None, {"a": 1}, [1], "'\"\\\n"],
        [False, 0, 2, {"a": 2}, [True], "b"],
    ),
    "bounds beside a condition": (
        {
            "type": "object",
            "properties": {"kind": {"enum": ["a", "b"]}},
            "if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
            "then": {"properties": {"size": {"type": "integer"}}, "required": ["size"]},
            "else": {"properties": {"size": TEXT}},
        },
        [{"kind": "a", "size": 1}, {"kind": "b", "size": "x"}, {}],
        [{"kind": "a"}, {"kind": "a", "size": "x"}, {"size": 1}],
    ),
    "impossible members": (
        {"properties": {"a": False, "b": {"allOf": [TEXT, {"type": "null"}]}}, "required": ["c"]},
        [{"c": 1}],
        [{"a": 1, "c": 1}, {"b": "x", "c": 1}],
    ),
}


@pytest.fixture(scope="module")
def packages(package_folder: Path) -> dict[tuple[str, str], Package]:
    """Return the package of each schema, with either kind of types."""
    return {
        (name, kind): make_package(
            {"id": name.replace(" ", "_"), "input": {"schema": schema}, "expect": []},
            kind,
            package_folder,
        )
        for name, (schema, _, _) in SCHEMAS.items()
        for kind in KINDS
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SCHEMAS)
def test_verdicts_are_those_of_the_draft(
    name: str, kind: str, packages: dict[tuple[str, str], Package]
) -> None:
    module = packages[name, kind].load()
    _, valid, invalid = SCHEMAS[name]
    assert [value for value in valid if not module.is_valid(value)] == []
    assert [value for value in invalid if module.is_valid(value)] == []
    for value in valid:
        again = dump(packages[name, kind], module.validate(value))
        assert repr(again) == repr(value) or again == value
    for model in module.__dict__.values():
        if isinstance(model, type) and issubclass(model, pydantic.BaseModel):
            model.model_rebuild()


def test_modules_import_first_and_type_check(
    packages: dict[tuple[str, str], Package], tmp_path: Path
) -> None:
    assert import_fresh(packages.values(), tmp_path) == []
    assert run_mypy(next(iter(packages.values())).folder) == {}


def test_modules_are_as_ruff_would_write_them(packages: dict[tuple[str, str], Package]) -> None:
    folder = next(iter(packages.values())).folder
    for options in (["format", "--line-length=100", "--check"], ["check"]):
        done = subprocess.run(
            [Path(sys.executable).with_name("ruff"), *options, "--isolated", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:]


REFUSED: dict[str, tuple[Any, str]] = {
    "a draft that nobody serves": ({"$schema": "http://json-schema.org/schema#"}, "/$schema"),
    "a reference to a file that is not there": ({"items": {"$ref": "a.json"}}, "/items/$ref"),
    "a pattern of another engine": ({"$schema": D7, "pattern": r"\Aa\Z"}, "/pattern"),
    "a type that is none": ({"items": {"type": "#/$defs/a"}}, "/items/type"),
    "a text where schemas belong": ({"properties": {"$comment": "a"}}, "/properties/$comment"),
    "a limit of another draft": (
        {"$schema": D4, "items": {"exclusiveMinimum": 1}},
        "/items/exclusiveMinimum",
    ),
    "a ring that judges nothing": ({"allOf": [{"$ref": "#"}]}, ""),
}


@pytest.mark.parametrize(("schema", "pointer"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_refused_with_its_place(
    schema: Any, pointer: str, tmp_path: Path
) -> None:
    file = tmp_path / "case.schema.json"
    file.write_text(json.dumps(schema))
    errors = [one for one in read([file]).findings if one.severity == "error"]
    assert errors
    assert {one.pointer for one in errors} == {pointer}
    assert all(one.line and one.column and one.message for one in errors)
