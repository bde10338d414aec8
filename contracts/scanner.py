"""A careful scan of JSON text: the place of every key and value, and every fault.

It costs some microseconds a token, so that it is for texts with a fault, and for
those who ask for a place.
"""

from __future__ import annotations

import bisect
import json
import math
import re
from typing import NamedTuple

from .findings import escape

MAX_DIGITS = 4000
"""How many digits an integer may have."""
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""What may be a lone surrogate."""


class Fault(NamedTuple):
    """One thing that is wrong with a text, and the offset where it is."""

    rule: str
    message: str
    offset: int
    pointer: str
    fix: str | None


class Scan(NamedTuple):
    """The offsets of keys and values by their pointers, and the faults met."""

    keys: dict[str, int]
    values: dict[str, int]
    faults: list[Fault]


def find_lines(text: str) -> list[int]:
    """Return where each line begins."""
    return [0, *(end.end() for end in _LINE_END.finditer(text))]


def scan(text: str, max_depth: int) -> Scan:
    """Read the text token by token, noting each place and each fault."""
    return _Scanner(text, max_depth).scan()


_LINE_END = re.compile("\n")
_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")
      | (?P<mark>[\[\]{},:])
      | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)
      | (?P<word>true|false|null)
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_HINTS = (
    (re.compile(r"//|/\*|#"), "JSON has no comments; use the keyword $comment"),
    (re.compile(r"'"), "JSON strings stand in double quotes"),
    (re.compile(r"NaN|-?Infinity"), "JSON has no such number; use null or leave the member out"),
    (re.compile(r"True|False|None"), "in JSON it is true, false and null"),
    (re.compile(r"\+|\.[0-9]|0[0-9]|-\."), "JSON numbers begin with a digit or a minus sign"),
    (re.compile(r'"'), "the string is not closed on this line, or has a wrong escape"),
)


_OBJECT = -1
"""Stands where an open array has its index."""


class _Scanner:
    """A careful reader of JSON text without recursion; stops at the first broken token."""

    def __init__(self, text: str, max_depth: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.lines = find_lines(text)
        self.result = Scan({}, {}, [])
        self.stack: list[tuple[str, int, set[str]]] = []
        """Of each open array its pointer and next index, of each object its keys."""

    def scan(self) -> Scan:
        position, expected, pointer = 0, "value", ""
        while True:
            match = _TOKEN.match(self.text, position)
            if match is None:
                self._break(position, "value" if expected == "first" else expected)
                return self.result
            kind = str(match.lastgroup)
            lexeme, start, position = match[kind], match.start(kind), match.end()
            step = self._step(expected, pointer, kind, lexeme, start)
            if step is None:
                return self.result
            expected, pointer = step

    def _step(
        self, expected: str, pointer: str, kind: str, lexeme: str, start: int
    ) -> tuple[str, str] | None:
        """Take one token; return what may come next and where, None at the end or a fault."""
        if expected in {"value", "first"}:
            if expected == "first" and lexeme == "]":
                return self._close()
            if kind in {"string", "number", "word"}:
                self.result.values[pointer] = start
                self._check_scalar(pointer, kind, lexeme, start)
                return self._after()
            if lexeme in {"{", "["}:
                return self._open(pointer, lexeme, start)
        elif expected in {"key", "first key"}:
            if expected == "first key" and lexeme == "}":
                return self._close()
            if kind == "string":
                return "colon", self._enter_key(lexeme, start)
        elif expected == "colon" and lexeme == ":":
            return "value", pointer
        elif expected == "more":
            return self._more(lexeme, start)
        elif expected == "end" and kind == "end":
            return None
        self._break(start, expected)
        return None

    def _open(self, pointer: str, lexeme: str, start: int) -> tuple[str, str] | None:
        self.result.values[pointer] = start
        if len(self.stack) == self.max_depth:
            message = f"arrays and objects nest deeper than {self.max_depth} levels"
            fix = "name the inner parts in $defs and refer to them"
            self.result.faults.append(Fault("too-deep", message, start, "", fix))
            return None
        if lexeme == "{":
            self.stack.append((pointer, _OBJECT, set()))
            return "first key", pointer
        self.stack.append((pointer, 0, set()))
        return "first", f"{pointer}/0"

    def _close(self) -> tuple[str, str]:
        self.stack.pop()
        return self._after()

    def _after(self) -> tuple[str, str]:
        return ("more", "") if self.stack else ("end", "")

    def _more(self, lexeme: str, start: int) -> tuple[str, str] | None:
        pointer, index, _ = self.stack[-1]
        if lexeme == ("]" if index != _OBJECT else "}"):
            return self._close()
        if lexeme != ",":
            self._break(start, "more")
            return None
        if index != _OBJECT:
            self.stack[-1] = (pointer, index + 1, set())
            return "value", f"{pointer}/{index + 1}"
        return "key", ""

    def _enter_key(self, lexeme: str, start: int) -> str:
        parent, _, keys = self.stack[-1]
        key: str = json.loads(lexeme)
        pointer = f"{parent}/{key.replace('~', '~0').replace('/', '~1')}"
        self._check_scalar(pointer, "string", lexeme, start)
        if key in keys:
            first = bisect.bisect_right(self.lines, self.result.keys[pointer])
            message = f'the key "{escape(key)}" stands twice in one object, first on line {first}'
            fix = "remove or rename one of the two"
            self.result.faults.append(Fault("duplicate-key", message, start, pointer, fix))
            return pointer
        keys.add(key)
        self.result.keys[pointer] = start
        return pointer

    def _check_scalar(self, pointer: str, kind: str, lexeme: str, start: int) -> None:
        fault: Fault | None = None
        if kind == "string" and SURROGATE.search(lexeme):
            lone = re.search("[\ud800-\udfff]", json.loads(lexeme))
            if lone is not None:
                message = (
                    f"the string holds a lone surrogate, U+{ord(lone[0]):04X}, which is no text"
                )
                fix = "write the whole pair, or the character itself"
                fault = Fault("lone-surrogate", message, start, pointer, fix)
        elif kind == "number":
            whole = not any(mark in lexeme for mark in ".eE")
            if whole and len(lexeme) > MAX_DIGITS:
                message = (
                    f"the number has {len(lexeme)} digits, and no more than {MAX_DIGITS} are read"
                )
                fault = Fault("invalid-json", message, start, pointer, None)
            elif not whole and math.isinf(float(lexeme)):
                message = "the number is too large for a double"
                fault = Fault("invalid-json", message, start, pointer, None)
        if fault is not None:
            self.result.faults.append(fault)

    def _break(self, position: int, expected: str) -> None:
        """Note that the text cannot be read on from *position*."""
        text = self.text
        while position < len(text) and text[position] in " \t\r\n":
            position += 1
        wanted = {
            "value": "a value",
            "first": "a value or ]",
            "key": "a key in double quotes",
            "first key": "a key in double quotes or }",
            "colon": "a colon",
            "more": "a comma or the closing bracket",
            "end": "the end of the text",
        }[expected]
        rest = text[position : position + 40]
        found = f'"{escape(rest[:1])}"' if rest else "the end of the text"
        hint = next((hint for pattern, hint in _HINTS if pattern.match(rest)), None)
        if rest[:1] in {"}", "]"} and text[:position].rstrip(" \t\r\n").endswith(","):
            hint = "remove the comma before it"
        elif expected == "more" and rest[:1] in {'"', "{", "["}:
            hint = "a comma is missing before it"
        elif expected == "more" and text[position - 1] == "0" and rest[:1].isdecimal():
            hint = "JSON numbers have no leading zeros"
        message = f"malformed JSON: expected {wanted}, found {found}"
        self.result.faults.append(Fault("invalid-json", message, position, "", hint))
