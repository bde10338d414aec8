from __future__ import annotations

import pytest
from pi_contracts.runtime import InaccessibleView, ModeMismatch
from pi_contracts.runtime.acquiring import Acquisitions


def test_what_was_acquired_in_setup_may_be_acquired_again_in_the_same_way() -> None:
    """SNG-2, TOK-10."""
    acquired = Acquisitions()
    acquired.add("models", "use")
    acquired.sealed = "@pi/models:tui"
    acquired.add("models", "use")
    with pytest.raises(ModeMismatch) as mixed:
        acquired.add("models", "observe")
    assert str(mixed.value) == (
        '"models" cannot be acquired with observe: use has acquired it first'
    )
    with pytest.raises(InaccessibleView) as late:
        acquired.add("other", "use")
    assert (late.value.service, late.value.problem) == (
        "other",
        "@pi/models:tui calls use after its setup; acquire services in setup",
    )
    acquired.closed = True
    with pytest.raises(InaccessibleView, match="its facet has ended"):
        acquired.add("models", "use")
