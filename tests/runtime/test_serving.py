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
from msgspec import UNSET, Raw
from pi_contracts.runtime import (
    BACKGROUND,
    CLIENT,
    TRACE,
    Cancelled,
    ContextKey,
    Disconnected,
    InternalError,
    InvalidArguments,
    InvalidResult,
    NotAuthorized,
    Overflow,
    ServiceNotAllowed,
    ServiceNotImplemented,
    UnknownService,
)
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.protocol import Limits
from pi_contracts.runtime.protocol.messages import Call

if TYPE_CHECKING:
    from collections.abc import Callable


def doing(action: Callable[[rt.Context], Any]) -> Callable[[Any, Any, rt.Context], Any]:
    return lambda _model, _force, ctx: action(ctx)


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
            answer = await _call(wire, arguments)
            assert answer.error.code == "invalid_arguments"
            assert catalogue.calls == []

    run(test)


async def _call(wire: Any, arguments: bytes = b'{"modelId":"x"}', **address: Any) -> Any:
    """Call the sample service past its proxy, and return the answer."""
    member = address.pop("member", "selectModel")
    address = address or {"service": "models"}
    address.setdefault("scope", "session")
    trace = address.pop("trace", UNSET)
    return await wire.pair.client.calls.call(
        "models", member, arguments, BACKGROUND, address, trace=trace
    )


ADDRESSES: dict[str, tuple[dict[str, Any], str]] = {
    "another scope": ({"service": "models", "scope": "server"}, "unknown_service"),
    "another service": ({"service": "other"}, "unknown_service"),
    "a local service": ({"service": "store"}, "service_not_allowed"),
    "our own service": ({"service": "$control"}, "unknown_service"),
    "a binding that is over": ({"service": "models", "binding": 3}, "not_attached"),
    "an instance of a singleton": (
        {"service": "models", "key": "a", "generation": 1},
        "mode_mismatch",
    ),
    "a keyed service without an instance": ({"service": "dialogs"}, "mode_mismatch"),
    "an instance that is gone": (
        {"service": "dialogs", "key": "a", "generation": 1},
        "stale_instance",
    ),
    "an instance under another key": (
        {"service": "dialogs", "key": "z", "generation": 2},
        "stale_instance",
    ),
    "a generation that never was": (
        {"service": "dialogs", "key": "a", "generation": 3},
        "unknown_instance",
    ),
    "another member": ({"service": "models", "member": "other"}, "unknown_member"),
    "a state": ({"service": "models", "member": "state"}, "unknown_member"),
    "a source of events": ({"service": "models", "member": "changed"}, "unknown_member"),
    "what is private": ({"service": "models", "member": "_member"}, "unknown_member"),
    "a dunder": ({"service": "models", "member": "__class__"}, "unknown_member"),
    "what is inherited": ({"service": "models", "member": "act"}, "unknown_member"),
    "a Python name": ({"service": "models", "member": "select"}, "unknown_member"),
    "a forged reference": ({"reference": "forged"}, "stale_reference"),
}


