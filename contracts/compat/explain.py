"""Explanations: what a witness is refused for, and where that stands in both schemas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import jsonschema_rs
from pi_contracts.contracts.change_codes import hyphenate
from pi_contracts.contracts.findings import quote
from pi_contracts.contracts.json_values import escape_token

from .parts import Part, below, find_item, find_member, find_rest, gather

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .flat import FlatDocument
    from .parts import Members, Place

_Kinds = jsonschema_rs.ValidationErrorKind
_RULES: Final[Mapping[str, tuple[str, str]]] = {
    "contains": ("contained-item-added", "contained-item-removed"),
    "maxContains": ("limit-tightened", "limit-loosened"),
    "minContains": ("limit-tightened", "limit-loosened"),
    "multipleOf": ("multiple-tightened", "multiple-loosened"),
    "not": ("exclusion-added", "exclusion-removed"),
    "propertyNames": ("name-rule-added", "name-rule-removed"),
    "uniqueItems": ("uniqueness-added", "uniqueness-removed"),
    "unevaluatedItems": ("item-removed", "item-added"),
    "items": ("item-removed", "item-added"),
    "dependentRequired": ("dependency-added", "dependency-removed"),
    "required": ("required-added", "required-removed"),
    "anyOf": ("branch-removed", "branch-added"),
    "oneOf": ("branch-removed", "branch-added"),
}
"""Of a keyword that refuses, the change if it is the newer schema's, and if the older one's."""
_LIMITS: Final = frozenset(
    """minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems
    minProperties maxProperties""".split()
)
_CHANGED: Final = frozenset({"pattern", "format"})
_Choose: TypeAlias = Callable[[str, str], str]
"""Chooses between the name of a tightened and of a loosened schema."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a receiver refuses a witness."""

    rule: str
    """A short name of the change, such as ``required-added``."""
    keyword: str
    at: str
    """A JSON pointer into the witness."""
    sender: str
    """Where in the sender's document the place is described, as a reference."""
    receiver: str
    """Where in the receiver's document the keyword stands, as a reference."""
    text: str
    """What is wrong, with ``{sender}`` and ``{receiver}`` to be filled in."""


def explain(
    witness: Any,
    refusing: jsonschema_rs.Validator,
    sender: tuple[FlatDocument, str],
    *,
    receiver_is_new: bool,
) -> Explanation:
    """Return why *refusing* refuses a witness of the sender's schema."""
    error = _choose(list(refusing.iter_errors(witness)))
    path = tuple(error.instance_path)
    members = _follow(*sender, path)
    keyword = _get_keyword(error)
    rule, text = _word(error, keyword, members, receiver_is_new=receiver_is_new)
    pointer = _point(error, keyword, members) or sender[1]
    location = (error.absolute_keyword_location or "").partition("#")[2]
    at = "".join(f"/{escape_token(token)}" for token in path)
    return Explanation(rule, keyword, at, pointer, f"#{location}", text)


def _point(error: jsonschema_rs.ValidationError, keyword: str, members: Members) -> str | None:
    """Return where the sender speaks of what is refused: of the member, else by the keyword."""
    kind = error.kind
    if isinstance(kind, _Kinds.AdditionalProperties | _Kinds.UnevaluatedProperties):
        for name in kind.unexpected:
            for part, schema in members.schemas:
                if name in schema.get("properties", ()):
                    return below(part, "properties", name).pointer
    for part, schema in members.schemas:
        if keyword in schema:
            return f"{part.pointer}/{keyword}"
    return members.schemas[0][0].pointer if members.schemas else None


def _choose(errors: list[jsonschema_rs.ValidationError]) -> jsonschema_rs.ValidationError:
    """Return the error that says most: inside the branch that was meant, and deep down."""
    error = max(errors, key=lambda one: len(one.instance_path))
    kind = error.kind
    if isinstance(kind, _Kinds.AnyOf | _Kinds.OneOfNotValid):
        depth = len(error.instance_path)
        meant = [branch for branch in kind.context if branch and not _misfits(branch, depth)]
        if len(meant) == 1:
            return _choose(meant[0])
    return error


