r"""Patterns of ECMA-262: what the validator reads otherwise is said in words that it shares.

A pattern that it reads as the standard does stays as it is. What it does not compile
(``[^]``, ``\0``, pairs of surrogates), or reads by Unicode (``\b``; ``\d``, ``\w``, ``\s``
and the dot beside assertions and references to groups), is written anew, as a pattern
of ECMA-262 with the same meaning. See docs/design/patterns.md.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TOKEN = re.compile(
    r"""
    (?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})
    | (?P<braced>\\[pPu]\{[^}]*\})
    | (?P<hex>\\(?:u[0-9a-fA-F]{4} | x[0-9a-fA-F]{2}))
    | (?P<control>\\c[a-zA-Z])
    | (?P<named>\\k<[^>]*>)
    | (?P<number>\\[1-9][0-9]*)
    | (?P<escape>\\.)
    | (?P<look>\(\?<?[=!])
    | (?P<group>\((?!\?) | \(\?<[^>]*>)
    | (?P<plain>\(\?[a-z-]*:)
    | (?P<count>\{[0-9]+(?:,[0-9]*)?\})
    | (?P<open>\[\^?)
    | (?P<dot>\.)
    | (?P<char>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"[^\\\[\](){}]*")
_SPACES = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NO_SPACES = (
    r"\x00-\x08\x0e-\x1f\x21-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e"
    r"\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}"
)
_SETS = {
    r"\d": "0-9",
    r"\D": r"\x00-\x2f\x3a-\u{10ffff}",
    r"\w": "0-9A-Za-z_",
    r"\W": r"\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\u{10ffff}",
    r"\s": _SPACES,
    r"\S": _NO_SPACES,
}
_WORD = "[0-9A-Za-z_]"
_ESCAPES = {
    r"\0": r"\x00",
    r"\b": f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    r"\B": f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
    **{name: f"[{members}]" for name, members in _SETS.items()},
}
_CLASS_ESCAPES = {r"\0": r"\x00", r"\b": r"\x08", **_SETS}
_CLASS_CHARACTERS = {"&": r"\x26", "~": r"\x7e", "[": r"\[", "^": r"\^"}
"""What some engines take for operators inside of a class."""
_ASTRAL = 0x10000


@functools.lru_cache(maxsize=1024)
def rewrite_pattern(pattern: str) -> str:
    """Return a pattern that the validator reads as ECMA-262 reads *pattern*.

    Text that is no pattern comes back as some other text that is none.
    """
    if _PLAIN.fullmatch(pattern):
        return pattern
    rewriting = _Rewriting(pattern)
    text = "".join(rewriting.rewrite())
    return text if rewriting.is_needed else escape_lone_brackets(pattern)


def rewrite_patterns(schema: dict[str, Any]) -> None:
    """Rewrite the patterns of one schema in its place, not those of schemas below it."""
    if isinstance(schema.get("pattern"), str):
        schema["pattern"] = rewrite_pattern(schema["pattern"])
    properties: Mapping[str, Any] | None = schema.get("patternProperties")
    if isinstance(properties, dict):
        rewritten: dict[str, Any] = {}
        for name, value in properties.items():
            text = rewrite_pattern(name)
            while text in rewritten:  # two spellings of one pattern
                text = f"(?:{text})"
            rewritten[text] = value
        schema["patternProperties"] = rewritten


def escape_lone_brackets(pattern: str) -> str:
    """Return *pattern* with a backslash before each ``]`` and ``}`` that closes nothing.

    Engines read them as characters; only the letter of the standard refuses them. Not so
    in ``[[:alpha:]]``, which means something else to each of them and stays as it is.
    """
    parts: list[str] = []
    before = ""
    for kind, text in _Rewriting(pattern).split():
        is_lone = kind == "char" and text in "]}" and not (text == "]" and "[" in before[1:])
        parts.append(f"\\{text}" if is_lone else text)
        before = text if kind == "class" else ""
    return "".join(parts)


class _Rewriting:
    """One pattern that is being read."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.is_needed = False
        """Whether the validator reads the pattern otherwise than it is meant."""

    def split(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each token; a class is one token."""
        position = 0
        while match := _TOKEN.match(self._pattern, position):
            kind, text = match.lastgroup or "", match.group()
            position = match.end()
            if kind == "open":
                position = _find_end_of_class(self._pattern, position)
                kind, text = "class", self._pattern[match.start() : position]
            yield kind, text

    def rewrite(self) -> Iterator[str]:
        """Yield the text of each token as it is to be."""
        names = [text for kind, text in self.split() if kind == "group"]
        open_groups: list[int] = []
        groups = 0
        for kind, text in self.split():
            if kind in {"group", "look", "plain"}:
                groups += kind == "group"
                open_groups.append(groups if kind == "group" else 0)
                self.is_needed |= kind == "look"
                yield text
            elif kind in {"named", "number"}:
                self.is_needed = True
                group = _find_group(text, names)
                is_over = group is None or (group <= groups and group not in open_groups)
                yield f"(?:\\{group})" if is_over else "(?:)"
            elif kind == "class":
                yield self._rewrite_class(text)
            elif kind == "dot":
                yield r"[^\n\r\u2028\u2029]"
            elif kind == "pair":
                yield self._join_pair(text)
            elif kind == "control":
                yield _spell_control(text)
            elif kind == "escape":
                self.is_needed |= text in {r"\0", r"\b", r"\B"}
                yield _ESCAPES.get(text, text)
            else:
                if text == ")":
                    open_groups[-1:] = []
                yield f"\\{text}" if kind == "char" and text in "]}" else text

    def _rewrite_class(self, text: str) -> str:
        if text in {"[]", "[^]"}:
            self.is_needed = True
            return r"[^\x00-\u{10ffff}]" if text == "[]" else r"[\x00-\u{10ffff}]"
        head = "[^" if text.startswith("[^") else "["
        inner = text[len(head) : -1]
        parts: list[str] = []
        for match in _TOKEN.finditer(inner):
            kind, token = match.lastgroup, match.group()
            if kind == "pair":
                parts.append(self._join_pair(token))
            elif kind == "control":
                parts.append(_spell_control(token))
            elif kind == "escape":
                self.is_needed |= token in {r"\0", r"\b"}
                parts.append(_CLASS_ESCAPES.get(token, token))
            elif kind in {"braced", "hex"}:
                parts.append(token)
            else:
                parts.extend(_CLASS_CHARACTERS.get(character, character) for character in token)
        return f"{head}{''.join(parts)}]"

    def _join_pair(self, text: str) -> str:
        self.is_needed = True
        high, low = int(text[2:6], 16), int(text[8:], 16)
        return f"\\u{{{_ASTRAL + ((high & 0x3FF) << 10) + (low & 0x3FF):x}}}"


def _spell_control(text: str) -> str:
    return f"\\x{ord(text[2]) % 32:02x}"


def _find_end_of_class(pattern: str, position: int) -> int:
    """Return where the class that *position* lies in ends, just after its bracket."""
    while position < len(pattern) and pattern[position] != "]":
        position += 2 if pattern[position] == "\\" else 1
    return min(position + 1, len(pattern))


def _find_group(text: str, names: list[str]) -> int | None:
    """Return the number of the group that a reference means; None if there is no such group."""
    if text.startswith(r"\k"):
        name = f"(?{text[2:]}"
        return names.index(name) + 1 if name in names else None
    return int(text[1:]) if int(text[1:]) <= len(names) else None
