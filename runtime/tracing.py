"""Interfaces of what follows a call through processes; telemetry implements them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .failures import report

if TYPE_CHECKING:
    from .context import Context


class Span(Protocol):
    """One call, at one of its ends."""

    @property
    def ctx(self) -> Context:
        """At the consumer its trace is what is sent; at the provider the handler gets it."""
        ...

    def end(self, code: str | None, /) -> None:
        """End the span; *code* is that of the error, None if there is none."""
        ...


class Tracer(Protocol):
    """Makes spans."""

    def start_client(self, service: str, member: str, ctx: Context, /) -> Span:
        """Start the span of a call that is about to be sent."""
        ...

    def start_server(self, service: str, member: str, ctx: Context, /) -> Span:
        """Start the span of a call that has arrived; *ctx* has the trace that came with it."""
        ...


class _NoSpan:
    """A span that could not be started."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def end(self, code: str | None, /) -> None:
        """Do nothing."""


class CarefulTracer:
    """A tracer whose failures are reported and change nothing else."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def start_client(self, service: str, member: str, ctx: Context) -> Span:
        """Start the span of a call that is about to be sent."""
        try:
            return _CarefulSpan(self._tracer.start_client(service, member, ctx))
        except Exception as error:  # noqa: BLE001 - whatever a tracer raises is its own
            report("a tracer failed", error)
            return _NoSpan(ctx)

    def start_server(self, service: str, member: str, ctx: Context) -> Span:
        """Start the span of a call that has arrived."""
        try:
            return _CarefulSpan(self._tracer.start_server(service, member, ctx))
        except Exception as error:  # noqa: BLE001 - whatever a tracer raises is its own
            report("a tracer failed", error)
            return _NoSpan(ctx)


class _CarefulSpan:
    def __init__(self, span: Span) -> None:
        self._span = span
        self.ctx = span.ctx

    def end(self, code: str | None, /) -> None:
        try:
            self._span.end(code)
        except Exception as error:  # noqa: BLE001 - whatever a tracer raises is its own
            report("a tracer failed", error)