def _misfits(errors: Iterable[jsonschema_rs.ValidationError], depth: int) -> bool:
    """Whether a branch is refused for its type or a tag, so that another one was meant."""
    for error in errors:
        below = len(error.instance_path) - depth
        if isinstance(error.kind, _Kinds.Type) and below == 0:
            return True
        if isinstance(error.kind, _Kinds.Constant | _Kinds.Enum) and below <= 1:
            return True
    return False


def _get_keyword(error: jsonschema_rs.ValidationError) -> str:
    if "dependentRequired" in error.evaluation_path[-2:]:
        return "dependentRequired"
    if isinstance(error.kind, _Kinds.FalseSchema):
        names = [step for step in error.evaluation_path if isinstance(step, str)]
        return names[-1] if names else "not"
    return error.kind.name


def _follow(document: FlatDocument, reference: str, path: Iterable[str | int]) -> Members:
    """Return what the sender's schemas say at a place of a value."""
    members = gather(document, frozenset({Part(reference, always=True)}))
    for step in path:
        found = find_item(members, step) if isinstance(step, int) else find_member(members, step)
        if not found and isinstance(step, str):
            found = find_rest(members)
        place: Place = frozenset(found)
        members = gather(document, place)
    return members


def _word(
    error: jsonschema_rs.ValidationError,
    keyword: str,
    members: Members,
    *,
    receiver_is_new: bool,
) -> tuple[str, str]:
    """Return the rule's name, and what is wrong in words."""

    def choose(tightened: str, loosened: str) -> str:
        return tightened if receiver_is_new else loosened

    kind = error.kind
    if isinstance(kind, _Kinds.Required):
        text = f"{{receiver}} requires {quote(kind.property)}, {{sender}} may leave it out"
        return choose(*_RULES[keyword]), text
    if isinstance(kind, _Kinds.AdditionalProperties | _Kinds.UnevaluatedProperties):
        return _word_members(kind.unexpected, members, choose)
    if isinstance(kind, _Kinds.Type):
        return _word_type(kind, error.instance, choose)
    if isinstance(kind, _Kinds.Enum | _Kinds.Constant):
        return _word_values(keyword, members, choose)
    if isinstance(kind, _Kinds.OneOfMultipleValid):
        text = "what {sender} may send fits more than one branch of {receiver}"
        return "branches-overlap", text
    has_own = any(keyword in schema for _, schema in members.schemas)
    return _word_keyword(keyword, choose, has_own=has_own)


def _word_members(unexpected: list[str], members: Members, choose: _Choose) -> tuple[str, str]:
    known = [name for name in unexpected if name in members.names]
    if known:
        text = f"{{sender}} may send {quote(known[0])}, {{receiver}} refuses that member"
        return choose("member-removed", "member-added"), text
    text = "{sender} may send members that are not named, {receiver} refuses them"
    return choose("object-closed", "object-opened"), text


def _word_values(keyword: str, members: Members, choose: _Choose) -> tuple[str, str]:
    mine = {name for _, schema in members.schemas for name in schema}
    if keyword == "const" and "const" in mine:
        return "const-changed", "{sender} and {receiver} have different constants"
    if not mine & {"enum", "const"}:
        text = "{receiver} takes only some values, {sender} may send others"
        return choose("enum-introduced", "enum-dropped"), text
    text = "{sender} may send a value that {receiver} does not list"
    return choose("enum-value-removed", "enum-value-added"), text


def _word_keyword(keyword: str, choose: _Choose, *, has_own: bool) -> tuple[str, str]:
    text = f"{keyword} of {{receiver}} refuses what {{sender}} may send"
    if keyword in _LIMITS:
        if has_own:
            return choose("limit-tightened", "limit-loosened"), text
        return choose("limit-added", "limit-removed"), text
    if keyword in _CHANGED and has_own:
        return f"{keyword}-changed", f"{{receiver}} has another {keyword} than {{sender}}"
    name = hyphenate(keyword)
    return choose(*_RULES.get(keyword, (f"{name}-added", f"{name}-removed"))), text


def _word_type(kind: _Kinds.Type, instance: Any, choose: _Choose) -> tuple[str, str]:
    found = _name_type(instance)
    expected = " or ".join(sorted(kind.types))
    text = f"{{sender}} may send {found}, {{receiver}} takes {expected}"
    if found == "null":
        return choose("null-removed", "null-added"), text
    if found == "number" and "integer" in kind.types:
        return choose("type-narrowed", "type-widened"), text
    return "type-changed", text


def _name_type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "number"
