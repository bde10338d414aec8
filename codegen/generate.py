"""Generates a package: the path and the text of each of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layout import lay_out
from .lock import LOCK_NAME, make_lock, render_lock
from .outline_contract import outline_contract
from .outline_document import outline_document, outline_index, outline_package, outline_types
from .references import find_references
from .render import render
from .sections import make_types

if TYPE_CHECKING:
    from pi_contracts.contracts.catalogue import Catalogue

    from .layout import Layout, Module
    from .outline import Outline
    from .sections import TypesKind


def generate(catalogue: Catalogue, *, types: TypesKind) -> dict[str, str]:
    """Return every file of the package for *catalogue*: path, with ``/``, and text.

    Equal input gives equal files, whatever the machine; the lock is the last of them.
    """
    layout = lay_out(catalogue)
    files = {
        f"{'/'.join(module.name)}.py": render(_outline(catalogue, layout, module, types))
        for module in layout.modules
    }
    packages = {
        module.name[:end] for module in layout.modules for end in range(1, len(module.name))
    }
    for package in packages:
        files[f"{'/'.join(package)}/__init__.py"] = render(outline_package(".".join(package)))
    files["__init__.py"] = render(outline_index(catalogue, layout))
    files["py.typed"] = ""
    ordered = dict(sorted(files.items()))
    lock = make_lock(catalogue, ordered, {"types": types})
    return {**ordered, LOCK_NAME: render_lock(lock)}


def _outline(catalogue: Catalogue, layout: Layout, module: Module, kind: TypesKind) -> Outline:
    section = make_types(catalogue, layout, module, kind)
    if module.private:
        return outline_types(catalogue, module, section)
    contract = catalogue.contracts.get(module.documents[0])
    if contract is None or section.public is None:
        return outline_document(catalogue, module, section)
    references = find_references(catalogue, layout, module, contract)
    return outline_contract(catalogue, contract, section, section.public, references)
