"""A second opinion: what the canonical forms of two small schemas say.

Asked only of what was neither proved nor refuted, since it knows some laws that
the prover does not, and gives up on large documents.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import jsonschema_rs
from jsonschema_rs.canonical import CanonicalizationError, Containment

if TYPE_CHECKING:
    from .flat import FlatDocument

_LARGEST: Final = 2_000
"""How many characters of JSON a document may have."""


def covers(receiver: tuple[FlatDocument, str], sender: tuple[FlatDocument, str]) -> bool:
    """Whether canonical forms prove that *receiver* accepts all that *sender* accepts."""
    wanted, given = _canonicalize(*receiver), _canonicalize(*sender)
    if wanted is None or given is None:
        return False
    try:
        return wanted.covers(given) is Containment.YES
    except CanonicalizationError:
        return False


def _canonicalize(document: FlatDocument, reference: str) -> jsonschema_rs.CanonicalSchema | None:
    """Return the canonical form of a schema, None if it is too large or has none."""
    value = document.value
    root: Any = value if reference == "#" or isinstance(value, bool) else _refer(value, reference)
    if len(json.dumps(root)) > _LARGEST:
        return None
    try:
        return jsonschema_rs.canonicalize(
            root,
            draft=jsonschema_rs.Draft202012,
            validate_formats=document.asserts_format,
            offline=True,
        )
    except (CanonicalizationError, jsonschema_rs.ValidationError, ValueError):
        return None


def _refer(value: dict[str, Any], reference: str) -> dict[str, Any]:
    return {"$ref": reference, **{name: value[name] for name in ("$defs",) if name in value}}
