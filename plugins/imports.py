"""Which modules a module imports, read from sources without importing anything.

Every statement counts, wherever it stands, but for those under ``TYPE_CHECKING``;
imports by other means than a statement are not seen. Modules of the standard library
and compiled ones are ends.
"""

from __future__ import annotations

import ast
import sys
from collections import deque
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from importlib.machinery import ModuleSpec

_SOURCE: Final = ".py"


class Import(NamedTuple):
    """That one module imports another, and the line that does; 0 if it is the package of it."""

    importer: str
    imported: str
    line: int


class _Module(NamedTuple):
    file: str | None
    """Its source; None for a namespace package, a compiled module, or one that is no file."""
    search: tuple[str, ...] | None
    """Where its own modules are, if it is a package."""


class ImportGraph:
    """The imports of modules on a search path, each module read at most once.

    Args:
        path: Folders, in the order in which they are searched.
    """

    def __init__(self, path: Sequence[str]) -> None:
        self._path = list(path)
        self._modules: dict[str, _Module | None] = {}
        self._imports: dict[str, tuple[Import, ...]] = {}

    def has_module(self, name: str) -> bool:
        """Tell whether a module can be found."""
        return self._find(name) is not None

    def is_package(self, name: str) -> bool:
        """Tell whether a module is a package, which owns what is below it."""
        module = self._find(name)
        return module is not None and module.search is not None

    def get_file(self, name: str) -> str | None:
        """Return the source of a module that can be found."""
        module = self._find(name)
        return None if module is None else module.file

    def find_chains(
        self, start: str, is_target: Callable[[str], bool]
    ) -> Iterator[tuple[Import, ...]]:
        """Give a shortest chain of imports to each module that is a target; go no further there."""
        arrivals: dict[str, Import | None] = {start: None}
        queue = deque([start])
        while queue:
            name = queue.popleft()
            if name != start and is_target(name):
                yield _follow_back(arrivals, name)
                continue
            for one in self.get_imports(name):
                if one.imported not in arrivals:
                    arrivals[one.imported] = one
                    queue.append(one.imported)

    def get_imports(self, name: str) -> tuple[Import, ...]:
        """Return what a module imports, the packages that it stands in first."""
        known = self._imports.get(name)
        if known is None:
            known = self._imports[name] = tuple(self._list_imports(name))
        return known

    def _list_imports(self, name: str) -> Iterator[Import]:
        parent = name.rpartition(".")[0]
        if parent:
            yield Import(name, parent, 0)
        module = self._find(name)
        if module is None or module.file is None or _is_standard(name):
            return
        tree = _parse(module.file)
        if tree is None:
            return
        package = name if module.search is not None else parent
        seen: set[str] = set()
        for node in sorted(_iter_imports(tree), key=lambda node: (node.lineno, node.col_offset)):
            for imported in self._resolve(node, package):
                if imported not in seen:
                    seen.add(imported)
                    yield Import(name, imported, node.lineno)

    def _resolve(self, node: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
        """Give the modules that a statement imports; the packages of those come with them."""
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            return
        parts = package.split(".")
        if node.level > len(parts):
            return  # beyond the top-level package, which raises
        above = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
        base = ".".join(filter(None, (above, node.module)))
        yield base
        for alias in node.names:
            name = f"{base}.{alias.name}"
            if alias.name != "*" and not _is_standard(base) and self._find(name) is not None:
                yield name

    def _find(self, name: str) -> _Module | None:
        if name not in self._modules:
            self._modules[name] = self._search(name)
        return self._modules[name]

    def _search(self, name: str) -> _Module | None:
        if _is_standard(name):
            return _Module(None, None)
        parent, _, last = name.rpartition(".")
        if not last:
            return None
        if not parent:
            spec = _find_spec(name, self._path, is_top=True)
        else:
            package = self._find(parent)
            if package is None or package.search is None:
                return None
            spec = _find_spec(name, list(package.search), is_top=False)
        if spec is None:
            return None
        places = spec.submodule_search_locations
        search = None if places is None else tuple(map(str, places))
        is_source = spec.origin is not None and spec.origin.endswith(_SOURCE)
        return _Module(spec.origin if is_source else None, search)


def _find_spec(name: str, path: list[str], *, is_top: bool) -> ModuleSpec | None:
    """Find a module as an import would; finders of editable installations are asked too."""
    # By its last part: of a longer name, the finder would want the package to be imported.
    found = PathFinder.find_spec(name.rpartition(".")[2], path)
    if found is not None and found.loader is not None:
        return found
    for finder in sys.meta_path if is_top else ():
        ask = getattr(finder, "find_spec", None)
        if finder is not PathFinder and ask is not None:
            spec: ModuleSpec | None = ask(name, None)
            if spec is not None:
                return spec
    return found


def _is_standard(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


@cache
def _parse(file: str) -> ast.Module | None:
    """Return the tree of a source; None for what cannot be read, which the dry run tells."""
    try:
        return ast.parse(Path(file).read_bytes(), file)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def _iter_imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Give the import statements of a module, in no particular order."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and (branch := _choose_branch(node)) is not None:
            pending += branch
        else:
            pending += _list_statements(node)


def _list_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Give the statements directly within another one, the last first."""
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        found: Iterable[ast.AST] = getattr(node, field, ())
        yield from found


def _choose_branch(node: ast.If) -> list[ast.stmt] | None:
    """Return what runs of a choice that only type checkers make; None for another choice."""
    test, is_negated = node.test, False
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, is_negated = test.operand, True
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    if name != "TYPE_CHECKING":
        return None
    return node.body if is_negated else node.orelse


def _follow_back(arrivals: dict[str, Import | None], name: str) -> tuple[Import, ...]:
    chain: list[Import] = []
    step = arrivals[name]
    while step is not None:
        chain.append(step)
        step = arrivals[step.importer]
    return tuple(reversed(chain))
