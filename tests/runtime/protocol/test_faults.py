from __future__ import annotations

from pi_contracts.runtime.protocol import FrameTooLarge, LocalProtocolError


def test_faults_of_ours_word_themselves_and_keep_their_facts() -> None:
    wrong = LocalProtocolError("call", "client", "greeting")
    assert str(wrong) == 'the client cannot send "call" while it is greeting'
    assert (wrong.kind, wrong.role, wrong.state) == ("call", "client", "greeting")
    large = FrameTooLarge(300, 200)
    assert str(large) == "a frame of 300 bytes, where the other side takes 200"
    assert (large.size, large.limit) == (300, 200)
