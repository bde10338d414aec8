"""Meta-schemas: which dialect a document is written in, and what its meta-schema refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from .documents import CONTRACT_SUFFIX
from .drafts import DIALECT, VOCABULARIES, Dialect, Draft, find_draft
from .findings import Finding, escape
from .json_values import is_array, is_object
from .keywords import SERVED
from .model import Location
from .patterns import escape_lone_brackets
from .places import find_contract_schemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    import jsonschema_rs

    from .catalogue import Catalogue
    from .documents import Document
    from .source import Source

Lookup: TypeAlias = Callable[[str], object]
"""Gives the document that has an identifier, or None."""


def find_dialect(source: Source, look_up: Lookup) -> Dialect | Finding:
    """Return the dialect of a document by its ``$schema``, or why it has none that is served.

    A document without ``$schema`` is one of 2020-12. A meta-schema among the files
    counts as the draft that it is written in, with the vocabularies that it names.
    """
    value = source.value if is_object(source.value) else {}
    declared = value.get("$schema")
    if declared is None and "$schema" not in value:
        return Dialect(Draft.DRAFT202012)
    if declared == DIALECT:
        return Dialect(Draft.DRAFT202012, asserts_format=value.get("formats") == "assert")
    if not isinstance(declared, str):
        message = 'the keyword "$schema" takes the URI of a draft, as a string'
        return source.find("invalid-keyword", message, "/$schema", fix=SERVED)
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
    fix = SERVED
    if source.path.endswith(CONTRACT_SUFFIX):
        fix = f'write "$schema": "{DIALECT}", as every contract does'
    return source.find("invalid-keyword", message, "/$schema", fix=fix)


def _follow(uri: str, look_up: Lookup) -> Dialect | str | None:
    """Return the dialect of a meta-schema, or the vocabulary that it requires in vain."""
    seen: set[str] = set()
    vocabularies: dict[str, Any] | None = None
    while uri not in seen:
        seen.add(uri)
        meta = look_up(uri)
        if not is_object(meta):
            return None
        if vocabularies is None and is_object(meta.get("$vocabulary")):
            vocabularies = meta["$vocabulary"]
        above = meta.get("$schema", Draft.DRAFT202012.value)
        if not isinstance(above, str):
            return None
        draft = find_draft(above)
        if draft is not None:
            return _make_dialect(draft, vocabularies)
        uri = above
    return None


def _make_dialect(draft: Draft, vocabularies: dict[str, Any] | None) -> Dialect | str:
    if vocabularies is None or draft.has_lone_refs:
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
    return Dialect(draft, _GOVERNED - active, asserts_format)


_GOVERNED: frozenset[str] = frozenset(
    keyword for keywords in VOCABULARIES.values() for keyword in keywords
)
"""Keywords that count only where a vocabulary says so."""


def check_by_meta_schema(catalogue: Catalogue, document: Document) -> Iterator[Finding]:
    """Yield what the meta-schema of a document refuses, in the validator's words.

    This is for documents in whose keywords nothing was found: what they say beyond
    that, the validator must be able to compile. Documents of several drafts, or of
    a custom meta-schema, are passed over.
    """
    dialects = {node.dialect for _, node in catalogue.get_schemas(document)}
    if len(dialects) != 1 or dialects != {document.dialect} or document.dialect.void:
        return
    import jsonschema_rs  # noqa: PLC0415 # costs more than reading a small file

    root = Location(document.uri, "")
    schemas = (
        find_contract_schemas(root, document.value)
        if document.role == "contract"
        else ((root, document.value),)
    )
    for location, schema in schemas:
        if is_object(schema):
            marked = {**schema, "$schema": document.dialect.draft.value}
            if not jsonschema_rs.meta.is_valid(marked):
                try:
                    jsonschema_rs.meta.validate(_drop_spelling(marked))
                except jsonschema_rs.ValidationError as fault:
                    yield _word(document, location, fault)


def _drop_spelling(value: Any) -> Any:
    """Return a schema whose references and patterns are spelled as its meta-schema asks.

    Tools write ``#/definitions/List<Item>``, which is no URI; it is found all the same.
    """
    if is_array(value):
        return [_drop_spelling(item) for item in value]
    if not is_object(value):
        return value
    return {
        escape_lone_brackets(name): (
            "#"
            if name == "$ref" and isinstance(item, str)
            else escape_lone_brackets(item)
            if name == "pattern" and isinstance(item, str)
            else _drop_spelling(item)
        )
        for name, item in value.items()
    }


def _word(document: Document, location: Location, fault: jsonschema_rs.ValidationError) -> Finding:
    for token in fault.instance_path:
        location = location / token
    message = f"the meta-schema of {document.dialect.draft.label} refuses this: {fault.message}"
    return document.source.find("invalid-keyword", escape(message)[:_LONGEST], location.pointer)


_LONGEST = 300