@pytest.mark.parametrize(("address", "code"), ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_that_leads_nowhere_has_a_code_of_its_own(
    make_wire: Any, run: Any, sample: Any, address: dict[str, Any], code: str
) -> None:
    """ERR-2, ERR-6, SNG-15, SNG-16, KEY-14, KEY-15, TOK-5, TOK-7, CON-5, SEC-2, SEC-3, REF-3."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        wire.registry.provide(rt_local("store"), object())
        dialogs = wire.registry.provide_keyed(sample.DIALOGS, scope="session")
        dialogs.spawn("a", sample.Catalogue()).close()
        dialogs.spawn("a", sample.Catalogue())
        async with wire.connect():
            answer = await _call(wire, **address)
            assert answer.error.code == code
            assert catalogue.calls == []
            if address.get("member") == "state":
                assert answer.error.message == '"models.state" is a state, not a method'
            if address.get("member") == "changed":
                assert (
                    answer.error.message == '"models.changed" is a source of events, not a method'
                )

    run(test)


def rt_local(name: str) -> Any:
    from pi_contracts.runtime import local_service

    return local_service(name)


def test_only_what_the_plan_allows_may_be_used(make_wire: Any, run: Any, sample: Any) -> None:
    """SEC-1, SNG-15: allowed and not provided is another thing than not allowed."""

    async def test() -> None:
        wire = make_wire(allowed={"session": ["dialogs"]})
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(ready=False):
            with pytest.raises(ServiceNotAllowed):
                await wire.namespace.ready(BACKGROUND)
            with pytest.raises(ServiceNotAllowed):
                await models.refresh(BACKGROUND)
            answer = await _call(wire, service="dialogs", scope="session")
            assert answer.error.code == "unknown_service"
            answer = await _call(wire, service="dialogs", scope="server")
            assert answer.error.code == "service_not_allowed"

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
            answer = await _call(wire, service="models", trace=Raw(carrier))
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


def test_calls_that_were_cancelled_and_run_on_are_bounded(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SEC-6 aside, nothing that a peer does makes this side keep more and more."""

    async def test() -> None:
        wire = make_wire()
        go_on = asyncio.Event()

        async def stubborn(_: rt.Context) -> str:
            while not go_on.is_set():
                try:
                    await go_on.wait()
                except asyncio.CancelledError:
                    continue
            return "late"

        wire.provide().act = doing(stubborn)
        async with wire.connect(limits=Limits(calls=2)):
            for _ in range(4):
                task = asyncio.create_task(_call(wire))
                await sample.settle()
                task.cancel()
                await sample.settle()
            answer = await _call(wire)
            assert answer.error.code == "overflow"
            go_on.set()
            await sample.settle()
            assert (await _call(wire)).result is not None

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


MISFITS: dict[str, dict[str, Any]] = {
    "a singleton as a reference": {"mode": "reference", "service": "models"},
    "a singleton as a keyed service": {"mode": "keyed", "service": "models"},
    "a keyed service as a singleton": {"mode": "singleton", "service": "dialogs"},
    "a keyed service as a reference": {"mode": "reference", "service": "dialogs"},
    "events of no instance": {"mode": "keyed", "service": "dialogs", "member": "changed"},
    "events of an instance of a singleton": {
        "mode": "keyed",
        "service": "models",
        "key": "k",
        "generation": 1,
        "member": "changed",
    },
    "an instance as a singleton": {
        "mode": "singleton",
        "service": "dialogs",
        "key": "k",
        "generation": 1,
        "member": "changed",
    },
    "a reference as a singleton": {"mode": "singleton", "reference": "R"},
    "a reference as a keyed service": {"mode": "keyed", "reference": "R"},
}


@pytest.mark.parametrize("fields", MISFITS.values(), ids=MISFITS)
def test_nothing_is_followed_in_another_mode(
    make_wire: Any, run: Any, sample: Any, fields: dict[str, Any]
) -> None:
    """TOK-9."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        keyed = wire.registry.provide_keyed(sample.DIALOGS, scope="session")
        keyed.spawn("k", sample.Catalogue())
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            held = await models.start(BACKGROUND)
            names = list(wire.pair.server._handler._references)
            frame = {"type": "subscribe", "id": 5, "version": 1, "digest": "", **fields}
            if "reference" in fields:
                frame["reference"] = names[0]
            else:
                frame["scope"] = "session"
            wire.link.to_server.inject(json.dumps(frame).encode())
            await sample.settle()
            (ended,) = [one.content for one in wire.link.frames if one.content["type"] == "ended"]
            assert (ended["id"], ended["error"]["code"]) == (5, "mode_mismatch")
            await held.release()

    run(test)


def test_more_references_than_may_be_held_are_refused(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(limits=Limits(references=1)):
            await models.start(BACKGROUND)
            catalogue.job = sample.Download(progress=0)
            with pytest.raises(Overflow, match="more than 1 references"):
                await models.start(BACKGROUND)

    run(test)


def test_a_call_that_is_cancelled_with_its_arrival_never_starts(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-10."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        async with wire.connect():
            call = {"type": "call", "id": 5, "member": "refresh", "arguments": {}}
            address = {"scope": "session", "service": "models"}
            wire.link.to_server.inject(json.dumps({**call, **address}).encode())
            wire.link.to_server.inject(b'{"type":"cancel","id":5}')
            await sample.settle()
            assert catalogue.calls == []
            assert wire.pair.server._handler._tasks == set()
            (failed,) = [one.content for one in wire.link.frames if one.content["type"] == "failed"]
            assert failed["error"]["code"] == "cancelled"

    run(test)


def test_a_call_whose_sender_leaves_with_it_never_starts(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-20: both frames come in one chunk."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        async with wire.connect():
            connection, handler = wire.pair.server.connection, wire.pair.server._handler
            connection.end()
            call = Call(5, "refresh", Raw(b"{}"), scope="session", service="models")
            handler.take_call(call)
            await sample.settle()
            assert catalogue.calls == []
            assert handler._tasks == set()

    run(test)


def test_a_method_that_closes_its_connection_is_cancelled(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-20: also where it does so in its first step."""
    told: list[bool] = []

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        models = wire.namespace.use(sample.MODELS)

        async def refresh(ctx: Any, **_: Any) -> int:
            wire.pair.server.close_soon()
            try:
                return await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                told.append(ctx.cancelled)
                raise

        catalogue.refresh = refresh
        async with wire.connect():
            with pytest.raises(Disconnected):
                await models.refresh(BACKGROUND)
            await sample.settle()

    run(test)
    assert told == [True]


def test_a_cancel_of_what_was_refused_together_with_it_is_late(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CTX-11: two frames of one chunk are admitted before the first is handled."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        async with wire.connect():
            connection, handler = wire.pair.server.connection, wire.pair.server._handler
            address = b'"scope":"session","service":"nobody","arguments":{}}'
            happenings = [
                *connection.receive(b'{"type":"call","id":5,"member":"m",' + address, 0.0),
                *connection.receive(b'{"type":"cancel","id":5}', 0.0),
            ]
            call, cancel = happenings
            handler.take_call(call)
            handler.take_cancel(cancel.id)
            wire.pair.server.flush()
            await sample.settle()
            (failed,) = [one.content for one in wire.link.frames if one.content["type"] == "failed"]
            assert failed["error"]["code"] == "cancelled"

    run(test)


def test_an_id_that_is_used_again_gets_no_answer_of_the_call_that_had_it_before(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """A cancelled method that runs on to its end answers nobody."""

    async def test() -> None:
        wire = make_wire()
        finishing = [asyncio.Event(), asyncio.Event()]
        running = iter(finishing)

        async def stubborn(_: rt.Context) -> str:
            finish = next(running)
            while not finish.is_set():
                try:
                    await finish.wait()
                except asyncio.CancelledError:
                    continue
            return "first" if finish is finishing[0] else "second"

        wire.provide().act = doing(stubborn)
        async with wire.connect():
            call = {"type": "call", "id": 5, "member": "selectModel", "arguments": {"modelId": "x"}}
            text = json.dumps({**call, "scope": "session", "service": "models"}).encode()
            for frame in (text, b'{"type":"cancel","id":5}', text):
                wire.link.to_server.inject(frame)
                await sample.settle()
            for finish in finishing:
                finish.set()
                await sample.settle()
            answers = [one.content for one in wire.link.frames if one.content.get("id") == 5]
            assert [one.get("result") for one in answers if one["type"] == "result"] == ["second"]

    run(test)
