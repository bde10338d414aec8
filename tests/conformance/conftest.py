"""What the conformance runs share: importing generated packages from a folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# generated_packages.py is no package's; pytest imports tests by file
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def package_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return an empty folder, whose packages can be imported while a module's tests run."""
    folder = tmp_path_factory.mktemp("packages")
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    names = {path.stem for path in folder.iterdir()}
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in names:
            del sys.modules[name]
