"""Types that are plain dictionaries: ``rt.TypedDict`` under the exact names of the wire.

A class where every member's name can stand in one, else a call with a dictionary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.names import is_plain_identifier

from .expressions import Expression, Subscript, write_flat, write_line
from .literals import explode, measure, quote
from .scope import express
from .shapes import Key, Named, Shape, walk
from .writing import describe, get_pointer, write_note

if TYPE_CHECKING:
    from .scope import Scope
    from .shapes import Alias, Field, Record

# What an annotation mentions; a member of that name would hide it in the body of a class.
_HIDDEN = frozenset("bool dict float int list rt str t".split())


class TypedDictPrinter:
    """Prints shapes as types of plain dictionaries."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._names = frozenset[str](scope.shapes.names.values())

    def express(self, shape: Shape) -> Expression:
        """Return the annotation for a shape."""
        return express(shape, self._scope)

    def write_preamble(self) -> tuple[str, ...]:
        """Return nothing: these types stand by themselves."""
        return ()

    def write_record(self, record: Record, name: str) -> str:
        """Return the declaration of a record."""
        fields = [(field, self._annotate(field)) for field in record.fields]
        if all(self._fits_class(field.name) for field in record.fields):
            return _write_class(record, name, fields)
        return self._write_call(record, name, fields)

    def write_ring(self, alias: Alias, name: str, _: frozenset[Key], /) -> str:
        """Return an alias for type checkers, which at run time is anything."""
        quoted = quote(write_flat(self.express(alias.shape)))
        lines = (
            "if t.TYPE_CHECKING:",
            write_line(f"    {name}: t.TypeAlias = ", quoted, "", 4),
            "else:",
            f"    {name}: t.TypeAlias = t.Any",
        )
        return "\n".join(lines) + write_note(alias.description, 0)

    def _annotate(self, field: Field) -> Subscript:
        inner = Subscript("rt.ReadOnly", (self.express(field.shape),))
        return inner if field.required else Subscript("rt.NotRequired", (inner,))

    def _fits_class(self, name: str) -> bool:
        """Tell whether a member can be written in the body of a class."""
        return (
            is_plain_identifier(name)
            and not name.startswith("__")
            and name != "_"
            and name not in _HIDDEN
            and name not in self._names
        )

    def _write_call(self, record: Record, name: str, fields: list[tuple[Field, Subscript]]) -> str:
        """Return a record as a call, whose annotations are evaluated when it runs."""
        entries: list[str] = []
        for field, annotation in fields:
            expression = annotation
            if self._is_early(field.shape):
                quoted = quote(write_flat(self.express(field.shape)))
                expression = Subscript("rt.ReadOnly", (quoted,))
                if not field.required:
                    expression = Subscript("rt.NotRequired", (expression,))
            entry = write_line(f"        {quote(field.name)}: ", expression, ",", 8)
            entries.append(entry.strip().removesuffix(","))
        flat = f"{name} = rt.TypedDict({quote(name)}, {{{', '.join(entries)}}})"
        if "\n" not in flat and measure(flat) <= 100:  # noqa: PLR2004
            text = flat
        else:
            members = explode("{", entries, "}", 4)
            text = explode(f"{name} = rt.TypedDict(", [quote(name), members], ")", 0)
        notes = [f"{field.name}: {field.description}" for field, _ in fields if field.description]
        return text + write_note("\n\n".join(filter(str.strip, [record.description, *notes])), 0)

    def _is_early(self, shape: Shape) -> bool:
        """Tell whether a shape mentions a type that this module defines further down."""
        return any(
            isinstance(one, Named)
            and one.key in self._scope.shapes.declarations
            and self._scope.shapes.declarations[one.key].key not in self._scope.defined
            for one in walk(shape)
        )


def _write_class(record: Record, name: str, fields: list[tuple[Field, Subscript]]) -> str:
    lines = [
        f"class {name}(rt.TypedDict):",
        f"    {describe(record.description, get_pointer(record), 4)}",
    ]
    if fields:
        lines.append("")
    for field, annotation in fields:
        lines.append(write_line(f"    {field.name}: ", annotation, "", 4))
        lines[-1] += write_note(field.description, 4)
    return "\n".join(lines)
