"""Schemas into shapes: every type of one module, each with a name of its own."""

from __future__ import annotations

import weakref
from collections import deque
from typing import TYPE_CHECKING

from pi_contracts.contracts.model import Location

from .leaves import shape_leaf
from .merge import (
    KINDS,
    Facts,
    Node,
    Part,
    as_dict,
    collect,
    find_reference,
    follow,
    get_kind,
    get_schema,
)
from .naming import ModuleShapes, name_types, share_types
from .order import widen_rings
from .places import Place, extend, extend_reference, find_below, find_payloads, find_place
from .shapes import (
    ANYTHING,
    ATOMS,
    NOTHING,
    Alias,
    Field,
    Key,
    ListOf,
    Literal,
    MapOf,
    Named,
    Record,
    Shape,
    Union,
    shape_values,
    unite,
    walk,
)

if TYPE_CHECKING:
    from pi_contracts.contracts.catalogue import Catalogue

    from .layout import Layout, Module

_DEEPEST = 40
"""How many arrays, maps and unions may lie within one another in one type."""
_MOST_PARTS = 2
"""Of more schemas together unions are left out: each may multiply the others."""
_MANY_OPTIONS = 3
_LONG_LITERAL = 50


_CACHE: weakref.WeakKeyDictionary[Layout, dict[Module, ModuleShapes]] = weakref.WeakKeyDictionary()


def get_shapes_of(catalogue: Catalogue, layout: Layout, module: Module) -> ModuleShapes:
    """Return the types of *module*; they are made once for a layout."""
    made = _CACHE.setdefault(layout, {})
    if module not in made:
        home = layout.home_of(module.documents[0])
        if home == module or home is None:
            made[module] = _Shaper(catalogue, layout, module).make()
        else:
            made[module] = share_types(catalogue, get_shapes_of(catalogue, layout, home), module)
    return made[module]


