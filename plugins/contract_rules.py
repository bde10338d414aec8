"""Rules about the contracts that facets hold; `rules` lists them with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import UNSET
from pi_contracts.contracts.findings import Finding, Severity, Subject, escape, quote

from .contract_fit import Verdict
from .facets import LOCAL
from .graph import Service, Use
from .similar import SimilarIds
from .wording import (
    agree,
    get_declaration,
    list_facets,
    list_names,
    name_facet,
    name_service,
    place_use,
    rank_facets,
    rank_uses,
    relate_uses,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pi_contracts.contracts.findings import Facet

    from .contract_book import ContractBook
    from .facets import ContractVersion, Declaration
    from .graph import Graph

_DIGEST_SHOWN: Final = 19
"""How much of a digest is shown: ``sha256:`` and twelve digits."""


def find_unknown_contracts(graph: Graph) -> Iterator[Finding]:
    """A service has no contract among those given, nor in a plugin's package.

    Applied only where contracts are given. Local services have none. A service that
    stands in several scopes has one contract, so that it is told once.
    """
    contracts = graph.assembly.contracts
    if contracts is None or not contracts.is_given:
        return
    unknown: dict[str, dict[str, list[Use]]] = {}
    for node, report in enumerate(graph.assembly.reports):
        for member, entries in (("provides", report.provides), ("requires", report.requires)):
            for index, entry in enumerate(entries):
                if entry.scope != LOCAL and not contracts.has_contract(entry):
                    uses = unknown.setdefault(entry.service, {"provides": [], "requires": []})
                    uses[member].append(Use(node, index))
    similar = SimilarIds(contracts.service_ids)
    for service_id, by_member in unknown.items():
        member = "provides" if by_member["provides"] else "requires"
        ranked = rank_uses(graph, by_member[member])
        facets = rank_facets(graph, (use.node for uses in by_member.values() for use in uses))
        scope = get_declaration(graph, ranked[0], member).scope
        scopes = {
            get_declaration(graph, use, side).scope
            for side, uses in by_member.items()
            for use in uses
        }
        names = list_names(name_service(Service(one, service_id)) for one in sorted(scopes))
        near = similar.find(service_id)[:1]
        hint = f"; did you mean {quote(near[0])}?" if near else ""
        yield Finding(
            "unknown-contract",
            Severity.ERROR,
            f"{list_facets(facets)} {agree(facets, 'name')} {names}, of which no contract is "
            f"given or in a plugin's package; what crosses there is not known{hint}",
            subject=Subject(service=service_id, scope=scope, facets=facets),
            related=relate_uses(graph, ranked[1:], member),
            fix=f"write {quote(near[0])}"
            if near
            else "name the folder of its contract with --contracts too",
            **place_use(graph, ranked[0], member),  # type: ignore[arg-type] # by field name
        )


def find_deprecated_services(graph: Graph) -> Iterator[Finding]:
    """A facet requires a service whose contract is deprecated."""
    contracts = graph.assembly.contracts
    if contracts is None:
        return
    found: dict[Service, tuple[str, list[Use]]] = {}
    for node, report in enumerate(graph.assembly.reports):
        for index, entry in enumerate(report.requires):
            traits = None if entry.scope == LOCAL else contracts.find_traits(entry)
            if traits is not None and traits.deprecated:
                service = Service(entry.scope, entry.service)
                found.setdefault(service, (traits.advice, []))[1].append(Use(node, index))
    for service, (advice, uses) in found.items():
        ranked = rank_uses(graph, uses)
        consumers = rank_facets(graph, (use.node for use in ranked))
        more = f" ({advice})" if advice else ""
        yield Finding(
            "deprecated-service",
            Severity.WARNING,
            f"{list_facets(consumers)} {agree(consumers, 'require')} {name_service(service)}, "
            f"whose contract is deprecated{more}",
            subject=Subject(service=service.id, scope=service.scope, facets=consumers),
            related=relate_uses(graph, ranked[1:], "requires"),
            fix="use what the contract names instead, before the service goes away",
            **place_use(graph, ranked[0], "requires"),  # type: ignore[arg-type] # by field name
        )


class _Difference(NamedTuple):
    wanted: str
    given: str
    verdict: Verdict
    newer: str | None = None
    """The greater version, if the two are known to differ."""
    is_provider_older: bool = False


def find_contract_skew(graph: Graph) -> Iterator[Finding]:
    """Consumer and provider of a service hold contracts that do not fit together.

    Equal digests fit. Other contracts are compared as `compat` does, if both are at
    hand: given, or in a plugin's package. If not, their versions have to be equal.
    """
    for number, uses in _find_pairs(graph).items():
        service = graph.get_service(number)
        owner = graph.assembly.facets[graph.owners[number]]
        groups: dict[_Difference, list[Use]] = {}
        for use, difference in uses:
            groups.setdefault(difference, []).append(use)
        for difference, group in groups.items():
            wanted, given, verdict = difference[:3]
            ranked = rank_uses(graph, group)
            consumers = rank_facets(graph, (use.node for use in ranked))
            yield Finding(
                "contract-skew",
                Severity.ERROR,
                f"{list_facets(consumers)} {agree(consumers, 'require')} {name_service(service)} "
                f"with {wanted} of its contract, but {name_facet(owner)} provides {given}; "
                f"{verdict.reason}",
                subject=Subject(
                    service=service.id,
                    scope=service.scope,
                    facets=tuple(dict.fromkeys((*consumers, owner))),
                    detail=f"{wanted}, {given}",
                ),
                related=(*relate_uses(graph, ranked[1:], "requires"), *verdict.places),
                fix=_advise(difference, consumers, owner),
                flow=verdict.flow,
                witness=verdict.proof,
                **place_use(graph, ranked[0], "requires"),  # type: ignore[arg-type] # by field name
            )


def _advise(difference: _Difference, consumers: Sequence[Facet], owner: Facet) -> str:
    if difference.newer is None:
        return "generate both sides from one contract, and release them together"
    older = [owner] if difference.is_provider_older else consumers
    return f"generate {list_facets(older)} from version {difference.newer} of the contract too"


def _find_pairs(graph: Graph) -> dict[int, list[tuple[Use, _Difference]]]:
    """Return, of each service that is provided once, who holds a contract that does not fit."""
    found: dict[int, list[tuple[Use, _Difference]]] = {}
    if not graph.has_contracts:
        return found
    for node, report in enumerate(graph.assembly.reports):
        for index, entry in enumerate(report.requires):
            if entry.contract is UNSET or entry.scope == LOCAL:
                continue
            number = graph.find_service(Service(entry.scope, entry.service))
            if number is None or number in graph.claims or graph.get_mode(number) != entry.mode:
                continue
            given = graph.get_provision(number)
            difference = _compare(graph.assembly.contracts, entry, given)
            if difference is not None:
                found.setdefault(number, []).append((Use(node, index), difference))
    return found


def _compare(
    contracts: ContractBook | None, wanted: Declaration, given: Declaration
) -> _Difference | None:
    ours, theirs = wanted.contract, given.contract
    if ours is UNSET or theirs is UNSET:
        return None
    if ours.digest is not UNSET and theirs.digest is not UNSET:
        if ours.digest == theirs.digest:
            return None
        verdict = contracts.judge(ours.digest, theirs.digest) if contracts is not None else None
        if verdict is not None:
            if verdict.is_compatible:
                return None
            return _Difference(
                _name(ours), _name(theirs), verdict, *_compare_versions(ours, theirs)
            )
    newer, is_provider_older = _compare_versions(ours, theirs)
    if newer is None:
        return None
    why = Verdict(is_compatible=False, reason="another version is an incompatible one")
    names = f"version {ours.version}", f"version {theirs.version}"
    return _Difference(*names, why, newer, is_provider_older)


def _compare_versions(ours: ContractVersion, theirs: ContractVersion) -> tuple[str | None, bool]:
    """Return the greater version, if both are known to differ, and whether it is ours."""
    if ours.version is UNSET or theirs.version is UNSET or ours.version == theirs.version:
        return None, False
    return str(max(ours.version, theirs.version)), ours.version > theirs.version


def _name(contract: ContractVersion) -> str:
    """Name a contract by its version, if that is known, and the beginning of its digest."""
    digest = escape(str(contract.digest)[:_DIGEST_SHOWN])
    return digest if contract.version is UNSET else f"version {contract.version} ({digest})"
