"""Types that are frozen pydantic models.

A model takes a value as it came and gives it back so: names, absent members, null,
1 and 1.0 and true stay what they were. Judging values is left to the schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.names import (
    Claim,
    Identifier,
    allot,
    is_plain_identifier,
    make_attribute,
)

from .expressions import Alternatives, Expression, Subscript, write_line
from .literals import quote
from .scope import express
from .shapes import (
    ANYTHING,
    ATOMS,
    NULL,
    Alias,
    Key,
    ListOf,
    Literal,
    MapOf,
    Named,
    Shape,
    Union,
    unite,
)
from .writing import describe, get_pointer, write_note

if TYPE_CHECKING:
    from .scope import Scope
    from .shapes import Record

_MODEL_WORDS = frozenset(
    """cls construct copy dict from_orm json model_computed_fields model_config model_construct
    model_copy model_dump model_dump_json model_extra model_fields model_fields_set
    model_json_schema model_parametrized_name model_post_init model_rebuild model_validate
    model_validate_json model_validate_strings mro parse_file parse_obj parse_raw register schema
    schema_json self update_forward_refs validate""".split()
)
_HIDDEN = frozenset("bool dict float int list pydantic rt str t".split())
"""What annotations mention."""

_NUMBER = '''_NUMBER: t.Final = pydantic.GetPydanticSchema(lambda _, handler: handler(int | float))
"""To keep 1 and 1.0 apart."""'''
_INT = "_Int: t.TypeAlias = t.Annotated[int, _NUMBER]"
_FLOAT = "_Float: t.TypeAlias = t.Annotated[float, _NUMBER]"
_KEEP = '''def _keep(value: object, check: pydantic.ValidatorFunctionWrapHandler) -> object:
    """Take one of the listed values as it came: 1 may be 1.0, but not true."""
    if isinstance(value, bool) is not isinstance(check(value), bool):
        message = "not one of the listed values"
        raise ValueError(message)
    return value'''
_OPEN = '''class _OpenModel(pydantic.BaseModel):
    """A model that keeps the members it does not know."""

    model_config = pydantic.ConfigDict(
        defer_build=True,
        extra="allow",
        frozen=True,
        protected_namespaces=(),
        serialize_by_alias=True,
        strict=True,
        validate_by_alias=True,
        validate_by_name=True,
    )'''
_CLOSED = '''class _ClosedModel(_OpenModel):
    """A model that refuses the members it does not know."""

    model_config = pydantic.ConfigDict(extra="forbid")'''


class ModelPrinter:
    """Prints shapes as models."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._names = frozenset[str](scope.shapes.names.values())
        self._needs: set[str] = set()

    def express(self, shape: Shape) -> Expression:
        """Return the annotation for a shape."""
        match shape:
            case Literal(values):
                return self._express_literal(values)
            case ListOf(item):
                return Subscript("list", (self.express(item),))
            case MapOf(value):
                return Subscript("dict", ("str", self.express(value)))
            case Union(options) if options:
                parts: list[Expression] = []
                for option in self._scope.drop_nulls(options):
                    part = self.express(option)
                    parts.extend(part.options if isinstance(part, Alternatives) else (part,))
                return parts[0] if len(parts) == 1 else Alternatives(tuple(parts))
            case _ if shape in (ATOMS["integer"], ATOMS["fraction"]):
                self._needs.add("_Int" if shape == ATOMS["integer"] else "_Float")
                return "_Int" if shape == ATOMS["integer"] else "_Float"
            case _:
                return express(shape, self._scope)

    def _express_literal(self, values: tuple[str, ...]) -> Expression:
        """Return a literal; pydantic takes 1 for True and 1.0 for 1 unless it is told not to."""
        self._scope.uses_typing = True
        texts = tuple(value for value in values if value[0] in "\"'")
        others = tuple(value for value in values if value[0] not in "\"'")
        parts: list[Expression] = [Subscript("t.Literal", texts)] if texts else []
        if others:
            self._needs.add("_keep")
            literal = Subscript("t.Literal", others)
            parts.append(Subscript("t.Annotated", (literal, "pydantic.WrapValidator(_keep)")))
        return parts[0] if len(parts) == 1 else Alternatives(tuple(parts))

    def write_preamble(self) -> tuple[str, ...]:
        """Return the private declarations that the models written so far stand on."""
        needs = self._needs
        self._scope.uses_typing |= bool(needs & {"_Int", "_Float"})
        closed = "_ClosedModel" in needs
        return (
            *((_NUMBER,) if needs & {"_Int", "_Float"} else ()),
            *((_INT,) if "_Int" in needs else ()),
            *((_FLOAT,) if "_Float" in needs else ()),
            *((_KEEP,) if "_keep" in needs else ()),
            *((_OPEN,) if closed or "_OpenModel" in needs else ()),
            *((_CLOSED,) if closed else ()),
        )

    def write_record(self, record: Record, name: str) -> str:
        """Return the declaration of a record."""
        base = "_ClosedModel" if record.is_closed else "_OpenModel"
        self._needs.add(base)
        lines = [
            f"class {name}({base}):",
            f"    {describe(record.description, get_pointer(record), 4)}",
        ]
        if record.fields:
            lines.append("")
        names = self._name_fields(record)
        for field in record.fields:
            shape = field.shape if field.required else unite((field.shape, NULL))
            annotation = self.express(shape)
            own = names[field.name]
            if own != field.name:
                self._scope.uses_typing = True
                alias = f"pydantic.Field(alias={quote(field.name)})"
                annotation = Subscript("t.Annotated", (annotation, alias))
            tail = "" if field.required else " = None"
            lines.append(write_line(f"    {own}: ", annotation, tail, 4))
            lines[-1] += write_note(field.description, 4)
        return "\n".join(lines)

    def write_ring(self, alias: Alias, name: str, ring: frozenset[Key], /) -> str:
        """Return an alias whose way back to itself is cut: there it takes anything."""
        undefined = ring - self._scope.defined
        line = write_line(
            f"{name}: t.TypeAlias = ", self.express(_cut(alias.shape, undefined)), "", 0
        )
        return line + write_note(alias.description, 0)

    def _name_fields(self, record: Record) -> dict[str, Identifier]:
        """Return the attribute for each member: its own name where that can be one."""
        claims = [
            Claim(field.name, name, f"/{field.name}", exact=name == field.name)
            for field in record.fields
            for name in (self._name_field(field.name),)
        ]
        return allot(claims, Identifier)

    def _name_field(self, name: str) -> str:
        if not is_plain_identifier(name) or name.startswith("_"):
            name = make_attribute(name)
        while name in _MODEL_WORDS or name in _HIDDEN or name in self._names:
            name += "_"
        return name


def _cut(shape: Shape, undefined: frozenset[Key]) -> Shape:
    match shape:
        case Named(key) if key in undefined:
            return ANYTHING
        case ListOf(item):
            return ListOf(_cut(item, undefined))
        case MapOf(value):
            return MapOf(_cut(value, undefined))
        case Union(options):
            return unite(_cut(option, undefined) for option in options)
        case _:
            return shape
