"""Failures without a caller reach the loop's handler, or the log."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from pi_contracts.runtime.failures import report

if TYPE_CHECKING:
    import pytest


def test_a_running_loop_hands_failures_to_its_exception_handler() -> None:
    seen: list[dict[str, Any]] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: seen.append(context))
        report("a listener failed", ValueError("x"))

    asyncio.run(main())
    assert [(c["message"], repr(c["exception"])) for c in seen] == [
        ("a listener failed", "ValueError('x')")
    ]


def test_without_a_loop_failures_are_logged_whole(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "pi_contracts.runtime"):
        report("a listener failed", ValueError("x"))
    assert "a listener failed" in caplog.text
    assert "ValueError: x" in caplog.text
