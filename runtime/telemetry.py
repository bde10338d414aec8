"""Traces of calls with OpenTelemetry: a span at each end, joined by what frames carry.

An optional extra: importing this module needs ``opentelemetry-api``. Nothing is read
from or put into the ambient context; the parent of a span is what a `Context` carries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .context import TRACE

try:
    from opentelemetry.context import Context as OtelContext
    from opentelemetry.trace import (
        SpanKind,
        Status,
        StatusCode,
        get_tracer,
        set_span_in_context,
    )
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise ImportError(
        'the library "opentelemetry-api" is not installed\nrun: pip install pi-contracts[telemetry]'
    ) from error

if TYPE_CHECKING:
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import TracerProvider

    from .context import Context

_PROPAGATOR: Final = TraceContextTextMapPropagator()


class OpenTelemetryTracer:
    """Gives each call a span of kind client where it is made and of kind server where it is run.

    *provider* makes the spans; the global one if left out. Give one tracer to every
    peer of a process.
    """

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._tracer = get_tracer("pi_contracts", tracer_provider=provider)

    def start_client(self, service: str, member: str, ctx: Context, /) -> CallSpan:
        """Start the span of a call that is about to be sent."""
        return self._start(SpanKind.CLIENT, service, member, ctx)

    def start_server(self, service: str, member: str, ctx: Context, /) -> CallSpan:
        """Start the span of a call that has arrived."""
        return self._start(SpanKind.SERVER, service, member, ctx)

    def _start(self, kind: SpanKind, service: str, member: str, ctx: Context) -> CallSpan:
        span = self._tracer.start_span(
            f"{service}/{member}",
            context=get_parent(ctx),
            kind=kind,
            attributes={
                "rpc.system": "pi-contracts",
                "rpc.service": service,
                "rpc.method": member,
            },
        )
        return CallSpan(span, ctx)


class CallSpan:
    """One call at one of its ends; calls made under its Context are its children."""

    __slots__ = ("_span", "ctx")

    def __init__(self, span: OtelSpan, ctx: Context) -> None:
        self._span = span
        self.ctx: Final = with_span(ctx, span)

    def end(self, code: str | None, /) -> None:
        """End the span; a *code* makes it one that failed."""
        if code is not None:
            self._span.set_status(Status(StatusCode.ERROR, code))
            self._span.set_attribute("error.type", code)
        self._span.end()


def with_span(ctx: Context, span: OtelSpan) -> Context:
    """Return a Context whose calls are children of *span*."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier, context=set_span_in_context(span, OtelContext()))
    return ctx.with_value(TRACE, carrier) if carrier else ctx


def get_parent(ctx: Context) -> OtelContext:
    """Return what a span under *ctx* is started in; empty where *ctx* carries no valid trace."""
    return _PROPAGATOR.extract(ctx.get(TRACE) or {}, context=OtelContext())
