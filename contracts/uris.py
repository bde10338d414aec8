"""URIs: references joined to their base (RFC 3986), and the URIs of files."""

from __future__ import annotations

import functools
import re
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes, urljoin

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_FILE = re.compile(r"file:(//(?:localhost)?(?:/[A-Za-z]:(?=/))?)?")


@functools.lru_cache(maxsize=4096)
def join(base: str, reference: str) -> str:
    """Return the URI that a reference means from *base* (RFC 3986, section 5).

    A reference that is none, such as ``//[``, is returned as it is.
    """
    if reference.startswith("#") or not reference:
        return base.partition("#")[0] + reference
    scheme = _SCHEME.match(base)
    try:
        if scheme is None or _SCHEME.match(reference):
            return urljoin(base, reference)
        # urljoin knows the rules, but applies them to schemes that it knows alone
        joined = urljoin("http:" + base[scheme.end() :], reference)
    except ValueError:
        return reference
    return scheme[0] + joined.removeprefix("http:")


def split(uri: str) -> tuple[str, str]:
    """Return a URI without its fragment, and the fragment with its escapes undone."""
    whole, _, fragment = uri.partition("#")
    return whole, unquote(fragment) if "%" in fragment else fragment


def is_reference(text: str) -> bool:
    """Tell whether *text* can be joined to a base at all."""
    try:
        urljoin("http://a/b", text)
    except ValueError:
        return False
    return True


def normalize_file(uri: str) -> str:
    """Return the URI of a file as ``Path.as_uri`` spells it.

    Other URIs are compared letter by letter, as the specification asks, and stay as they are.
    """
    start = _FILE.match(uri)
    if start is None:
        return uri
    path = quote_from_bytes(unquote_to_bytes(uri[start.end() :]))
    return start[0].replace("localhost", "") + path
