"""Generated code asks for its version, and is told what to do about another."""

from __future__ import annotations

import pytest
from pi_contracts.runtime.errors import UnservedVersionError
from pi_contracts.runtime.version import require


def test_version_1_is_served() -> None:
    require(1)


@pytest.mark.parametrize("version", [0, 2])
def test_another_version_says_which_command_to_run(version: int) -> None:
    with pytest.raises(UnservedVersionError, match="run: pi-contracts gen") as caught:
        require(version)
    assert (caught.value.asked, caught.value.served) == (version, 1)
    assert isinstance(caught.value, ImportError)
