from __future__ import annotations

import copy
import sys
import types
import typing as t

import pydantic
import pytest
from pi_contracts.codegen.layout import lay_out
from pi_contracts.codegen.sections import TypeSection, make_types
from pi_contracts.contracts.model import Location

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pi_contracts.contracts.catalogue import Catalogue

    ReadFiles = Callable[[Mapping[str, t.Any]], Catalogue]

OBJECT = {"type": "object"}


@pytest.fixture
def make_section(read_files: ReadFiles) -> Callable[[t.Any], TypeSection]:
    def make_section(schema: t.Any) -> TypeSection:
        catalogue = read_files({"root.schema.json": schema})
        layout = lay_out(catalogue)
        return make_types(catalogue, layout, layout.modules[0], "pydantic")

    return make_section


@pytest.fixture
def load(make_section: Callable[[t.Any], TypeSection]) -> Iterator[Callable[[t.Any], t.Any]]:
    """Import the types of a schema; the module lives as long as the test."""
    names: list[str] = []

    def load(schema: t.Any) -> t.Any:
        module = types.ModuleType(f"generated_models_{len(names)}")
        names.append(module.__name__)
        sys.modules[module.__name__] = module
        header = (
            "from __future__ import annotations\n"
            "import typing as t\n"
            "import pydantic\n"
            "from pi_contracts.runtime import generated as rt\n"
        )
        exec(header + make_section(schema).text, vars(module))
        return module

    yield load
    for name in names:
        del sys.modules[name]


def round_trip(model: t.Any, value: t.Any) -> t.Any:
    adapter: pydantic.TypeAdapter[t.Any] = pydantic.TypeAdapter(model)
    loaded = adapter.validate_python(value, by_alias=True, by_name=False)
    return adapter.dump_python(loaded, mode="json", by_alias=True, exclude_unset=True)


def test_a_record_is_a_frozen_model(make_section: Callable[[t.Any], TypeSection]) -> None:
    schema = {
        **OBJECT,
        "properties": {"a": {"type": "integer"}, "b-c": {"type": "string"}, "d": {}},
        "required": ["a"],
        "additionalProperties": False,
    }
    section = make_section(schema)
    assert section.text.endswith(
        "class Root(_ClosedModel):\n"
        '    """The schema at ``/``."""\n'
        "\n"
        "    a: _Int\n"
        '    b_c: t.Annotated[str | None, pydantic.Field(alias="b-c")] = None\n'
        "    d: rt.JsonValue = None"
    )
    assert (section.uses_typing, section.uses_pydantic) == (True, True)
    assert section.exports == ("Root",)
    assert {at.pointer for at in section.modelled} == {""}


def test_only_payloads_that_hold_models_are_modelled(
    make_section: Callable[[t.Any], TypeSection],
) -> None:
    schema = {
        "type": "array",
        "items": {"$ref": "#/$defs/A"},
        "$defs": {
            "A": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "array", "items": {"$ref": "#"}}]},
            "B": {**OBJECT, "required": ["x"]},
            "C": {"type": "array", "items": {"type": "number"}},
        },
    }
    section = make_section(schema)
    assert {at.pointer for at in section.modelled} == {"", "/$defs/A", "/$defs/B"}
    (uri,) = {at.document for at in section.annotations}
    assert section.annotations[Location(uri, "/$defs/C")] == "C"


def test_a_model_is_frozen_and_made_by_attribute(load: Callable[[t.Any], t.Any]) -> None:
    module = load({**OBJECT, "properties": {"class": {"type": "string"}}, "required": ["class"]})
    model = module.Root(class_="x")
    assert model.model_dump() == {"class": "x"}
    with pytest.raises(pydantic.ValidationError):
        model.class_ = "y"


@pytest.mark.parametrize(
    "name",
    [
        *"""schema json copy dict model_config model_fields model_extra validate register construct
        fields items keys values get update self cls mro class _id __secret __x__ _ __ str int list
        rt t pydantic Root model_id None a-b 3d \ufb01le""".split(),
        "",
        " ",
    ],
)
def test_a_member_may_have_any_name(name: str, load: Callable[[t.Any], t.Any]) -> None:
    root = load({**OBJECT, "properties": {name: {"type": "string"}}}).Root
    assert round_trip(root, {name: "v"}) == {name: "v"}
    assert round_trip(root, {}) == {}
    assert copy.copy(root.model_validate({name: "v"})).model_dump() == {name: "v"}


