"""What the tests of generated packages share: contracts in, files out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.codegen.generate import generate
from pi_contracts.contracts.read import read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pi_contracts.contracts.catalogue import Catalogue

DIALECT = "urn:pi-contracts:dialect:1"


@pytest.fixture
def read_files(tmp_path: Path) -> Callable[[Mapping[str, Any]], Catalogue]:
    """Write JSON files, given by their paths, and read them as a catalogue without findings."""

    def read_files(documents: Mapping[str, Any]) -> Catalogue:
        folder = tmp_path / "contracts"
        for path, value in documents.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if path.endswith(".contract.json"):
                value = {"$schema": DIALECT, **value}  # noqa: PLW2901
            file.write_text(json.dumps(value), encoding="utf-8")
        reading = read([folder])
        assert [one.message for one in reading.findings if one.severity == "error"] == []
        return reading.catalogue

    return read_files


@pytest.fixture
def generate_files(
    read_files: Callable[[Mapping[str, Any]], Catalogue],
) -> Callable[..., dict[str, str]]:
    """Generate the package for JSON files, given by their paths."""

    def generate_files(documents: Mapping[str, Any], types: Any = "typed-dict") -> dict[str, str]:
        return generate(read_files(documents), types=types)

    return generate_files
