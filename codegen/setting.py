"""What the outline of a contract's module is made from: its types, names and schemas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pi_contracts.contracts.digest import get_digest, make_contract_bundle
from pi_contracts.contracts.model import Method
from pi_contracts.contracts.names import (
    Claim,
    allot,
    allot_attributes,
    allot_parameters,
    capitalize,
    claim_wire,
    escape_token,
    make_class_name,
    make_constant,
)

from .literals import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pi_contracts.contracts.bundle import Bundle
    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.model import Contract, Location, Parameter
    from pi_contracts.contracts.names import PublicNames

    from .references import References
    from .sections import TypeSection


@dataclass(frozen=True, slots=True)
class Setting:
    """One contract, and every name that its module uses."""

    contract: Contract
    types: TypeSection
    references: References
    """The names of the services that its methods return."""
    public: PublicNames
    attributes: Mapping[str, str]
    """The Python name of each member."""
    parameters: Mapping[str, Mapping[str, str]]
    """Of each method, the Python name of each parameter."""
    schemas: str
    """The constant that holds the bundle."""
    proxy: str
    constants: Mapping[str, str]
    """The constant of each member."""
    params: Mapping[str, str]
    """The type of each method's arguments."""
    bundle: Bundle
    digest: str

    def annotate(self, location: Location) -> str:
        """Return the annotation for a payload."""
        return self.types.annotations[location]

    def annotate_result(self, method: Method) -> str:
        """Return the annotation for what a consumer gets from a method."""
        if method.returns is not None:
            return f"rt.Reference[{self.references.protocols[method.returns]}]"
        return "None" if method.result is None else self.annotate(method.result)

    def point(self, root: str) -> str:
        """Return, as a literal, where the schema of a payload stands in the bundle."""
        return quote(self.bundle.pointers[root])


def make_setting(
    catalogue: Catalogue,
    contract: Contract,
    types: TypeSection,
    public: PublicNames,
    references: References,
) -> Setting:
    """Return the setting of a contract's module."""
    bundle = make_contract_bundle(catalogue, contract)
    methods = [one for one in contract.members if isinstance(one, Method)]
    members = claim_wire((one.name for one in contract.members), make_constant, "/members/")
    params = claim_wire((one.name for one in methods), _name_params, "/members/")
    schemas, constants = _allot_beside("SCHEMAS", members, references.aliases)
    proxy, classes = _allot_beside(f"{public.protocol}Proxy", params)
    return Setting(
        contract=contract,
        types=types,
        references=references,
        public=public,
        attributes=allot_attributes(member.name for member in contract.members),
        parameters={one.name: _name_parameters(one) for one in methods},
        schemas=schemas,
        proxy=proxy,
        constants=constants,
        params=classes,
        bundle=bundle,
        digest=get_digest(contract, bundle),
    )


def order_parameters(method: Method) -> list[Parameter]:
    """Return the parameters of a method, the required ones first, each kind in call order."""
    return sorted(method.params, key=lambda one: not one.required)


def _name_params(method: str) -> str:
    return make_class_name(f"{capitalize(method)}Params")


def _name_parameters(method: Method) -> Mapping[str, str]:
    place = f"/members/{escape_token(method.name)}/params/"
    return allot_parameters((one.name for one in method.params), place)


def _allot_beside(
    own: str, claims: Iterable[Claim[str]], taken: Iterable[str] = ()
) -> tuple[str, dict[str, str]]:
    """Return private names: *own*, and those of the claims, which never take it from there."""
    first = (own, *taken)
    everything: list[Claim[tuple[bool, str]]] = [
        *(Claim((True, name), name, "", exact=True) for name in first),
        *(Claim((False, one.key), one.name, one.place, one.exact) for one in claims),
    ]
    names = allot(everything, str)
    return f"_{names[True, own]}", {
        key: f"_{name}" for (is_own, key), name in names.items() if not is_own
    }
