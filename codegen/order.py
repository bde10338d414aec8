"""The order of declarations: what a name stands for comes before it, wherever that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .graph import find_components
from .shapes import Alias, Declaration, Key, Named, Record, Union, get_shapes, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def order_declarations(
    declarations: Mapping[Key, Declaration],
) -> Iterator[tuple[Declaration, frozenset[Key]]]:
    """Yield the declarations in the order of their definition.

    An alias follows everything it mentions, unless it lies in a ring of nothing but
    aliases; it then comes with the keys of the ring. A record may mention what
    follows it.
    """
    edges = find_mentions(declarations)
    place = {key: index for index, key in enumerate(declarations)}
    for component in find_components(edges):
        members = sorted(component, key=place.__getitem__)
        for key in members:
            if isinstance(declarations[key], Record):
                yield declarations[key], frozenset()
        inside = frozenset(members)
        aliases = {
            key: [
                one for one in edges[key] if one in inside and isinstance(declarations[one], Alias)
            ]
            for key in members
            if isinstance(declarations[key], Alias)
        }
        for ring in find_components(aliases):
            first = ring[0]
            is_ring = len(ring) > 1 or first in aliases[first]
            for key in sorted(ring, key=place.__getitem__):
                yield declarations[key], frozenset(ring if is_ring else ())


def find_shortcuts(declarations: Mapping[Key, Declaration]) -> dict[Key, Key]:
    """Return what stands for each alias that only renames a record in whose ring it lies.

    mypy takes exponential time over a typed dictionary that holds itself by many aliases.
    """
    renamed = {
        key: declarations[one.shape.key].key
        for key, one in declarations.items()
        if isinstance(one, Alias) and isinstance(one.shape, Named) and one.shape.key in declarations
    }
    if not renamed:
        return {}
    shortcuts: dict[Key, Key] = {}
    for component in find_components(find_mentions(declarations)):
        inside = frozenset(component)
        for key in component:
            target = key
            while renamed.get(target) in inside:
                target = renamed[target]
            if target != key:
                shortcuts[key] = target
    return shortcuts


def find_mentions(declarations: Mapping[Key, Declaration]) -> dict[Key, tuple[Key, ...]]:
    """Return which of the declared types each of them mentions, each once."""
    return {
        key: tuple(
            dict.fromkeys(
                declarations[named.key].key
                for shape in get_shapes(one)
                for named in walk(shape)
                if isinstance(named, Named) and named.key in declarations
            )
        )
        for key, one in declarations.items()
        if one.key == key
    }


def widen_rings(declarations: dict[Key, Declaration]) -> None:
    """Widen aliases that lead back to themselves without an array or an object between."""
    edges = {
        key: [
            option.key
            for option in (one.shape.options if isinstance(one.shape, Union) else (one.shape,))
            if isinstance(option, Named) and isinstance(declarations.get(option.key), Alias)
        ]
        for key, one in declarations.items()
        if isinstance(one, Alias)
    }
    for ring in find_components(edges):
        first = ring[0]
        if len(ring) > 1 or first in edges[first]:
            for key in ring:
                declarations[key] = Alias(key, declarations[key].description)
