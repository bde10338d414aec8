"""An implementation is held to the member table, and every problem is named."""

from __future__ import annotations

import inspect
import json
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from pi_contracts.runtime.errors import InvalidImplementation
from pi_contracts.runtime.events import EventSource
from pi_contracts.runtime.implementation import check_implementation
from pi_contracts.runtime.members import EventsMember, Method, Parameter, StateMember
from pi_contracts.runtime.schemas import Schemas
from pi_contracts.runtime.state import MutableState
from pi_contracts.runtime.tokens import Singleton
from pi_contracts.runtime.unset import UNSET

SCHEMAS = Schemas(json.dumps({"$defs": {"any": {}}}))
STATE: StateMember[Any] = StateMember("state", SCHEMAS, value="#/$defs/any")
CHANGED: EventsMember[Any] = EventsMember("changed", SCHEMAS, payload="#/$defs/any")
SELECT: Method[Any, Any] = Method(
    "selectModel",
    SCHEMAS,
    params="#/$defs/any",
    parameters=(
        Parameter("modelId", "model_id", required=True),
        Parameter("force", "force", required=False),
    ),
    attribute="select_model",
)
REFRESH: Method[Any, Any] = Method("refresh", SCHEMAS, params="#/$defs/any")
TOKEN: Singleton[Any] = Singleton(
    id="models",
    version=1,
    digest="",
    members=(STATE, CHANGED, SELECT, REFRESH),
    proxy=lambda link: link,
)


class Good:
    def __init__(self) -> None:
        self.state = MutableState(STATE, 1)
        self.changed = EventSource(CHANGED)
        self.secret = object()

    async def select_model(self, model: str, ctx: Any, *, force: Any = UNSET) -> None: ...

    async def refresh(self, ctx: Any) -> None: ...

    @property
    def own(self) -> None:
        raise AssertionError("what the table does not name is not looked at")


def test_what_implements_the_table_is_accepted_whatever_else_it_has() -> None:  # CON-4
    check_implementation(TOKEN, Good())


def test_callables_that_do_not_tell_their_parameters_are_accepted() -> None:
    good = Good()
    good.refresh = AsyncMock()  # type: ignore[method-assign]
    check_implementation(TOKEN, good)

    good.refresh = max  # type: ignore[method-assign, assignment] # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(max)
    check_implementation(TOKEN, good)


@pytest.mark.parametrize(
    "value", [None, [], (), {}, set[int](), "text", b"x", 3, 1.5, Good, json], ids=repr
)
def test_what_is_no_object_with_members_is_refused(value: object) -> None:  # CON-6
    with pytest.raises(InvalidImplementation, match="expected an object with the members"):
        check_implementation(TOKEN, value)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, "found None"),
        (3, "found an object of type int"),
        (Good, "found the class Good: give an instance of it"),
    ],
    ids=["nothing", "a number", "a class"],
)
def test_what_was_found_instead_is_said(value: object, found: str) -> None:
    with pytest.raises(InvalidImplementation) as caught:
        check_implementation(TOKEN, value)
    assert caught.value.problems[0].endswith(found)


def test_a_constructor_that_does_not_call_the_inherited_one_is_named() -> None:
    class Forgetful(Good):
        def __init__(self) -> None:  # pyright: ignore[reportMissingSuperCall]
            self.secret = 1

    with pytest.raises(InvalidImplementation) as caught:
        check_implementation(TOKEN, Forgetful())
    hint = ": does Forgetful.__init__ call super().__init__?"
    assert caught.value.problems == (
        f'the state "state" is missing{hint}',
        f'the source of events "changed" is missing{hint}',
    )


def refuse(**changes: Any) -> tuple[str, ...]:
    members = {**vars(Good()), "select_model": Good().select_model, "refresh": Good().refresh}
    with pytest.raises(InvalidImplementation) as caught:
        check_implementation(TOKEN, SimpleNamespace(**{**members, **changes}))
    return caught.value.problems


def test_every_missing_member_is_named_by_its_kind() -> None:
    with pytest.raises(InvalidImplementation) as caught:
        check_implementation(TOKEN, SimpleNamespace())
    assert caught.value.service == "models"
    assert caught.value.problems == (
        'the state "state" is missing',
        'the source of events "changed" is missing',
        'the method "select_model" is missing',
        'the method "refresh" is missing',
    )


async def without_context(model_id: str) -> None: ...


async def without_optional(model_id: str, ctx: Any) -> None: ...


async def with_context_first(ctx: Any) -> None: ...


CANNOT = '"select_model" cannot be called as select_model(model_id, ctx, *, force=UNSET): '

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a value for a state": ({"state": 3}, '"state" is of type int; expected a MutableState'),
    "events for a state": (
        {"state": EventSource(CHANGED)},
        '"state" is of type EventSource; expected a MutableState',
    ),
    "a state for events": (
        {"changed": MutableState(STATE, 1)},
        '"changed" is of type MutableState; expected an EventSource',
    ),
    "a value for a method": (
        {"refresh": 3},
        '"refresh" is of type int; expected an asynchronous method',
    ),
    "no context": (
        {"select_model": without_context},
        f"{CANNOT}too many positional arguments",
    ),
    "no optional parameter": (
        {"select_model": without_optional},
        f"{CANNOT}got an unexpected keyword argument 'force'",
    ),
    "a parameter too many": (
        {"refresh": without_optional},
        "\"refresh\" cannot be called as refresh(ctx): missing a required argument: 'ctx'",
    ),
}


@pytest.mark.parametrize(("changes", "problem"), WRONG.values(), ids=WRONG)
def test_a_member_of_the_wrong_kind_is_named(changes: dict[str, Any], problem: str) -> None:
    assert refuse(**changes) == (problem,)


def test_a_property_is_no_state_and_does_not_run() -> None:  # CON-5
    class Computed:
        def __init__(self) -> None:
            self.changed = EventSource(CHANGED)
            self.select_model = Good().select_model
            self.refresh = Good().refresh

        @property
        def state(self) -> Any:
            raise AssertionError("looked at")

    with pytest.raises(InvalidImplementation) as caught:
        check_implementation(TOKEN, Computed())
    assert caught.value.problems == (
        '"state" is a property, computed on read; expected a MutableState',
    )
