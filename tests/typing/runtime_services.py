"""What type checkers must find of services; never imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, assert_type

from pi_contracts.runtime import (
    BACKGROUND,
    UNSET,
    Context,
    Keyed,
    Local,
    SessionFacet,
    Singleton,
    Unset,
    connect_direct,
    local_service,
)
from pi_contracts.runtime import generated as rt

if TYPE_CHECKING:
    from collections.abc import Callable


class Value(rt.TypedDict):
    name: rt.ReadOnly[str]
    size: rt.NotRequired[rt.ReadOnly[int]]


class Service(Protocol):
    @property
    def state(self) -> rt.State[Value]: ...

    @property
    def changed(self) -> rt.Events[Value]: ...

    async def size(self, ctx: Context) -> int: ...


class Job(Protocol):
    async def wait(self, ctx: Context) -> str: ...


class WrittenJob:
    async def wait(self, ctx: Context) -> str:
        ctx.check()
        return ""


class Starter(Protocol):
    async def start(self, ctx: Context) -> rt.Reference[Job]: ...


class WrittenStarter:
    async def start(self, ctx: Context) -> WrittenJob:
        ctx.check()
        return WrittenJob()


class Params(rt.TypedDict):
    name: str


def check_members(
    link: rt.Link,
    state: rt.StateMember[Value],
    events: rt.EventsMember[Value],
    listener: Callable[[Value, Context], None],
) -> None:
    assert_type(link.state(state), rt.State[Value])
    assert_type(link.state(state).value, Value)
    assert_type(link.state(state).last(None), Value | None)
    assert_type(link.events(events).subscribe(listener), rt.Subscription)
    initial: Value = {"name": "x"}
    mutable = rt.MutableState(state, initial)
    assert_type(mutable, rt.MutableState[Value])
    as_state: rt.State[Value] = mutable
    wider: rt.State[object] = as_state  # covariant
    source = rt.EventSource(events)
    as_events: rt.Events[Value] = source
    wider_events: rt.Events[object] = as_events
    del wider, wider_events


async def check_calls(
    link: rt.Link,
    method: rt.Method[Params, int],
    starter: rt.Method[Params, rt.Reference[Job]],
) -> None:
    params: Params = {"name": "x"}
    assert_type(await link.call(method, params, BACKGROUND), int)
    reference = await link.call_reference(starter, params, BACKGROUND)
    assert_type(reference, rt.Reference[Job])
    async with reference as held:
        assert_type(await held.service.wait(BACKGROUND), str)


def check_tokens(token: Singleton[Service], implementation: Service) -> None:
    assert_type(connect_direct(token, implementation), Service)
    store: Local[dict[str, bytes]] = local_service("store")
    assert_type(store, Local[dict[str, bytes]])


class Provider:
    def __init__(self, state: rt.StateMember[Value], events: rt.EventsMember[Value]) -> None:
        initial: Value = {"name": "x"}
        self.state = rt.MutableState(state, initial)
        self.changed = rt.EventSource(events)

    async def size(self, ctx: Context) -> int:
        ctx.check()
        return 1


def check_provider(token: Singleton[Service], provider: Provider) -> None:
    assert_type(connect_direct(token, provider), Service)


def check_sides_that_differ(
    facet: SessionFacet,
    one: Singleton[Starter, WrittenStarter],
    many: Keyed[Starter, WrittenStarter],
) -> None:
    """A provider returns a job where its consumers get a reference to one."""
    facet.provide(one, WrittenStarter())
    facet.provide_keyed(many).spawn("key", WrittenStarter())
    assert_type(facet.use(one), Starter)
    assert_type(connect_direct(one, WrittenStarter()), Starter)
    assert_type(connect_direct(many, WrittenStarter()), Starter)


def check_unset(*, force: bool | Unset = UNSET) -> None:
    if isinstance(force, Unset):
        assert_type(force, Unset)
    else:
        assert_type(force, bool)
    if force is not UNSET:
        assert_type(force, bool)


def check_validators(validator: rt.Validator[Value], value: object) -> None:
    assert_type(validator.validate(value), Value)
    assert_type(validator.is_valid(value), bool)


class Missing(rt.ServiceError):
    code = "missing"
    data: Value

    def __init__(self, message: str = "missing", *, data: Value) -> None:
        super().__init__(message, data)


def check_errors() -> None:
    error = Missing(data={"name": "x"})
    assert_type(error.data, Value)
    assert_type(error.message, str)
    rt.ErrorCase(Missing)


def check_json() -> None:
    nested: rt.JsonObject = {"a": [1, None, {"b": True}], "c": "x"}
    items: rt.JsonArray = [nested, 1.5]
    del items
