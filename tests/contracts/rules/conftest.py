"""What tests of lint rules share: a contract in, the places that one rule finds out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.check import lint

if TYPE_CHECKING:
    from pi_contracts.contracts.read import Reading

DIALECT = "urn:pi-contracts:dialect:1"
Find = Callable[..., list[str]]


@pytest.fixture
def find(read_files: Callable[[dict[str, Any]], Reading]) -> Find:
    """Return the pointers of what a rule finds in a contract, other files beside it."""

    def find_places(
        rule: str, contract: dict[str, Any], files: dict[str, Any] | None = None
    ) -> list[str]:
        service = {"id": "shop", "mode": "singleton", **contract.get("service", {})}
        document = {"$schema": DIALECT, **contract, "service": service}
        reading = read_files({"shop.contract.json": document, **(files or {})})
        assert reading.is_sound, reading.findings
        catalogue = reading.catalogue
        found = lint(catalogue, catalogue.documents, {})
        return [
            (one.pointer or "") if one.path == "shop.contract.json" else f"{one.path}#{one.pointer}"
            for one in found
            if one.rule == rule
        ]

    return find_places
