"""Soundness: which documents can be judged by more than their own mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import Severity
from .lone_refs import VoidParts

if TYPE_CHECKING:
    from .read import Reading


def find_broken(reading: Reading) -> frozenset[str]:
    """Return the URIs of documents that have errors, or that refer to such.

    What would be said of them beyond those errors might follow from them.
    """
    catalogue = reading.catalogue
    faulty = {one.path for one in reading.findings if one.severity is Severity.ERROR}
    if not faulty:
        return frozenset()
    broken = {one.uri for one in catalogue.documents.values() if one.source.path in faulty}
    void = VoidParts(catalogue)
    links: set[tuple[str, str]] = set()
    for reference in catalogue.get_references():
        if reference.target is None and void.find(reference) is None:
            broken.add(reference.location.document)
        elif reference.target is not None:
            links.add((reference.location.document, reference.target.document))
    grown = True
    while grown:
        above = {source for source, target in links if target in broken} - broken
        broken |= above
        grown = bool(above)
    return frozenset(broken)
