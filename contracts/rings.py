"""Schemas that lead back to themselves: rings that make no value, or no finite value, possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from .catalogue import REFERENCES
from .drafts import KEYWORDS, subschemas
from .findings import Severity, Subject, escape
from .json_values import is_array, is_object
from .model import Location
from .scopes import Scope, enter, follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .catalogue import Catalogue
    from .findings import Finding

_IN_PLACE = frozenset(
    """allOf anyOf dependencies dependentSchemas else if not oneOf then""".split()
)
"""Keywords whose schemas judge the same value."""
_NAMED = 12
"""How many places of a ring a message names."""
_TOLD = 100
"""How many rings that hang together are told."""

State: TypeAlias = tuple[Location, Scope]
"""A schema, as it is reached in one dynamic scope."""


def check_rings(catalogue: Catalogue) -> Iterator[Finding]:
    """Yield a finding for each ring of references.

    A ring through keywords that stay at one value never ends: an error. A ring
    through required members ends for no finite value: a warning.
    """
    graph = _Graph(catalogue)
    told: set[frozenset[Location]] = set()
    dead: set[Location] = set()
    for ring in _find_rings(graph.get_starts(), graph.get_places):
        dead.update(ring)
        if frozenset(ring) in told:
            continue
        told.add(frozenset(ring))
        message = (
            "these schemas lead back to themselves without descending into a value, so that"
            " nothing can be judged by them"
        )
        fix = (
            "let one of them refer to a part of the value (a property, an item), or break the ring"
        )
        yield _word(catalogue, ring, message, fix=fix)
    starts = [(reference.location, ()) for reference in catalogue.get_references()]
    for ring in _find_rings(starts, graph.get_demands):
        if dead.isdisjoint(ring):
            message = "each of these requires the next, so that no finite value can satisfy them"
            fix = "make one of the required members optional or nullable"
            yield _word(catalogue, ring, message, fix=fix, severity=Severity.WARNING)


class _Graph:
    """What a schema leads to: at the same value, or in what it requires."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def get_starts(self) -> Iterable[State]:
        """Return the schemas that refer to others, in each dynamic scope they are reached in."""
        catalogue = self.catalogue
        references = list(catalogue.get_references())
        states = [(one.location, enter(catalogue, (), one.location)) for one in references]
        if all(reference.keyword == "$ref" for reference in references):
            return states
        seen = dict.fromkeys(states)
        pending = states
        while pending:
            for state in self._reach(pending.pop()):
                if state not in seen:
                    seen[state] = None
                    pending.append(state)
        return seen

    def get_places(self, state: State) -> Iterator[State]:
        """Yield the schemas that judge the same value."""
        location, scope = state
        dialect = self.catalogue.get_node(location).dialect
        yield from self._follow(state, REFERENCES)
        schema = self.catalogue.get(location)
        if isinstance(schema, bool) or _IN_PLACE.isdisjoint(schema):
            return
        if dialect.draft.has_lone_refs and "$ref" in schema:
            return
        known = KEYWORDS[dialect.draft].keys() - dialect.void
        if "if" not in schema:
            known = known - {"then", "else"}
        for tokens, inner in subschemas(schema, dialect.draft):
            if tokens[0] in _IN_PLACE and tokens[0] in known and is_object(inner):
                below = _descend(location, tokens)
                yield below, enter(self.catalogue, scope, below)

    def get_demands(self, state: State) -> Iterator[State]:
        """Yield the schemas that must hold too, here or in a required member."""
        location, _ = state
        yield from self._follow(state, ("$ref",))
        schema = self.catalogue.get(location)
        if isinstance(schema, bool) or (
            self.catalogue.get_draft(location).has_lone_refs and "$ref" in schema
        ):
            return
        branches = schema.get("allOf")
        for index, branch in enumerate(branches if is_array(branches) else ()):
            if is_object(branch):
                yield location / "allOf" / index, ()
        properties, required = schema.get("properties"), schema.get("required")
        if schema.get("type") in ("object", ["object"]) and is_object(properties):
            for name in required if is_array(required) else ():
                if isinstance(name, str) and is_object(properties.get(name)):
                    yield location / "properties" / name, ()

    def _reach(self, state: State) -> Iterator[State]:
        """Yield everything that a schema leads to, in its scope."""
        location, scope = state
        node = self.catalogue.get_node(location)
        yield from self._follow(state, REFERENCES)
        for tokens, inner in subschemas(node.schema, node.dialect.draft):
            if is_object(inner):
                below = _descend(location, tokens)
                yield below, enter(self.catalogue, scope, below)

    def _follow(self, state: State, keywords: Iterable[str]) -> Iterator[State]:
        location, scope = state
        schema, _, _, dialect = self.catalogue.get_node(location)
        if isinstance(schema, bool):
            return
        for keyword in keywords:
            if isinstance(schema.get(keyword), str) and keyword in KEYWORDS[dialect.draft]:
                target = follow(self.catalogue, scope, location, keyword)
                if target is not None:
                    yield target, enter(self.catalogue, scope, target)


def _descend(location: Location, tokens: tuple[str, ...]) -> Location:
    for token in tokens:
        location = location / token
    return location


def _find_rings(
    starts: Iterable[State], follow_all: Callable[[State], Iterator[State]]
) -> Iterator[tuple[Location, ...]]:
    """Yield a ring for each step that leads back to the path it came by; without recursion.

    Of more than `_TOLD` rings that hang together the rest is left out.
    """
    done: set[State] = set()
    for start in starts:
        if start in done:
            continue
        told = 0
        path: list[State] = [start]
        on_path = {start: 0}
        pending = [follow_all(start)]
        while pending:
            step = next(pending[-1], None)
            if step is None:
                pending.pop()
                last = path.pop()
                done.add(last)
                del on_path[last]
            elif step in on_path:
                told += 1
                if told <= _TOLD:
                    yield tuple(location for location, _ in path[on_path[step] :])
            elif step not in done:
                on_path[step] = len(path)
                path.append(step)
                pending.append(follow_all(step))


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
    shown = ring if len(ring) <= _NAMED else ring[:_NAMED]
    names = [
        escape(f"#{one.pointer}" if one.document == home else catalogue.name_location(one))
        for one in shown
    ]
    if len(ring) > _NAMED:
        names.append(f"{len(ring) - _NAMED} more")
    chain = " -> ".join([*names, names[0]])
    source = catalogue.documents[home].source
    return source.find(
        "impossible-schema",
        f"{message}: {chain}",
        ring[0].pointer,
        severity=severity,
        subject=Subject(document=source.path, detail=chain),
        fix=fix,
    )
