"""Generated modules give the official answer on every case of the official test suite."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from pi_contracts.codegen.generate import generate
from pi_contracts.codegen.output import write
from pi_contracts.contracts.read import read

SUITE = (Path(__file__).resolve().parents[3] / "shared/data/json-schema-test-suite").resolve()
CASES = SUITE / "tests" / "draft2020-12"
FILES = sorted(CASES.glob("*.json"))
COUNT = 1299

pytestmark = pytest.mark.skipif(
    not FILES, reason="the folder shared with the official test suite is not beside us"
)


def generate_groups(groups: list[Any], package: Path, types: Any) -> list[Any]:
    """Return the generated module of each group's schema; each is generated alone."""
    modules: list[Any] = []
    for index, group in enumerate(groups):
        file = package.parent / "group.schema.json"
        file.write_text(json.dumps(group["schema"]), "utf-8")
        mapped = {"http://localhost:1234/": SUITE / "remotes"}
        reading = read([file], mapped=mapped, base=package.parent)
        assert reading.is_sound, reading.findings
        out = package / f"g{index}"
        assert write(out, generate(reading.catalogue, types=types)).refused == ()
        importlib.invalidate_caches()
        modules.append(importlib.import_module(f"{package.name}.g{index}.group"))
    return modules


@pytest.mark.parametrize("types", ["typed-dict", "pydantic"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_generated_modules_give_the_official_answers(
    file: Path, types: str, package_folder: Path
) -> None:
    groups = json.loads(file.read_bytes())
    name = f"official_{file.stem}_{types}".replace("-", "_")
    for group, module in zip(
        groups, generate_groups(groups, package_folder / name, types), strict=True
    ):
        for case in group["tests"]:
            label = f"{group['description']}: {case['description']}"
            assert module.is_valid(case["data"]) is case["valid"], label
            if case["valid"]:
                module.validate(case["data"])
            else:
                with pytest.raises(ValueError, match=r"expected .+, found "):
                    module.validate(case["data"])


def test_the_suite_is_whole() -> None:
    groups = [group for file in FILES for group in json.loads(file.read_bytes())]
    assert sum(len(group["tests"]) for group in groups) == COUNT
