"""What a provider's side answers to calls and subscriptions."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Raw
from pi_contracts.runtime import (
    BACKGROUND,
    CLIENT,
    TRACE,
    Cancelled,
    ContextKey,
    InternalError,
    InvalidArguments,
    InvalidResult,
    NotAuthorized,
    ServiceNotImplemented,
    UnknownService,
)
from pi_contracts.runtime import generated as rt

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_call_crosses_with_its_arguments_and_its_result(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-2, CON-8, CON-14."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            assert await models.select("x", BACKGROUND) == "x"
            assert await models.select(("a", "b"), BACKGROUND, force=None) == ["a", "b"]
            assert await models.refresh(BACKGROUND) is None
            assert catalogue.calls == [
                ("x", rt.UNSET),
                (["a", "b"], None),
                ("refresh", None),
            ]
            results = [
                frame.content for frame in wire.link.frames if frame.content["type"] == "result"
            ]
            assert "result" not in results[-1]

    run(test)


CROSSING: dict[str, tuple[Callable[[Any], BaseException], str, Any]] = {
    "an announced error": (lambda s: s.UnknownModel(data=7), "unknown_model", 7),
    "an announced error without data": (lambda s: s.Busy("later"), "busy", None),
    "not implemented": (lambda _: ServiceNotImplemented(), "service_not_implemented", None),
    "not authorized": (lambda _: NotAuthorized("no", {"a": 1}), "not_authorized", {"a": 1}),
}


@pytest.mark.parametrize("case", CROSSING.values(), ids=CROSSING)
def test_errors_of_the_contract_and_of_anybody_cross_as_they_are(
    make_wire: Any, run: Any, sample: Any, case: tuple[Callable[[Any], BaseException], str, Any]
) -> None:
    """ERR-1, ERR-4, ERR-5, CON-17: raised again as their class."""
    make, code, data = case

    async def test() -> None:
        wire = make_wire()
        error: Any = make(sample)

        def fail(*_: Any) -> Any:
            raise error

        wire.provide().act = fail
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            with pytest.raises(type(error)) as caught:
                await models.select("x", BACKGROUND)
            assert (caught.value.code, caught.value.message, caught.value.data) == (
                code,
                error.message,
                data,
            )

    run(test)


HIDDEN: dict[str, Callable[[Any], BaseException]] = {
    "an exception": lambda _: RuntimeError("s3cret at /home/me/key.pem"),
    "an error of another contract": lambda s: s.Foreign("s3cret"),
    "data outside its schema": lambda s: s.UnknownModel("s3cret", data="x"),
    "a cancellation of its own": lambda _: asyncio.CancelledError("s3cret"),
    "a Cancelled of its own": lambda _: Cancelled("s3cret"),
    "an internal error of its own": lambda _: InternalError("s3cret"),
}


@pytest.mark.parametrize("make", HIDDEN.values(), ids=HIDDEN)
def test_any_other_error_crosses_as_an_incident_and_the_log_has_the_rest(
    make_wire: Any, run: Any, sample: Any, make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """ERR-3, TRN-19, SEC-6, r-sec-01, r-can-05."""

    async def test() -> None:
        wire = make_wire()

        def fail(*_: Any) -> Any:
            raise make(sample)

        wire.provide().act = fail
        models = wire.namespace.use(sample.MODELS)
        with caplog.at_level(logging.ERROR):
            async with wire.connect():
                with pytest.raises(InternalError) as caught:
                    await models.select("x", BACKGROUND)
        incident = caught.value.data["incident"]
        assert incident in caplog.text
        assert "s3cret" in caplog.text
        sent = b"".join(frame.text for frame in wire.link.frames)
        for secret in (b"s3cret", b"/home", b"Traceback", b"RuntimeError", b".py"):
            assert secret not in sent
        assert incident.encode() in sent

    run(test)


RESULTS: dict[str, Any] = {
    "another type": 5,
    "NaN": [float("nan")],
    "infinity": [float("inf")],
    "bytes": [b"s3cret"],
    "a set": [{1}],
    "an object": [object()],
    "a name that is a number": {1: "a", "1": "b"},
    "a lone surrogate": ["\ud800"],
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_a_result_outside_the_contract_is_an_error_without_the_value(
    make_wire: Any, run: Any, sample: Any, result: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """CON-10, CON-11, CON-13, r-non-01, r-non-03: the link stays usable."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        catalogue.act = lambda *_: result
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            with pytest.raises(InvalidResult, match=r"the result of models\.selectModel") as caught:
                await models.select("x", BACKGROUND)
            assert "s3cret" not in str(caught.value)
            assert "the result of models.selectModel" in caplog.text
            catalogue.act = None
            assert await models.select("x", BACKGROUND) == "x"

    run(test)


def test_arguments_outside_the_contract_never_leave(make_wire: Any, run: Any, sample: Any) -> None:
    """CON-11, CON-12, r-sec-03: the error names place and rule, and not the value."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            before = len(wire.link.frames)
            with pytest.raises(InvalidArguments) as caught:
                await models.select("x", BACKGROUND, force="s3cret")
            assert "/force" in str(caught.value)
            assert "s3cret" not in str(caught.value)
            assert (len(wire.link.frames), catalogue.calls) == (before, [])

    run(test)


ARGUMENTS: dict[str, bytes] = {
    "too few": b"{}",
    "too many": b'{"modelId":"x","context":{"client":"root"}}',
    "another type": b'{"modelId":5}',
    "an array": b'["x"]',
    "a name twice": b'{"modelId":"x","modelId":"y"}',
    "a number out of range": b'{"modelId":1e999}',
}


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_are_checked_at_the_provider_too(
    make_wire: Any, run: Any, arguments: bytes
) -> None:
    """CON-11, CON-12, FLT-1, CTX-8: nobody takes the Context's place."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        async with wire.connect():
            answer = await wire.call(arguments)
            assert answer.error.code == "invalid_arguments"
            assert catalogue.calls == []

    run(test)


