"""Breaks statements that are too long for a line, where `ruff format` would break them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .literals import WIDTH, explode, lay_out, measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Argument(NamedTuple):
    """One parameter of a signature, as source text; ``*`` and ``self`` have a name alone."""

    name: str
    annotation: str = ""
    default: str = ""

    def __str__(self) -> str:
        """Spell it on one line."""
        annotation = f": {self.annotation}" if self.annotation else ""
        return f"{self.name}{annotation}{self._spell_default()}"

    def fit(self, indent: int) -> str:
        """Spell it with a comma, on as many lines as it needs."""
        head = f"{self.name}: " if self.annotation else self.name
        return fit_enclosed(head, self.annotation, f"{self._spell_default()},", indent)

    def _spell_default(self) -> str:
        return f" = {self.default}" if self.default else ""


def fit_annotation(head: str, annotation: str, tail: str, indent: int) -> str:
    """Return an annotation between *head* and *tail*; lines after the first are indented."""
    is_union = len(list(_split(annotation, " | "))) > 1
    if not is_union or indent + measure(head + annotation + tail) <= WIDTH:
        return fit_enclosed(head, annotation, tail, indent)
    margin = " " * indent
    return f"{head}(\n{margin}    {fit_enclosed('', annotation, '', indent + 4)}\n{margin}){tail}"


def fit_enclosed(head: str, annotation: str, tail: str, indent: int) -> str:
    """Return an annotation that stands inside brackets, between *head* and *tail*."""
    if indent + measure(head + annotation + tail) <= WIDTH:
        return head + annotation + tail
    margin = " " * indent
    first, *options = _split(annotation, " | ")
    if options:
        lines = [fit_enclosed(head, first, "", indent)]
        lines += [margin + fit_enclosed("| ", option, "", indent) for option in options[:-1]]
        return "\n".join([*lines, margin + fit_enclosed("| ", options[-1], tail, indent)])
    name, bracket, inner = annotation.partition("[")
    if not bracket:
        return head + annotation + tail
    inner = inner.removesuffix("]")
    elements = list(_split(inner, ", "))
    deeper = indent + 4
    if deeper + measure(inner) <= WIDTH or len(elements) == 1:
        lines = [fit_enclosed("", inner, "", deeper)]
    else:
        lines = [fit_enclosed("", element, ",", deeper) for element in elements]
    return "\n".join([f"{head}{name}[", *(" " * deeper + one for one in lines), f"{margin}]{tail}"])


def fit_signature(head: str, arguments: Sequence[Argument], result: str, indent: int) -> str:
    """Return ``head(arguments) -> result:``; lines after the first are indented."""
    line = f"{head}({', '.join(map(str, arguments))}) -> {result}:"
    if indent + measure(line) <= WIDTH:
        return line
    margin = " " * indent
    lines = [f"{head}(", *(f"{margin}    {one.fit(indent + 4)}" for one in arguments)]
    return "\n".join([*lines, margin + fit_annotation(") -> ", result, ":", indent)])


def fit_assignment(target: str, value: str, indent: int) -> str:
    """Return ``target = value``, broken at the value or, where that is not enough, at a key."""
    line = f"{target} = {value}"
    if indent + measure(line) <= WIDTH:
        return line
    margin = " " * indent
    if indent + measure(f"{target} = (") <= WIDTH:
        return f"{target} = (\n{margin}    {value}\n{margin})"
    name, bracket, key = target.partition("[")
    return f"{name}[\n{margin}    {key[:-1]}\n{margin}] = {value}" if bracket else line


def fit_call(
    target: str, annotation: str, callee: str, items: Sequence[str], indent: int, *, tall: bool
) -> str:
    """Return ``target: annotation = callee(items)``; *tall* puts one item on each line."""

    def call(head: str, indent: int) -> str:
        text = lay_out(f"{head}{callee}(", items, ")", indent)
        return explode(f"{head}{callee}(", items, ")", indent) if tall and items else text

    head = f"{target}: {annotation} = "
    margin = " " * indent
    is_whole = not tall and indent + measure(f"{head}{callee}({', '.join(items)})") <= WIDTH
    if is_whole or indent + measure(f"{head}{callee}(") <= WIDTH:
        return call(head, indent)
    if indent + measure(head) + 1 <= WIDTH:
        return f"{head}(\n{margin}    {call('', indent + 4)}\n{margin})"
    head = fit_annotation(f"{target}: ", annotation, f" = {callee}(", indent)
    return call(head.removesuffix(f"{callee}("), indent)


def _split(text: str, separator: str) -> Iterator[str]:
    """Yield the parts of *text* between separators that stand in no brackets or quotes."""
    depth, start, index = 0, 0, 0
    while index < len(text):
        character = text[index]
        if character in "\"'":
            index = _skip_literal(text, index)
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif not depth and text.startswith(separator, index):
            yield text[start:index]
            index += len(separator) - 1
            start = index + 1
        index += 1
    yield text[start:]


def _skip_literal(text: str, start: int) -> int:
    """Return where the literal that begins at *start* ends."""
    index = start + 1
    while text[index] != text[start]:
        index += 2 if text[index] == "\\" else 1
    return index
