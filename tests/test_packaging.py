"""The wheel holds the tree and nothing else, and says what it needs."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("contracts", "codegen", "runtime", "plugins")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy, so that nothing of an earlier build gets in."""
    pytest.importorskip("setuptools", reason="setuptools is not installed here")
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "copy"
    skipped = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=skipped)
    code = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-P", "-c", code, str(folder)], cwd=copy, check=True, capture_output=True
    )
    (file,) = folder.glob("*.whl")
    return file


def list_wheel(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return [one for one in archive.namelist() if ".dist-info/" not in one]


def test_the_wheel_holds_exactly_the_tree(wheel: Path) -> None:
    shipped = {"cli.py"} | {
        file.relative_to(ROOT).as_posix()
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    not_shipped = {one for one in shipped if one.endswith(".lock")}
    assert sorted(list_wheel(wheel)) == sorted(
        f"pi_contracts/{one}" for one in shipped - not_shipped
    )


def test_the_wheel_adds_one_name_to_an_environment(wheel: Path) -> None:
    assert {one.partition("/")[0] for one in list_wheel(wheel)} == {"pi_contracts"}


def test_every_package_is_marked_as_typed(wheel: Path) -> None:
    names = list_wheel(wheel)
    for folder in FOLDERS:
        assert f"pi_contracts/{folder}/py.typed" in names


def list_imports() -> set[str]:
    """Return the top-level names that the shipped modules import from elsewhere."""
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    found: set[str] = set()
    for file in (*files, ROOT / "cli.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add((node.module or "").partition(".")[0])
            elif isinstance(node, ast.Import):
                found |= {one.name.partition(".")[0] for one in node.names}
    return found - sys.stdlib_module_names - {"pi_contracts"}


def read_names(requirements: list[str]) -> set[str]:
    cuts = ("<", ">", "=", "[", ";", " ", "!", "~")
    names = requirements
    for cut in cuts:
        names = [one.partition(cut)[0] for one in names]
    return {one.replace("-", "_").lower() for one in names}


COMES_WITH = {"jsonschema_specifications": "jsonschema"}
"""Modules of libraries that a declared one always brings along."""

EXTRAS = {"websockets": "websockets", "opentelemetry": "telemetry"}
"""What is imported only by those who ask for an extra, and the extra."""


def test_every_library_that_is_imported_is_declared_and_the_other_way_round() -> None:
    imported = {COMES_WITH.get(one, one) for one in list_imports()} - set(EXTRAS)
    assert imported == read_names(PROJECT["dependencies"])


def test_what_generated_models_import_is_an_extra() -> None:
    assert read_names(PROJECT["optional-dependencies"]["pydantic"]) == {"pydantic"}


@pytest.mark.parametrize(("module", "extra"), EXTRAS.items())
def test_what_only_some_need_is_an_extra(module: str, extra: str) -> None:
    (name,) = read_names(PROJECT["optional-dependencies"][extra])
    assert name.startswith(module)
    assert module in list_imports()


@pytest.mark.skipif("wheel-venv" not in sys.prefix, reason="this is not the wheel's environment")
def test_in_the_wheels_environment_it_is_the_wheel_that_is_tested() -> None:
    import pi_contracts.cli

    assert Path(pi_contracts.cli.__file__).is_relative_to(sys.prefix)
    assert Path.cwd() not in map(Path, sys.path)
