"""What all tests share: how long hypothesis searches, and that processes can be interrupted."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# The same examples on every run of every machine; `make nightly` looks for new ones.
settings.register_profile("everyday", derandomize=True, deadline=None)
settings.register_profile(
    "nightly", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("everyday")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let what a test starts be interrupted, which a background job of a shell is not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
