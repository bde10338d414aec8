"""A plan as one page for a browser, which needs no network and no other file."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from .scene import Scene

_SCRIPTS: Final = ("layout.js", "picture.js", "page.js")
_UNSAFE: Final = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
"""What could end the element that the data stands in; JSON has it in strings only."""


def render_html(scene: Scene, title: str) -> str:
    """Return the page: hosts as lanes, facets as boxes, services as arrows, findings in place.

    The policy in the page lets only its own script and style in, by their digests.

    Args:
        scene: What to draw.
        title: What the page is called.
    """
    style = _read("page.css")
    # Strict mode holds for a whole script: the first file's directive is enough.
    script = "\n".join(map(_read, _SCRIPTS))
    return _read("page.html") % {
        "title": escape(title),
        "style": style,
        "style_hash": _digest(style),
        "script": script,
        "script_hash": _digest(script),
        "scene": msgspec.json.encode(scene).decode().translate(_UNSAFE),
    }


def _read(name: str) -> str:
    return (resources.files("pi_contracts.plugins.pictures") / "page" / name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
