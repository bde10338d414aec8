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
from pi_contracts.contracts.model import Location, Method
from pi_contracts.contracts.names import allot_attributes

from .faces import AliasFace, ClassFace, ConstantFace, Face, RecordFace, Signature, read_face
from .generate import generate
from .layout import lay_out
from .same_types import SameTypes
from .shaper import get_shapes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.comparison import Told
    from pi_contracts.contracts.findings import Finding
    from pi_contracts.contracts.model import Contract
    from pi_contracts.contracts.names import PublicNames

    from .faces import Definition
    from .layout import Module
    from .naming import ModuleShapes
    from .sections import TypesKind

_MAKER: Final = "__init__"
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
    attribute: str = ""
    """The member of the service that it is about, by its Python name; else empty."""


class _Difference(NamedTuple):
    """What is different of a definition: of which part of it, and about which member."""

    member: str
    text: str
    attribute: str = ""


def compare_sources(
    old: Catalogue, new: Catalogue, types: TypesKind, told: frozenset[Told] = frozenset()
) -> tuple[Finding, ...]:
    """Return a note for each thing that user code has to follow from *old* to *new*.

    Both catalogues are sound: code can be generated from them. What only follows from a
    change that is *told* already is left out.
    """
    if _get_texts(old) == _get_texts(new):
        return ()
    before, after = _Package.make(old, types), _Package.make(new, types)
    comparison = _Comparison(before, after)
    found = [one for one in comparison.compare() if told.isdisjoint(comparison.explain(one))]
    return tuple(_report(one, before, after, comparison.modules[one.module]) for one in found)


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

    def get_contract(self, name: tuple[str, ...]) -> Contract | None:
        """Return the contract of a module, None if it has none or is not there."""
        module = self.modules.get(name)
        return None if module is None else self.catalogue.contracts.get(module.documents[0])

    def get_public_names(self, name: tuple[str, ...]) -> PublicNames | None:
        """Return what a module calls the protocol, the provider and the token of its contract."""
        module = self.modules.get(name)
        return None if module is None else self._shape(module).public

    def find_member(self, name: tuple[str, ...], attribute: str) -> str | None:
        """Return the member of a module's contract that is called so in Python."""
        contract = self.get_contract(name)
        attributes = allot_attributes(one.name for one in contract.members) if contract else {}
        return next((wire for wire, one in attributes.items() if one == attribute), None)

    def locate(self, name: tuple[str, ...] | None, one: SourceBreak) -> Location | None:
        """Return where the contracts say what a break in a module is about, or stand at least."""
        if name is None:
            return None
        module = self.modules[name]
        root = Location(module.documents[0], "")
        shapes = self._shape(module)
        for key, shape in shapes.names.items():
            if shape == one.name:
                return key.location
        if shapes.public is None:
            return root
        for code, shape in shapes.public.errors.items():
            if shape == one.name:
                return root / "errors" / code
        member = self.find_member(name, one.attribute)
        return root / "members" / member if member is not None else root / "service"

    def _shape(self, module: Module) -> ModuleShapes:
        return get_shapes_of(self.catalogue, lay_out(self.catalogue), module)


def _get_path(name: tuple[str, ...]) -> str:
    return f"{'/'.join(name)}.py"


