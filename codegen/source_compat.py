"""Source compatibility: what of the user's own code a new generation makes wrong.

The measure is a type checker: code that makes and reads payloads, calls a service by
its protocol, or subclasses its provider. It says nothing of the wire, and what it finds
are notes. Classes that fill in a protocol without the provider are not thought of.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from pi_contracts.contracts.findings import Related, Severity, Subject, escape
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.names import allot_attributes

from .faces import AliasFace, ClassFace, ConstantFace, Face, RecordFace, Signature, read_face
from .generate import generate
from .layout import lay_out
from .same_types import SameTypes
from .shaper import get_shapes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.findings import Finding

    from .faces import Definition
    from .layout import Module
    from .sections import TypesKind

_LONGEST: Final = 120
"""How much of an annotation a message shows."""


class SourceBreak(NamedTuple):
    """One thing that user code may rely on and that is no longer so."""

    module: tuple[str, ...]
    name: str
    """Of what the module exports; empty if the module itself is gone."""
    member: str
    """Of a class; else empty."""
    text: str


def compare_sources(old: Catalogue, new: Catalogue, types: TypesKind) -> tuple[Finding, ...]:
    """Return a note for each thing that user code has to follow from *old* to *new*.

    Both catalogues are sound: code can be generated from them.
    """
    if _get_texts(old) == _get_texts(new):
        return ()
    before, after = _Package.make(old, types), _Package.make(new, types)
    return tuple(_report(one, before, after) for one in _Comparison(before, after).compare())


def _get_texts(catalogue: Catalogue) -> dict[str, str]:
    return {one.path: one.source.text for one in catalogue.documents.values() if one.generated}


@dataclass(frozen=True, slots=True)
class _Package:
    """A generated package, and where in the contracts its names come from."""

    catalogue: Catalogue
    modules: Mapping[tuple[str, ...], Module]
    files: Mapping[str, str]
    get_face: Callable[[tuple[str, ...]], Face]

    @staticmethod
    def make(catalogue: Catalogue, types: TypesKind) -> _Package:
        files = generate(catalogue, types=types)

        @cache
        def get_face(name: tuple[str, ...]) -> Face:
            text = files.get(_get_path(name))
            return Face() if text is None else read_face(name, text)

        modules = {one.name: one for one in lay_out(catalogue).modules if not one.private}
        return _Package(catalogue, modules, files, get_face)

    def locate(self, one: SourceBreak) -> Location | None:
        """Return where the contracts say what a break is about, or stand at least."""
        module = self.modules.get(one.module)
        if module is None:
            return None
        root = Location(module.documents[0], "")
        shapes = get_shapes_of(self.catalogue, lay_out(self.catalogue), module)
        for key, name in shapes.names.items():
            if name == one.name:
                return key.location
        contract = self.catalogue.contracts.get(root.document)
        if contract is None or shapes.public is None:
            return root
        for code, name in shapes.public.errors.items():
            if name == one.name:
                return root / "errors" / code
        for wire, attribute in allot_attributes(each.name for each in contract.members).items():
            if one.member == attribute:
                return root / "members" / wire
        return root / "service"


def _get_path(name: tuple[str, ...]) -> str:
    return f"{'/'.join(name)}.py"


class _Comparison:
    def __init__(self, old: _Package, new: _Package) -> None:
        self.old = old
        self.new = new
        self.types = SameTypes(old.get_face, new.get_face)
        self.module: tuple[str, ...] = ()

    def compare(self) -> Iterator[SourceBreak]:
        for name in self.old.modules:
            path = _get_path(name)
            if name not in self.new.modules:
                yield SourceBreak(name, "", "", "the module is gone")
            elif self.old.files[path] != self.new.files[path]:
                self.module = name
                yield from dict.fromkeys(self.compare_module())

    def compare_module(self) -> Iterator[SourceBreak]:
        old, new = self.old.get_face(self.module), self.new.get_face(self.module)
        told: set[tuple[str, str]] = set()
        for name in sorted(old.exports, key=lambda one: _is_provider(old.definitions[one])):
            if name not in new.exports:
                yield SourceBreak(self.module, name, "", "it is gone")
                continue
            for member, text in self.compare_definitions(
                old.definitions[name], new.definitions[name]
            ):
                # a protocol and its provider have the same methods
                if not member or (member, text) not in told:
                    yield SourceBreak(self.module, name, member, text)
                told.add((member, text))

    def compare_definitions(self, old: Definition, new: Definition) -> Iterator[tuple[str, str]]:
        match old, new:
            case RecordFace(), RecordFace():
                yield from self.compare_records(old, new)
            case ClassFace(), ClassFace():
                yield from self.compare_classes(old, new)
            case (Signature(), Signature()):
                for text in self.compare_signatures(old, new):
                    yield "", text
            case (AliasFace() | ConstantFace(), AliasFace() | ConstantFace()):
                if not self.types.is_same(self.module, old.annotation, new.annotation):
                    yield "", f"it is another type{_spell(old.annotation, new.annotation)}"
            case _:
                yield "", "it is a thing of another kind"

    def compare_records(self, old: RecordFace, new: RecordFace) -> Iterator[tuple[str, str]]:
        for name, member in old.members.items():
            other = new.members.get(name)
            if other is None:
                yield name, "it is gone"
                continue
            if other.is_required and not member.is_required:
                yield name, "it has to be given now"
            elif member.is_required and not other.is_required:
                yield name, "it may be absent now"
            elif not self.types.is_same(self.module, member.annotation, other.annotation):
                yield name, f"it is of another type{_spell(member.annotation, other.annotation)}"
        for name, member in new.members.items():
            if name not in old.members and member.is_required:
                yield name, "it is new and has to be given"

    def compare_classes(self, old: ClassFace, new: ClassFace) -> Iterator[tuple[str, str]]:
        for name, function in old.functions.items():
            other = new.functions.get(name)
            if other is not None:
                for text in self.compare_signatures(function, other):
                    yield name, text
            elif name == "__init__":
                for parameter in function.parameters:
                    yield name, f'the parameter "{parameter}" is gone'
            elif not function.is_abstract:
                yield name, "it is gone"
        for name in sorted(new.functions.keys() - old.functions.keys()):
            for text in _word_added(name, new.functions[name]):
                yield name, text

    def compare_signatures(self, old: Signature, new: Signature) -> Iterator[str]:
        for name, one in old.parameters.items():
            other = new.parameters.get(name)
            if other is None:
                yield f'the parameter "{name}" is gone'
            elif other.is_keyword is not one.is_keyword:
                how = "can only be given by name" if other.is_keyword else "has to be given"
                yield f'the parameter "{name}" {how} now'
            elif other.is_required and not one.is_required:
                yield f'the parameter "{name}" has to be given now'
            elif not self.types.is_same(self.module, one.annotation, other.annotation):
                spelled = _spell(one.annotation, other.annotation)
                yield f'the parameter "{name}" is of another type{spelled}'
        for name, one in new.parameters.items():
            if name in old.parameters:
                continue
            if one.is_required:
                yield f'the parameter "{name}" is new and has to be given'
            elif new.is_abstract:
                yield f'the parameter "{name}" is new, and a provider has to take it'
        before = [name for name in _list_positional(old) if name in _list_positional(new)]
        after = [name for name in _list_positional(new) if name in before]
        if before != after:
            yield f"its parameters have moved: {', '.join(before)} are now {', '.join(after)}"
        if not self.types.is_same(self.module, old.result, new.result):
            yield f"what it returns is of another type{_spell(old.result, new.result)}"


def _word_added(name: str, function: Signature) -> Iterator[str]:
    """Yield what a function that is new asks of who has subclassed its class."""
    if function.is_abstract:
        yield "it is new, and a provider has to implement it"
    elif name == "__init__":
        for parameter, one in function.parameters.items():
            if one.is_required:
                yield f'the parameter "{parameter}" is new and has to be given'


def _is_provider(definition: Definition) -> bool:
    """Tell whether a class is a provider; what is wrong with a protocol is told first."""
    return isinstance(definition, ClassFace) and any(
        one.is_abstract for one in definition.functions.values()
    )


def _list_positional(function: Signature) -> list[str]:
    return [name for name, one in function.parameters.items() if not one.is_keyword]


def _spell(old: ast.expr, new: ast.expr) -> str:
    return f", {_shorten(ast.unparse(old))} before and {_shorten(ast.unparse(new))} now"


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _report(one: SourceBreak, old: _Package, new: _Package) -> Finding:
    before = old.locate(one)
    assert before is not None  # noqa: S101 # what has changed was there
    after = new.locate(one)
    catalogue, at = (old.catalogue, before) if after is None else (new.catalogue, after)
    module = ".".join(one.module)
    what = ".".join(name for name in (module, one.name, one.member) if name)
    contract = catalogue.contracts.get(at.document)
    source = catalogue.documents[at.document].source
    finding = source.find(
        "source-breaking",
        f"code that uses {what} has to follow: {escape(one.text)}",
        at.pointer,
        severity=Severity.NOTE,
        subject=Subject(
            document=source.path,
            service=contract.service_id if contract else None,
            detail=f"{what}: {one.text}",
        ),
    )
    if after is None:
        return finding
    earlier = old.catalogue.documents[before.document].source
    place = earlier.find_place(before.pointer)
    related = Related("the older generation", earlier.path, place.line, place.column)
    return msgspec.structs.replace(finding, related=(related,))
