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

from .findings import Finding, Severity, Subject
from .scanner import MAX_DIGITS, SURROGATE, Fault, Scan, find_lines, scan

MAX_BYTES = 8 * 1024 * 1024
"""The largest text that is read, in bytes."""
MAX_DEPTH = 512
"""How deep arrays and objects may nest."""
_LONGEST_MESSAGE = 2000


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
        self._places: Scan | None = None
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
            self._places = scan(self.text, MAX_DEPTH)
        offsets = self._places.keys if of_key else self._places.values
        while pointer and pointer not in offsets:
            pointer = pointer.rpartition("/")[0]
        return self.locate(offsets.get(pointer, self._places.values.get("", 0)))

    def locate(self, offset: int) -> Place:
        """Return the place of the character at *offset*."""
        if self._lines is None:
            self._lines = find_lines(self.text)
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
        """Return a finding at *pointer* of this source; a message without end is cut."""
        place = self.find_place(pointer, of_key=of_key)
        return Finding(
            rule,
            severity,
            message[:_LONGEST_MESSAGE],
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
        if SURROGATE.search(text):
            json.dumps(source.value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        is_pointer = text.startswith(_POINTER)
        faults = [_LARGE_FILE] if is_pointer else scan(text, max_depth).faults or [_SHALLOW]
        source.findings = tuple(_fault(source, fault) for fault in faults)
        source.value = None
    return source


def refuse_size(size: int, path: str) -> Source:
    """Return the source of a text of more than `MAX_BYTES`, which nobody has to read."""
    source = Source("", path)
    message = f"the file has {size} bytes, and no more than {MAX_BYTES} are read"
    fix = "split it into several files that refer to each other"
    source.findings = (_fault(source, Fault("too-large", message, 0, "", fix)),)
    return source


def _refuse_encoding(problem: UnicodeDecodeError, path: str) -> Source:
    source = Source(problem.object.decode("utf-8", "replace"), path)
    offset = len(problem.object[: problem.start].decode("utf-8", "replace"))
    byte = problem.object[problem.start]
    message = f"the file is not UTF-8: byte 0x{byte:02x} cannot stand here"
    fault = Fault("invalid-json", message, offset, "", "save the file as UTF-8")
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


_POINTER = "version https://git-lfs.github.com/spec/"
_LARGE_FILE = Fault(
    "invalid-json",
    "this is the pointer that Git LFS keeps in place of the file",
    0,
    "",
    "git lfs pull brings the file; of a revision, check it out and name that folder",
)
_SHALLOW = Fault(
    "too-deep",
    "arrays and objects nest deeper than the stack of the calling program allows",
    0,
    "",
    "call from a shallower stack, or raise sys.setrecursionlimit",
)
"""All is well with the text, yet the C scanner gave up."""


def make_printable(text: str) -> str:
    """Return a text that can be encoded: lone surrogates are escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _fault(source: Source, fault: Fault) -> Finding:
    place = source.locate(fault.offset)
    pointer = make_printable(fault.pointer)
    return Finding(
        fault.rule,
        Severity.ERROR,
        fault.message[:_LONGEST_MESSAGE],
        path=source.path,
        line=place.line,
        column=place.column,
        pointer=pointer,
        subject=Subject(document=source.path, detail=f"{pointer} {fault.message}"),
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
    if len(digits) > MAX_DIGITS:
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
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|([\[\]{}])', re.DOTALL)
