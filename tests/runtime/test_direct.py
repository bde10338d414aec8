"""Over the direct link, a proxy calls its provider as it would over a wire."""

from __future__ import annotations

import abc
import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    TRACE,
    Cancellation,
    Cancelled,
    ContextKey,
    InternalError,
    InvalidArguments,
    InvalidImplementation,
    InvalidResult,
    NotAuthorized,
    NotHydrated,
    ServiceNotImplemented,
    StaleReference,
    connect_direct,
)
from pi_contracts.runtime import generated as rt

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

# What `gen` would write of a contract, shortened.


class UnknownModel(rt.ServiceError):
    code = "unknown_model"
    data: Any

    def __init__(self, message: str = "no provider offers this model", *, data: Any) -> None:
        super().__init__(message, data)


class Busy(rt.ServiceError):
    code = "busy"

    def __init__(self, message: str = "the service is busy") -> None:
        super().__init__(message)


class Foreign(rt.ServiceError):
    code = "busy"


class Job(Protocol):
    @property
    def progress(self) -> rt.State[int]: ...

    async def wait(self, ctx: rt.Context) -> int: ...


class JobProvider(abc.ABC):
    def __init__(self, *, progress: int) -> None:
        self.progress: Final = rt.MutableState(_PROGRESS, progress)

    @abc.abstractmethod
    async def wait(self, ctx: rt.Context) -> int: ...


class Models(Protocol):
    @property
    def state(self) -> rt.State[Any]: ...

    @property
    def changed(self) -> rt.Events[Any]: ...

    async def select(
        self, model_id: Any, ctx: rt.Context, *, force: Any | rt.Unset = rt.UNSET
    ) -> Any: ...

    async def refresh(self, ctx: rt.Context) -> None: ...

    async def start(self, ctx: rt.Context) -> rt.Reference[Job]: ...


class ModelsProvider(abc.ABC):
    def __init__(self, *, state: Any) -> None:
        self.state: Final = rt.MutableState(_STATE, state)
        self.changed: Final = rt.EventSource(_CHANGED)

    @abc.abstractmethod
    async def select(
        self, model_id: Any, ctx: rt.Context, *, force: Any | rt.Unset = rt.UNSET
    ) -> Any: ...

    @abc.abstractmethod
    async def refresh(self, ctx: rt.Context) -> None: ...

    @abc.abstractmethod
    async def start(self, ctx: rt.Context) -> JobProvider: ...


class _JobProxy:
    def __init__(self, link: rt.Link) -> None:
        self._link = link
        self.progress: Final = link.state(_PROGRESS)

    async def wait(self, ctx: rt.Context) -> int:
        return await self._link.call(_WAIT, {}, ctx)


class _ModelsProxy:
    def __init__(self, link: rt.Link) -> None:
        self._link = link
        self.state: Final = link.state(_STATE)
        self.changed: Final = link.events(_CHANGED)

    async def select(
        self, model_id: Any, ctx: rt.Context, *, force: Any | rt.Unset = rt.UNSET
    ) -> Any:
        params: dict[str, Any] = {"modelId": model_id}
        if not isinstance(force, rt.Unset):
            params["force"] = force
        return await self._link.call(_SELECT, params, ctx)

    async def refresh(self, ctx: rt.Context) -> None:
        return await self._link.call(_REFRESH, {}, ctx)

    async def start(self, ctx: rt.Context) -> rt.Reference[Job]:
        return await self._link.call_reference(_START, {}, ctx)


