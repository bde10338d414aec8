from __future__ import annotations

import json

from pi_contracts.runtime.protocol.versions import VERSIONS, describe_mismatch


def test_this_is_version_1() -> None:
    assert VERSIONS == (1,)


def test_a_mismatch_names_the_versions_of_both_sides() -> None:
    """TRN-11."""
    error = describe_mismatch((2, 1), [9, 7, 9])
    assert error.code == "protocol_version"
    assert error.message == "this side speaks versions [1, 2] of the protocol, the other one [7, 9]"
    assert json.loads(bytes(error.data)) == {"accepted": [1, 2], "offered": [7, 9]}  # type: ignore[arg-type]


def test_of_very_many_versions_the_greatest_are_named() -> None:
    """A peer cannot make us answer with as much as it has sent."""
    error = describe_mismatch((1,), range(2, 100_000))
    assert len(error.message) < 300
    assert "99999]" in error.message
