from __future__ import annotations

import itertools
import json
import re
import sys
import tempfile
import types
import typing as t
from pathlib import Path

import hypothesis
import jsonschema_rs
import pydantic
import pytest
import typing_extensions as te
from hypothesis import strategies as st
from pi_contracts.codegen.layout import lay_out
from pi_contracts.codegen.sections import TypeSection, make_types
from pi_contracts.contracts.json_values import is_array, is_object
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.read import read
from pi_contracts.runtime import generated as rt

if t.TYPE_CHECKING:
    from collections.abc import Mapping

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
KINDS: tuple[t.Literal["typed-dict", "pydantic"], ...] = ("typed-dict", "pydantic")
Kind = t.Literal["typed-dict", "pydantic"]
_NUMBERS = itertools.count()
_IMPORT = re.compile(r"from (\.\S*) import \(?\s*(\w+)")


def fits(value: t.Any, annotation: t.Any, scope: dict[str, t.Any]) -> bool:
    """Tell whether a type of plain dictionaries takes a JSON value."""
    if isinstance(annotation, t.ForwardRef | str):
        text = annotation if isinstance(annotation, str) else annotation.__forward_arg__
        return fits(value, eval(text, scope), scope)
    origin, arguments = t.get_origin(annotation), t.get_args(annotation)
    if annotation in (t.Any, rt.JsonValue):
        return True
    if annotation in (None, types.NoneType):
        return value is None
    if origin in (t.Union, types.UnionType):
        return any(fits(value, one, scope) for one in arguments)
    if origin is t.Literal:
        return any(
            value == one and isinstance(value, bool) is isinstance(one, bool) for one in arguments
        )
    if origin in (te.ReadOnly, te.NotRequired):
        return fits(value, arguments[0], scope)
    if origin is list:
        return is_array(value) and all(fits(one, arguments[0], scope) for one in value)
    if origin is dict:
        return is_object(value) and all(fits(one, arguments[1], scope) for one in value.values())
    if te.is_typeddict(annotation):
        hints = te.get_type_hints(annotation, include_extras=True)
        return is_object(value) and all(
            fits(value[name], hint, scope)
            if name in value
            else t.get_origin(hint) is te.NotRequired
            for name, hint in hints.items()
        )
    if isinstance(value, bool) or annotation is bool:
        return isinstance(value, bool) and annotation is bool
    if annotation is int:
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, (int, float) if annotation is float else annotation)


def is_same(value: t.Any, other: t.Any) -> bool:
    """Tell whether two JSON values are the same, down to 1 and 1.0."""
    if type(value) is not type(other):
        return False
    if is_array(value):
        return len(value) == len(other) and all(map(is_same, value, other))
    if is_object(value):
        return value.keys() == other.keys() and all(
            is_same(value[key], other[key]) for key in value
        )
    return value == other


class Package:
    """The types of some files, imported."""

    def __init__(self, folder: Path, kind: Kind, mapped: Mapping[str, Path] | None = None) -> None:
        self.kind = kind
        self.reading = read([folder], mapped=mapped or {})
        assert [one.message for one in self.reading.findings if one.severity == "error"] == []
        self.catalogue = self.reading.catalogue
        self.layout = lay_out(self.catalogue)
        self.sections = {
            module: make_types(self.catalogue, self.layout, module, kind)
            for module in self.layout.modules
        }
        self.name = f"generated_types_{next(_NUMBERS)}"
        self._names: list[str] = []
        self._modules: dict[tuple[str, ...], types.ModuleType] = {}

    def __enter__(self) -> t.Self:
        self._add(())
        for module in self.sections:
            for end in range(1, len(module.name)):
                if module.name[:end] not in self._modules:
                    self._add(module.name[:end])
        for module in self.sections:
            self.load(module.name)
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._names:
            del sys.modules[name]

    def _add(self, name: tuple[str, ...]) -> types.ModuleType:
        full = ".".join((self.name, *name))
        module = types.ModuleType(full)
        module.__path__ = []
        sys.modules[full] = module
        self._names.append(full)
        self._modules[name] = module
        return module

    def load(self, name: tuple[str, ...]) -> types.ModuleType:
        """Return a module; those it imports come first."""
        if name in self._modules:
            return self._modules[name]
        section = next(one for module, one in self.sections.items() if module.name == name)
        for line in section.imports:
            found = _IMPORT.match(line)
            assert found is not None
            package, imported = found.groups()
            up = len(package) - len(package.lstrip("."))
            parts = package[up:].split(".") if package[up:] else []
            self.load((*name[: len(name) - up], *parts, imported))
        module = self._add(name)
        module.__package__ = ".".join((self.name, *name[:-1]))
        exec(write(section), vars(module))
        parent = self._modules[name[:-1]]
        setattr(parent, name[-1], module)
        return module

    def get_annotation(self, path: str, pointer: str = "") -> tuple[t.Any, dict[str, t.Any]]:
        uri = next(uri for uri, one in self.catalogue.documents.items() if one.path == path)
        module = self.layout.module_of(uri)
        scope = vars(self._modules[module.name])
        return eval(self.sections[module].annotations[Location(uri, pointer)], scope), scope

    def check(self, path: str, value: object, pointer: str = "") -> None:
        """Fail unless the type takes *value*, and, of models, gives it back as it came."""
        annotation, scope = self.get_annotation(path, pointer)
        if self.kind == "typed-dict":
            assert fits(value, annotation, scope), (value, annotation)
            return
        adapter: pydantic.TypeAdapter[t.Any] = pydantic.TypeAdapter(annotation)
        loaded = adapter.validate_python(value, by_alias=True, by_name=False)
        dumped = adapter.dump_python(loaded, mode="json", by_alias=True, exclude_unset=True)
        assert is_same(value, dumped), (value, dumped)


