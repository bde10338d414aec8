"""The layout of a generated package: which module holds the types of which document.

Files that refer to each other in a ring share one private module, which their own
modules re-export; every other document has a module of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pi_contracts.contracts.documents import get_stem
from pi_contracts.contracts.names import Claim, allot, digest, fold, make_module_name

from .graph import find_components

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.documents import Document
    from pi_contracts.contracts.model import Location


@dataclass(frozen=True, slots=True)
class Module:
    """One module of the generated package."""

    name: tuple[str, ...]
    """Packages and module: ``sub/queue-v1.schema.json`` is ``("sub", "queue_v1")``."""
    documents: tuple[str, ...]
    """The URIs of its documents, in the order of their paths; several only in a private one."""
    private: bool = False


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Layout:
    """All modules of a package, and what refers to what between them."""

    modules: tuple[Module, ...]
    """Public modules in the order of their documents' paths, then private ones."""
    targets: frozenset[Location]
    """The schemas that some reference leads to."""
    _public: Mapping[str, Module]
    _homes: Mapping[str, Module]

    def module_of(self, uri: str) -> Module:
        """Return the public module of the document *uri*."""
        return self._public[uri]

    def home_of(self, uri: str) -> Module | None:
        """Return the module that defines the types of *uri*: its own, or that of its ring.

        None: no module is generated for it, and who refers to it has its own copy.
        """
        return self._homes.get(uri)


def lay_out(catalogue: Catalogue) -> Layout:
    """Return the modules for the documents of *catalogue*."""
    documents = [one for one in catalogue.documents.values() if one.generated]
    names = _name_modules(documents)
    edges: dict[str, set[str]] = {one.uri: set() for one in documents}
    targets: set[Location] = set()
    for reference in catalogue.get_references():
        target = reference.target
        if target is None or reference.keyword != "$ref":
            continue
        targets.add(target)
        source = reference.location.document
        if source != target.document and source in edges and target.document in edges:
            edges[source].add(target.document)
    public = {one.uri: Module(names[one.uri], (one.uri,)) for one in documents}
    homes = dict(public)
    private: list[Module] = []
    order = {one.uri: index for index, one in enumerate(documents)}
    ordered = {uri: sorted(found) for uri, found in edges.items()}
    for ring in find_components(ordered):
        if len(ring) > 1:
            members = tuple(sorted(ring, key=order.__getitem__))
            module = Module(_name_ring([names[uri] for uri in members]), members, private=True)
            private.append(module)
            homes.update(dict.fromkeys(members, module))
    private.sort(key=lambda module: order[module.documents[0]])
    return Layout((*public.values(), *private), frozenset(targets), public, homes)


def _name_modules(documents: list[Document]) -> dict[str, tuple[str, ...]]:
    """Return the name of each document's module; no two differ only in case."""
    folders = {parent for one in documents for parent in _get_folders(one.path)}
    packages: dict[str, tuple[str, ...]] = {"": ()}
    for folder in sorted(folders, key=lambda path: (path.count("/"), path)):
        # siblings alone can meet: what stands above has its name already
        parent = str(PurePosixPath(folder).parent).removesuffix(".")
        siblings = [
            one for one in folders if str(PurePosixPath(one).parent).removesuffix(".") == parent
        ]
        claims = [_claim(one, PurePosixPath(one).name) for one in siblings]
        packages[folder] = (*packages[parent], allot(claims, str, _fold_file)[folder])
    names: dict[str, tuple[str, ...]] = {}
    by_folder: dict[str, list[Document]] = {}
    for one in documents:
        by_folder.setdefault(str(PurePosixPath(one.path).parent).removesuffix("."), []).append(one)
    for folder, files in by_folder.items():
        claims = [_claim(one.path, get_stem(one.path), one.uri) for one in files]
        allotted = allot(claims, str, _fold_file)
        taken = {
            _fold_file(name[-1])
            for name in packages.values()
            if name[:-1] == packages[folder] and name
        }
        for one in files:
            name = allotted[one.uri]
            if _fold_file(name) in taken:
                name = f"{name}_{digest(one.path)}"
            names[one.uri] = (*packages[folder], name)
    return names


def _get_folders(path: str) -> Iterator[str]:
    for parent in PurePosixPath(path).parents:
        if str(parent) != ".":
            yield str(parent)


def _claim(path: str, text: str, key: str | None = None) -> Claim[str]:
    name = make_module_name(text)
    return Claim(path if key is None else key, name, path, exact=name == text)


def _fold_file(name: str) -> str:
    """Return what two names share that one file system may not tell apart."""
    return fold(name.casefold())


def _name_ring(members: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the name of a ring's module, in the folder that all members lie below."""
    common: tuple[str, ...] = ()
    for parts in zip(*(name[:-1] for name in members), strict=False):
        if len(set(parts)) > 1:
            break
        common = (*common, parts[0])
    first = "_".join(members[0][len(common) :])
    return (*common, f"_{first}_ring")
