"""The types of one module with their names, which they share with its other public names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pi_contracts.contracts.model import Location
from pi_contracts.contracts.names import (
    Claim,
    ClassName,
    PublicNames,
    allot,
    claim_public_names,
    get_public_names,
    make_class_name,
)

from .places import Place
from .shapes import Declaration, Key, Shape

if TYPE_CHECKING:
    from pi_contracts.contracts.catalogue import Catalogue

    from .layout import Module


@dataclass(slots=True)
class ModuleShapes:
    """All types of one module."""

    module: Module
    declarations: dict[Key, Declaration] = field(default_factory=dict[Key, Declaration])
    places: dict[Key, Place] = field(default_factory=dict[Key, Place])
    names: dict[Key, ClassName] = field(default_factory=dict[Key, ClassName])
    payloads: dict[Location, Shape] = field(default_factory=dict[Location, Shape])
    claims: tuple[Claim[Any], ...] = ()
    """What the names were allotted to: types by their key, the rest by role and code."""
    public: PublicNames | None = None
    holders: set[Key] | None = None
    """The types that are records or hold some, once somebody has asked."""


def share_types(catalogue: Catalogue, ring: ModuleShapes, module: Module) -> ModuleShapes:
    """Return the types that *module* re-exports of its ring's: those of its own document."""
    uri = module.documents[0]
    keys = [
        key
        for key, one in ring.declarations.items()
        if one.key == key and key.location.document == uri
    ]
    shapes = ModuleShapes(
        module,
        {key: one for key, one in ring.declarations.items() if one.key in keys},
        {key: ring.places[key] for key in keys},
        payloads={at: shape for at, shape in ring.payloads.items() if at.document == uri},
    )
    name_types(catalogue, shapes)
    return shapes


def name_types(catalogue: Catalogue, shapes: ModuleShapes) -> None:
    """Give every type of a module its name, beside the module's other public names."""
    documents = shapes.module.documents
    home = documents[0]
    several = len(documents) > 1
    claims: list[Claim[Any]] = []
    for key, place in shapes.places.items():
        name = make_class_name(place.name)
        uri = key.location.document
        path = place.path
        if several or uri != home:
            path = f"{catalogue.documents[uri].path}#{path}"
        exact = place.exact and name == place.name and not several and uri == home
        claims.append(Claim(key, name, path, exact))
    contract = catalogue.contracts.get(home)
    public = () if contract is None or several else claim_public_names(contract)
    shapes.claims = (*claims, *public)
    names: dict[Any, str] = allot(shapes.claims, str)
    shapes.names = {key: ClassName(names[key]) for key in shapes.places}
    if contract is not None and public:
        shapes.public = get_public_names({claim.key: names[claim.key] for claim in public})
