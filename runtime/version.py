"""The version of what generated code relies on."""

from __future__ import annotations

from typing import Final

from .errors import UnservedVersionError

_SERVED: Final = 1


def require(version: int) -> None:
    """Raise `UnservedVersionError` unless this runtime serves code generated for *version*."""
    if version != _SERVED:
        raise UnservedVersionError(version, _SERVED)