class _Comparison:
    def __init__(self, old: _Package, new: _Package) -> None:
        self.old = old
        self.new = new
        self.types = SameTypes(old.get_face, new.get_face)
        self.modules = _pair_modules(old, new)
        self.pair: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        """The module at hand, as each generation calls it."""

    def compare(self) -> Iterator[SourceBreak]:
        for name, other in self.modules.items():
            if other is None:
                yield SourceBreak(name, "", "", "the module is gone")
                continue
            if other != name:
                yield SourceBreak(name, "", "", f"the module is {'.'.join(other)} now")
            if self.old.files[_get_path(name)] != self.new.files[_get_path(other)]:
                self.pair = (name, other)
                yield from dict.fromkeys(self.compare_module())

    def explain(self, one: SourceBreak) -> Iterator[Told]:
        """Yield the changes of services that a break only follows from."""
        contract = self.old.get_contract(one.module)
        other = self.modules[one.module]
        if contract is None:
            return
        yield contract.service_id, None, "service-removed"
        if not one.name:
            yield contract.service_id, None, "moved"
        public = self.old.get_public_names(one.module)
        if public is not None and one.name == public.token:
            yield contract.service_id, None, "mode-changed"
        if public is not None and not one.member:
            for method in _list_raising(contract, public, one.name):
                yield contract.service_id, method, "error-removed"
                yield contract.service_id, method, "member-removed"
        if one.attribute and other is not None:
            for side, name in ((self.old, one.module), (self.new, other)):
                member = side.find_member(name, one.attribute)
                for change in ("member-added", "member-removed", "kind-changed"):
                    yield contract.service_id, member, change

    def compare_module(self) -> Iterator[SourceBreak]:
        module, other = self.pair
        old, new = self.old.get_face(module), self.new.get_face(other)
        public = self.old.get_public_names(module)
        service = {public.protocol, public.provider} if public else set[str]()
        told: set[tuple[str, str]] = set()
        for name in sorted(old.exports, key=lambda one: _is_provider(old.definitions[one])):
            if name not in new.exports:
                yield SourceBreak(module, name, "", "it is gone")
                continue
            for member, text, attribute in self.compare_definitions(
                old.definitions[name], new.definitions[name]
            ):
                # a protocol and its provider have the same methods
                if not member or (member, text) not in told:
                    about = attribute if name in service else ""
                    yield SourceBreak(module, name, member, text, about)
                told.add((member, text))

    def compare_definitions(self, old: Definition, new: Definition) -> Iterator[_Difference]:
        match old, new:
            case RecordFace(), RecordFace():
                yield from self.compare_records(old, new)
            case ClassFace(), ClassFace():
                yield from self.compare_classes(old, new)
            case (Signature(), Signature()):
                for _, text in self.compare_signatures(old, new):
                    yield _Difference("", text)
            case (AliasFace() | ConstantFace(), AliasFace() | ConstantFace()):
                if not self.types.is_same(self.pair, old.annotation, new.annotation):
                    text = f"it is another type{_spell(old.annotation, new.annotation)}"
                    yield _Difference("", text)
            case _:
                yield _Difference("", "it is a thing of another kind")

    def compare_records(self, old: RecordFace, new: RecordFace) -> Iterator[_Difference]:
        for name, member in old.members.items():
            other = new.members.get(name)
            if other is None:
                yield _Difference(name, "it is gone")
            elif other.is_required and not member.is_required:
                yield _Difference(name, "it has to be given now")
            elif member.is_required and not other.is_required:
                yield _Difference(name, "it may be absent now")
            elif not self.types.is_same(self.pair, member.annotation, other.annotation):
                spelled = _spell(member.annotation, other.annotation)
                yield _Difference(name, f"it is of another type{spelled}")
        for name, member in new.members.items():
            if name not in old.members and member.is_required:
                yield _Difference(name, "it is new and has to be given")

    def compare_classes(self, old: ClassFace, new: ClassFace) -> Iterator[_Difference]:
        for name, function in old.functions.items():
            other = new.functions.get(name)
            if other is not None:
                for parameter, text in self.compare_signatures(function, other):
                    yield _Difference(name, text, parameter if name == _MAKER else name)
            elif name == _MAKER:
                for parameter in function.parameters:
                    yield _Difference(name, f'the parameter "{parameter}" is gone', parameter)
            elif not function.is_abstract:
                yield _Difference(name, "it is gone", name)
        for name in sorted(new.functions.keys() - old.functions.keys()):
            yield from _word_added(name, new.functions[name])

    def compare_signatures(self, old: Signature, new: Signature) -> Iterator[tuple[str, str]]:
        """Yield what is different with the parameter that it is about, if with one."""
        for name, one in old.parameters.items():
            other = new.parameters.get(name)
            if other is None:
                yield name, f'the parameter "{name}" is gone'
            elif other.is_keyword and not one.is_keyword:
                yield name, f'the parameter "{name}" can only be given by name now'
            elif other.is_required > one.is_required or other.is_keyword < one.is_keyword:
                yield name, f'the parameter "{name}" has to be given now'
            elif not self.types.is_same(self.pair, one.annotation, other.annotation):
                spelled = _spell(one.annotation, other.annotation)
                yield name, f'the parameter "{name}" is of another type{spelled}'
        for name, one in new.parameters.items():
            if name in old.parameters:
                continue
            if one.is_required:
                yield name, f'the parameter "{name}" is new and has to be given'
            elif new.is_abstract:
                yield name, f'the parameter "{name}" is new, and a provider has to take it'
        before = [name for name in _list_positional(old) if name in _list_positional(new)]
        after = [name for name in _list_positional(new) if name in before]
        if before != after:
            yield "", f"its parameters have moved: {', '.join(before)} are now {', '.join(after)}"
        is_guarded = ast.unparse(old.result) == "bool" and _is_guard(new.result)
        if not is_guarded and not self.types.is_same(self.pair, old.result, new.result):
            yield "", f"what it returns is of another type{_spell(old.result, new.result)}"


def _is_guard(annotation: ast.expr) -> bool:
    """Tell whether a function says of what type a value is, which is a boolean to callers."""
    return isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "t.TypeGuard"


def _word_added(name: str, function: Signature) -> Iterator[_Difference]:
    """Yield what a function that is new asks of who has subclassed its class."""
    if function.is_abstract:
        yield _Difference(name, "it is new, and a provider has to implement it", name)
    elif name == _MAKER:
        for parameter, one in function.parameters.items():
            if one.is_required:
                text = f'the parameter "{parameter}" is new and has to be given'
                yield _Difference(name, text, parameter)


def _pair_modules(old: _Package, new: _Package) -> dict[tuple[str, ...], tuple[str, ...] | None]:
    """Return of each older module the newer one: of the same service, else of the same name."""
    services = {
        contract.service_id: name
        for name in reversed([*new.modules])
        if (contract := new.get_contract(name)) is not None
    }
    pairs: dict[tuple[str, ...], tuple[str, ...] | None] = {}
    for name in old.modules:
        contract = old.get_contract(name)
        same = name if name in new.modules else None
        pairs[name] = services.get(contract.service_id, same) if contract is not None else same
    return pairs


def _list_raising(contract: Contract, public: PublicNames, name: str) -> Iterator[str]:
    """Yield the methods that raise the error of a class."""
    codes = {code for code, one in public.errors.items() if one == name}
    for member in contract.members:
        if isinstance(member, Method) and not codes.isdisjoint(member.errors):
            yield member.name


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


def _report(
    one: SourceBreak, old: _Package, new: _Package, name: tuple[str, ...] | None
) -> Finding:
    """Return the finding of a break; *name* is that of the newer module, if it is there."""
    before = old.locate(one.module, one)
    assert before is not None  # noqa: S101 # what has changed was there
    after = new.locate(name, one)
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
