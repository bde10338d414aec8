"""Rows of a member table hold names, schemas and codecs, and check what crosses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pi_contracts.runtime.errors import ContractViolation, ServiceError
from pi_contracts.runtime.members import (
    ErrorCase,
    EventsMember,
    Method,
    Parameter,
    Payload,
    StateMember,
)
from pi_contracts.runtime.schemas import Schemas
from pi_contracts.runtime.unset import UNSET

SCHEMAS = Schemas(json.dumps({"$defs": {"n": {"type": "integer"}, "e": {"type": "object"}}}))


class Plain(ServiceError):  # noqa: N818 - as contracts name errors
    code = "plain"


class WithData(ServiceError):  # noqa: N818 - as contracts name errors
    code = "with_data"
    data: int

    def __init__(self, message: str = "it happened", *, data: int) -> None:
        super().__init__(message, data)


class Text:
    """A codec between integers on the wire and their digits in Python."""

    def load(self, value: Any, /) -> str:
        return str(value)

    def dump(self, value: str, /) -> object:
        return int(value) if value.isdigit() else value


def test_a_payload_checks_what_its_codec_dumps() -> None:
    payload = Payload(SCHEMAS, "#/$defs/n", Text())
    assert payload.check("12", "the test") == 12
    assert payload.load(12) == "12"
    with pytest.raises(ContractViolation) as caught:
        payload.check("twelve", "the test")
    assert caught.value.__notes__ == ["in the test"]


def test_a_payload_without_codec_holds_what_crosses() -> None:
    payload: Payload[int] = Payload(SCHEMAS, "#/$defs/n", None)
    assert payload.check(12, "the test") == 12
    assert (payload.dump(12), payload.load(12)) == (12, 12)


def test_the_python_name_is_the_wire_name_unless_given() -> None:
    for name, attribute in (("lanes", None), ("activeLanes", "active_lanes")):
        expected = name if attribute is None else attribute
        state: StateMember[int] = StateMember(name, SCHEMAS, value="#/$defs/n", attribute=attribute)
        events: EventsMember[Any] = EventsMember(
            name, SCHEMAS, payload="#/$defs/e", attribute=attribute
        )
        method: Method[Any, Any] = Method(name, SCHEMAS, params="#/$defs/e", attribute=attribute)
        assert {state.name, events.name, method.name} == {name}
        assert {state.attribute, events.attribute, method.attribute} == {expected}


def test_arguments_are_bound_by_python_names_and_absent_ones_are_unset() -> None:  # CON-14
    method: Method[Any, Any] = Method(
        "m",
        SCHEMAS,
        params="#/$defs/e",
        parameters=(
            Parameter("modelId", "model_id", required=True),
            Parameter("class", "class_", required=True),
            Parameter("dryRun", "dry_run", required=False),
            Parameter("force", "force", required=False),
        ),
    )
    bound = method.bind({"class": 2, "force": None, "modelId": 1})
    assert bound == ([1, 2], {"dry_run": UNSET, "force": None})


def test_an_event_filter_reads_the_discriminator_from_what_crosses() -> None:
    member: EventsMember[Any] = EventsMember(
        "e", SCHEMAS, payload="#/$defs/e", discriminator="type"
    )
    accepts = member.make_filter("a")
    assert accepts({"type": "a"})
    assert not accepts({"type": "b"})
    assert not accepts({})
    assert not accepts([])


@pytest.mark.parametrize(
    ("wanted", "advice"),
    [("aded", '\ndid you mean "added"?'), ("x", "")],
    ids=["near", "far"],
)
def test_what_an_event_never_is_cannot_be_waited_for(wanted: str, advice: str) -> None:
    branches = [{"properties": {"type": {"const": name}}} for name in ("added", "gone")]
    schemas = Schemas(json.dumps({"$defs": {"e": {"type": "object", "oneOf": branches}}}))
    member: EventsMember[Any] = EventsMember(
        "changed", schemas, payload="#/$defs/e", discriminator="type"
    )
    assert member.make_filter("gone")({"type": "gone"})
    with pytest.raises(ValueError, match="is never") as caught:
        member.make_filter(wanted)
    problem = f'of the events "changed", "type" is never "{wanted}": expected one of'
    assert str(caught.value) == f'{problem} "added", "gone"{advice}'


def test_errors_are_made_again_through_their_own_constructors() -> None:
    plain, with_data = ErrorCase(Plain), ErrorCase(WithData, SCHEMAS, data="#/$defs/n")
    assert (plain.code, with_data.code) == ("plain", "with_data")
    error = with_data.make("again", 3)
    assert isinstance(error, WithData)
    assert (error.message, error.data) == ("again", 3)
    assert isinstance(plain.make("again", None), Plain)


def test_a_method_knows_what_it_returns_a_reference_to() -> None:
    token: Any = object()
    direct: Method[Any, Any] = Method("m", SCHEMAS, params="#/$defs/e", returns=token)
    late: Method[Any, Any] = Method("m", SCHEMAS, params="#/$defs/e", returns=lambda: token)
    none: Method[Any, Any] = Method("m", SCHEMAS, params="#/$defs/e")
    assert direct.get_returned() is token
    assert late.get_returned() is token
    assert none.get_returned() is None