def close(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """Return a closed object schema."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_SCHEMAS: Final = rt.Schemas(
    json.dumps(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {
                "none": close({}),
                "n": {"type": "integer"},
                "state": close({"list": {"type": "array", "items": {"type": "number"}}}, "list"),
                "changed": close({"type": {"enum": ["a", "b"]}, "n": {"type": "integer"}}, "type"),
                "select": close(
                    {
                        "modelId": {"type": ["string", "array"], "minLength": 1},
                        "force": {"type": ["boolean", "null"]},
                    },
                    "modelId",
                ),
                "result": {"type": ["array", "string", "object"]},
            },
        }
    )
)
_PROGRESS: Final[rt.StateMember[int]] = rt.StateMember("progress", _SCHEMAS, value="#/$defs/n")
_WAIT: Final[rt.Method[Any, int]] = rt.Method(
    "wait", _SCHEMAS, params="#/$defs/none", result="#/$defs/n"
)
JOB: Final[rt.Referenced[Job]] = rt.Referenced(
    id="job", version=1, digest="", members=(_PROGRESS, _WAIT), proxy=_JobProxy
)
_STATE: Final[rt.StateMember[Any]] = rt.StateMember("state", _SCHEMAS, value="#/$defs/state")
_CHANGED: Final[rt.EventsMember[Any]] = rt.EventsMember(
    "changed", _SCHEMAS, payload="#/$defs/changed", discriminator="type"
)
_SELECT: Final[rt.Method[Any, Any]] = rt.Method(
    "selectModel",
    _SCHEMAS,
    params="#/$defs/select",
    result="#/$defs/result",
    errors=(rt.ErrorCase(UnknownModel, _SCHEMAS, data="#/$defs/n"), rt.ErrorCase(Busy)),
    parameters=(
        rt.Parameter("modelId", "model_id", required=True),
        rt.Parameter("force", "force", required=False),
    ),
    attribute="select",
)
_REFRESH: Final[rt.Method[Any, None]] = rt.Method("refresh", _SCHEMAS, params="#/$defs/none")
_START: Final[rt.Method[Any, rt.Reference[Job]]] = rt.Method(
    "start", _SCHEMAS, params="#/$defs/none", returns=lambda: JOB
)
MODELS: Final[rt.Singleton[Models]] = rt.Singleton(
    id="models",
    version=1,
    digest="",
    members=(_STATE, _CHANGED, _SELECT, _REFRESH, _START),
    proxy=_ModelsProxy,
)


class Download(JobProvider):
    async def wait(self, ctx: rt.Context) -> int:
        self.progress.set(100, ctx)
        return 7


class Catalogue(ModelsProvider):
    """Does what each test tells it to."""

    def __init__(self, act: Callable[[Any, Any, rt.Context], Any] | None = None) -> None:
        super().__init__(state={"list": []})
        self.act = act
        self.calls: list[tuple[Any, Any]] = []
        self.job: Any = Download(progress=0)

    async def select(
        self, model_id: Any, ctx: rt.Context, *, force: Any | rt.Unset = rt.UNSET
    ) -> Any:
        self.calls.append((model_id, force))
        if self.act is None:
            return model_id
        outcome = self.act(model_id, force, ctx)
        return await outcome if asyncio.iscoroutine(outcome) else outcome

    async def refresh(self, ctx: rt.Context) -> Any:
        self.calls.append(("refresh", None))
        if self.act is not None:
            return self.act(None, None, ctx)
        return "not told to anybody"

    async def start(self, ctx: rt.Context) -> Any:
        ctx.check()
        return self.job


def returning(result: Any) -> Callable[[Any, Any, rt.Context], Any]:
    def act(*_: Any) -> Any:
        return result

    return act


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


def raising(error: BaseException) -> Callable[[Any, Any, rt.Context], Any]:
    def act(*_: Any) -> Any:
        raise error

    return act


def test_arguments_arrive_by_python_names_and_results_come_back() -> None:
    async def test() -> None:
        catalogue = Catalogue()
        models = connect_direct(MODELS, catalogue)
        assert await models.select("x", BACKGROUND) == "x"
        await models.select("y", BACKGROUND, force=None)
        await models.select("z", BACKGROUND, force=True)
        assert catalogue.calls == [("x", rt.UNSET), ("y", None), ("z", True)]  # CON-14

    run(test)


def test_arguments_and_results_cross_as_copies() -> None:  # FLT-2
    async def test() -> None:
        catalogue = Catalogue()
        models = connect_direct(MODELS, catalogue)
        sent = (1, ("a",))
        received = await models.select(sent, BACKGROUND)
        assert received == [1, ["a"]]
        assert catalogue.calls[0][0] == [1, ["a"]]
        assert catalogue.calls[0][0] is not received

    run(test)


@pytest.mark.parametrize(
    ("model_id", "force", "message"),
    [
        ("", rt.UNSET, "at /modelId: expected a string of at least 1 character"),
        (3, rt.UNSET, "at /modelId: expected a string or an array, found an integer"),
        (["x", b"secret"], rt.UNSET, "at /modelId/1: expected a JSON value, found bytes"),
        ("x", 3, "at /force: expected a boolean or null, found an integer"),
        (rt.UNSET, rt.UNSET, "at /modelId: expected a JSON value"),
    ],
    ids=["short", "type", "bytes", "optional", "unset"],
)
def test_bad_arguments_fail_and_call_nothing(model_id: Any, force: Any, message: str) -> None:
    # CON-11, CON-12
    async def test() -> None:
        catalogue = Catalogue()
        models = connect_direct(MODELS, catalogue)
        with pytest.raises(InvalidArguments) as caught:
            await models.select(model_id, BACKGROUND, force=force)
        assert str(caught.value).startswith(f"the arguments of models.selectModel: {message}")
        assert "secret" not in str(caught.value)
        assert caught.value.data["pointer"].startswith("/")
        assert isinstance(caught.value.__cause__, rt.ContractViolation)
        assert catalogue.calls == []

    run(test)


def test_a_call_without_context_fails_before_anything_is_sent() -> None:  # CON-3
    async def test() -> None:
        models: Any = connect_direct(MODELS, Catalogue())
        with pytest.raises(TypeError):
            await models.select("x")
        with pytest.raises(TypeError):  # FLT-1
            await models.select("x", BACKGROUND, BACKGROUND)

    run(test)


@pytest.mark.parametrize("result", [3, None, ["x", {1}], "\ud800"], ids=ascii)
def test_a_bad_result_fails_without_the_value_and_leaves_the_link_usable(
    result: Any, caplog: pytest.LogCaptureFixture
) -> None:  # CON-13
    async def test() -> None:
        catalogue = Catalogue(returning(result))
        models = connect_direct(MODELS, catalogue)
        with caplog.at_level(logging.CRITICAL), pytest.raises(InvalidResult) as caught:
            await models.select("x", BACKGROUND)
        assert str(caught.value).startswith("the result of models.selectModel: ")
        assert caught.value.data["keyword"] in {"type", "json"}
        catalogue.act = None
        assert await models.select("y", BACKGROUND) == "y"

    run(test)


def test_a_method_without_result_returns_nothing_whatever_its_provider_returns() -> None:  # CON-8
    async def test() -> None:
        models: Any = connect_direct(MODELS, Catalogue())
        assert await models.refresh(BACKGROUND) is None

    run(test)


def test_errors_of_the_contract_cross_as_their_classes() -> None:  # ERR-4, ERR-5
    async def test() -> None:
        thrown = UnknownModel("no such model", data=4)
        models = connect_direct(MODELS, Catalogue(raising(thrown)))
        with pytest.raises(UnknownModel, match="no such model") as caught:
            await models.select("x", BACKGROUND)
        assert caught.value is not thrown
        assert caught.value.data == 4
        models = connect_direct(MODELS, Catalogue(raising(Busy("wait\ud800"))))
        with pytest.raises(Busy) as busy:
            await models.select("x", BACKGROUND)
        assert (busy.value.message, busy.value.data) == (r"wait\ud800", None)

    run(test)


def test_an_error_of_another_method_of_the_service_crosses() -> None:
    async def test() -> None:
        models = connect_direct(MODELS, Catalogue(raising(Busy())))
        with pytest.raises(Busy):
            await models.refresh(BACKGROUND)

    run(test)


@pytest.mark.parametrize("error", [NotAuthorized("not you", [1]), ServiceNotImplemented()])
def test_two_errors_may_be_raised_by_any_implementation(error: rt.ServiceError) -> None:  # CON-17
    async def test() -> None:
        models = connect_direct(MODELS, Catalogue(raising(error)))
        with pytest.raises(type(error)) as caught:
            await models.refresh(BACKGROUND)
        assert caught.value is not error
        assert (caught.value.message, caught.value.data) == (error.message, error.data)

    run(test)


class Nameless(rt.ServiceError):
    """An error whose author forgot its code."""


HIDDEN: dict[str, BaseException] = {
    "any exception": ValueError("secret"),
    "an error with data outside its schema": UnknownModel("secret", data="secret"),
    "an error with data that are no JSON": NotAuthorized("secret", {1}),
    "an error of the same code and another class": Foreign("secret"),
    "an error of the runtime": InvalidArguments("secret"),
    "an error without a code": Nameless("secret"),
    "cancelled, though nobody cancelled": Cancelled("secret"),
    "a task's cancellation, though nobody cancelled": asyncio.CancelledError("secret"),
    "a violation": rt.ContractViolation(
        "secret", "secret", pointer="/secret", keyword="type", schema_location="#"
    ),
}


@pytest.mark.parametrize("error", HIDDEN.values(), ids=HIDDEN)
def test_any_other_error_is_internal_and_only_the_log_tells(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:  # ERR-3
    async def test() -> None:
        models = connect_direct(MODELS, Catalogue(raising(error)))
        with (
            caplog.at_level(logging.ERROR, "pi_contracts.runtime"),
            pytest.raises(InternalError) as caught,
        ):
            await models.select("x", BACKGROUND)
        failure = caught.value
        assert set(failure.data) == {"incident"}
        assert failure.message == (
            "models.selectModel failed; the provider's log has the incident "
            + failure.data["incident"]
        )
        assert failure.__cause__ is None
        assert failure.__context__ is None
        assert failure.data["incident"] in caplog.text
        assert "secret" in caplog.text

    run(test)


def test_a_method_that_is_not_asynchronous_is_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Wrong(Catalogue):
        def refresh(self, ctx: rt.Context) -> Any:
            ctx.check()

    async def test() -> None:
        models = connect_direct(MODELS, Wrong())
        with caplog.at_level(logging.ERROR), pytest.raises(InternalError):
            await models.refresh(BACKGROUND)
        assert 'the method "refresh" is not asynchronous' in caplog.text

    run(test)


USER: ContextKey[str] = ContextKey("user")


def test_the_provider_gets_a_context_of_its_own_with_the_trace_alone() -> None:  # CTX-7
    seen: list[rt.Context] = []

    async def test() -> None:
        models = connect_direct(MODELS, Catalogue(lambda _, __, ctx: seen.append(ctx)))
        ctx = BACKGROUND.with_value(USER, "ann").with_value(TRACE, {"traceparent": "x"})
        await models.refresh(ctx)
        assert seen[0].get(USER) is None
        assert seen[0].get(TRACE) == {"traceparent": "x"}
        assert not seen[0].cancelled

    run(test)


def test_a_cancelled_context_starts_nothing() -> None:  # CTX-10, FLT-6
    async def test() -> None:
        catalogue, cancellation = Catalogue(), Cancellation()
        models = connect_direct(MODELS, catalogue)
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await models.select("x", BACKGROUND.with_cancellation(cancellation))
        with pytest.raises(Cancelled):
            await models.start(BACKGROUND.with_cancellation(cancellation))
        assert catalogue.calls == []

    run(test)


class Held:
    """Calls that wait until they are let go, and tell how they ended."""

    def __init__(self) -> None:
        self.started = asyncio.Semaphore(0)
        self.go = asyncio.Event()
        self.ended: dict[str, str] = {}
        self.contexts: dict[str, rt.Context] = {}
        self.stubborn = False

    async def __call__(self, name: str, _: Any, ctx: rt.Context) -> str:
        self.contexts[name] = ctx
        self.started.release()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.ended[name] = "cancelled"
            if not self.stubborn:
                raise
            await self.go.wait()
            self.ended[name] = "late"
            raise ValueError("too late to tell anybody") from None
        self.ended[name] = "done"
        return name


@pytest.mark.parametrize("by", ["context", "task"])
def test_cancelling_cancels_exactly_one_request(by: str) -> None:  # CTX-9
    async def test() -> None:
        held, cancellation = Held(), Cancellation()
        models = connect_direct(MODELS, Catalogue(held))
        ctx = BACKGROUND.with_cancellation(cancellation)
        first = asyncio.create_task(models.select("first", ctx))
        second = asyncio.create_task(models.select("second", BACKGROUND))
        for _ in range(2):
            await held.started.acquire()
        if by == "context":
            cancellation.cancel()
            with pytest.raises(Cancelled):
                await first
        else:
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
        assert held.contexts["first"].cancelled
        assert not held.contexts["second"].cancelled
        held.go.set()
        assert await second == "second"
        assert held.ended == {"first": "cancelled", "second": "done"}

    run(test)


def test_the_caller_does_not_wait_for_a_provider_that_ignores_the_cancellation(
    caplog: pytest.LogCaptureFixture,
) -> None:  # CTX-20
    async def test() -> None:
        held, cancellation = Held(), Cancellation()
        held.stubborn = True
        models = connect_direct(MODELS, Catalogue(held))
        call = asyncio.create_task(
            models.select("first", BACKGROUND.with_cancellation(cancellation))
        )
        await held.started.acquire()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await call
        with caplog.at_level(logging.ERROR, "pi_contracts.runtime"):
            held.go.set()
            for _ in range(5):
                await asyncio.sleep(0)
        assert held.ended == {"first": "late"}
        assert "too late to tell anybody" in caplog.text

    run(test)


def test_a_provider_that_raises_because_of_the_cancellation_is_no_incident(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        started, cancellation = asyncio.Event(), Cancellation()

        async def act(_: Any, __: Any, ctx: rt.Context) -> None:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ctx.check()

        models = connect_direct(MODELS, Catalogue(act))
        call = asyncio.create_task(models.select("x", BACKGROUND.with_cancellation(cancellation)))
        await started.wait()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await call
        for _ in range(5):
            await asyncio.sleep(0)
        assert not caplog.records

    run(test)


def test_a_replica_follows_the_state_in_copies() -> None:  # STA-2, STA-7
    async def test() -> None:
        catalogue, seen = Catalogue(), list[Any]()
        models = connect_direct(MODELS, catalogue)
        assert models.state.ready
        models.state.subscribe(lambda value, _: seen.append(value))
        value = {"list": (1, 2)}
        catalogue.state.set(value, BACKGROUND)
        assert seen == [{"list": []}, {"list": [1, 2]}]
        assert models.state.value == {"list": [1, 2]}
        assert not hasattr(models.state, "set")
        with pytest.raises(rt.ContractViolation):
            catalogue.state.set({"list": ["x"]}, BACKGROUND)
        assert len(seen) == 2

    run(test)


def test_a_listener_that_changes_a_copy_changes_nothing_at_the_provider() -> None:
    async def test() -> None:
        catalogue = Catalogue()
        models = connect_direct(MODELS, catalogue)
        models.state.value["list"].append(9)
        assert catalogue.state.value == {"list": []}

    run(test)


def test_events_arrive_as_copies_and_filtered() -> None:
    async def test() -> None:
        catalogue, every, some = Catalogue(), list[Any](), list[Any]()
        models = connect_direct(MODELS, catalogue)
        models.changed.subscribe(lambda event, _: every.append(event))
        subscription = models.changed.on("b", lambda event, _: some.append(event))
        event = {"type": "b", "n": 1}
        catalogue.changed.emit({"type": "a"}, BACKGROUND)
        catalogue.changed.emit(event, BACKGROUND)
        subscription.close()
        catalogue.changed.emit(event, BACKGROUND)
        assert every == [{"type": "a"}, event, event]
        assert some == [event]
        assert some[0] is not event

    run(test)


def test_links_give_the_same_view_of_a_member_each_time() -> None:
    async def test() -> None:
        catalogue, seen = Catalogue(), list[Any]()
        models: Any = connect_direct(MODELS, catalogue)
        link: rt.Link = models._link
        assert link.events(_CHANGED) is models.changed
        link.state(_STATE).subscribe(lambda value, _: seen.append(value))
        catalogue.state.set({"list": [1]}, BACKGROUND)
        assert seen[-1] is models.state.value

    run(test)


def test_what_does_not_implement_the_service_is_not_connected() -> None:
    wrong: Any = object()
    with pytest.raises(InvalidImplementation):
        connect_direct(MODELS, wrong)


def test_a_reference_reaches_what_the_method_returned() -> None:  # REF-1, REF-8
    async def test() -> None:
        catalogue = Catalogue()
        models = connect_direct(MODELS, catalogue)
        async with await models.start(BACKGROUND) as reference:
            job = reference.service
            assert (job.progress.value, await job.wait(BACKGROUND)) == (0, 7)
            assert job.progress.value == 100
            assert await models.start(BACKGROUND) is reference
        assert await models.start(BACKGROUND) is not reference

    run(test)


def test_a_released_reference_is_stale() -> None:  # REF-4, REF-6
    async def test() -> None:
        models = connect_direct(MODELS, Catalogue())
        reference = await models.start(BACKGROUND)
        await reference.release()
        await reference.release()
        with pytest.raises(StaleReference, match='the reference to "job" was released'):
            await reference.service.wait(BACKGROUND)
        assert not reference.service.progress.ready
        assert reference.service.progress.last(-1) == 0
        with pytest.raises(NotHydrated):
            _ = reference.service.progress.value

    run(test)


def test_a_method_that_returns_no_implementation_is_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        catalogue = Catalogue()
        catalogue.job = {"an": "object"}
        models = connect_direct(MODELS, catalogue)
        with caplog.at_level(logging.ERROR), pytest.raises(InternalError):
            await models.start(BACKGROUND)
        assert "InvalidImplementation" in caplog.text

    run(test)
