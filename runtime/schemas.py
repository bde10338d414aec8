"""Schemas of generated modules: parsed at the first use, compiled once a pointer.

A value is judged twice at most: by its schema, and, where the schema leaves places
open, for being JSON at all. How a refusal is worded belongs to ``wording.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

import jsonschema_rs
import msgspec

from .closedness import ClosednessSurvey
from .errors import BrokenSchemasError, ContractViolation
from .pointers import split_reference
from .strict_json import DEEPEST, decode, get_json_validator, make_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from .codecs import Codec

T = TypeVar("T")


class Schemas:
    """The bundled schemas of one generated module.

    *text* is one flat JSON document, ``{"$schema": …, "$defs": {…}}``, in which each
    reference is ``#/$defs/KEY``. ``format`` is an annotation unless *assert_formats*.
    """

    def __init__(self, text: str, *, assert_formats: bool = False) -> None:
        self._text = text
        self._assert_formats = assert_formats
        self._document: dict[str, Any] | None = None
        self._judges: dict[str, Judge] = {}

    def validator(self, pointer: str) -> Validator[Any]:
        """Return a validator for the schema at *pointer*, such as ``#/$defs/Model``."""
        return Validator(self, pointer)

    def get_judge(self, pointer: str) -> Judge:
        """Return the compiled schema at *pointer*, the same one each time.

        Raises `BrokenSchemasError` for what does not compile.
        """
        judge = self._judges.get(pointer)
        if judge is None:
            judge = self._judges[pointer] = self._compile(pointer)
        return judge

    def get_document(self, pointer: str) -> dict[str, Any]:
        """Return the whole document, parsed, in which *pointer* is needed.

        Raises `BrokenSchemasError` for what does not parse.
        """
        if self._document is None:
            try:
                self._document = cast("dict[str, Any]", decode(self._text))
            except msgspec.MsgspecError as error:
                raise BrokenSchemasError(pointer, str(error)) from error
        return self._document

    def _compile(self, pointer: str) -> Judge:
        document = _cut_out(self.get_document(pointer), pointer)
        levels = _find_levels(document)
        try:
            validator = jsonschema_rs.validator_for(
                document, validate_formats=self._assert_formats, offline=True
            )
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            raise BrokenSchemasError(pointer, str(error).partition("\n")[0]) from error
        return Judge(validator, document, is_closed=levels is not None and levels <= DEEPEST)


def _find_levels(document: dict[str, Any]) -> int | None:
    try:
        return ClosednessSurvey(document).find_levels(document)
    except RecursionError:
        return None


def _cut_out(document: dict[str, Any], pointer: str) -> dict[str, Any]:
    """Return a document whose root is the schema at *pointer*, with what it reaches."""
    definitions = document.get("$defs", {})
    reached: dict[str, Any] = {}
    pending = [pointer]
    while pending:
        parts = split_reference(pending.pop())
        if not parts or parts[0] != "$defs" or len(parts) == 1:
            reached = definitions
            break
        key = parts[1]
        if key in reached or key not in definitions:
            continue
        reached[key] = definitions[key]
        pending.extend(_list_references(definitions[key]))
    head = {"$schema": document["$schema"]} if "$schema" in document else {}
    root = {**document} if pointer == "#" else {"$ref": pointer}
    return {**head, **root, "$defs": reached}


def _list_references(schema: object) -> list[str]:
    """Return each ``$ref`` below *schema*, and perhaps some that are data."""
    found: list[str] = []
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            members = cast("dict[str, object]", node)
            reference = members.get("$ref")
            if isinstance(reference, str):
                found.append(reference)
            pending.extend(members.values())
        elif isinstance(node, list):
            pending.extend(cast("list[object]", node))
    return found


class Judge:
    """One compiled schema: accepts a value, or says why not."""

    __slots__ = ("_check", "_document", "_validator", "accepts", "is_closed")

    def __init__(
        self, validator: jsonschema_rs.Validator, document: dict[str, Any], *, is_closed: bool
    ) -> None:
        self._validator = validator
        self._document = document
        self._check: Final = validator.is_valid
        self.is_closed: Final = is_closed
        self.accepts: Final[Callable[[object], bool]] = (
            validator.is_valid if is_closed else _both(get_json_validator().is_valid, self._check)
        )
        """Tells whether a value fits; ValueError means that `decide` has to."""

    def decide(self, value: object) -> bool:
        """Tell whether *value* fits, when `accepts` met a type that it does not know."""
        try:
            return self._check(make_plain(value))
        except ContractViolation:
            return False

    def check(self, value: object) -> None:
        """Raise `ContractViolation` unless *value* is JSON and fits the schema."""
        try:
            if self.accepts(value):
                return
        except ValueError:
            pass
        plain = make_plain(value)
        from .wording import find_violation  # noqa: PLC0415 - loaded when something is refused

        violation = find_violation(self._validator, plain, self._document)
        if violation is not None:
            raise violation


def _both(
    first: Callable[[object], bool], second: Callable[[object], bool]
) -> Callable[[object], bool]:
    def accepts(value: object) -> bool:
        return first(value) and second(value)

    return accepts


class Validator(Generic[T]):
    """Checks values against one schema of a generated module."""

    __slots__ = ("__orig_class__", "_accepts", "_codec", "_pointer", "_schemas")

    def __init__(self, schemas: Schemas, pointer: str, *, codec: Codec[T] | None = None) -> None:
        self._schemas = schemas
        self._pointer = pointer
        self._codec = codec
        self._accepts: Callable[[object], bool] = self._compile_and_accept

    def validate(self, value: object) -> T:
        """Return *value*, typed, or raise `ContractViolation`."""
        self._schemas.get_judge(self._pointer).check(value)
        return cast("T", value) if self._codec is None else self._codec.load(value)

    def is_valid(self, value: object) -> bool:
        """Tell whether `validate` would accept *value*."""
        try:
            return self._accepts(value)
        except ValueError:
            return self._schemas.get_judge(self._pointer).decide(value)

    def _compile_and_accept(self, value: object) -> bool:
        self._accepts = self._schemas.get_judge(self._pointer).accepts
        return self._accepts(value)
