"""What tests of reading share: files in a folder of their own, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 # fixtures are looked up by pytest
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.read import Reading, read

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def write(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Write files, by their names: bytes and texts as they are, values as JSON."""

    def write_all(files: dict[str, Any]) -> Path:
        for name, content in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                file.write_bytes(content)
            else:
                text = content if isinstance(content, str) else json.dumps(content, indent=1)
                file.write_text(text, "utf-8")
        return tmp_path

    return write_all


@pytest.fixture
def read_files(write: Callable[[dict[str, Any]], Path]) -> Callable[[dict[str, Any]], Reading]:
    """Write files, and read the folder that they are in."""

    def read_all(files: dict[str, Any]) -> Reading:
        folder = write(files)
        return read([folder], base=folder)

    return read_all
