"""Dynamic scopes: where a dynamic reference leads depends on how its schema was reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from .model import Location
from .uris import split

if TYPE_CHECKING:
    from .catalogue import Catalogue

Scope: TypeAlias = tuple[tuple[str, Location], ...]
"""The dynamic anchors in reach: of each name the outermost place, sorted."""


def enter(catalogue: Catalogue, scope: Scope, location: Location) -> Scope:
    """Return the dynamic scope with the resource of *location* as its innermost."""
    anchors = catalogue.get_dynamic_anchors(catalogue.get_node(location).resource)
    if scope and "" not in anchors:
        # as validators have it, recursion ends at a resource without $recursiveAnchor (2019-09)
        scope = tuple(one for one in scope if one[0])
    return tuple(sorted({**anchors, **dict(scope)}.items())) if anchors else scope


def follow(catalogue: Catalogue, scope: Scope, location: Location, keyword: str) -> Location | None:
    """Return where a reference of the schema at *location* leads in a scope, None if nowhere."""
    target = catalogue.find_target(location, keyword)
    if keyword == "$ref" or target is None:
        return target
    schema = catalogue.get(location)
    name = ""
    if keyword == "$dynamicRef" and not isinstance(schema, bool):
        name = split(schema[keyword])[1]
    resource = catalogue.get_node(target).resource
    is_dynamic = catalogue.get_dynamic_anchors(resource).get(name) == target
    return dict(scope).get(name, target) if is_dynamic else target
