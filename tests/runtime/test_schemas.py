"""Schemas compile once, at the first use, and judge values as strict JSON."""

from __future__ import annotations

import enum
import json
import math
from collections import OrderedDict
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.read import read
from pi_contracts.runtime.errors import BrokenSchemasError, ContractViolation, InvalidJSON
from pi_contracts.runtime.parse import parse_json
from pi_contracts.runtime.schemas import Schemas, Validator

SHARED = Path(__file__).resolve().parents[3] / "shared"
CASES = SHARED / "cases" / "validators.json"
CLOSED = {
    "type": "object",
    "properties": {"s": {"type": "string"}, "n": {"type": "number"}, "a": {"$ref": "#/$defs/list"}},
    "additionalProperties": False,
}
DEFS = {
    "closed": CLOSED,
    "list": {"type": "array", "items": {"type": "string", "pattern": ""}},
    "open": {"type": "object", "properties": {"s": {"type": "string"}}},
    "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
    "loose": {"$ref": "#/$defs/open/properties/s"},
}
SCHEMAS = Schemas(json.dumps({"$defs": DEFS}))


def judge(pointer: str, value: object) -> bool:
    """Return the verdict on *value*, which `validate` and `is_valid` agree on."""
    validator: Validator[object] = SCHEMAS.validator(pointer)
    verdict = validator.is_valid(value)
    assert validator.is_valid(value) is verdict  # the second call takes the short way
    if verdict:
        assert validator.validate(value) is value
    else:
        with pytest.raises(ContractViolation):
            validator.validate(value)
    return verdict


class Text(str):
    __slots__ = ()


class Colour(enum.Enum):
    RED = object()


NOT_JSON: dict[str, object] = {
    "nan": math.nan,
    "infinity": -math.inf,
    "decimal nan": Decimal("NaN"),
    "bytes": b"x",
    "set": {"x"},
    "date": datetime.now(tz=UTC),
    "object": object(),
    "class": str,
    "function": len,
    "member of an enum": Colour.RED,
    "lone surrogate": "\ud800",
    "integer as a name": {1: "x"},
    "none as a name": {None: "x"},
    "lone surrogate in a name": {"\ud800": 1},
}


