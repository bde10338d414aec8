"""The shape of the tree: what stands where, and what may be imported how."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("contracts", "codegen", "runtime", "plugins")
GENERATED = ROOT / "plugins" / "library"


def list_sources() -> list[Path]:
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    return sorted([*files, ROOT / "cli.py"])


SOURCES = [file for file in list_sources() if not file.is_relative_to(GENERATED)]
ALL = sorted(
    {*list_sources(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")}
)


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def find_module(test: Path) -> str | None:
    """Return the module that a test file is about: `test_link_events.py` may be about `link.py`."""
    words = test.stem.removeprefix("test_").split("_")
    folder = ROOT / test.parent.relative_to(ROOT / "tests")
    for end in range(len(words), 0, -1):
        stem = "_".join(words[:end])
        if (folder / f"{stem}.py").exists() or (folder / stem).is_dir():
            return stem
    return "__init__" if words == ["init"] else None


def test_every_test_file_stands_where_its_module_does() -> None:
    files = [file for folder in FOLDERS for file in (ROOT / "tests" / folder).rglob("test_*.py")]
    assert [name(file) for file in files if find_module(file) is None] == []


@pytest.mark.parametrize("file", SOURCES, ids=name)
def test_a_file_has_one_subject(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= 400


def test_no_module_is_named_after_nothing() -> None:
    vague = {"utils", "helpers", "common", "base", "manager", "util", "helper", "misc"}
    assert [name(file) for file in SOURCES if file.stem in vague] == []


@pytest.mark.parametrize("file", ALL, ids=name)
def test_packages_are_imported_by_the_name_they_are_installed_under(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").partition(".")[0] not in FOLDERS
        elif isinstance(node, ast.Import):
            assert not {one.name.partition(".")[0] for one in node.names} & set(FOLDERS)


def test_only_the_command_line_stands_in_the_root() -> None:
    assert [file.name for file in ROOT.glob("*.py")] == ["cli.py"]
    assert not (ROOT / "__init__.py").exists()


def test_every_package_is_listed_for_the_wheel() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = set(document["tool"]["setuptools"]["packages"])
    found = {
        "pi_contracts." + name(file.parent).replace("/", ".")
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*.py")
    }
    assert listed == {"pi_contracts", *found}


def import_file(file: Path) -> object:
    path = name(file).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return importlib.import_module(f"pi_contracts.{path}")


WITH_ALL = [
    file for file in list_sources() if re.search("^__all__", file.read_text(), re.MULTILINE)
]


@pytest.mark.parametrize("file", WITH_ALL, ids=name)
def test_what_a_module_says_it_exports_is_there_once_and_sorted_by_ruff(file: Path) -> None:
    module = import_file(file)
    exported: tuple[str, ...] = vars(module)["__all__"]
    assert len(set(exported)) == len(exported)
    assert [one for one in exported if not hasattr(module, one)] == []
    assert [one for one in exported if one.startswith("_")] == []


@pytest.mark.parametrize("file", SOURCES, ids=name)
def test_every_module_says_what_it_is_in_one_line(file: Path) -> None:
    docstring = ast.get_docstring(ast.parse(file.read_bytes()))
    assert docstring
    assert docstring.splitlines()[0].endswith((".", ":"))
