from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pi_contracts.runtime.protocol import Refused
from pi_contracts.runtime.protocol.messages import ErrorEnvelope
from pi_contracts.runtime.refusals import RefusalLog

if TYPE_CHECKING:
    import pytest

FORGED = "all is well\n2026-01-01 ERROR forged"


def test_what_is_refused_is_logged_in_one_short_line_each_and_not_without_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """SEC-6: neither forged lines nor a log that grows with what a peer sends."""
    log = RefusalLog()
    with caplog.at_level(logging.WARNING):
        for message in (FORGED, *["x" * 100_000] * 500):
            log.take(Refused(by_us=False, error=ErrorEnvelope("c", message)))
    lines = [record.getMessage() for record in caplog.records]
    assert lines[0] == (
        r"a frame was refused by the other side: all is well\u000a2026-01-01 ERROR forged"
    )
    assert len(lines) == 101
    assert all(len(line) < 400 for line in lines)
    assert lines[-1] == "what else is refused on this connection is not logged"


def test_who_refused_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        RefusalLog().take(Refused(by_us=True, error=ErrorEnvelope("c", "nonsense")))
    assert caplog.messages == ["a frame was refused by this side: nonsense"]
