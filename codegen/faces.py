"""Faces: what the modules of a generated package offer to the code that imports them.

A face is read off the text of a module, since that is what a type checker sees; bodies,
docstrings and decorators other than ``property`` and ``abstractmethod`` are not part of it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TYPED_DICT: Final = "rt.TypedDict"
_OPTIONAL: Final = "rt.NotRequired"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function, without the one that is the instance."""

    annotation: ast.expr
    is_keyword: bool
    """Whether it can only be given by name."""
    is_required: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """A function or a method; a property is one without parameters."""

    parameters: Mapping[str, Parameter]
    """In their order."""
    result: ast.expr
    is_abstract: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a record."""

    annotation: ast.expr
    is_required: bool


@dataclass(frozen=True, slots=True)
class RecordFace:
    """A dictionary with known members, or a model."""

    members: Mapping[str, Member]
    is_nominal: bool
    """Whether two of them with the same members are different types."""


@dataclass(frozen=True, slots=True)
class ClassFace:
    """Any other class."""

    functions: Mapping[str, Signature]


@dataclass(frozen=True, slots=True)
class AliasFace:
    """A name for a type."""

    annotation: ast.expr


@dataclass(frozen=True, slots=True)
class ConstantFace:
    """A value, such as a token."""

    annotation: ast.expr


Definition: TypeAlias = RecordFace | ClassFace | AliasFace | ConstantFace | Signature


@dataclass(slots=True)
class Face:
    """One module."""

    exports: tuple[str, ...] = ()
    definitions: dict[str, Definition] = field(default_factory=dict[str, Definition])
    """Private ones too, since the types of others may name them."""
    imports: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Other modules of the package, by what they are called here."""


def read_face(name: tuple[str, ...], text: str) -> Face:
    """Return the face of a module; *name* is that of packages and module."""
    face = Face()
    for statement in _list_statements(ast.parse(text)):
        match statement:
            case ast.ImportFrom(module=source, names=aliases, level=level) if level:
                package = (*name[:-level], *(source.split(".") if source else ()))
                for alias in aliases:
                    face.imports[alias.asname or alias.name] = (*package, alias.name)
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.Tuple(elts=names)):
                face.exports = tuple(str(ast.literal_eval(one)) for one in names)
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                face.definitions[target] = _read_assigned(value)
            case ast.AnnAssign(target=ast.Name(id=target), annotation=annotation, value=value):
                is_alias = ast.unparse(annotation) == "t.TypeAlias" and value is not None
                face.definitions[target] = (
                    AliasFace(value) if is_alias and value else ConstantFace(annotation)
                )
            case ast.FunctionDef():
                face.definitions[statement.name] = _read_function(statement, is_method=False)
            case ast.ClassDef():
                face.definitions[statement.name] = _read_class(statement)
            case _:
                pass
    return face


def _list_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that type checkers see."""
    for statement in tree.body:
        if isinstance(statement, ast.If):
            yield from statement.body
        else:
            yield statement


def _read_assigned(value: ast.expr) -> Definition:
    match value:
        case ast.Call(func=function, args=[_, ast.Dict(keys=keys, values=values)]) if (
            ast.unparse(function) == _TYPED_DICT
        ):
            members = {
                str(ast.literal_eval(key)): _read_member(one, has_default=False)
                for key, one in zip(keys, values, strict=True)
                if key is not None
            }
            return RecordFace(members, is_nominal=False)
        case _:
            return AliasFace(value)


def _read_member(annotation: ast.expr, *, has_default: bool) -> Member:
    is_optional = (
        isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == _OPTIONAL
    )
    return Member(annotation, not (is_optional or has_default))


def _read_class(statement: ast.ClassDef) -> Definition:
    bases = [ast.unparse(base) for base in statement.bases]
    is_model = any(base.endswith("Model") for base in bases)
    if is_model or _TYPED_DICT in bases:
        members = {
            one.target.id: _read_member(one.annotation, has_default=one.value is not None)
            for one in statement.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        return RecordFace(members, is_nominal=is_model)
    return ClassFace(
        {
            one.name: _read_function(one, is_method=True)
            for one in statement.body
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        }
    )


def _read_function(
    function: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool
) -> Signature:
    given = function.args
    positional = given.args[1:] if is_method else given.args
    required = len(positional) - len(given.defaults)
    parameters = {
        one.arg: Parameter(_get(one.annotation), is_keyword=False, is_required=index < required)
        for index, one in enumerate(positional)
    }
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parameters[one.arg] = Parameter(_get(one.annotation), True, default is None)
    decorators = {ast.unparse(one) for one in function.decorator_list}
    return Signature(parameters, _get(function.returns), "abc.abstractmethod" in decorators)


def _get(annotation: ast.expr | None) -> ast.expr:
    """Return an annotation; what has none may be anything."""
    return annotation or ast.Name("object")
