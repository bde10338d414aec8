"""Tokens of one service whose contracts differ."""

# pyright: reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

from typing import Any

from pi_contracts.runtime import generated as rt


def alter(token: Any, *, members: Any = None, kind: Any = rt.Singleton, **more: Any) -> Any:
    """Return another contract of the same service."""
    fields = {"id": token.id, "version": 1, "digest": "other", **more}
    return kind(members=members or token.members, proxy=token.proxy, **fields)
