"""Validators: what the validator of run time says of values, for nodes of a pool."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pi_contracts.contracts.drafts import Schema

    from .flat import FlatDocument
    from .node import Node


class UnjudgedError(Exception):
    """The validator does not take a schema or a value."""


class Validators:
    """The compiled validators of nodes of some documents, each made at its first use."""

    def __init__(self, documents: Mapping[str, FlatDocument]) -> None:
        self._documents = documents
        self._checks_format = any(one.asserts_format for one in documents.values())
        self._known: dict[int, jsonschema_rs.Validator] = {}
        self._of_references: dict[str, jsonschema_rs.Validator] = {}

    @cached_property
    def _registry(self) -> jsonschema_rs.Registry:
        documents = [(uri, document.value) for uri, document in self._documents.items()]
        return jsonschema_rs.Registry(documents, draft=jsonschema_rs.Draft202012)

    def compile(self, schema: Schema) -> jsonschema_rs.Validator:
        """Return a validator of a schema whose references are absolute.

        Raises:
            UnjudgedError: The validator does not take the schema.
        """
        try:
            return jsonschema_rs.Draft202012Validator(
                schema,
                registry=self._registry,
                validate_formats=self._checks_format,
                offline=True,
            )
        except ValueError as problem:
            raise UnjudgedError from problem

    def refer(self, reference: str) -> jsonschema_rs.Validator:
        """Return the validator of the schema at an absolute reference."""
        validator = self._of_references.get(reference)
        if validator is None:
            validator = self._of_references[reference] = self.compile({"$ref": reference})
        return validator

    def get(self, node: Node) -> jsonschema_rs.Validator:
        """Return the validator of a node."""
        validator = self._known.get(node.id)
        if validator is None:
            schema = node.schema
            if isinstance(schema, dict) and schema.keys() == {"$ref"}:
                validator = self.refer(schema["$ref"])
            else:
                validator = self.compile(schema)
            self._known[node.id] = validator
        return validator

    def accepts(self, node: Node, value: Any) -> bool:
        """Whether a node accepts a value.

        Raises:
            UnjudgedError: The validator cannot tell.
        """
        try:
            return self.get(node).is_valid(value)
        except ValueError as problem:
            # a schema that it does not take, or what nests too deeply for it
            raise UnjudgedError from problem

    def is_between(self, value: Any, left: Iterable[Node], right: Iterable[Node]) -> bool:
        """Whether all of *left* accept a value, and all of *right* refuse it."""
        return all(self.accepts(node, value) for node in left) and not any(
            self.accepts(node, value) for node in right
        )


@lru_cache(maxsize=4000)
def matches(pattern: str, text: str) -> bool:
    """Whether an ECMA pattern is found in *text*, as the validator says.

    Raises:
        UnjudgedError: The validator does not take the pattern.
    """
    try:
        return _compile_pattern(pattern).is_valid(text)
    except ValueError as problem:
        raise UnjudgedError from problem


@lru_cache(maxsize=1000)
def _compile_pattern(pattern: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator({"pattern": pattern}, offline=True)
