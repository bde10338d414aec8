"""What the prepared process and those who ask it for copies have in common.

It is loaded on both sides, and so loads next to nothing.
"""

from __future__ import annotations

import os
import signal
import struct
from contextlib import suppress
from typing import Final

NUMBER: Final = struct.Struct("i")
"""How a process id and a wait status are told."""


def end_group(pid: int) -> None:
    """End every process of a group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