def test_members_whose_names_python_folds_stay_apart(load: Callable[[t.Any], t.Any]) -> None:
    value = {"\ufb01le": 0, "file": 1, "_file": 2, "FILE-": 3, "\u00b5": 4, "\u03bc": 5}
    root = load({**OBJECT, "properties": {name: {"type": "integer"} for name in value}}).Root
    assert round_trip(root, value) == value
    assert root.model_validate(value).file == 1


VALUES: dict[str, tuple[t.Any, list[t.Any]]] = {
    "integer": ({"type": "integer"}, [1, 1.0, 2**80, -1]),
    "number": ({"type": "number"}, [1, 1.0, 1.5, 2**80]),
    "const": ({"const": 1}, [1, 1.0]),
    "enum": ({"enum": ["a", 1, True, None, 2.5]}, ["a", 1, 1.0, True, None, 2.5]),
    "truth": ({"anyOf": [{"const": True}, {"type": "integer"}]}, [True, 1, 0, 1.0]),
    "kinds": (
        {"type": ["string", "integer", "number", "boolean", "object", "array", "null"]},
        [True, 1, 1.0, "1", [1], {"1": 1}, None, False, 0],
    ),
    "listed or any text": ({"anyOf": [{"enum": [1, "a"]}, {"type": "string"}]}, [1, "a", "1"]),
    "models or maps": (
        {
            "anyOf": [
                {**OBJECT, "properties": {"x": {"type": "integer"}}, "required": ["x"]},
                {**OBJECT, "additionalProperties": {"type": "string"}},
            ]
        },
        [{"x": 1}, {"x": 1.0, "y": "z"}, {"x": "1"}, {}],
    ),
    "what nothing names": (
        {**OBJECT, "properties": {"a": {"type": "integer"}}},
        [{"copy": 1, "model_dump": [1, {"q": 1.0}], "__x__": None}, {"a": 1}],
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_comes_back_as_it_came(name: str, load: Callable[[t.Any], t.Any]) -> None:
    schema, values = VALUES[name]
    root = load(schema).Root
    assert [repr(round_trip(root, value)) for value in values] == [repr(value) for value in values]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"const": 1}, True),
        ({"const": True}, 1),
        ({"type": "integer"}, True),
        ({"type": "integer"}, "1"),
        ({"enum": ["a", 1]}, "b"),
    ],
)
def test_a_member_takes_no_value_of_another_kind(
    schema: t.Any, value: t.Any, load: Callable[[t.Any], t.Any]
) -> None:
    root = load({**OBJECT, "properties": {"a": schema}, "required": ["a"]}).Root
    with pytest.raises(pydantic.ValidationError):
        root.model_validate({"a": value})


def test_a_closed_model_refuses_what_it_does_not_know(load: Callable[[t.Any], t.Any]) -> None:
    root = load({**OBJECT, "properties": {"a": {}}, "additionalProperties": False}).Root
    with pytest.raises(pydantic.ValidationError):
        root.model_validate({"b": 1})


def test_a_tag_chooses_the_model(load: Callable[[t.Any], t.Any]) -> None:
    branches = [
        {**OBJECT, "properties": {"v": {"const": n}, "x": {}}, "required": ["v"]} for n in (1, 2)
    ]
    module = load({"oneOf": branches})
    adapter: pydantic.TypeAdapter[t.Any] = pydantic.TypeAdapter(module.Root)
    assert type(adapter.validate_python({"v": 2, "x": 0})) is module.Root2
    assert type(adapter.validate_python({"v": 1.0})) is module.Root1


def test_models_may_hold_themselves(load: Callable[[t.Any], t.Any]) -> None:
    schema = {
        **OBJECT,
        "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}, "v": {"type": "integer"}},
    }
    root = load(schema).Root
    tree = root.model_validate({"v": 1, "kids": [{"v": 2, "kids": []}]})
    assert type(tree.kids[0]) is root


def test_a_ring_of_aliases_takes_anything_where_it_closes(
    make_section: Callable[[t.Any], TypeSection], load: Callable[[t.Any], t.Any]
) -> None:
    schema = {
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"$ref": "#"}},
            {**OBJECT, "additionalProperties": {"$ref": "#"}},
        ]
    }
    assert make_section(schema).text == (
        "Root: t.TypeAlias = str | list[rt.JsonValue] | dict[str, rt.JsonValue]"
    )
    assert round_trip(load(schema).Root, {"a": ["b", {"c": []}]}) == {"a": ["b", {"c": []}]}