@pytest.mark.parametrize("value", NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_no_json_is_refused_at_typed_and_at_open_places(value: object) -> None:
    assert not judge("#/$defs/closed", {"s": value})
    assert not judge("#/$defs/closed", {"n": value})
    assert not judge("#/$defs/closed", {"a": [value]})
    assert not judge("#/$defs/open", {"other": [{"deep": value}]})
    assert not judge("#/$defs/loose", value)
    assert not judge("#/$defs/list", value)


COUNTS_AS_JSON: dict[str, tuple[str, object]] = {
    "tuple": ("#/$defs/list", ("a", "b")),
    "decimal": ("#/$defs/closed", {"n": Decimal("1.5")}),
    "subclass of str": ("#/$defs/closed", {"s": Text("x")}),
    "subclass of str in a list": ("#/$defs/list", [Text("x")]),
    "subclass of dict": ("#/$defs/closed", OrderedDict(s="x")),
    "subclass of str as a name": ("#/$defs/closed", {Text("s"): "x"}),
    "subclass of str at an open place": ("#/$defs/open", {"other": Text("x")}),
    "shared part": ("#/$defs/open", {"a": (part := ["x"]), "b": part}),
    "large integer": ("#/$defs/closed", {"n": 10**4000}),
}


@pytest.mark.parametrize(("pointer", "value"), COUNTS_AS_JSON.values(), ids=COUNTS_AS_JSON)
def test_what_counts_as_json_is_accepted(pointer: str, value: object) -> None:
    assert judge(pointer, value)


def test_a_subclass_of_str_is_held_to_the_schema_like_any_string() -> None:
    assert not judge("#/$defs/closed", {"n": Text("x")})


def make_deep(levels: int, *, by: str | None = None) -> object:
    """Return arrays, or objects with one name, that stand inside each other."""
    value: object = [] if by is None else {}
    for _ in range(levels - 1):
        value = [value] if by is None else {by: value}
    return value


@pytest.mark.parametrize("levels", [513, 20_000, 200_000])
def test_more_than_512_levels_are_refused_without_harm(levels: int) -> None:
    assert not judge("#/$defs/tree", make_deep(levels))
    assert not judge("#/$defs/open", make_deep(levels, by="x"))
    assert judge("#/$defs/tree", [])


def test_512_levels_are_accepted() -> None:
    assert judge("#/$defs/tree", make_deep(512))
    assert judge("#/$defs/open", make_deep(512, by="x"))


def test_a_value_that_contains_itself_is_refused() -> None:
    ring: list[object] = []
    ring += [ring, ring]
    assert not judge("#/$defs/tree", ring)
    with pytest.raises(ContractViolation, match="a value that contains itself") as caught:
        SCHEMAS.validator("#/$defs/tree").validate(ring)
    assert caught.value.pointer == "/0"


def test_a_schema_that_is_closed_itself_needs_no_second_look() -> None:
    assert SCHEMAS.get_judge("#/$defs/closed").is_closed
    assert not SCHEMAS.get_judge("#/$defs/open").is_closed
    assert not SCHEMAS.get_judge("#/$defs/tree").is_closed


def test_a_schema_too_deep_to_be_surveyed_counts_as_open() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(240):
        schema = {"type": "array", "items": schema}
    judge = Schemas(json.dumps({"$defs": {"deep": schema}})).get_judge("#/$defs/deep")
    assert not judge.is_closed


def test_a_pattern_that_explodes_refuses_and_does_not_hang() -> None:
    schemas = Schemas(json.dumps({"$defs": {"p": {"pattern": r"^(\w+)*(?=!)\1$"}}}))
    validator = schemas.validator("#/$defs/p")
    assert not validator.is_valid("a" * 10_000)
    with pytest.raises(ContractViolation):
        validator.validate("a" * 10_000)
    assert not validator.is_valid("!")


def test_nothing_is_parsed_before_the_first_use() -> None:
    schemas = Schemas("this is no JSON")
    validator = schemas.validator("#/$defs/x")
    with pytest.raises(BrokenSchemasError, match=r"#/\$defs/x cannot be used") as caught:
        validator.is_valid(1)
    assert "run: pi-contracts gen" in str(caught.value)


BROKEN: dict[str, tuple[object, str]] = {
    "a keyword of the wrong kind": ({"minLength": "3"}, "#/$defs/x"),
    "a pattern that is none": ({"pattern": "("}, "#/$defs/x"),
    "a pointer that leads nowhere": ({}, "#/$defs/y"),
    "a reference that leads nowhere": ({"$ref": "#/$defs/z"}, "#/$defs/x"),
    "a reference to the outside": ({"$ref": "https://example.org/x"}, "#/$defs/x"),
}


@pytest.mark.parametrize(("schema", "pointer"), BROKEN.values(), ids=BROKEN)
def test_a_broken_schema_is_an_error_of_its_own_not_a_verdict(schema: object, pointer: str) -> None:
    schemas = Schemas(json.dumps({"$defs": {"x": schema}}))
    for _ in range(2):
        with pytest.raises(BrokenSchemasError):
            schemas.validator(pointer).is_valid(1)


def test_each_pointer_is_compiled_once() -> None:
    assert SCHEMAS.get_judge("#/$defs/open") is SCHEMAS.get_judge("#/$defs/open")


def test_the_root_itself_may_be_the_schema() -> None:
    text = '{"type": "array", "items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"type": "null"}}}'
    validator = Schemas(text).validator("#")
    assert validator.is_valid([None])
    assert not validator.is_valid([1])


def test_only_what_a_pointer_reaches_is_compiled() -> None:
    defs = {"good": {"$ref": "#/$defs/more"}, "more": {"type": "null"}, "bad": {"type": "strnig"}}
    schemas = Schemas(json.dumps({"$defs": defs}))
    assert schemas.validator("#/$defs/good").is_valid(None)
    with pytest.raises(BrokenSchemasError, match="strnig"):
        schemas.validator("#/$defs/bad").is_valid(None)


def test_keys_of_definitions_are_escaped_in_pointers() -> None:
    schemas = Schemas(json.dumps({"$defs": {"a/b~c%d e": {"type": "null"}}}))
    assert schemas.validator("#/$defs/a~1b~0c%25d%20e").is_valid(None)


def test_formats_are_checked_only_where_that_is_asked_for() -> None:
    defs = {"m": {"format": "ipv4"}, "u": {"format": "no-such-format"}}
    assert Schemas(json.dumps({"$defs": defs})).validator("#/$defs/m").is_valid("x")
    asserted = Schemas(json.dumps({"$defs": defs}), assert_formats=True)
    assert not asserted.validator("#/$defs/m").is_valid("x")
    assert asserted.validator("#/$defs/u").is_valid("x")


def test_a_codec_makes_the_value_that_validate_returns() -> None:
    class Doubling:
        def load(self, value: Any, /) -> int:
            return int(value) * 2

        def dump(self, value: int, /) -> object:
            return value // 2

    schemas = Schemas('{"$defs": {"n": {"type": "integer"}}}')
    validator = Validator(schemas, "#/$defs/n", codec=Doubling())
    assert validator.validate(4) == 8
    with pytest.raises(ContractViolation):
        validator.validate("4")


def test_references_stand_alone_in_old_drafts() -> None:
    document = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$defs": {"x": {"$ref": "#/$defs/y", "type": "null"}, "y": {"type": "integer"}},
    }
    validator = Schemas(json.dumps(document)).validator("#/$defs/x")
    assert validator.is_valid(1)
    assert not validator.is_valid(None)


