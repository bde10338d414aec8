"""Bundles: the services between two facets as one arrow, for pictures that cannot untangle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .scene import Arrow, Scene


class Bundle(NamedTuple):
    """What one facet requires of another, whole or broken; without a provider, of nobody."""

    provider: int | None
    consumer: int
    services: tuple[str, ...]
    is_faulty: bool


def bundle_arrows(scene: Scene) -> Iterator[Bundle]:
    """Give one bundle for the sound arrows between two facets and one for the faulty ones."""
    groups: dict[tuple[int | None, int, bool], dict[str, None]] = {}
    for arrow in scene.arrows:
        key = (arrow.provider, arrow.consumer, bool(arrow.findings))
        groups.setdefault(key, {})[_word(arrow)] = None
    for (provider, consumer, is_faulty), services in groups.items():
        yield Bundle(provider, consumer, tuple(services), is_faulty)


def _word(arrow: Arrow) -> str:
    return f"{arrow.service}*" if arrow.mode == "keyed" else arrow.service
