from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pi_contracts.plugins.outcomes import Outcome, ServiceFacts, Step
from pi_contracts.plugins.seal import Seal
from pi_contracts.plugins.telling import encode, make_teller

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_told_is_sealed_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "told"
    channel = os.open(path, os.O_RDWR | os.O_CREAT)
    tell = make_teller(b"key", channel)
    written = [tell(Step(0, "import")), tell(Outcome(0, folder="\ud800"))]
    os.close(channel)
    assert written[1] == path.stat().st_size
    seal = Seal(b"key")
    lines = [seal.read(line) for line in path.read_bytes().splitlines() if line]
    assert [line and line.number for line in lines] == [0, 1]
    assert lines[1] is not None
    assert b"\\\\ud800" in lines[1].body


def test_what_utf_8_cannot_say_is_escaped_wherever_it_stands() -> None:
    outcome = Outcome(0, services={"\ud800": ServiceFacts(("\udfff", "x"))})
    assert b'{"\\\\ud800":{"scopes":["\\\\udfff","x"]}}' in encode(outcome)
