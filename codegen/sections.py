"""The types of one module, printed: what a template puts where types belong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .expressions import write_flat
from .graph import find_components
from .order import find_mentions, find_shortcuts, order_declarations
from .pydantic import ModelPrinter
from .scope import Scope
from .shaper import get_shapes_of
from .shapes import Key, Named, Record, get_shapes, walk
from .typeddict import TypedDictPrinter
from .writing import Printer, is_spaced, write_alias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.model import Location
    from pi_contracts.contracts.names import PublicNames

    from .layout import Layout, Module
    from .naming import ModuleShapes

TypesKind = Literal["typed-dict", "pydantic"]
"""What payloads are in Python: plain dictionaries, or models."""


@dataclass(frozen=True, slots=True)
class TypeSection:
    """The types of one module, printed."""

    text: str
    """All declarations, as `ruff format` would write them, without blank lines around."""
    exports: tuple[str, ...]
    """The public names of the types, sorted."""
    imports: tuple[str, ...]
    """The lines that import other modules of the package, sorted."""
    annotations: Mapping[Location, str]
    """The type of each payload of a contract; of a schema, of its root and its definitions."""
    modelled: frozenset[Location]
    """The payloads that are models or hold some; all others are plain JSON values."""
    public: PublicNames | None
    """The names of a contract's protocol, provider, token and errors."""
    uses_typing: bool
    """Whether the text needs ``typing`` as ``t``."""
    uses_pydantic: bool
    """Whether the text needs ``pydantic``."""


def make_types(
    catalogue: Catalogue, layout: Layout, module: Module, kind: TypesKind
) -> TypeSection:
    """Return the types of *module*, printed as *kind* says."""
    shapes = get_shapes_of(catalogue, layout, module)
    scope = Scope(catalogue, layout, shapes)
    printer = TypedDictPrinter(scope) if kind == "typed-dict" else ModelPrinter(scope)
    home = layout.home_of(module.documents[0]) or module
    blocks = _write_own(scope, printer) if home == module else _write_shared(scope, home)
    annotations = {at: write_flat(printer.express(shape)) for at, shape in shapes.payloads.items()}
    preamble = printer.write_preamble()
    return TypeSection(
        text=_join([*preamble, *blocks]),
        exports=tuple(sorted(shapes.names.values())),
        imports=scope.write_imports(),
        annotations=annotations,
        modelled=frozenset(
            _find_modelled(catalogue, layout, shapes, home) if kind == "pydantic" else ()
        ),
        public=shapes.public,
        uses_typing=scope.uses_typing,
        uses_pydantic=bool(preamble),
    )


def _write_own(scope: Scope, printer: Printer) -> list[str]:
    shapes = scope.shapes
    blocks: list[str] = []
    scope.shortcuts = find_shortcuts(shapes.declarations)
    for declaration, ring in order_declarations(shapes.declarations):
        name = shapes.names[declaration.key]
        if isinstance(declaration, Record):
            blocks.append(printer.write_record(declaration, name))
        elif ring:
            scope.uses_typing = True
            blocks.append(printer.write_ring(declaration, name, ring))
        else:
            scope.uses_typing = True
            blocks.append(write_alias(declaration, name, printer.express(declaration.shape)))
        scope.defined.add(declaration.key)
    return blocks


def _write_shared(scope: Scope, home: Module) -> list[str]:
    """Return the names of a public module for the types that its ring's module defines."""
    scope.uses_typing = True
    return [
        write_alias(None, name, scope.get_name_in(home, key))
        for key, name in scope.shapes.names.items()
    ]


def _join(blocks: Iterable[str]) -> str:
    """Return the blocks with the blank lines between them that classes ask for."""
    parts: list[str] = []
    before = ""
    for block in blocks:
        if parts:
            parts.append("\n\n\n" if is_spaced(before) or is_spaced(block) else "\n\n")
        parts.append(block)
        before = block
    return "".join(parts)


def _find_modelled(
    catalogue: Catalogue, layout: Layout, shapes: ModuleShapes, home: Module
) -> set[Location]:
    """Return the payloads in whose shapes a record lies, however deep."""
    owner = get_shapes_of(catalogue, layout, home)
    holders = _find_holders(catalogue, layout, owner)

    def holds(key: Key) -> bool:
        if key in owner.declarations:
            return owner.declarations[key].key in holders
        return _is_holder(catalogue, layout, key)

    return {
        location
        for location, payload in shapes.payloads.items()
        if any(isinstance(one, Named) and holds(one.key) for one in walk(payload))
    }


def _find_holders(catalogue: Catalogue, layout: Layout, shapes: ModuleShapes) -> set[Key]:
    """Return which declared types are records or hold some."""
    if shapes.holders is None:
        shapes.holders = set()
        mentions = find_mentions(shapes.declarations)
        for component in find_components(mentions):
            found = any(
                isinstance(shapes.declarations[key], Record)
                or any(other in shapes.holders for other in mentions[key])
                or any(
                    isinstance(one, Named)
                    and one.key not in shapes.declarations
                    and _is_holder(catalogue, layout, one.key)
                    for shape in get_shapes(shapes.declarations[key])
                    for one in walk(shape)
                )
                for key in component
            )
            if found:
                shapes.holders.update(component)
    return shapes.holders


def _is_holder(catalogue: Catalogue, layout: Layout, key: Key) -> bool:
    """Tell whether a type of another module is a record or holds some."""
    uri = key.location.document
    home = layout.home_of(uri) or layout.module_of(uri)
    shapes = get_shapes_of(catalogue, layout, home)
    return shapes.declarations[key].key in _find_holders(catalogue, layout, shapes)