# The cases that others' bug reports prompted.

SPECIAL: dict[str, object] = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "bytes": b"x",
    "datetime": datetime.now(tz=UTC),
    "set": {1},
    "object": object(),
}


def load_cases() -> list[Any]:
    """Return the cases whose schema is meant to be usable."""
    if not CASES.is_file():
        return []
    cases: list[Any] = json.loads(CASES.read_bytes())
    return [case for case in cases if "compile" not in case["expect"]]


def make_instance(case: dict[str, Any]) -> object:
    """Return the value that an instance of a case describes; raises InvalidJSON."""
    if "special" in case:
        return SPECIAL[case["special"]]
    if "raw" in case:
        return parse_json(case["raw"])
    if "data" in case:
        return case["data"]
    value, key = case["nest"]["around"], case["nest"]["key"]
    for _ in range(case["nest"]["depth"]):
        value = [value] if key is None else {key: value}
    return value


@pytest.mark.skipif(not CASES.is_file(), reason="the folder shared beside the checkout is absent")
@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case["id"])
def test_instances_of_the_shared_cases_get_the_right_verdict(case: Any, tmp_path: Path) -> None:
    file = tmp_path / "case.schema.json"
    file.write_text(case["input"].get("schema_raw") or json.dumps(case["input"]["schema"]), "utf-8")
    reading = read([file], base=tmp_path)
    assert reading.is_sound, reading.findings
    bundle = make_bundle(reading.catalogue, {"root": Location(file.as_uri(), "")}, file.as_uri())
    validator = Schemas(json.dumps(bundle.document)).validator(bundle.pointers["root"])
    for instance in case["expect"]["instances"]:
        try:
            value = make_instance(instance)
        except InvalidJSON:
            verdict = False
        else:
            verdict = validator.is_valid(value)
            if not verdict:
                with pytest.raises(ContractViolation):
                    validator.validate(value)
        if instance["valid"] is not None:
            assert verdict is instance["valid"], instance


def test_the_shared_cases_are_there_in_number() -> None:
    if not CASES.is_file():
        pytest.skip("the folder shared beside the checkout is absent")
    assert sum(len(case["expect"]["instances"]) for case in load_cases()) > 250


def test_the_verdict_is_that_of_the_bare_validator_for_json() -> None:
    values: list[Any] = [None, 1, 1.5, "x", [], {}, [1], {"s": "x"}, {"s": 1}, ["x"], {"z": []}]
    for name in DEFS:
        bare = jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": DEFS}, offline=True)
        for value in values:
            assert judge(f"#/$defs/{name}", value) is bare.is_valid(value)