def write(section: TypeSection) -> str:
    """Return a module with nothing but types."""
    lines = ["from __future__ import annotations"]
    lines += ["import typing as t"] if section.uses_typing else []
    lines += ["import pydantic"] if section.uses_pydantic else []
    lines += ["from pi_contracts.runtime import generated as rt", *section.imports, section.text]
    return "\n".join(lines) + "\n"


def put(folder: Path, files: Mapping[str, object]) -> Path:
    for path, value in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), encoding="utf-8")
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_types_take_every_valid_fixture_of_the_wire_catalogue(kind: Kind) -> None:
    folder = SHARED / "data" / "wire-catalog"
    if not folder.is_dir():
        pytest.skip("the wire catalogue is not beside the checkout")
    fixtures = sorted((folder / "fixtures").glob("*.valid.json"))
    with Package(folder, kind) as package:
        for fixture in fixtures:
            path = fixture.name.replace(".valid.json", ".schema.json")
            package.check(path, json.loads(fixture.read_text(encoding="utf-8")))
    assert len(fixtures) >= 10


@pytest.mark.parametrize("kind", KINDS)
def test_types_take_every_valid_instance_of_the_official_suite(kind: Kind, tmp_path: Path) -> None:
    suite = SHARED / "data" / "json-schema-test-suite"
    if not suite.is_dir():
        pytest.skip("the official suite is not beside the checkout")
    groups: dict[str, list[t.Any]] = {}
    for file in sorted((suite / "tests" / "draft2020-12").glob("*.json")):
        for number, group in enumerate(json.loads(file.read_text(encoding="utf-8"))):
            path = f"{file.stem}-{number}.schema.json"
            put(tmp_path, {path: group["schema"]})
            groups[path] = [test["data"] for test in group["tests"] if test["valid"]]
    with Package(tmp_path, kind, {"http://localhost:1234/": suite / "remotes"}) as package:
        for path, instances in groups.items():
            for instance in instances:
                package.check(path, instance)
    assert sum(map(len, groups.values())) > 600


def load_cases() -> list[t.Any]:
    file = SHARED / "cases" / "codegen.json"
    if not file.is_file():
        absent = pytest.mark.skip(reason="the cases are not beside the checkout")
        return [pytest.param(None, marks=absent)]
    cases = json.loads(file.read_text(encoding="utf-8"))
    return [pytest.param(one, id=one["id"]) for one in cases if "service" not in one["input"]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", load_cases())
def test_types_hold_what_other_generators_got_wrong(
    case: t.Any, kind: Kind, tmp_path: Path
) -> None:
    files = case["input"].get("files") or {"root.json": case["input"]["schema"]}
    renamed = {path.replace(".json", ".schema.json"): value for path, value in files.items()}
    text = json.dumps(renamed)
    for path in files:
        text = text.replace(f'{path}"', f'{path.replace(".json", ".schema.json")}"')
        text = text.replace(f"{path}#", f"{path.replace('.json', '.schema.json')}#")
    with Package(put(tmp_path, json.loads(text)), kind) as package:
        for fact in case["expect"]:
            if fact["check"] == "round_trip":
                path, _, pointer = fact["type"].partition("#")
                path = (path or "root.json").replace(".json", ".schema.json")
                package.check(path, fact["value"], pointer)


SCALARS = st.none() | st.booleans() | st.sampled_from([0, 1, 2, -1, 2**70, 0.0, 1.0, 0.5, -2.5])
TEXTS = st.sampled_from(["", "a", "b", "1", "self", "class", "_id", "\u00e9", "x-y"])
INSTANCES = st.recursive(
    SCALARS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def extend_schema(inner: st.SearchStrategy[t.Any]) -> st.SearchStrategy[t.Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    keywords: dict[str, st.SearchStrategy[t.Any]] = {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(INSTANCES, min_size=1, max_size=4),
        "const": INSTANCES,
        "properties": st.dictionaries(TEXTS, inner, max_size=4),
        "required": st.lists(TEXTS, max_size=2, unique=True),
        "additionalProperties": inner,
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "1", "."]), inner, max_size=2),
        "items": inner,
        "prefixItems": several,
        "allOf": several,
        "anyOf": several,
        "oneOf": several,
        "$ref": st.sampled_from(["#", "#/$defs/A", "#/$defs/B", "#/$defs/A/items"]),
        "not": inner,
        "then": inner,
        "unevaluatedProperties": inner,
    }
    return st.fixed_dictionaries({}, optional=keywords)


