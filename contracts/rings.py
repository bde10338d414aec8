"""Schemas that lead back to themselves: rings that make no value, or no finite value, possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import Severity, Subject, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .catalogue import Catalogue
    from .findings import Finding
    from .model import Location

_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")


def check_rings(catalogue: Catalogue) -> Iterator[Finding]:
    """Yield a finding for each ring of references.

    A ring through keywords that stay at one value never ends: an error. A ring
    through required members ends for no finite value: a warning.
    """
    graph = _Graph(catalogue)
    starts = [reference.location for reference in catalogue.get_references()]
    dead: set[Location] = set()
    for ring in _find_rings(starts, graph.get_places):
        dead.update(ring)
        message = (
            "these schemas lead back to themselves without descending into a value, so that"
            " nothing can be judged by them"
        )
        fix = (
            "let one of them refer to a part of the value (a property, an item), or break the ring"
        )
        yield _word(catalogue, ring, message, fix=fix)
    for ring in _find_rings(starts, graph.get_demands):
        if dead.isdisjoint(ring):
            message = "each of these requires the next, so that no finite value can satisfy them"
            fix = "make one of the required members optional or nullable"
            yield _word(catalogue, ring, message, fix=fix, severity=Severity.WARNING)


class _Graph:
    """What a schema leads to: at the same value, or in what it requires."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def get_places(self, location: Location) -> Iterator[Location]:
        """Yield the schemas that judge the same value."""
        return self._lead(location, _IN_PLACE)

    def get_demands(self, location: Location) -> Iterator[Location]:
        """Yield the schemas that must hold too, here or in a required member."""
        yield from self._lead(location, ("allOf",))
        schema = self.catalogue.get(location)
        if isinstance(schema, bool) or schema.get("type") != "object":
            return
        properties = schema.get("properties")
        required = schema.get("required")
        if isinstance(properties, dict) and isinstance(required, list):
            for name in required:
                if isinstance(name, str) and isinstance(properties.get(name), dict):
                    yield location / "properties" / name

    def _lead(self, location: Location, keywords: Iterable[str]) -> Iterator[Location]:
        schema = self.catalogue.get(location)
        if isinstance(schema, bool):
            return
        if isinstance(schema.get("$ref"), str):
            target = self.catalogue.find_target(location)
            if target is not None:
                yield target
            if self.catalogue.get_draft(location).has_lone_refs:
                return
        for keyword in keywords:
            value = schema.get(keyword)
            if isinstance(value, dict):
                yield location / keyword
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, dict):
                        yield location / keyword / index


def _find_rings(
    starts: Iterable[Location], follow: Callable[[Location], Iterable[Location]]
) -> Iterator[tuple[Location, ...]]:
    """Yield rings, each place in one of them at most; without recursion."""
    done: set[Location] = set()
    for start in starts:
        if start in done:
            continue
        path: list[Location] = [start]
        on_path = {start: 0}
        pending = [iter(list(follow(start)))]
        while pending:
            step = next(pending[-1], None)
            if step is None:
                pending.pop()
                last = path.pop()
                done.add(last)
                del on_path[last]
            elif step in on_path:
                yield tuple(path[on_path[step] :])
            elif step not in done:
                on_path[step] = len(path)
                path.append(step)
                pending.append(iter(list(follow(step))))


def _word(
    catalogue: Catalogue,
    ring: tuple[Location, ...],
    message: str,
    *,
    fix: str,
    severity: Severity = Severity.ERROR,
) -> Finding:
    """Return a finding that shows the ring from its first place by name."""
    turn = ring.index(min(ring, key=lambda one: (catalogue.get_path(one), one.pointer)))
    ring = ring[turn:] + ring[:turn]
    home = ring[0].document
    names = [
        escape(f"#{one.pointer}" if one.document == home else catalogue.name_location(one))
        for one in (*ring, ring[0])
    ]
    source = catalogue.documents[home].source
    return source.find(
        "impossible-schema",
        f"{message}: {' -> '.join(names)}",
        ring[0].pointer,
        severity=severity,
        subject=Subject(document=source.path, detail=" -> ".join(names)),
        fix=fix,
    )
