from __future__ import annotations

from pi_contracts.runtime.protocol import Limits
from pi_contracts.runtime.protocol.liveness import Liveness


def test_a_silence_is_asked_about_once_and_then_measured() -> None:
    liveness = Liveness(Limits(ping_interval=10.0, ping_timeout=5.0))
    liveness.heard = 100.0
    assert liveness.next_deadline == 110.0
    assert not liveness.take_ping(109.0)
    assert liveness.take_ping(110.0)
    assert not liveness.take_ping(111.0)
    assert liveness.next_deadline == 115.0
    assert liveness.measure_silence(114.0) is None
    assert liveness.measure_silence(115.0) == 15.0
    liveness.pinged = None
    assert liveness.measure_silence(999.0) is None
