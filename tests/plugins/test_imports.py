from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from pi_contracts.plugins.imports import ImportGraph

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, files: dict[str, str]) -> ImportGraph:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return ImportGraph([str(folder)])


def list_imports(graph: ImportGraph, name: str) -> list[tuple[str, int]]:
    return [(one.imported, one.line) for one in graph.get_imports(name)]


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("import a", [("a", 1)]),
        ("import a.b, c as d", [("a.b", 1), ("c", 1)]),
        ("from p import m, value", [("p", 1), ("p.m", 1)]),
        ("from p import *", [("p", 1)]),
        ("from . import m", [("p", 1), ("p.m", 1)]),
        ("from .m import x\nfrom .. import nothing", [("p.m", 1)]),
        ("from json import decoder", [("json", 1)]),
        ("import a\nimport a", [("a", 1)]),
        ("def f():\n    import a\nclass C:\n    import b", [("a", 2), ("b", 4)]),
        ("try:\n    import a\nexcept ImportError:\n    import b", [("a", 2), ("b", 4)]),
        ("if x:\n    import a\nelif y:\n    import b\nelse:\n    pass", [("a", 2), ("b", 4)]),
        ("match x:\n    case 1:\n        import a", [("a", 3)]),
        ("with x:\n    import a\nfor y in z:\n    import b", [("a", 2), ("b", 4)]),
        ("while 1:\n    import a\nelse:\n    import b", [("a", 2), ("b", 4)]),
        ("if TYPE_CHECKING:\n    import a\nelse:\n    import b", [("b", 4)]),
        ("if t.TYPE_CHECKING:\n    import a", []),
        ("if not typing.TYPE_CHECKING:\n    import a\nelse:\n    import b", [("a", 2)]),
        ("if TYPE_CHECKING or x:\n    import a", [("a", 2)]),
        ("__import__('a')\nimportlib.import_module('b')", []),
        ("def f(:", []),
        ("\0", []),
    ],
)  # fmt: skip
def test_import_statements_are_read_and_nothing_is_run(
    tmp_path: Path, text: str, imported: list[tuple[str, int]]
) -> None:
    graph = write(tmp_path, {"p/__init__.py": text, "p/m.py": ""})
    assert list_imports(graph, "p") == imported
    assert "p" not in sys.modules


def test_a_module_comes_with_the_packages_that_it_stands_in(tmp_path: Path) -> None:
    graph = write(tmp_path, {"p/q/m.py": "from . import n\n", "p/q/n.py": ""})
    assert list_imports(graph, "p.q.m") == [("p.q", 0), ("p.q", 1), ("p.q.n", 1)]
    assert list_imports(graph, "p.q") == [("p", 0)]
    assert graph.is_package("p.q")
    assert not graph.is_package("p.q.n")


def test_what_is_found_and_where(tmp_path: Path) -> None:
    graph = write(tmp_path, {"p/__init__.py": "", "single.py": ""})
    for name, found in (
        ("p", True), ("p.q", False), ("single", True), ("single.x", False),
        ("json", True), ("nowhere", False), ("nowhere.x", False), ("", False), ("p.", False),
    ):  # fmt: skip
        assert graph.has_module(name) is found
    assert graph.get_file("single") == str(tmp_path / "single.py")
    assert graph.get_file("json") is None
    assert graph.get_file("nowhere") is None
    assert list_imports(graph, "nowhere") == []


def test_a_compiled_module_is_an_end(tmp_path: Path) -> None:
    graph = ImportGraph([str(tmp_path), *sys.path])
    assert graph.has_module("msgspec._core")
    assert graph.get_file("msgspec._core") is None
    assert list_imports(graph, "msgspec._core") == [("msgspec", 0)]


def test_a_package_that_an_editable_installation_maps_is_found(tmp_path: Path) -> None:
    """Its finder is asked, as an import would ask it."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "mapped_here.py").touch()

    class Finder:
        @staticmethod
        def find_spec(name: str, path: object) -> object:
            from importlib.util import spec_from_file_location

            assert path is None
            file = tmp_path / "src" / "mapped_here.py"
            return spec_from_file_location(name, file) if name == "mapped_here" else None

    class Old:
        pass

    sys.meta_path[:0] = [Old(), Finder()]  # type: ignore[list-item] # as old finders are
    try:
        graph = ImportGraph([str(tmp_path)])
        assert graph.get_file("mapped_here") == str(tmp_path / "src" / "mapped_here.py")
        assert not graph.has_module("mapped_nowhere")
    finally:
        del sys.meta_path[:2]


def test_chains_are_shortest_and_end_at_the_first_target(tmp_path: Path) -> None:
    graph = write(
        tmp_path,
        {
            "a.py": "import b\nimport c\n",
            "b.py": "import c\nimport a\n",
            "c.py": "import target\n",
            "target.py": "import target_too\n",
            "target_too.py": "",
        },
    )
    chains = list(graph.find_chains("a", lambda name: name.startswith("target")))
    assert [[(one.importer, one.imported, one.line) for one in chain] for chain in chains] == [
        [("a", "c", 2), ("c", "target", 1)]
    ]


def test_the_start_itself_is_no_target(tmp_path: Path) -> None:
    graph = write(tmp_path, {"a.py": "import b\n", "b.py": "import a\n"})
    assert list(graph.find_chains("a", lambda name: name == "a")) == []
