"""Over the direct link, a proxy calls its provider as it would over a wire."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    TRACE,
    Cancelled,
    ContextKey,
    InternalError,
    InvalidArguments,
    InvalidImplementation,
    InvalidResult,
    NotAuthorized,
    ServiceNotImplemented,
    StaleReference,
    connect_direct,
)
from pi_contracts.runtime import generated as rt

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class Seen(list[Any]):
    """A listener that keeps what it was called with."""

    def __call__(self, value: Any, _: rt.Context) -> None:
        self.append(value)


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


def test_arguments_arrive_by_python_names_and_results_come_back(sample: Any) -> None:
    async def test() -> None:
        catalogue = sample.Catalogue()
        models = connect_direct(sample.MODELS, catalogue)
        assert await models.select("x", BACKGROUND) == "x"
        await models.select("y", BACKGROUND, force=None)
        await models.select("z", BACKGROUND, force=True)
        assert catalogue.calls == [("x", rt.UNSET), ("y", None), ("z", True)]  # CON-14

    run(test)


def test_arguments_and_results_cross_as_copies(sample: Any) -> None:  # FLT-2
    async def test() -> None:
        catalogue = sample.Catalogue()
        models = connect_direct(sample.MODELS, catalogue)
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
def test_bad_arguments_fail_and_call_nothing(
    sample: Any, model_id: Any, force: Any, message: str
) -> None:
    # CON-11, CON-12
    async def test() -> None:
        catalogue = sample.Catalogue()
        models = connect_direct(sample.MODELS, catalogue)
        with pytest.raises(InvalidArguments) as caught:
            await models.select(model_id, BACKGROUND, force=force)
        assert str(caught.value).startswith(f"the arguments of models.selectModel: {message}")
        assert "secret" not in str(caught.value)
        assert caught.value.data["pointer"].startswith("/")
        assert isinstance(caught.value.__cause__, rt.ContractViolation)
        assert catalogue.calls == []

    run(test)


def test_a_call_without_context_fails_before_anything_is_sent(sample: Any) -> None:  # CON-3
    async def test() -> None:
        models: Any = connect_direct(sample.MODELS, sample.Catalogue())
        with pytest.raises(TypeError):
            await models.select("x")
        with pytest.raises(TypeError):  # FLT-1
            await models.select("x", BACKGROUND, BACKGROUND)

    run(test)


@pytest.mark.parametrize("result", [3, None, ["x", {1}], "\ud800"], ids=ascii)
def test_a_bad_result_fails_without_the_value_and_leaves_the_link_usable(
    sample: Any, result: Any, caplog: pytest.LogCaptureFixture
) -> None:  # CON-13
    async def test() -> None:
        catalogue = sample.Catalogue(returning(result))
        models = connect_direct(sample.MODELS, catalogue)
        with caplog.at_level(logging.CRITICAL), pytest.raises(InvalidResult) as caught:
            await models.select("x", BACKGROUND)
        assert str(caught.value).startswith("the result of models.selectModel: ")
        assert caught.value.data["keyword"] in {"type", "json"}
        catalogue.act = None
        assert await models.select("y", BACKGROUND) == "y"

    run(test)


def test_a_method_without_result_returns_nothing_whatever_its_provider_returns(
    sample: Any,
) -> None:  # CON-8
    async def test() -> None:
        models: Any = connect_direct(sample.MODELS, sample.Catalogue())
        assert await models.refresh(BACKGROUND) is None

    run(test)


def test_errors_of_the_contract_cross_as_their_classes(sample: Any) -> None:  # ERR-4, ERR-5
    async def test() -> None:
        thrown = sample.UnknownModel("no such model", data=4)
        models = connect_direct(sample.MODELS, sample.Catalogue(raising(thrown)))
        with pytest.raises(sample.UnknownModel, match="no such model") as caught:
            await models.select("x", BACKGROUND)
        assert caught.value is not thrown
        assert caught.value.data == 4
        models = connect_direct(sample.MODELS, sample.Catalogue(raising(sample.Busy("wait\ud800"))))
        with pytest.raises(sample.Busy) as busy:
            await models.select("x", BACKGROUND)
        assert (busy.value.message, busy.value.data) == (r"wait\ud800", None)

    run(test)


def test_an_error_of_another_method_of_the_service_crosses(sample: Any) -> None:
    async def test() -> None:
        models = connect_direct(sample.MODELS, sample.Catalogue(raising(sample.Busy())))
        with pytest.raises(sample.Busy):
            await models.refresh(BACKGROUND)

    run(test)


@pytest.mark.parametrize("error", [NotAuthorized("not you", [1]), ServiceNotImplemented()])
def test_two_errors_may_be_raised_by_any_implementation(
    sample: Any, error: rt.ServiceError
) -> None:  # CON-17
    async def test() -> None:
        models = connect_direct(sample.MODELS, sample.Catalogue(raising(error)))
        with pytest.raises(type(error)) as caught:
            await models.refresh(BACKGROUND)
        assert caught.value is not error
        assert (caught.value.message, caught.value.data) == (error.message, error.data)

    run(test)


class Nameless(rt.ServiceError):
    """An error whose author forgot its code."""


class Renamed(NotAuthorized):
    """An error of ours under a code of its own, which no contract announces."""

    code = "renamed"


class Escape(BaseException):
    """What no handler of Exception catches."""


HIDDEN: dict[str, BaseException] = {
    "an exit": SystemExit("secret"),
    "what is no Exception": Escape("secret"),
    "a group": BaseExceptionGroup("secret", [Escape()]),
    "an error of ours under another code": Renamed("secret"),
    "any exception": ValueError("secret"),
    "an error with data that are no JSON": NotAuthorized("secret", {1}),
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
    sample: Any, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:  # ERR-3
    asyncio.run(check_hidden(sample, error, caplog))


def test_errors_that_only_resemble_those_of_the_contract_are_internal(
    sample: Any, caplog: pytest.LogCaptureFixture
) -> None:
    for error in (sample.UnknownModel("secret", data="secret"), sample.Foreign("secret")):
        asyncio.run(check_hidden(sample, error, caplog))


async def check_hidden(sample: Any, error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    """Check that *error* arrives as an incident which only the log explains."""
    models = connect_direct(sample.MODELS, sample.Catalogue(raising(error)))
    with (
        caplog.at_level(logging.ERROR, "pi_contracts.runtime"),
        pytest.raises(InternalError) as caught,
    ):
        await models.select("x", BACKGROUND)
    failure = caught.value
    assert set(failure.data) == {"incident"}
    assert failure.message == (
        "models.selectModel failed; the provider's log has the incident " + failure.data["incident"]
    )
    assert failure.__cause__ is None
    assert failure.__context__ is None
    assert failure.data["incident"] in caplog.text
    assert "secret" in caplog.text


def test_a_method_that_is_not_asynchronous_is_an_internal_error(sample: Any, caplog: Any) -> None:
    def refresh(ctx: rt.Context) -> Any:  # which might have been an awaitable
        ctx.check()

    async def test() -> None:
        catalogue = sample.Catalogue()
        catalogue.refresh = refresh
        models = connect_direct(sample.MODELS, catalogue)
        with caplog.at_level(logging.ERROR), pytest.raises(InternalError):
            await models.refresh(BACKGROUND)
        assert 'the method "refresh" is not asynchronous' in caplog.text

    run(test)


def test_the_token_comes_first(sample: Any) -> None:
    with pytest.raises(TypeError, match="connect_direct takes the token of a service, found an"):
        connect_direct(sample.Catalogue(), sample.MODELS)


USER: ContextKey[str] = ContextKey("user")


def test_the_provider_gets_a_context_of_its_own_with_the_trace_alone(sample: Any) -> None:  # CTX-7
    seen: list[rt.Context] = []

    def note(_: Any, __: Any, ctx: rt.Context) -> None:
        seen.append(ctx)

    async def test() -> None:
        models = connect_direct(sample.MODELS, sample.Catalogue(note))
        ctx = BACKGROUND.with_value(USER, "ann").with_value(TRACE, {"traceparent": "x"})
        await models.refresh(ctx)
        assert seen[0].get(USER) is None
        assert seen[0].get(TRACE) == {"traceparent": "x"}
        assert not seen[0].cancelled

    run(test)


def test_a_replica_follows_the_state_in_copies(sample: Any) -> None:  # STA-2, STA-7
    async def test() -> None:
        catalogue, seen = sample.Catalogue(), Seen()
        models = connect_direct(sample.MODELS, catalogue)
        assert models.state.ready
        models.state.subscribe(seen)
        value = {"list": (1, 2)}
        catalogue.state.set(value, BACKGROUND)
        assert seen == [{"list": []}, {"list": [1, 2]}]
        assert models.state.value == {"list": [1, 2]}
        assert not hasattr(models.state, "set")
        with pytest.raises(rt.ContractViolation):
            catalogue.state.set({"list": ["x"]}, BACKGROUND)
        assert len(seen) == 2

    run(test)


def test_a_listener_that_changes_a_copy_changes_nothing_at_the_provider(sample: Any) -> None:
    async def test() -> None:
        catalogue = sample.Catalogue()
        models = connect_direct(sample.MODELS, catalogue)
        models.state.value["list"].append(9)
        assert catalogue.state.value == {"list": []}

    run(test)


def test_events_arrive_as_copies_and_filtered(sample: Any) -> None:
    async def test() -> None:
        catalogue, every, some = sample.Catalogue(), Seen(), Seen()
        models = connect_direct(sample.MODELS, catalogue)
        models.changed.subscribe(every)
        subscription = models.changed.on("b", some)
        event = {"type": "b", "n": 1}
        catalogue.changed.emit({"type": "a"}, BACKGROUND)
        catalogue.changed.emit(event, BACKGROUND)
        subscription.close()
        catalogue.changed.emit(event, BACKGROUND)
        assert every == [{"type": "a"}, event, event]
        assert some == [event]
        assert some[0] is not event

    run(test)


def test_links_give_the_same_view_of_a_member_each_time(sample: Any) -> None:
    async def test() -> None:
        catalogue, seen = sample.Catalogue(), Seen()
        models: Any = connect_direct(sample.MODELS, catalogue)
        link: rt.Link = models._link
        assert link.events(sample.CHANGED) is models.changed
        link.state(sample.STATE).subscribe(seen)
        catalogue.state.set({"list": [1]}, BACKGROUND)
        assert seen[-1] is models.state.value

    run(test)


def test_what_does_not_implement_the_service_is_not_connected(sample: Any) -> None:
    wrong: Any = object()
    with pytest.raises(InvalidImplementation):
        connect_direct(sample.MODELS, wrong)


def test_a_reference_reaches_what_the_method_returned(sample: Any) -> None:  # REF-1, REF-8
    async def test() -> None:
        catalogue = sample.Catalogue()
        models = connect_direct(sample.MODELS, catalogue)
        async with await models.start(BACKGROUND) as reference:
            job = reference.service
            assert (job.progress.value, await job.wait(BACKGROUND)) == (0, 7)
            assert job.progress.value == 100
            assert await models.start(BACKGROUND) is reference
        assert await models.start(BACKGROUND) is not reference

    run(test)


def test_a_released_reference_is_stale(sample: Any) -> None:  # REF-4, REF-6
    async def test() -> None:
        models = connect_direct(sample.MODELS, sample.Catalogue())
        reference = await models.start(BACKGROUND)
        await reference.release()
        await reference.release()
        with pytest.raises(StaleReference, match='the reference to "job" was released'):
            await reference.service.wait(BACKGROUND)
        assert not reference.service.progress.ready
        assert reference.service.progress.last(-1) == 0
        with pytest.raises(StaleReference):
            _ = reference.service.progress.value
        with pytest.raises(StaleReference):
            reference.service.progress.subscribe(sample.Seen())

    run(test)


def test_a_method_that_returns_no_implementation_is_an_internal_error(
    sample: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        catalogue = sample.Catalogue()
        catalogue.job = {"an": "object"}
        models = connect_direct(sample.MODELS, catalogue)
        with caplog.at_level(logging.ERROR), pytest.raises(InternalError):
            await models.start(BACKGROUND)
        assert "InvalidImplementation" in caplog.text

    run(test)
