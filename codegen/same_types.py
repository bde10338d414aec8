"""Whether two annotations, each of a package of its own, mean the same type.

Names of aliases and of dictionaries count as what they stand for, so that a type
that was only moved or renamed is the same; models are told by their names.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .faces import AliasFace, RecordFace

if TYPE_CHECKING:
    from collections.abc import Callable

    from .faces import Face

Module: TypeAlias = tuple[str, ...]
Form: TypeAlias = tuple[Any, ...]
"""A type as a value: ``("ref", module, name)``, ``("union", {forms})``, ``("of", head, …)``."""
_TRANSPARENT: Final = frozenset({"rt.ReadOnly", "rt.NotRequired"})


class SameTypes:
    """Compares types of an old and of a new package, whose faces two functions give."""

    def __init__(self, old: Callable[[Module], Face], new: Callable[[Module], Face]) -> None:
        self._faces = (old, new)
        self._known: dict[tuple[Form, Form], bool] = {}

    def is_same(self, modules: tuple[Module, Module], old: ast.expr, new: ast.expr) -> bool:
        """Tell whether annotations mean the same, each of its generation's module."""
        return self._is_same(self._take(0, modules[0], old), self._take(1, modules[1], new))

    def _is_same(self, one: Form, other: Form) -> bool:
        if one == other:
            # what has changed below is told where it is defined
            return True
        if (one, other) not in self._known:
            # a type that contains itself is the same if nothing else differs
            self._known[one, other] = True
            self._known[one, other] = self._compare(self._open(0, one), self._open(1, other))
        return self._known[one, other]

    def _compare(self, one: Form, other: Form) -> bool:
        if one == other:
            return True
        if "union" in {one[0], other[0]}:
            ours, theirs = self._split(0, one), self._split(1, other)
            return all(any(self._is_same(a, b) for b in theirs) for a in ours) and all(
                any(self._is_same(a, b) for a in ours) for b in theirs
            )
        if one[0] == other[0] == "of":
            return (
                one[1] == other[1]
                and len(one) == len(other)
                and all(self._is_same(a, b) for a, b in zip(one[2:], other[2:], strict=True))
            )
        if one[0] == other[0] == "ref":
            return self._compare_named(one, other)
        return False

    def _compare_named(self, one: Form, other: Form) -> bool:
        old, new = self._find(0, one), self._find(1, other)
        if not (isinstance(old, RecordFace) and isinstance(new, RecordFace)):
            return str(one[2]) == str(other[2])
        if old.is_nominal or new.is_nominal:
            return str(one[2]) == str(other[2])
        return old.members.keys() == new.members.keys() and all(
            member.is_required is new.members[name].is_required
            and self._is_same(
                self._take(0, _get_module(one), member.annotation),
                self._take(1, _get_module(other), new.members[name].annotation),
            )
            for name, member in old.members.items()
        )

    def _find(self, side: int, form: Form) -> object:
        return self._faces[side](_get_module(form)).definitions.get(str(form[2]))

    def _open(self, side: int, form: Form) -> Form:
        """Return what an alias stands for; of a ring of aliases the one where it closes."""
        seen: set[Form] = set()
        while form[0] == "ref" and form not in seen:
            seen.add(form)
            found = self._find(side, form)
            if not isinstance(found, AliasFace):
                break
            form = self._take(side, _get_module(form), found.annotation)
        return form

    def _split(self, side: int, form: Form) -> set[Form]:
        """Return the options of a union, of those that it names too."""
        options: set[Form] = set()
        pending, seen = [form], set[Form]()
        while pending:
            one = self._open(side, pending.pop())
            if one[0] != "union":
                options.add(one)
            elif one not in seen:
                seen.add(one)
                pending.extend(_get_options(one))
        return options

    def _take(self, side: int, module: Module, expression: ast.expr) -> Form:
        """Return an annotation as a form."""
        match expression:
            case ast.Constant(value=str() as text):
                return self._take(side, module, ast.parse(text, mode="eval").body)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _unite(self._take(side, module, left), self._take(side, module, right))
            case ast.Name(id=name):
                if name in self._faces[side](module).definitions:
                    return ("ref", module, name)
            case ast.Attribute(value=ast.Name(id=alias), attr=name):
                target = self._faces[side](module).imports.get(alias)
                if target is not None:
                    return ("ref", target, name)
            case ast.Subscript(value=head, slice=inside):
                return self._take_subscript(side, module, ast.unparse(head), inside)
            case _:
                pass
        return ("atom", ast.unparse(expression))

    def _take_subscript(self, side: int, module: Module, head: str, inside: ast.expr) -> Form:
        arguments = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        if head == "t.Literal":
            return _unite(*(("value", ast.unparse(one)) for one in arguments))
        if head == "t.Annotated" or head in _TRANSPARENT:
            return self._take(side, module, arguments[0])
        return ("of", head, *(self._take(side, module, one) for one in arguments))


def _unite(*forms: Form) -> Form:
    options = frozenset(
        option
        for form in forms
        for option in (_get_options(form) if form[0] == "union" else [form])
    )
    return ("union", options) if len(options) > 1 else next(iter(options))


def _get_options(form: Form) -> list[Form]:
    options: frozenset[Form] = form[1]
    return list(options)


def _get_module(form: Form) -> Module:
    module: Module = form[1]
    return module
