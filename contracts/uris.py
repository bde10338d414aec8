"""URIs: references joined to their base (RFC 3986), and the URIs of files."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes

_PARTS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?]*))?([^?]*)(?:\?(.*))?", re.DOTALL)
_FILE = re.compile(r"file:(//(?:localhost)?(?:/[A-Za-z]:(?=/))?)?")


class _Parts(NamedTuple):
    """What a URI reference is made of; None is a part that is not there."""

    scheme: str | None
    authority: str | None
    path: str
    query: str | None

    def spell(self) -> str:
        scheme = "" if self.scheme is None else f"{self.scheme}:"
        authority = "" if self.authority is None else f"//{self.authority}"
        query = "" if self.query is None else f"?{self.query}"
        return f"{scheme}{authority}{self.path}{query}"


@functools.lru_cache(maxsize=4096)
def join(base: str, reference: str) -> str:
    """Return the URI that a reference means from *base* (RFC 3986, section 5.2).

    For every scheme alike, as ``urllib`` does it for those alone that it knows.
    """
    whole, mark, fragment = reference.partition("#")
    return _resolve(base.partition("#")[0], whole) + mark + fragment


def _resolve(base: str, reference: str) -> str:
    if not reference:
        return base
    one, above = _take_apart(reference), _take_apart(base)
    if one.scheme is not None:
        return one._replace(path=_remove_dots(one.path)).spell()
    if one.authority is not None:
        return one._replace(scheme=above.scheme, path=_remove_dots(one.path)).spell()
    if not one.path:
        return above._replace(query=one.query).spell()
    path = one.path
    if not path.startswith("/"):
        is_bare = above.authority is not None and not above.path
        folder = "/" if is_bare else above.path[: above.path.rfind("/") + 1]
        path = folder + path
    return above._replace(path=_remove_dots(path), query=one.query).spell()


def _take_apart(uri: str) -> _Parts:
    match = _PARTS.fullmatch(uri)
    assert match is not None  # noqa: S101 # every text has the form of a reference
    return _Parts(match[1], match[2], match[3], match[4])


def _remove_dots(path: str) -> str:
    """Return a path without its segments ``.`` and ``..`` (section 5.2.4)."""
    if "." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            # what stands before the first slash is no folder
            del kept[max(len(kept) - 1, 1) :]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/".join(kept)


def split(uri: str) -> tuple[str, str]:
    """Return a URI without its fragment, and the fragment with its escapes undone."""
    whole, _, fragment = uri.partition("#")
    return whole, unquote(fragment) if "%" in fragment else fragment


def normalize_file(uri: str) -> str:
    """Return the URI of a file as ``Path.as_uri`` spells it.

    Other URIs are compared letter by letter, as the specification asks, and stay as they are.
    """
    start = _FILE.match(uri)
    if start is None:
        return uri
    path = quote_from_bytes(unquote_to_bytes(uri[start.end() :]))
    return start[0].replace("localhost", "") + path
