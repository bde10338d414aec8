"""A tracer sees each call at both ends, and what it raises changes nothing."""
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import BACKGROUND, TRACE, Cancellation, Cancelled
from pi_contracts.runtime.errors import Disconnected, ServiceError

if TYPE_CHECKING:
    from pi_contracts.runtime import Context


class Span:
    def __init__(self, log: list[str], name: str, ctx: Context) -> None:
        self._log = log
        self._name = name
        self.ctx = ctx

    def end(self, code: str | None, /) -> None:
        self._log.append(f"{self._name} {code}")


class Tracer:
    """Notes the end of each span, and lends them a trace."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def start_client(self, service: str, member: str, ctx: Context, /) -> Span:
        inner = ctx.with_value(TRACE, {"traceparent": "client"})
        return Span(self.log, f"client {service}.{member}", inner)

    def start_server(self, service: str, member: str, ctx: Context, /) -> Span:
        trace: dict[str, str] = ctx.get(TRACE) or {}
        name = f"server {service}.{member} of {trace.get('traceparent')}"
        return Span(self.log, name, ctx.with_value(TRACE, {"traceparent": "server"}))


def test_a_call_has_a_span_at_each_end(make_wire: Any, run: Any, sample: Any) -> None:
    """CTX-6, CTX-7: the handler's Context is in that of the provider's end."""

    async def test() -> None:
        wire, tracer = make_wire(), Tracer()
        seen: list[Any] = []
        catalogue = wire.provide()
        catalogue.act = lambda _m, _f, ctx: seen.append(ctx.get(TRACE)) or "done"
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(tracer=tracer):
            await models.select("x", BACKGROUND)
            assert seen == [{"traceparent": "server"}]
            async with await models.start(BACKGROUND):
                pass

            def fail(*_: Any) -> Any:
                raise sample.Busy

            catalogue.act = fail
            with pytest.raises(ServiceError):
                await models.select("x", BACKGROUND)
            assert tracer.log == [
                "server models.selectModel of client None",
                "client models.selectModel None",
                "server models.start of client None",
                "client models.start None",
                "server models.selectModel of client busy",
                "client models.selectModel busy",
            ]

    run(test)


def test_a_span_ends_with_the_code_of_what_ended_its_call(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire, tracer = make_wire(), Tracer()

        async def wait() -> None:
            await asyncio.Event().wait()

        wire.provide().act = lambda *_: wait()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(tracer=tracer):
            cancellation = Cancellation()
            ctx = BACKGROUND.with_cancellation(cancellation)
            call = asyncio.create_task(models.select("x", ctx))
            await sample.settle()
            cancellation.cancel()
            with pytest.raises(Cancelled):
                await call
            call = asyncio.create_task(models.select("x", BACKGROUND))
            await sample.settle()
            await wire.pair.client.close()
            with pytest.raises(Disconnected):
                await call
            await sample.settle()
        ends = [text.rpartition(" ")[2] for text in tracer.log if text.startswith("client")]
        assert ends == ["cancelled", "disconnected"]

    run(test)


class Failing:
    """Fails at the beginning of a span, or at its end."""

    def __init__(self, *, at_end: bool) -> None:
        self._at_end = at_end

    def start_client(self, _service: str, _member: str, ctx: Context, /) -> Any:
        if not self._at_end:
            raise RuntimeError("exporter")
        return Broken(ctx)

    def start_server(self, service: str, member: str, ctx: Context, /) -> Any:
        return self.start_client(service, member, ctx)


class Broken:
    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def end(self, code: str | None, /) -> None:
        raise RuntimeError(f"exporter {code}")


@pytest.mark.parametrize("at_end", [False, True], ids=["at the beginning", "at the end"])
def test_a_tracer_that_fails_changes_no_result(
    make_wire: Any, run: Any, sample: Any, *, at_end: bool
) -> None:
    """CTX-17."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect(tracer=Failing(at_end=at_end)):
            assert await models.select("x", BACKGROUND) == "x"
            reported = wire.reported()
            assert len(reported) == 2
            assert all(text.startswith("a tracer failed: exporter") for text in reported)

    run(test)
