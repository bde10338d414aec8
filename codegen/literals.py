"""Source text of values: strings, docstrings, calls and JSON, as `ruff format` writes them.

Whatever a contract says reaches generated source through this module alone, so
that nothing of it can end a literal or a comment.
"""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import repeat
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

WIDTH = 100

# Listed here, since the categories of characters differ between versions of Python: control and
# format characters, line and paragraph separators, surrogates, private use, noncharacters.
_UNSAFE = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\ud800-\uf8ff\ufdd0-\ufdef\ufeff\ufff0-\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bcaf\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_RISKY = re.compile(r'"""|^"|["\\]$')
_OUTER_QUOTE = re.compile(r'^(\s*)"|()"$')
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quote(text: str) -> str:
    """Return *text* as a string literal."""
    mark = "'" if text.count('"') > text.count("'") else '"'
    escaped = text.replace("\\", "\\\\").replace(mark, "\\" + mark)
    return mark + _UNSAFE.sub(_escape, escaped) + mark


def write_comment(text: str) -> str:
    """Return *text* fit for a comment: on one line, nothing in it invisible."""
    return _UNSAFE.sub(_escape, text)


def write_docstring(
    text: str,
    indent: int,
    sections: Mapping[str, Mapping[str, str]] | None = None,
    *,
    fallback: str = "",
) -> str:
    """Return *text* as a docstring that stands *indent* columns from the left.

    The first sentence becomes the summary where it fits on a line, else *fallback*
    does, if there is one. *sections* are titles, such as Args, with names and texts.
    Every later line is indented.
    """
    paragraphs = _split_paragraphs(text if text.strip() else fallback)
    entries = [
        [f"{title}:", *(f"    {name}: {' '.join(about.split())}" for name, about in rows.items())]
        for title, rows in (sections or {}).items()
    ]
    mark, paragraphs, [[other], *entries] = _escape_docstring(
        paragraphs, [[" ".join(fallback.split())], *entries]
    )
    room = WIDTH - indent
    lines = _summarize(paragraphs, room - len(mark), room, other)
    if not (entries or lines[1:]):
        # A docstring of one line ends on it, and of more than one never there.
        lines = _summarize(paragraphs, room - len(mark) - 3, room, other)
    for title, *rows in entries:
        lines += ["", title]
        for row in rows:
            first, *rest = _wrap(row.split(), room - 8)
            lines += [f"    {first}", *(f"        {line}" for line in rest)]
    if len(lines) == 1:
        return f'{mark}{lines[0]}"""'
    margin = " " * indent
    after = "\n".join(f"{margin}{line}".rstrip() for line in [*lines[1:], '"""'])
    return f"{mark}{lines[0]}\n{after}"


def lay_out(head: str, items: Sequence[str], tail: str, indent: int) -> str:
    """Return ``head item, item tail`` on one line, or with one item on each line.

    The first line is not indented, the later ones are.
    """
    line = f"{head}{', '.join(items)}{tail}"
    if not items or indent + measure(line) <= WIDTH:
        return line
    return explode(head, items, tail, indent)


def explode(head: str, items: Iterable[str], tail: str, indent: int) -> str:
    """Return ``head item, item tail`` with one item on each line."""
    margin = " " * indent
    return "\n".join([head, *(f"{margin}    {item}," for item in items), f"{margin}{tail}"])


def measure(text: str) -> int:
    """Return how many columns *text* takes."""
    if text.isascii():
        return len(text)
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text)


def write_json(value: Mapping[str, object]) -> str:
    r"""Return a raw string literal that holds *value* as JSON, laid out for people.

    An object in ASCII never has three quotes in a row and ends in a brace, so that it
    cannot end the literal. What fits on no line is written as one word,
    with ``\u0020`` for each space.
    """
    layout = _JsonLayout()
    lines = layout.break_up(value, 0, "", "") if value else ["{}"]
    return 'r"""' + "\n".join(lines) + '"""'


class _JsonLayout:
    """A layout of JSON: what fits on a line stands on one, anything else is broken up."""

    def __init__(self) -> None:
        self._compact: dict[int, str | None] = {}

    def lay_out(
        self, value: object, indent: int = 0, head: str = "", tail: str = ""
    ) -> Iterator[str]:
        margin, scalar = " " * indent, value
        compact = self._get_compact(value)
        if compact is not None and indent + len(head) + len(compact) + len(tail) <= WIDTH:
            yield f"{margin}{head}{compact}{tail}"
            return
        if isinstance(value, dict | list) and value:
            container = cast("dict[str, object] | list[object]", value)
            yield from self.break_up(container, indent, _join_words(head, indent), tail)
        else:
            text = _dump(scalar)
            yield margin + (head.rstrip() + text).replace(" ", "\\u0020") + tail

    def break_up(
        self, value: Mapping[str, object] | list[object], indent: int, head: str, tail: str
    ) -> Iterator[str]:
        margin = " " * indent
        opening, closing = "[]" if isinstance(value, list) else "{}"
        yield f"{margin}{head}{opening}"
        last = len(value) - 1
        for index, (name, item) in enumerate(
            zip(_get_heads(value), _get_items(value), strict=True)
        ):
            yield from self.lay_out(item, indent + 1, name, "," if index < last else "")
        yield f"{margin}{closing}{tail}"

    def _get_compact(self, value: object) -> str | None:
        """Return the text of *value* on one line, or None if no line holds it."""
        if not isinstance(value, dict | list):
            text = _dump(value)
            return text if len(text) <= WIDTH else None
        found = self._compact.get(id(cast("object", value)), "")
        if found == "":
            found = self._make_compact(cast("dict[str, object] | list[object]", value))
            self._compact[id(cast("object", value))] = found
        return found

    def _make_compact(self, value: Mapping[str, object] | list[object]) -> str | None:
        parts: list[str] = []
        room = WIDTH
        for head, item in zip(_get_heads(value), _get_items(value), strict=True):
            text = self._get_compact(item)
            if text is None:
                return None
            room -= len(head) + len(text) + 2
            if room < -2:  # noqa: PLR2004  # the last comma and space are not written
                return None
            parts.append(head + text)
        text = ", ".join(parts)
        return f"[{text}]" if isinstance(value, list) else f"{{{text}}}"


