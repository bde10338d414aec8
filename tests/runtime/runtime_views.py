"""Views of services within this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_contracts.runtime.registry import Registry


def open_active(registry: Registry, **options: Any) -> Any:
    """Return a namespace of a facet that runs already."""
    namespace = registry.open_local(**options)
    namespace.activate()
    return namespace
