"""Spans of calls, joined over the wire by what frames carry (CTX-6, CTX-7, CTX-17, CTX-18)."""

from __future__ import annotations

import builtins
import importlib
import sys
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND, TRACE
from pi_contracts.runtime.errors import ServiceError
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.telemetry import OpenTelemetryTracer, with_span
from pi_contracts.runtime.testing import connect_pair


class Traced:
    """Two peers that trace, and the spans they have ended."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = OpenTelemetryTracer(self.provider)

    def list_spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    async def call(self, sample: Any, act: Any, ctx: Any, tracer: Any = None) -> Any:
        registry, binding = Registry(), Binding()
        registry.provide(sample.MODELS, sample.Catalogue(act))
        models = binding.open_namespace().use(sample.MODELS)
        async with connect_pair(server=registry, tracer=tracer or self.tracer) as pair:
            binding.attach(pair.client)
            try:
                return await models.select("m", ctx)
            finally:
                self.frames = [frame.content for frame in pair.link.frames]


class Keeper:
    """Acts as a provider that keeps the Context of each call."""

    def __init__(self) -> None:
        self.contexts: list[Any] = []

    def act(self, model: object, force: object, ctx: Any) -> str:
        self.contexts.append(ctx)
        return f"{model}{force}"


def get_ids(span: ReadableSpan) -> tuple[int, int]:
    """Return the ids of a span's trace and of itself."""
    context = span.get_span_context()
    assert context is not None
    return context.trace_id, context.span_id


def test_a_call_is_a_span_at_each_end_of_one_trace(run: Any, sample: Any) -> None:
    """CTX-6, CTX-7: the carrier crosses, the rest of the Context does not."""

    async def main() -> None:
        traced = Traced()
        with traced.provider.get_tracer("test").start_as_current_span("ours") as ours:
            keeper = Keeper()
            await traced.call(sample, keeper.act, with_span(BACKGROUND, ours))
        server, client, root = traced.list_spans()
        assert (client.kind, server.kind) == (SpanKind.CLIENT, SpanKind.SERVER)
        assert client.name == server.name == "models/selectModel"
        for span in (client, server):
            assert dict(span.attributes or {}) == {
                "rpc.system": "pi-contracts",
                "rpc.service": "models",
                "rpc.method": "selectModel",
            }
        assert client.parent is not None
        assert server.parent is not None
        assert client.parent.span_id == get_ids(root)[1]
        assert server.parent.span_id == get_ids(client)[1]
        assert len({get_ids(one)[0] for one in (client, server, root)}) == 1
        (frame,) = [frame for frame in traced.frames if frame["type"] == "call"]
        assert set(frame["trace"]) == {"traceparent"}
        inner = keeper.contexts[0].get(TRACE)["traceparent"]
        assert inner.split("-")[2] == format(get_ids(server)[1], "016x")

    run(main)


def test_a_call_without_a_trace_is_a_root_whatever_is_current(run: Any, sample: Any) -> None:
    """CTX-18: nothing ambient is read."""

    async def main() -> None:
        traced = Traced()
        with traced.provider.get_tracer("test").start_as_current_span("ambient"):
            await traced.call(sample, None, BACKGROUND)
        server, client, ambient = traced.list_spans()
        assert client.parent is None
        assert server.parent is not None
        assert get_ids(client)[0] != get_ids(ambient)[0]

    run(main)


@pytest.mark.parametrize(
    "carrier",
    [
        {},
        {"traceparent": "nonsense"},
        {"traceparent": "00-" + "0" * 32 + "-" + "0" * 16 + "-01"},
        {"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01" + "x" * 10_000},
    ],
    ids=["empty", "nonsense", "zeros", "too long"],
)
def test_a_malformed_carrier_degrades_to_a_root(run: Any, sample: Any, carrier: Any) -> None:
    """CTX-17"""

    async def main() -> None:
        traced = Traced()
        ctx = BACKGROUND.with_value(TRACE, carrier)
        assert await traced.call(sample, None, ctx) == "m"
        assert traced.list_spans()[1].parent is None

    run(main)


def test_an_error_is_a_span_that_failed_with_its_code(run: Any, sample: Any) -> None:
    async def main() -> None:
        traced = Traced()

        def act(*_: object) -> None:
            raise sample.Busy

        with pytest.raises(ServiceError):
            await traced.call(sample, act, BACKGROUND)
        for span in traced.list_spans():
            assert span.status.status_code is StatusCode.ERROR
            assert span.status.description == "busy"
            assert dict(span.attributes or {})["error.type"] == "busy"

    run(main)


class Failing(SpanProcessor):
    def on_start(self, span: Any, parent_context: Any = None) -> None:
        raise ZeroDivisionError(f"cannot keep {span} under {parent_context}")

    def on_end(self, span: Any) -> None:
        raise ZeroDivisionError(f"cannot export {span}")


def test_a_failing_exporter_changes_no_result(sample: Any) -> None:
    """CTX-17"""
    import asyncio

    complaints: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context["exception"]))
        traced = Traced()
        broken = TracerProvider()
        broken.add_span_processor(Failing())
        tracer = OpenTelemetryTracer(broken)
        assert await traced.call(sample, None, BACKGROUND, tracer) == "m"

    asyncio.run(main())
    assert {type(one) for one in complaints} == {ZeroDivisionError}


def test_without_a_provider_of_spans_the_trace_is_passed_on(run: Any, sample: Any) -> None:
    async def main() -> None:
        traced = Traced()
        carrier = {"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01"}
        keeper = Keeper()
        await traced.call(
            sample,
            keeper.act,
            BACKGROUND.with_value(TRACE, carrier),
            OpenTelemetryTracer(),
        )
        assert keeper.contexts[0].get(TRACE) == carrier

    run(main)


def test_the_runtime_loads_no_telemetry() -> None:
    import subprocess

    code = (
        "import pi_contracts.runtime, sys;"
        "print([name for name in sys.modules if name.startswith(('opentelemetry', 'websockets'))])"
    )
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert outcome.stdout == b"[]\n"


def test_without_the_library_a_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def refuse(name: str, *arguments: Any) -> Any:
        if name.partition(".")[0] == "opentelemetry":
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.delitem(sys.modules, "pi_contracts.runtime.telemetry")
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError) as caught:
        importlib.import_module("pi_contracts.runtime.telemetry")
    assert str(caught.value) == (
        'the library "opentelemetry-api" is not installed\nrun: pip install pi-contracts[telemetry]'
    )
