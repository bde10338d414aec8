"""Flat schemas: one document, and the reference in it that a question is about.

Every reference of the document leads to a JSON pointer of the same document, as
in the bundles of `pi_contracts.contracts.bundle`; what older drafts say is said
in the words of 2020-12.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from pi_contracts.contracts.drafts import Draft, Schema, find_draft, modernize, subschemas
from pi_contracts.contracts.json_values import unescape
from pi_contracts.contracts.model import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pi_contracts.contracts.bundle import Bundle


@dataclass(frozen=True, slots=True, eq=False)
class FlatDocument:
    """A schema document without references to others; compared by identity."""

    value: Schema
    asserts_format: bool = False
    places: Mapping[str, Location] = field(default_factory=dict[str, Location])
    """Where definitions stand in their files, by their references, if that is known."""

    def find_place(self, reference: str) -> Location | None:
        """Return where what stands at a reference is written, None if that is not known."""
        tokens = reference.split("/")
        found = self.places.get("/".join(tokens[:3]))
        if found is None:
            return None
        return Location(found.document, "/".join([found.pointer, *map(unquote, tokens[3:])]))

    def get(self, pointer: str) -> Schema:
        """Return the schema at a JSON pointer, which begins with ``#``.

        Raises:
            KeyError: No schema stands there.
        """
        value: Any = self.value
        for token in unquote(pointer).split("/")[1:]:
            name = unescape(token)
            try:
                value = value[int(name) if isinstance(value, list) else name]
            except (TypeError, ValueError, IndexError):
                raise KeyError(pointer) from None
        if not isinstance(value, dict | bool):
            raise KeyError(pointer)
        return cast("Schema", value)


@dataclass(frozen=True, slots=True)
class FlatSchema:
    """One schema of a flat document."""

    document: FlatDocument
    reference: str = "#"

    @property
    def schema(self) -> Schema:
        """The schema that the reference leads to."""
        return self.document.get(self.reference)


def make_document(value: Schema) -> FlatDocument:
    """Return a flat document of a bundle's document, or of any schema like one."""
    if isinstance(value, bool):
        return FlatDocument(value)
    draft = find_draft(value["$schema"]) if isinstance(value.get("$schema"), str) else None
    modern = _modernize(value, draft) if draft and draft is not Draft.DRAFT202012 else value
    return FlatDocument(modern, asserts_format=value.get("formats") == "assert")


def make_schemas(bundle: Bundle) -> dict[str, FlatSchema]:
    """Return the roots of a bundle, by their names, as schemas of one document."""
    document = replace(make_document(bundle.document), places=bundle.places)
    return {name: FlatSchema(document, pointer) for name, pointer in bundle.pointers.items()}


def absolve(reference: str, uri: str) -> str:
    """Return a reference of the document at *uri* so that it holds anywhere."""
    return uri + reference if reference.startswith("#") else reference


def cut_reference(reference: str) -> tuple[str, str]:
    """Return the URI and the pointer of an absolute reference."""
    uri, _, pointer = reference.partition("#")
    return uri, "#" + pointer


def make_absolute(schema: Schema, uri: str) -> Schema:
    """Return a schema of the document at *uri* with references that hold anywhere."""

    def change(one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "$ref": absolve(one["$ref"], uri)} if "$ref" in one else one

    return rewrite(schema, Draft.DRAFT202012, change)


def rewrite(
    schema: Schema, draft: Draft, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> Schema:
    """Return a copy of *schema* in which each schema, inner ones first, is changed."""
    if isinstance(schema, bool):
        return schema
    result: dict[str, Any] = {
        name: value.copy() if isinstance(value, dict | list) else value
        for name, value in schema.items()
    }
    for tokens, below in subschemas(schema, draft):
        container: Any = result
        for token in tokens[:-1]:
            container = container[token]
        last = tokens[-1]
        key: Any = int(last) if isinstance(container, list) else last
        container[key] = rewrite(below, draft, change)
    return change(result)


def _modernize(schema: dict[str, Any], draft: Draft) -> Schema:
    def change(one: dict[str, Any]) -> dict[str, Any]:
        if draft.has_lone_refs and "$ref" in one:
            kept = ("$ref", "$defs", "definitions")
            return {name: one[name] for name in kept if name in one}
        return modernize({name: one[name] for name in one if name != "$schema"}, draft)

    modern = rewrite(schema, draft, change)
    if isinstance(modern, bool) or not draft.has_lone_refs or "$defs" not in modern:
        return modern
    # Drafts before 2019-09 know no $defs, which is where a bundle of any draft has them.
    definitions: dict[str, Schema] = modern["$defs"]
    rewritten = {name: rewrite(one, draft, change) for name, one in definitions.items()}
    return {**modern, "$defs": rewritten}
