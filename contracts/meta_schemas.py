"""Meta-schemas: which dialect a document is written in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from .drafts import DIALECT, VOCABULARIES, Dialect, Draft, find_draft
from .findings import Finding, escape

if TYPE_CHECKING:
    from .source import Source

Lookup: TypeAlias = Callable[[str], object]
"""Gives the document that has an identifier, or None."""


def find_dialect(source: Source, look_up: Lookup) -> Dialect | Finding:
    """Return the dialect of a document by its ``$schema``, or why it has none that is served.

    A document without ``$schema`` is one of 2020-12. A meta-schema among the files
    counts as the draft that it is written in, with the vocabularies that it names.
    """
    value = source.value
    declared = value.get("$schema") if isinstance(value, dict) else None
    if declared is None:
        return Dialect(Draft.DRAFT202012)
    if declared == DIALECT:
        formats = isinstance(value, dict) and value.get("formats") == "assert"
        return Dialect(Draft.DRAFT202012, asserts_format=formats)
    if not isinstance(declared, str):
        message = 'the keyword "$schema" takes the URI of a draft, as a string'
        return source.find("invalid-keyword", message, "/$schema")
    draft = find_draft(declared)
    found = Dialect(draft) if draft else _follow(declared, look_up)
    if isinstance(found, Dialect):
        return found
    message = f'"{escape(declared)}" names no draft that is served'
    if found:
        message = (
            f'the meta-schema "{escape(declared)}" requires the vocabulary "{escape(found)}",'
            " which is not served"
        )
    fix = "use draft 4, 6, 7, 2019-09 or 2020-12, or give the file of the meta-schema too"
    return source.find("invalid-keyword", message, "/$schema", fix=fix)


def _follow(uri: str, look_up: Lookup) -> Dialect | str | None:
    """Return the dialect of a meta-schema, or the vocabulary that it requires in vain."""
    seen: set[str] = set()
    vocabularies: dict[str, object] | None = None
    while uri not in seen:
        seen.add(uri)
        meta = look_up(uri)
        if not isinstance(meta, dict):
            return None
        if vocabularies is None and isinstance(meta.get("$vocabulary"), dict):
            vocabularies = meta["$vocabulary"]
        above = meta.get("$schema", Draft.DRAFT202012.value)
        if not isinstance(above, str):
            return None
        draft = find_draft(above)
        if draft is not None:
            return _make_dialect(draft, vocabularies)
        uri = above
    return None


def _make_dialect(draft: Draft, vocabularies: dict[str, object] | None) -> Dialect | str:
    if vocabularies is None:
        return Dialect(draft)
    active: set[str] = set()
    asserts_format = False
    for uri, is_required in vocabularies.items():
        name = uri.rpartition("/")[2]
        if name in VOCABULARIES and "json-schema.org/draft/20" in uri:
            active |= VOCABULARIES[name]
            asserts_format = asserts_format or name == "format-assertion"
        elif is_required:
            return uri
    everything: frozenset[str] = frozenset().union(*VOCABULARIES.values())
    return Dialect(draft, everything - active, asserts_format)
