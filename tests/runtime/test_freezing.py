"""While the switch is on, changing a borrowed value is an error where it happens."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.events import EventSource
from pi_contracts.runtime.freezing import freeze_values, lend
from pi_contracts.runtime.members import EventsMember, StateMember
from pi_contracts.runtime.schemas import Schemas
from pi_contracts.runtime.state import MutableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCHEMAS = Schemas('{"$defs": {"any": {}}}')
STATE: StateMember[Any] = StateMember("state", SCHEMAS, value="#/$defs/any")
EVENTS: EventsMember[Any] = EventsMember("events", SCHEMAS, payload="#/$defs/any")


@pytest.fixture(autouse=True)
def _frozen() -> Iterator[None]:
    freeze_values(enabled=True)
    yield
    freeze_values(enabled=False)


CHANGES: dict[str, Callable[[Any], object]] = {
    "set a member": lambda v: v.__setitem__("a", 1),
    "delete a member": lambda v: v.__delitem__("list"),
    "update": lambda v: v.update(a=1),
    "update in place": lambda v: v.__ior__({"a": 1}),
    "clear": lambda v: v.clear(),
    "pop": lambda v: v.pop("list"),
    "popitem": lambda v: v.popitem(),
    "setdefault": lambda v: v.setdefault("a", 1),
    "set an item": lambda v: v["list"].__setitem__(0, 9),
    "delete an item": lambda v: v["list"].__delitem__(0),
    "append": lambda v: v["list"].append(1),
    "extend": lambda v: v["list"].extend([1]),
    "add in place": lambda v: v["list"].__iadd__([1]),
    "multiply in place": lambda v: v["list"].__imul__(2),
    "insert": lambda v: v["list"].insert(0, 1),
    "remove": lambda v: v["list"].remove(1),
    "reverse": lambda v: v["list"].reverse(),
    "sort": lambda v: v["list"].sort(),
    "clear a list": lambda v: v["list"].clear(),
    "pop from a list": lambda v: v["list"].pop(),
    "change what was a tuple": lambda v: v["tuple"][0].append(1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_borrowed_value_cannot_be_changed(change: Callable[[Any], object]) -> None:  # STA-11
    value: dict[str, Any] = {"list": [1, 2], "tuple": ([],)}
    state, seen = MutableState(STATE, value), list[Any]()
    state.subscribe(lambda value, _: seen.append(value))
    state.set(copy.deepcopy(value), BACKGROUND)
    for borrowed in (*seen, state.value):
        with pytest.raises(TypeError, match="borrowed: copy it before changing it"):
            change(borrowed)


def test_what_was_set_may_be_changed_unseen() -> None:  # STA-12
    value: dict[str, Any] = {"list": [1]}
    state = MutableState(STATE, value)
    value["list"].append(2)
    assert state.value == {"list": [1]}


def test_events_are_frozen_as_well() -> None:
    source, seen = EventSource(EVENTS), list[Any]()
    source.subscribe(lambda event, _: seen.append(event))
    source.emit({"a": []}, BACKGROUND)
    with pytest.raises(TypeError):
        seen[0]["a"].append(1)


def test_a_frozen_value_is_json_like_any_other_and_may_be_set_again() -> None:
    state = MutableState(STATE, {"a": [1, {"b": None}]})
    assert state.value == {"a": [1, {"b": None}]}
    state.set({**state.value, "c": 2}, BACKGROUND)
    assert state.value == {"a": [1, {"b": None}], "c": 2}


def pickle_and_back(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


TAKERS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "dict": dict,
    "pickle": pickle_and_back,
}


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
def test_a_copy_of_a_frozen_value_can_be_changed(take: Callable[[Any], Any]) -> None:
    taken = take(MutableState(STATE, {"a": [1]}).value)
    taken["b"] = 2
    assert taken == {"a": [1], "b": 2}
    deep = copy.deepcopy(MutableState(STATE, {"a": [1]}).value)
    deep["a"].append(2)
    assert deep == {"a": [1, 2]}


def test_with_the_switch_off_values_are_shared() -> None:
    freeze_values(enabled=False)
    value = {"a": 1}
    assert lend(value) is value


@pytest.mark.parametrize(("setting", "frozen"), [("1", True), ("0", False), ("", False)])
def test_the_environment_turns_the_switch_on(setting: str, *, frozen: bool) -> None:
    code = "from pi_contracts.runtime.freezing import lend\nv = {}\nprint(lend(v) is not v)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PI_CONTRACTS_FREEZE": setting},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(frozen)
