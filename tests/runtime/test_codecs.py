"""Models are loaded after their schema has accepted a value, and dumped as it was."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic
import pytest
from pi_contracts.runtime.codecs import ModelCodec
from pi_contracts.runtime.errors import ContractViolation
from pi_contracts.runtime.generated import NotRequired, Schemas, TypedDict, Validator

SCHEMAS = Schemas('{"$defs": {"m": {"type": "object"}}}')


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(frozen=True, populate_by_name=True, extra="allow")

    model_id: Annotated[str, pydantic.Field(alias="modelId")]
    number: int | None = None
    weight: float | None = None
    mixed: int | float | str | bool | None = None
    anything: Any = None
    level: Literal["low", "high"] | None = None
    parts: list[Model] | None = None


class Params(TypedDict):
    model: Model
    force: NotRequired[bool]


CODEC: ModelCodec[Model] = ModelCodec(lambda: pydantic.TypeAdapter(Model))

VALUES: dict[str, dict[str, Any]] = {
    "by alias": {"modelId": "x"},
    "beyond 64 bits": {"modelId": "x", "number": 2**70, "mixed": -(2**70)},
    "null is not absent": {"modelId": "x", "number": None},
    "float of a union": {"modelId": "x", "mixed": 1.0},
    "boolean of a union": {"modelId": "x", "mixed": True},
    "digits of a union": {"modelId": "x", "mixed": "1"},
    "nested": {"modelId": "x", "parts": [{"modelId": "y", "level": "low"}]},
    "open": {"modelId": "x", "anything": {"a": [1, None, 2**80]}, "more": [1]},
    "a name that is also a Python name": {"modelId": "x", "model_id": 3},
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_what_is_loaded_is_dumped_as_it_was(value: dict[str, Any]) -> None:
    dumped = CODEC.dump(CODEC.load(value))
    assert repr(dumped) == repr(value)


@pytest.mark.parametrize("number", [b"x", {1}, float("nan")], ids=repr)
def test_what_is_no_json_stays_visible_to_the_schema(number: object) -> None:
    dumped = CODEC.dump(Model.model_validate({"modelId": "x", "anything": [number]}))
    assert not SCHEMAS.validator("#/$defs/m").is_valid(dumped)


def test_unset_members_are_not_dumped() -> None:
    assert CODEC.dump(Model.model_validate({"model_id": "x"}, by_name=True)) == {"modelId": "x"}


def test_something_else_than_a_model_is_left_for_the_schema_to_refuse() -> None:
    other: Any = 3
    assert CODEC.dump(other) == 3


def test_parameters_hold_models() -> None:
    codec: ModelCodec[Params] = ModelCodec(lambda: pydantic.TypeAdapter(Params))
    params: Params = {"model": Model.model_validate({"modelId": "x", "number": 1})}
    dumped = codec.dump(params)
    assert dumped == {"model": {"modelId": "x", "number": 1}}
    assert codec.load(dumped) == params


def test_the_adapter_is_made_once_and_at_the_first_use() -> None:
    made: list[int] = []

    def make() -> pydantic.TypeAdapter[int]:
        made.append(1)
        return pydantic.TypeAdapter(int)

    codec = ModelCodec(make)
    assert made == []
    assert (codec.load(1), codec.load(2), codec.dump(3)) == (1, 2, 3)
    assert made == [1]


def test_a_model_narrower_than_its_schema_is_a_violation_without_the_value() -> None:
    validator = Validator(SCHEMAS, "#/$defs/m", codec=CODEC)
    assert validator.validate({"modelId": "x"}) == Model.model_validate({"modelId": "x"})
    with pytest.raises(ContractViolation) as caught:
        validator.validate({"modelId": ["secret"]})
    assert caught.value.keyword == "model"
    assert "secret" not in str(caught.value)