class _Shaper:
    def __init__(self, catalogue: Catalogue, layout: Layout, module: Module) -> None:
        self.catalogue = catalogue
        self.layout = layout
        self.module = module
        self.shapes = ModuleShapes(module)
        self.fixed: set[Location] = set(layout.targets)
        self.pending: deque[tuple[Record, Node, Facts, Place]] = deque()
        self.named: dict[Location, Named] = {}
        self.declared = ""
        self.objects: dict[Key, Record] = {}
        self.aliases: deque[Location] = deque()
        self.depth = 0

    def make(self) -> ModuleShapes:
        for uri in self.module.documents:
            self._begin(uri)
        while self.pending or self.aliases:
            while self.pending:
                self._fill(*self.pending.popleft())
            if self.aliases:
                self._declare(self.aliases.popleft())
        widen_rings(self.shapes.declarations)
        name_types(self.catalogue, self.shapes)
        return self.shapes

    def _begin(self, uri: str) -> None:
        document = self.catalogue.documents[uri]
        root = Location(uri, "")
        value = as_dict(document.value)
        places = [root] if document.role == "schema" else []
        for keyword in ("$defs", "definitions"):
            if document.role == "schema" or keyword == "$defs":
                for name, schema in as_dict(value.get(keyword)).items():
                    if isinstance(schema, dict | bool):
                        places.append(root / keyword / name)
        self.fixed.update(places)
        for location in places:
            self.shapes.payloads[location] = self._refer(location)
        contract = self.catalogue.contracts.get(uri)
        for location in find_payloads(contract) if contract else ():
            shape = self._shape(location, find_place(self.catalogue, location))
            if _is_long(shape):
                shape = self._refer(location)
            self.shapes.payloads[location] = ANYTHING if shape == NOTHING else shape

    def _is_local(self, location: Location) -> bool:
        home = self.layout.home_of(location.document)
        return home is None or home == self.module

    def _refer(self, location: Location) -> Shape:
        """Return the name of a schema that has one; it is declared here or in its own module."""
        shape = self.named.get(location)
        if shape is None:
            shape = self.named[location] = Named(Key((Part(location),)))
            if self._is_local(location):
                self.shapes.places[shape.key] = find_place(self.catalogue, location)
                self.aliases.append(location)
        return shape

    def _declare(self, location: Location) -> None:
        key = Key((Part(location),))
        place = self.shapes.places[key]
        self.declared = place.name
        shape = self._shape(location, place, is_declared=True)
        self.declared = ""
        if isinstance(shape, Named) and shape.key in self.objects:
            # nothing but an object: the record itself has the name
            record = self.objects[shape.key]
            record.key = key
            self.shapes.declarations[key] = record
            del self.shapes.places[shape.key]
        else:
            if shape in (NOTHING, Named(key)):
                shape = ANYTHING
            self.shapes.declarations[key] = Alias(key, self._describe(key.node), shape)
        self.objects.clear()

    def _shape(self, location: Location, place: Place, *, is_declared: bool = False) -> Shape:
        """Return the shape of the values of one schema."""
        shape = self._shape_simple(location, is_declared=is_declared)
        if shape is not None:
            return shape
        target = find_reference(self.catalogue, location)
        if target is not None:
            is_below = target.pointer.startswith(location.pointer + "/")
            found = place if is_below else find_place(self.catalogue, target)
            return self._descend(target, found)
        return self._build((Part(location),), place, is_declared=is_declared)

    def _shape_simple(self, location: Location, *, is_declared: bool = False) -> Shape | None:
        """Return the shape of a schema without any schema in it that would need a name."""
        if not is_declared and location in self.fixed:
            return self._refer(location)
        schema = get_schema(self.catalogue, location)
        if not isinstance(schema, bool) and "$ref" in schema:
            target = find_reference(self.catalogue, location)
            return self._refer(target) if target is not None and target in self.fixed else None
        if self.catalogue.get_node(location).dialect.void:
            return None
        return shape_leaf(schema, location, self.fixed)

    def _descend(self, location: Location, place: Place) -> Shape:
        """Return the shape of a schema within another one, unless it lies too deep."""
        if self.depth >= _DEEPEST:
            return ANYTHING
        self.depth += 1
        shape = self._shape(location, place)
        self.depth -= 1
        return shape

    def _build(self, node: Node, place: Place, *, is_declared: bool = False) -> Shape:
        facts = collect(self.catalogue, node)
        if facts.is_impossible:
            return NOTHING
        if facts.values is not None:
            kinds = facts.kinds
            return shape_values(
                value for value in facts.values if kinds is None or get_kind(value) in kinds
            )
        if facts.unions and self.depth < _DEEPEST and len(node) <= _MOST_PARTS:
            self.depth += 1
            shape = self._split(node, facts, place)
            self.depth -= 1
            if shape is not None:
                return shape
        return self._join(node, facts, place, is_declared=is_declared)

    def _split(self, node: Node, facts: Facts, place: Place) -> Shape | None:
        """Return the union of the branches of a schema, each with what stands beside them.

        None: some branch says nothing of types, so what stands beside them says it all.
        """
        rest = tuple(Part(part.location, True) for part in node)
        beside = collect(self.catalogue, rest)
        says_beside = beside.says_more_than(None) or beside.required or len(facts.unions) > 1
        for branches in facts.unions:
            if not says_beside:
                return unite(
                    self._descend(branch, find_below(self.catalogue, node, place, branch, None))
                    for branch in branches
                )
            found = [(branch, collect(self.catalogue, (Part(branch),))) for branch in branches]
            bare = not beside.properties
            if all(
                says.says_more_than(facts.kinds) or (bare and says.required) for _, says in found
            ):
                return unite(
                    self._narrow(rest, beside, branch, says, place) for branch, says in found
                )
        for branches in facts.unions:
            for branch in branches:
                schema = get_schema(self.catalogue, branch)
                properties = schema.get("properties") if isinstance(schema, dict) else None
                facts.mentioned.update(dict.fromkeys(properties or ()))
        return None

    def _narrow(
        self, rest: Node, beside: Facts, branch: Location, says: Facts, place: Place
    ) -> Shape:
        """Return the shape of one branch together with what stands beside the union."""
        below = extend_reference(self.catalogue, place, branch)
        adds = (
            beside.values is not None
            or beside.is_closed
            or beside.rest is not None
            or beside.properties
            or beside.items
            or beside.required.keys() - says.required.keys()
            or (beside.kinds is not None and (says.kinds is None or not says.kinds <= beside.kinds))
        )
        return self._build((*rest, Part(branch)), below) if adds else self._descend(branch, below)

    def _join(self, node: Node, facts: Facts, place: Place, *, is_declared: bool) -> Shape:
        """Return the union of the shapes of each kind of values that is allowed."""
        says_object = (
            facts.properties or facts.required or facts.is_closed or facts.rest is not None
        )
        if facts.kinds is None and not says_object and not facts.items:
            return ANYTHING
        kinds = frozenset(KINDS) if facts.kinds is None else facts.kinds
        options: list[Shape] = []
        for kind in KINDS:
            if kind not in kinds or (kind == "integer" and "fraction" in kinds):
                continue
            if kind == "object" and says_object:
                options.append(self._shape_object(node, facts, place, is_declared=is_declared))
            elif kind == "array" and facts.items:
                options.append(self._shape_array(node, facts, place))
            else:
                options.append(ATOMS[kind])
        return unite(options)

    def _shape_object(self, node: Node, facts: Facts, place: Place, *, is_declared: bool) -> Shape:
        if not facts.properties and not facts.required and not facts.is_closed:
            return MapOf(self._shape_rest(node, facts, place))
        key = Key(node, is_record=is_declared)
        if key not in self.shapes.declarations:
            record = Record(key, self._describe(node), is_closed=facts.is_closed)
            self.shapes.declarations[key] = record
            self.pending.append((record, node, facts, place))
            if place.name == self.declared:
                self.objects[key] = record
                place = Place(f"{place.name}Object", f"{place.path}/object")
            self.shapes.places.setdefault(key, place)
        return Named(key)

    def _shape_rest(self, node: Node, facts: Facts, place: Place) -> Shape:
        shapes: list[Shape] = []
        for location in facts.rest or ():
            tokens = location.pointer.removeprefix(node[0].location.pointer).split("/")[1:]
            below = find_below(self.catalogue, node, place, location, tokens)
            shapes.append(self._descend(location, below))
        shape = unite(shapes) if facts.rest is not None else ANYTHING
        return ANYTHING if shape == NOTHING else shape

    def _shape_array(self, node: Node, facts: Facts, place: Place) -> Shape:
        rests = [items.rest for items in facts.items if items.rest is not None]
        if len(facts.items) > 1 and all(not items.first for items in facts.items):
            below = Place(f"{place.name}Item", f"{place.path}/items")
            return ListOf(self._shape_all(rests, below))
        first, rest = facts.items[0]
        shapes: list[Shape] = [] if rest is not None else [ANYTHING]
        for location in (*first, *((rest,) if rest is not None else ())):
            tokens = location.pointer.removeprefix(node[0].location.pointer).split("/")[1:]
            shapes.append(
                self._descend(location, find_below(self.catalogue, node, place, location, tokens))
            )
        shape = unite(shapes)
        return ListOf(ANYTHING if shape == NOTHING else shape)

    def _shape_all(self, locations: list[Location], place: Place) -> Shape:
        """Return the shape of what several schemas must all accept."""
        parts: dict[Location, None] = {}
        for location in locations:
            found = follow(self.catalogue, location)
            if found is not None:
                parts[found] = None
        if not parts:
            return ANYTHING
        if len(parts) == 1:
            location = next(iter(parts))
            return self._descend(location, find_place(self.catalogue, location))
        if self.depth >= _DEEPEST:
            return ANYTHING
        node = tuple(Part(location) for location in parts)
        self.depth += 1
        shape = self._build(node, place)
        self.depth -= 1
        return shape

    def _fill(self, record: Record, node: Node, facts: Facts, place: Place) -> None:
        """Work out the members of a record."""
        fields: list[Field] = []
        for name, locations in facts.properties.items():
            location = locations[0]
            if len(locations) == 1:
                shape = self._shape_simple(location)
                if shape is None:
                    below = find_below(self.catalogue, node, place, location, ["properties", name])
                    shape = self._descend(location, below)
            else:
                below = extend(place, ["properties", name], True)
                shape = self._shape_all(locations, below)
            required = name in facts.required
            if shape == NOTHING:
                if not required:
                    continue
                shape = ANYTHING
            own = Named(Key((Part(location),)))
            is_own = own.key in self.shapes.declarations and own in walk(shape)
            description = (
                "" if is_own and location not in self.fixed else self._describe_own(location)
            )
            fields.append(Field(name, shape, required, description))
        others = [name for name in facts.required if name not in facts.properties]
        loose = [
            name
            for name in facts.mentioned
            if not facts.is_closed and name not in facts.required and name not in facts.properties
        ]
        if others or loose:
            shape = self._shape_rest(node, facts, place)
            fields += [Field(name, shape, required=True) for name in others]
            fields += [Field(name, shape, required=False) for name in loose]
        record.fields = tuple(fields)

    def _describe(self, node: Node) -> str:
        """Return what the schemas of *node* say of themselves."""
        for keyword in ("description", "title"):
            for part in node:
                text = self._describe_own(part.location, keyword)
                if text:
                    return text
        return ""

    def _describe_own(self, location: Location, keyword: str = "description") -> str:
        schema = self.catalogue.get(location)
        text = schema.get(keyword) if isinstance(schema, dict) else None
        return text if isinstance(text, str) and text.strip() else ""


def _is_long(shape: Shape) -> bool:
    """Tell whether a shape is too long to stand in a signature."""
    return any(
        (isinstance(one, Union) and len(one.options) > _MANY_OPTIONS)
        or (isinstance(one, Literal) and sum(map(len, one.values)) > _LONG_LITERAL)
        for one in walk(shape)
    )
