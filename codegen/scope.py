"""What the text of a module can name: its own types, and those of the modules it imports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .expressions import Alternatives, Expression, Subscript
from .literals import WIDTH
from .shaper import get_shapes_of
from .shapes import (
    ANYTHING,
    NOTHING,
    NULL,
    Alias,
    Atom,
    Key,
    ListOf,
    Literal,
    MapOf,
    Named,
    Shape,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pi_contracts.contracts.catalogue import Catalogue

    from .layout import Layout, Module
    from .naming import ModuleShapes


@dataclass(slots=True)
class Scope:
    """What a module can name: its own types, and those of the modules it imports."""

    catalogue: Catalogue
    layout: Layout
    shapes: ModuleShapes
    defined: set[Key] = field(default_factory=set[Key])
    """What the text so far has defined."""
    shortcuts: Mapping[Key, Key] = field(default_factory=dict[Key, Key])
    """What to name instead of some aliases."""
    imports: dict[Module, str] = field(default_factory=dict["Module", str])
    """The alias of each module that is used."""
    uses_typing: bool = False
    """Whether the text so far needs ``typing``."""

    def get_name(self, key: Key) -> str:
        """Return the name of a declared type, as this module writes it."""
        declaration = self.shapes.declarations.get(key)
        if declaration is not None:
            return self.shapes.names[self.shortcuts.get(declaration.key, declaration.key)]
        module = self.layout.module_of(key.location.document)
        return self.get_name_in(module, key)

    def get_name_in(self, module: Module, key: Key) -> str:
        """Return the name of a type of another module."""
        shapes = get_shapes_of(self.catalogue, self.layout, module)
        return f"{self.import_module(module)}.{shapes.names[shapes.declarations[key].key]}"

    def drop_nulls(self, options: Iterable[Shape]) -> list[Shape]:
        """Return the options of a union with one that is null at most, the first of them.

        An alias of null is None when the module runs, where ``None | None`` is an error.
        """
        nulls = 0
        kept: list[Shape] = []
        for option in options:
            is_null = self._is_null(option)
            if not (is_null and nulls):
                kept.append(option)
            nulls += is_null
        return kept

    def _is_null(self, shape: Shape) -> bool:
        if isinstance(shape, Named):
            declaration = self._get_shapes_of(shape.key).declarations[shape.key]
            return isinstance(declaration, Alias) and self._is_null(declaration.shape)
        if isinstance(shape, Union):
            return shape != NOTHING and all(self._is_null(option) for option in shape.options)
        return shape == NULL

    def _get_shapes_of(self, key: Key) -> ModuleShapes:
        if key in self.shapes.declarations:
            return self.shapes
        uri = key.location.document
        home = self.layout.home_of(uri) or self.layout.module_of(uri)
        return get_shapes_of(self.catalogue, self.layout, home)

    def import_module(self, module: Module) -> str:
        """Return the alias of a module, which is imported from then on."""
        if module not in self.imports:
            self.imports[module] = get_module_aliases(self.layout)[module]
        return self.imports[module]

    def write_imports(self) -> tuple[str, ...]:
        """Return the lines that import the modules used so far, sorted as ruff sorts them."""
        here = self.shapes.module.name
        rows: list[tuple[int, str, str, str]] = []
        for module, alias in self.imports.items():
            shared = 0
            for own, other in zip(here[:-1], module.name[:-1], strict=False):
                if own != other:
                    break
                shared += 1
            up = len(here) - 1 - shared
            package = "." * (up + 1) + ".".join(module.name[shared:-1])
            rows.append((-up, package, module.name[-1], alias))
        rows.sort()
        return tuple(
            _write_import(package, name if name == alias else f"{name} as {alias}")
            for _, package, name, alias in rows
        )


def _write_import(package: str, name: str) -> str:
    line = f"from {package} import {name}"
    return line if len(line) <= WIDTH else f"from {package} import (\n    {name},\n)"


def get_module_aliases(layout: Layout) -> dict[Module, str]:
    """Return the private name that other modules import each module by."""
    names: dict[str, list[Module]] = {}
    for module in layout.modules:
        names.setdefault("_" + "_".join(module.name).lstrip("_"), []).append(module)
    return {
        module: name if index == 0 else f"{name}_{index}"
        for name, modules in names.items()
        for index, module in enumerate(sorted(modules, key=lambda one: (len(one.name), one.name)))
    }


def express(shape: Shape, scope: Scope) -> Expression:
    """Return the annotation for a shape, with everything as the runtime names it."""
    match shape:
        case Atom(text):
            return text
        case Literal(values):
            scope.uses_typing = True
            return Subscript("t.Literal", values)
        case ListOf(item):
            return Subscript("list", (express(item, scope),))
        case MapOf(value):
            return Subscript("dict", ("str", express(value, scope)))
        case Named(key):
            return scope.get_name(key)
        case _:
            if shape == NOTHING:
                return ANYTHING.text
            options = tuple(express(one, scope) for one in scope.drop_nulls(shape.options))
            return options[0] if len(options) == 1 else Alternatives(options)
