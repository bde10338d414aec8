"""JSON pointers, and the references within one document that are made of them."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def escape_token(token: object) -> str:
    """Return *token* as a JSON pointer spells it."""
    return str(token).replace("~", "~0").replace("/", "~1")


def join_pointer(tokens: Iterable[object]) -> str:
    """Return the pointer that leads through *tokens*; none of them is the empty pointer."""
    return "".join(f"/{escape_token(token)}" for token in tokens)


def split_reference(reference: str) -> list[str] | None:
    """Return the tokens of a reference such as ``#/$defs/a~1b``; None if it is another kind."""
    if reference == "#":
        return []
    if not reference.startswith("#/"):
        return None
    pointer = urllib.parse.unquote(reference[2:])
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")]
