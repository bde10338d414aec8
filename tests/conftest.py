"""What all tests share: how long hypothesis searches."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The same examples on every run of every machine; `make nightly` looks for new ones.
settings.register_profile("everyday", derandomize=True, deadline=None)
settings.register_profile(
    "nightly", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("everyday")
