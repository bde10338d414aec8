"""The services that a contract's methods return, as its module names them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pi_contracts.contracts.model import Method

from .scope import Scope, get_module_aliases
from .shaper import get_shapes_of

if TYPE_CHECKING:
    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.model import Contract

    from .layout import Layout, Module


@dataclass(frozen=True, slots=True)
class References:
    """Names of returned services by their ids, and what has to be imported for them."""

    protocols: dict[str, str] = field(default_factory=dict[str, str])
    providers: dict[str, str] = field(default_factory=dict[str, str])
    tokens: dict[str, str] = field(default_factory=dict[str, str])
    imports: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    """The names of all modules that the package could import, without the underscore."""


def find_references(
    catalogue: Catalogue, layout: Layout, module: Module, contract: Contract
) -> References:
    """Return the names of the services that the methods of *contract* return."""
    returned = {one.returns for one in contract.members if isinstance(one, Method)} - {None}
    scope = Scope(catalogue, layout, get_shapes_of(catalogue, layout, module))
    aliases = tuple(alias.removeprefix("_") for alias in get_module_aliases(layout).values())
    found = References(aliases=aliases)
    for other in catalogue.contracts.values():
        service = other.service_id
        if service not in returned or service in found.tokens:
            continue
        target = layout.module_of(other.document)
        public = get_shapes_of(catalogue, layout, target).public
        prefix = "" if target == module else f"{scope.import_module(target)}."
        if public is not None:
            found.protocols[service] = f"{prefix}{public.protocol}"
            found.providers[service] = f"{prefix}{public.provider}"
            found.tokens[service] = f"{prefix}{public.token}"
    return References(
        found.protocols, found.providers, found.tokens, scope.write_imports(), aliases
    )
