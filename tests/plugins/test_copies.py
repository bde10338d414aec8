"""What both sides of a copied process have in common; the copies are in test_host_process."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pi_contracts.plugins.copies import NUMBER, end_group
from pi_contracts.plugins.host_process import CAN_COPY

pytestmark = pytest.mark.skipif(not CAN_COPY, reason="no copies on this system")


def test_a_group_that_has_ended_is_left_alone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    process.wait(60)
    end_group(process.pid)


def test_a_number_is_told_in_as_many_bytes_as_are_read() -> None:
    assert NUMBER.size == 4
    assert int.from_bytes(NUMBER.pack(-9), sys.byteorder, signed=True) == -9
