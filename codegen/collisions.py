"""Names that meet: which wire names want one Python name, and what each is called instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from pi_contracts.contracts.documents import get_stem
from pi_contracts.contracts.findings import Finding, Related, Severity, Subject, escape, quote
from pi_contracts.contracts.json_values import unescape
from pi_contracts.contracts.model import Location, Method
from pi_contracts.contracts.names import (
    Claim,
    allot,
    claim_wire,
    find_collisions,
    fold,
    make_attribute,
    make_module_name,
    make_parameter,
)

from .layout import lay_out
from .shaper import get_shapes_of
from .shapes import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.model import Contract

    from .layout import Layout, Module


class _Claimant(NamedTuple):
    """What wants a name: how it is spelled, and where."""

    name: str
    location: Location
    is_type: bool = False


def find_name_collisions(catalogue: Catalogue) -> tuple[Finding, ...]:
    """Return a warning for each name that had to be changed since another one claims it.

    The catalogue is sound: code can be generated from it.
    """
    layout = lay_out(catalogue)
    found = [*_find_in_modules(catalogue, layout)]
    for module in layout.modules:
        if not module.private:
            found += _find_in_types(catalogue, layout, module)
    for contract in catalogue.contracts.values():
        found += _find_in_members(catalogue, contract)
    return tuple(found)


def _find_in_types(catalogue: Catalogue, layout: Layout, module: Module) -> Iterator[Finding]:
    """Yield where types, errors and the service itself want the same public name."""
    shapes = get_shapes_of(catalogue, layout, module)
    claimants: dict[Any, _Claimant] = {}
    for claim in shapes.claims:
        if isinstance(claim.key, Key):
            at = claim.key.location
            claimants[claim.key] = _Claimant(
                f"the type at {at.pointer or 'the root'}", at, is_type=True
            )
        else:
            contract = catalogue.contracts[module.documents[0]]
            claimants[claim.key] = _describe_public(contract, *claim.key)
    yield from _word_all(catalogue, shapes.claims, claimants)


def _describe_public(contract: Contract, role: str, code: str) -> _Claimant:
    root = Location(contract.document, "")
    if role == "error":
        return _Claimant(f'the error "{code}"', root / "errors" / code)
    what = {"protocol": "the service", "provider": "the provider", "token": "the token"}[role]
    return _Claimant(f'{what} of "{contract.service_id}"', root / "service" / "id")


def _find_in_members(catalogue: Catalogue, contract: Contract) -> Iterator[Finding]:
    """Yield where members, or parameters of one method, want the same name."""
    root = Location(contract.document, "")
    members = [member.name for member in contract.members]
    yield from _find_in_wire(catalogue, root / "members", "member", members, make_attribute)
    for member in contract.members:
        if isinstance(member, Method):
            at = root / "members" / member.name / "params"
            names = [parameter.name for parameter in member.params]
            yield from _find_in_wire(catalogue, at, "parameter", names, make_parameter)


def _find_in_wire(
    catalogue: Catalogue,
    parent: Location,
    kind: str,
    names: Iterable[str],
    make: Callable[[str], str],
) -> Iterator[Finding]:
    claims = claim_wire(names, make, f"{parent.pointer}/")
    claimants = {one.key: _Claimant(f'the {kind} "{one.key}"', parent / one.key) for one in claims}
    yield from _word_all(catalogue, claims, claimants)


def _word_all(
    catalogue: Catalogue,
    claims: Sequence[Claim[Any]],
    claimants: Mapping[Any, _Claimant],
) -> Iterator[Finding]:
    """Yield a finding for each claim that lost its name."""
    collisions = find_collisions(claims)
    names = allot(claims, str) if collisions else {}
    for collision in collisions:
        first = collision.claims[0]
        for claim in collision.claims:
            other = first if claim is not first else collision.claims[1]
            # one id that gives one name twice is nothing that its author could tell apart
            is_one_place = claimants[claim.key].location == claimants[other.key].location
            if names[claim.key] != claim.name and not is_one_place:
                yield _word(
                    catalogue, claimants[claim.key], names[claim.key], claimants[other.key], claim
                )


def _word(
    catalogue: Catalogue, loser: _Claimant, name: str, other: _Claimant, claim: Claim[Any]
) -> Finding:
    source = catalogue.documents[loser.location.document].source
    place = catalogue.documents[other.location.document].source.find_place(
        other.location.pointer, of_key=True
    )
    related = Related(
        f"this is {escape(other.name)}",
        catalogue.get_path(other.location),
        place.line,
        place.column,
    )
    finding = source.find(
        "name-collision",
        f'{escape(loser.name)} and {escape(other.name)} both become "{claim.name}" in Python; '
        f'the former is called "{name}"',
        loser.location.pointer,
        severity=Severity.WARNING,
        subject=Subject(document=source.path, detail=str(claim.name)),
        fix=_choose_fix(loser, other, str(claim.name)),
        of_key=True,
    )
    return msgspec.structs.replace(finding, related=(related,))


def _choose_fix(loser: _Claimant, other: _Claimant, name: str) -> str:
    """Say how to choose another name; best for what is not on the wire."""
    for one in (loser, other):
        tokens = one.location.pointer.split("/")[1:]
        if tokens[:1] == ["$defs"] and len(tokens) == 2:  # noqa: PLR2004 # such as /$defs/Card
            shown = quote(unescape(tokens[1]))
            return (
                f'call the definition {shown} something else, such as "{name}Data", here and where '
                "it is referred to: its name is not on the wire"
            )
    for one in (loser, other):
        if one.is_type:
            return (
                'choose its name yourself: move the schema to "#/$defs/NAME", and put a $ref '
                "to it in its place"
            )
    return "give one of the two a name that differs in more than case and punctuation"


def _find_in_modules(catalogue: Catalogue, layout: Layout) -> Iterator[Finding]:
    """Yield where files or folders want to be the same module or package."""
    wanted: dict[str, list[str]] = {}
    given: dict[str, tuple[str, str]] = {}
    for module in layout.modules:
        if module.private:
            continue
        document = catalogue.documents[module.documents[0]]
        parts = document.path.split("/")
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            text = get_stem(path) if end == len(parts) else parts[end - 1]
            name = str(make_module_name(text))
            key = "/".join([*parts[: end - 1], fold(name.casefold())])
            # what findings name the file by begins elsewhere and ends alike
            shown = document.source.path.removesuffix(document.path) + path
            if shown not in given:
                wanted.setdefault(key, []).append(shown)
                given[shown] = (name, module.name[end - 1])
    for paths in wanted.values():
        for path in paths:
            name, actual = given[path]
            others = [other for other in paths if other != path]
            if actual != name and others:
                yield _word_module(path, others[0], name, actual)


def _word_module(path: str, other: str, name: str, actual: str) -> Finding:
    return Finding(
        "name-collision",
        Severity.WARNING,
        f'{escape(path)} and {escape(other)} both become the module "{name}"; '
        f'the former is called "{actual}"',
        path=path,
        subject=Subject(document=path, detail=name),
        related=(Related("this is the other one", other),),
        fix="rename one of the two",
    )
