from __future__ import annotations

import pytest
from pi_contracts.plugins.seal import Seal, SealedLine, make_key


def test_what_was_written_with_a_key_is_read_with_it() -> None:
    key = make_key()
    line = Seal(key).write(7, b'{"a": 1}')
    assert line.startswith(b"\n")  # whatever stands before it, it is a line of its own
    assert Seal(key).read(line.strip(b"\n")) == SealedLine(7, b'{"a": 1}')


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"x y z",
        Seal(b"other").write(0, b"{}").strip(),
        Seal(b"key").write(0, b"{}")[5:],
    ],
    ids=["nothing", "no signature", "a wrong one", "another key", "half of a line"],
)
def test_what_was_not_written_with_the_key_is_none(line: bytes) -> None:
    assert Seal(b"key").read(line) is None


def test_a_line_that_was_changed_is_none() -> None:
    line = Seal(b"key").write(3, b"{}").strip()
    assert Seal(b"key").read(line.replace(b" 3 ", b" 4 ")) is None
    assert Seal(b"key").read(line.replace(b"{}", b"[]")) is None


def test_no_two_keys_are_the_same() -> None:
    assert make_key() != make_key()
