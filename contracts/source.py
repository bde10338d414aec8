"""JSON text as a source: its value, the place of every part, and every fault.

Text is strict JSON: no duplicate keys, no lone surrogates, no NaN. Places are
found only when somebody asks; a healthy file is read by the C scanner alone.
"""

from __future__ import annotations

import bisect
import json
import math
import re
from typing import NamedTuple

from .findings import Finding, Severity, Subject, escape

MAX_BYTES = 8 * 1024 * 1024
"""The largest text that is read, in bytes."""
MAX_DEPTH = 512
"""How deep arrays and objects may nest."""
_MAX_DIGITS = 4000


class Place(NamedTuple):
    """A place in a text; lines and columns count from 1, in code points."""

    line: int
    column: int


class Source:
    """One JSON text: its value if it has one, and what is wrong with it."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.value: object = None
        self.findings: tuple[Finding, ...] = ()
        self._places: _Scan | None = None
        self._lines: list[int] | None = None
        """Where each line begins."""

    @property
    def is_readable(self) -> bool:
        """Whether the text has a value: nothing is wrong with it as JSON."""
        return not self.findings

    def find_place(self, pointer: str, *, of_key: bool = False) -> Place:
        """Return where the value at *pointer* begins, or its key.

        Of a pointer that leads nowhere, the place of its deepest part that does.
        """
        if self._places is None:
            self._places = _scan(self.text)
        offsets = self._places.keys if of_key else self._places.values
        while pointer and pointer not in offsets:
            pointer = pointer.rpartition("/")[0]
        return self.locate(offsets.get(pointer, self._places.values.get("", 0)))

    def locate(self, offset: int) -> Place:
        """Return the place of the character at *offset*."""
        if self._lines is None:
            self._lines = _find_lines(self.text)
        line = bisect.bisect_right(self._lines, offset)
        return Place(line, offset - self._lines[line - 1] + 1)

    def find(
        self,
        rule: str,
        message: str,
        pointer: str,
        *,
        severity: Severity = Severity.ERROR,
        subject: Subject | None = None,
        fix: str | None = None,
        of_key: bool = False,
    ) -> Finding:
        """Return a finding at *pointer* of this source."""
        place = self.find_place(pointer, of_key=of_key)
        return Finding(
            rule,
            severity,
            message,
            path=self.path,
            line=place.line,
            column=place.column,
            pointer=pointer,
            subject=subject or Subject(document=self.path),
            fix=fix,
        )


def parse_source(text: str | bytes, path: str, *, max_depth: int = MAX_DEPTH) -> Source:
    """Read one JSON text; *path* is how findings name it.

    Args:
        text: UTF-8, with or without a byte order mark, or text.
        path: The name of the text in findings.
        max_depth: How deep arrays and objects may nest, `MAX_DEPTH` at most.
    """
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        return refuse_size(size, path)
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            return _refuse_encoding(problem, path)
    else:
        text = text.removeprefix("\ufeff")
    source = Source(text, path)
    try:
        if is_too_deep(text, max_depth):
            raise _Suspect
        source.value = _DECODER.decode(text)
        if _SURROGATE.search(text):
            json.dumps(source.value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        faults = _scan(text, max_depth).faults or [_SHALLOW]
        source.findings = tuple(_fault(source, fault) for fault in faults)
        source.value = None
    return source


def refuse_size(size: int, path: str) -> Source:
    """Return the source of a text of more than `MAX_BYTES`, which nobody has to read."""
    source = Source("", path)
    message = f"the file has {size} bytes, and no more than {MAX_BYTES} are read"
    fix = "split it into several files that refer to each other"
    source.findings = (_fault(source, _Fault("too-large", message, 0, "", fix)),)
    return source


def _refuse_encoding(problem: UnicodeDecodeError, path: str) -> Source:
    source = Source(problem.object.decode("utf-8", "replace"), path)
    offset = len(problem.object[: problem.start].decode("utf-8", "replace"))
    byte = problem.object[problem.start]
    message = f"the file is not UTF-8: byte 0x{byte:02x} cannot stand here"
    fault = _Fault("invalid-json", message, offset, "", "save the file as UTF-8")
    source.findings = (_fault(source, fault),)
    return source


def is_too_deep(text: str, max_depth: int = MAX_DEPTH) -> bool:
    """Tell whether arrays and objects nest deeper than *max_depth*; strings do not count."""
    if text.count("[") + text.count("{") <= max_depth:
        return False
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        if (character := bracket[1]) is None:
            continue
        depth += 1 if character in "[{" else -1
        if depth > max_depth:
            return True
    return False


class _Suspect(ValueError):  # noqa: N818 # never leaves this module
    """The quick pass saw something that only the careful scan can judge."""


class _Fault(NamedTuple):
    rule: str
    message: str
    offset: int
    pointer: str
    fix: str | None


_SHALLOW = _Fault(
    "too-deep",
    "arrays and objects nest deeper than the stack of the calling program allows",
    0,
    "",
    "call from a shallower stack, or raise sys.setrecursionlimit",
)
"""All is well with the text, yet the C scanner gave up."""


class _Scan(NamedTuple):
    keys: dict[str, int]
    values: dict[str, int]
    faults: list[_Fault]


def _fault(source: Source, fault: _Fault) -> Finding:
    place = source.locate(fault.offset)
    return Finding(
        fault.rule,
        Severity.ERROR,
        fault.message,
        path=source.path,
        line=place.line,
        column=place.column,
        pointer=fault.pointer,
        subject=Subject(document=source.path, detail=f"{fault.pointer} {fault.message}"),
        fix=fault.fix,
    )


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Suspect
    return value


def _refuse(_: str) -> object:
    raise _Suspect


def _parse_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _Suspect
    return int(digits)


def _parse_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _Suspect
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_refuse_duplicates,
    parse_constant=_refuse,
    parse_int=_parse_int,
    parse_float=_parse_float,
)
_LINE_END = re.compile("\n")
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|([\[\]{}])', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
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


def _find_lines(text: str) -> list[int]:
    """Return where each line begins."""
    return [0, *(end.end() for end in _LINE_END.finditer(text))]


def _scan(text: str, max_depth: int = MAX_DEPTH) -> _Scan:
    """Read the text token by token, noting each place and each fault."""
    return _Scanner(text, max_depth).scan()


class _Scanner:
    """A careful reader of JSON text without recursion; stops at the first broken token."""

    def __init__(self, text: str, max_depth: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.lines = _find_lines(text)
        self.result = _Scan({}, {}, [])
        self.stack: list[tuple[str, int | set[str]]] = []
        """Of each open array its pointer and next index, of each object its keys."""

    def scan(self) -> _Scan:
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
            self.result.faults.append(_Fault("too-deep", message, start, "", fix))
            return None
        if lexeme == "{":
            self.stack.append((pointer, set()))
            return "first key", pointer
        self.stack.append((pointer, 0))
        return "first", f"{pointer}/0"

    def _close(self) -> tuple[str, str]:
        self.stack.pop()
        return self._after()

    def _after(self) -> tuple[str, str]:
        return ("more", "") if self.stack else ("end", "")

    def _more(self, lexeme: str, start: int) -> tuple[str, str] | None:
        pointer, state = self.stack[-1]
        if lexeme == ("]" if isinstance(state, int) else "}"):
            return self._close()
        if lexeme != ",":
            self._break(start, "more")
            return None
        if isinstance(state, int):
            self.stack[-1] = (pointer, state + 1)
            return "value", f"{pointer}/{state + 1}"
        return "key", ""

    def _enter_key(self, lexeme: str, start: int) -> str:
        parent, keys = self.stack[-1]
        key: str = json.loads(lexeme)
        pointer = f"{parent}/{key.replace('~', '~0').replace('/', '~1')}"
        self._check_scalar(pointer, "string", lexeme, start)
        if isinstance(keys, set):
            if key in keys:
                first = bisect.bisect_right(self.lines, self.result.keys[pointer])
                message = (
                    f'the key "{escape(key)}" stands twice in one object, first on line {first}'
                )
                fix = "remove or rename one of the two"
                self.result.faults.append(_Fault("duplicate-key", message, start, pointer, fix))
                return pointer
            keys.add(key)
        self.result.keys[pointer] = start
        return pointer

    def _check_scalar(self, pointer: str, kind: str, lexeme: str, start: int) -> None:
        fault: _Fault | None = None
        if kind == "string" and _SURROGATE.search(lexeme):
            lone = re.search("[\ud800-\udfff]", json.loads(lexeme))
            if lone is not None:
                message = (
                    f"the string holds a lone surrogate, U+{ord(lone[0]):04X}, which is no text"
                )
                fix = "write the whole pair, or the character itself"
                fault = _Fault("lone-surrogate", message, start, pointer, fix)
        elif kind == "number":
            whole = not any(mark in lexeme for mark in ".eE")
            if whole and len(lexeme) > _MAX_DIGITS:
                message = (
                    f"the number has {len(lexeme)} digits, and no more than {_MAX_DIGITS} are read"
                )
                fault = _Fault("invalid-json", message, start, pointer, None)
            elif not whole and math.isinf(float(lexeme)):
                message = "the number is too large for a double"
                fault = _Fault("invalid-json", message, start, pointer, None)
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
        if rest[:1] in {"}", "]"} and expected in {"value", "key"}:
            hint = "remove the comma before it"
        elif expected == "more" and rest[:1] in {'"', "{", "["}:
            hint = "a comma is missing before it"
        message = f"malformed JSON: expected {wanted}, found {found}"
        self.result.faults.append(_Fault("invalid-json", message, position, "", hint))
