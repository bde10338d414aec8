from __future__ import annotations

import pytest
from pi_contracts.runtime.protocol import Limits


def test_a_limit_that_no_other_side_takes_is_refused() -> None:
    """A frame must have room for what ends things."""
    assert Limits(frame=1024).frame == 1024
    with pytest.raises(
        ValueError, match=r'^expected a limit "frame" of at least 1024 bytes, found 9'
    ):
        Limits(frame=9)