def _get_heads(value: Mapping[str, object] | list[object]) -> Iterable[str]:
    if isinstance(value, list):
        return repeat("", len(value))
    return (f"{_dump(key)}: " for key in value)


def _get_items(value: Mapping[str, object] | list[object]) -> Iterable[object]:
    return value if isinstance(value, list) else value.values()


def _dump(value: object) -> str:
    text = encode_basestring_ascii(value) if isinstance(value, str) else json.dumps(value)
    # JSON leaves one control character as it is.
    return text.replace("\x7f", "\\u007f") if "\x7f" in text else text


def _join_words(head: str, indent: int) -> str:
    if indent + len(head) < WIDTH:
        return head
    return head.rstrip().replace(" ", "\\u0020")


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{ord(character):02x}" if character <= "\xff" else _escape_long(match)


def _escape_long(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if match[0] <= "\uffff" else f"\\U{code:08x}"


def _escape_docstring(
    paragraphs: list[list[str]], sections: list[list[str]]
) -> tuple[str, list[list[str]], list[list[str]]]:
    """Return the opening quotes, and the lines as they stand between the quotes."""
    lines = [line.strip() for block in [*paragraphs, *sections] for line in block]
    # Any line may turn out to be the first or the last one.
    if not any(_UNSAFE.search(line) or _RISKY.search(line) for line in lines):
        is_raw = any("\\" in line for line in lines)
        return ('r"""' if is_raw else '"""'), paragraphs, sections

    def escape(line: str) -> str:
        line = line.replace("\\", "\\u005c").replace('"""', "\\u0022" * 3)
        return _UNSAFE.sub(_escape_long, _OUTER_QUOTE.sub(r"\1\\u0022", line))

    def escape_all(blocks: list[list[str]]) -> list[list[str]]:
        return [[escape(line) for line in lines] for lines in blocks]

    return '"""', escape_all(paragraphs), escape_all(sections)


def _split_paragraphs(text: str) -> list[list[str]]:
    """Return the paragraphs of a text, each as lines; indentation stays."""
    paragraphs: list[list[str]] = [[]]
    for raw in _LINE_END.split(text):
        line = raw.expandtabs(4).rstrip()
        if line:
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    if not paragraphs[-1] and len(paragraphs) > 1:
        paragraphs.pop()
    return paragraphs


def _summarize(
    paragraphs: Sequence[Sequence[str]], first_room: int, room: int, fallback: str
) -> list[str]:
    """Return the lines of a docstring: a summary if there is one that fits, then the rest."""
    first = " ".join(" ".join(paragraphs[0]).split())
    summary, rest = _end(first), list(paragraphs[1:])
    if measure(summary) > first_room:
        sentence, *more = _SENTENCE_END.split(first, maxsplit=1)
        if more and measure(sentence) <= first_room:
            summary, rest = sentence, [more, *rest]
        elif fallback:
            summary, rest = fallback, [[first], *rest]
    lines = list(_wrap(summary.split(), first_room)) or [""]
    margin = min((_get_indent(line) for paragraph in rest for line in paragraph), default=0)
    for paragraph in rest:
        lines += ["", *(part for line in paragraph for part in _rewrap(line[margin:], room))]
    return lines


def _end(sentence: str) -> str:
    """Return a sentence with a full stop at its end, if nothing ends it yet."""
    is_open = sentence[-1:].isalnum() or sentence.endswith(tuple("\"'`)]"))
    return f"{sentence}." if is_open else sentence


def _rewrap(line: str, room: int) -> list[str]:
    if measure(line) <= room:
        return [line]
    margin = " " * min(_get_indent(line), 40)
    return [margin + part for part in _wrap(line.split(), room - len(margin))]


def _get_indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _wrap(words: Sequence[str], room: int) -> Iterator[str]:
    """Yield lines of words that take at most *room* columns.

    A word is never broken, so one that takes more has a line of its own.
    """
    line: list[str] = []
    used = 0
    for word in words:
        width = measure(word)
        if line and used + 1 + width > room:
            yield " ".join(line)
            line, used = [], 0
        used += width + bool(line)
        line.append(word)
    if line:
        yield " ".join(line)
