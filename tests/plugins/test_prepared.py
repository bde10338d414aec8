"""What a warden does to processes; the copies as a whole are in test_host_process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pi_contracts.plugins import prepared
from pi_contracts.plugins.host_process import CAN_COPY
from pi_contracts.plugins.prepared import end_orphans, list_children

pytestmark = pytest.mark.skipif(not CAN_COPY, reason="no copies on this system")

PROGRAM = """
import os, subprocess, sys
from pi_contracts.plugins import prepared
children = [subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) for _ in "ab"]
assert sorted(prepared.list_children()) == sorted(child.pid for child in children)
prepared.end_orphans()
assert prepared.list_children() == []
prepared.end_orphans()
os._exit(0)
"""


def test_all_children_are_listed_and_ended() -> None:
    """In a process that has no others."""
    subprocess.run([sys.executable, "-P", "-c", PROGRAM], check=True, timeout=60)


def test_where_the_system_does_not_tell_there_are_no_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", refuse)
    assert list_children() == []


def test_orphans_that_end_by_themselves_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def wait() -> tuple[int, int]:
        calls.append("wait")
        if len(calls) > 1:
            raise ChildProcessError
        return 1, 0

    def kill(*_: int) -> None:
        calls.append("kill")
        raise ProcessLookupError

    monkeypatch.setattr(os, "wait", wait)
    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(prepared, "list_children", lambda: [1] if not calls else [])
    end_orphans()
    assert calls == ["kill", "wait"]


def test_without_the_library_no_option_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prepared.find_prctl()(0, 0) in {0, -1}
    monkeypatch.setitem(sys.modules, "ctypes", None)
    assert prepared.find_prctl()(1, 9) is None
