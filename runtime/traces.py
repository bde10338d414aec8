"""Trace metadata in frames; what is missing or malformed counts as none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import UNSET, MsgspecError, Raw

from .context import TRACE
from .strict_json import decode, encode

if TYPE_CHECKING:
    from msgspec import UnsetType

    from .context import Context

_LONGEST: Final = 8192


def write_trace(ctx: Context) -> Raw | UnsetType:
    """Return the trace metadata of a Context as they cross."""
    carrier = ctx.get(TRACE)
    return UNSET if carrier is None else Raw(encode(carrier))


def read_trace(trace: Raw | UnsetType) -> dict[str, str] | None:
    """Return the trace metadata that came with a frame."""
    if not isinstance(trace, Raw) or len(trace) > _LONGEST:
        return None
    try:
        carrier: Any = decode(trace)
    except (MsgspecError, RecursionError):
        return None
    if not isinstance(carrier, dict):
        return None
    fields = cast("dict[str, Any]", carrier)
    return fields if all(isinstance(value, str) for value in fields.values()) else None