def test_the_provider_gets_a_context_of_its_own(make_wire: Any, run: Any, sample: Any) -> None:
    """CTX-5, CTX-7, CTX-15: the trace and the client's identity, and nothing else."""

    async def test() -> None:
        wire = make_wire()
        key: ContextKey[str] = ContextKey("theirs")
        seen: list[rt.Context] = []
        wire.provide().act = lambda _m, _f, ctx: seen.append(ctx) or "done"
        models = wire.namespace.use(sample.MODELS)

        async def authenticate(credential: str | None, _: Any) -> str:
            return f"client of {credential}"

        async with wire.connect(credential="s3cret", authenticate=authenticate):
            ctx = BACKGROUND.with_value(key, "v").with_value(TRACE, {"traceparent": "00-1"})
            ctx = ctx.with_value(CLIENT, "root")
            await models.select("x", ctx)
            assert wire.pair.server.identity == "client of s3cret"
        assert seen[0].get(key) is None
        assert seen[0].get(CLIENT) == "client of s3cret"
        assert seen[0].get(TRACE) == {"traceparent": "00-1"}
        texts = [frame.text for frame in wire.link.frames]
        assert not any(b"theirs" in text or b"root" in text for text in texts)

    run(test)


CARRIERS: dict[str, bytes] = {
    "a number": b"5",
    "numbers in it": b'{"traceparent":5}',
    "too large": b'{"traceparent":"%s"}' % (b"x" * 9000),
    "no UTF-8": b'{"traceparent":"\xff"}',
}


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS)
def test_a_malformed_trace_counts_as_none(make_wire: Any, run: Any, carrier: bytes) -> None:
    """CTX-17."""

    async def test() -> None:
        wire = make_wire()
        seen: list[Any] = []
        wire.provide().act = lambda _m, _f, ctx: seen.append(ctx.get(TRACE)) or "done"
        async with wire.connect():
            answer = await wire.call(service="models", trace=Raw(carrier))
            assert bytes(answer.result) == b'"done"'
            assert seen == [None]

    run(test)


def test_a_method_that_is_not_asynchronous_is_a_fault_of_the_provider(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-2."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        catalogue.refresh = lambda _: None
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            with pytest.raises(InternalError):
                await models.refresh(BACKGROUND)

    run(test)


def test_keys_of_json_objects_are_data(make_wire: Any, run: Any, sample: Any) -> None:
    """SEC-3, SEC-4, REF-2: nothing that is sent as a value is taken for anything else."""

    async def test() -> None:
        wire = make_wire()
        odd = {
            "__class__": 1,
            "__proto__": 2,
            "constructor": 3,
            "reference": "r",
            "type": "granted",
        }
        wire.provide().act = lambda *_: odd
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            assert await models.select("x", BACKGROUND) == odd

    run(test)


def test_nothing_but_json_crosses(make_wire: Any, run: Any, sample: Any) -> None:
    """CTX-5, TRN-7: every frame of a session reads as strict JSON."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        models.changed.subscribe(sample.Seen())
        async with wire.connect():
            catalogue.state.set({"list": [1]}, BACKGROUND)
            catalogue.changed.emit({"type": "a"}, BACKGROUND)
            async with await models.start(BACKGROUND) as job:
                await job.service.wait(BACKGROUND)
        for frame in wire.link.frames:
            json.loads(frame.text)

    run(test)


def test_a_service_that_is_provided_later_answers_from_then_on(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """r-lif-01: before, the call fails at once, and says why."""

    async def test() -> None:
        wire = make_wire()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(ready=False):
            with pytest.raises(UnknownService, match='nobody provides "models" now'):
                await models.refresh(BACKGROUND)
            wire.provide()
            await wire.namespace.ready(BACKGROUND)
            await models.refresh(BACKGROUND)

    run(test)


def test_integers_that_nobody_reads_do_not_leave(make_wire: Any, run: Any, sample: Any) -> None:
    """Each sender refuses what its receiver would, and says where it stands."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        longest = 10**10_000 - 1
        async with wire.connect():
            assert await models.select([longest, {"n": -longest}], BACKGROUND) == [
                longest,
                {"n": -longest},
            ]
            sent = len(wire.link.frames)
            problem = "at /modelId/1/n: expected an integer of at most 10,000 digits"
            with pytest.raises(InvalidArguments, match=problem):
                await models.select([1, {"n": -longest - 1}], BACKGROUND)
            assert len(wire.link.frames) == sent
            catalogue.act = lambda *_: [[longest + 1]]
            problem = "at /0/0: expected an integer of at most 10,000 digits, found a longer one"
            with pytest.raises(InvalidResult, match=problem):
                await models.select("x", BACKGROUND)
            (answer,) = [one.content for one in wire.link.frames if one.content["type"] == "failed"]
            assert answer["error"]["code"] == "invalid_result"

    run(test)