SCHEMAS = st.recursive(
    st.booleans() | st.fixed_dictionaries({}, optional={"type": TYPES, "const": INSTANCES}),
    extend_schema,
    max_leaves=8,
)


def make_document(root: t.Any, items: t.Any, other: t.Any, reference: str | None) -> t.Any:
    document: dict[str, t.Any] = dict(root) if is_object(root) else {}
    document["$defs"] = {"A": {"items": items}, "B": other}
    return document if reference is None else {**document, "$ref": reference}


DOCUMENTS = st.builds(
    make_document,
    SCHEMAS,
    SCHEMAS,
    SCHEMAS,
    st.none() | st.sampled_from(["#/$defs/A", "#/$defs/B"]),
)


@pytest.mark.parametrize("kind", KINDS)
@hypothesis.settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
)
@hypothesis.given(schema=DOCUMENTS, instances=st.lists(INSTANCES, min_size=10, max_size=30))
def test_a_type_is_never_narrower_than_its_schema(
    kind: Kind, schema: t.Any, instances: list[t.Any]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = put(Path(name), {"root.schema.json": schema})
        hypothesis.assume(all(one.severity != "error" for one in read([folder]).findings))
        validator = jsonschema_rs.Draft202012Validator(schema)
        with Package(folder, kind) as package:
            for instance in instances:
                if validator.is_valid(instance):
                    package.check("root.schema.json", instance)


def test_equal_input_gives_equal_text(tmp_path: Path) -> None:
    folder = put(tmp_path, {"a.schema.json": {"properties": {"x": {"enum": ["b", "a"]}}}})
    first, second = (Package(folder, "typed-dict").sections for _ in range(2))
    assert [one.text for one in first.values()] == [one.text for one in second.values()]


def test_files_in_a_ring_know_which_payloads_hold_models(tmp_path: Path) -> None:
    files: dict[str, dict[str, t.Any]] = {
        "a.schema.json": {"type": "array", "items": {"$ref": "b.schema.json"}},
        "b.schema.json": {
            "additionalProperties": {"$ref": "a.schema.json#/$defs/Record"},
            "type": "object",
        },
        "c.schema.json": {"type": "array", "items": {"$ref": "a.schema.json"}},
        "d.schema.json": {"type": "array", "items": {"$ref": "e.schema.json"}},
        "e.schema.json": {"type": "array", "items": {"type": "string"}},
    }
    record = {"type": "object", "properties": {"a": {"$ref": "#"}}}
    files["a.schema.json"]["$defs"] = {"Record": record}
    package = Package(put(tmp_path, files), "pydantic")
    modelled = {
        ".".join(module.name): sorted(at.pointer for at in section.modelled)
        for module, section in package.sections.items()
        if not module.private
    }
    assert modelled == {"a": ["", "/$defs/Record"], "b": [""], "c": [""], "d": [], "e": []}


@pytest.mark.parametrize("kind", KINDS)
def test_unions_that_multiply_end_in_wider_types(kind: Kind, tmp_path: Path) -> None:
    definitions: t.Any = {
        f"d{n}": {
            "type": "object",
            "properties": {f"x{n}": True},
            "oneOf": [
                {"properties": {"y": {"$ref": f"#/$defs/d{(n * m + 1) % 12}"}}} for m in range(9)
            ],
        }
        for n in range(12)
    }
    package = Package(put(tmp_path, {"a.schema.json": {"$defs": definitions}}), kind)
    (section,) = package.sections.values()
    assert len(section.exports) < 2_000
