"""Annotations as expressions, laid out as `ruff format` does."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from .literals import WIDTH, measure


class Subscript(msgspec.Struct, frozen=True):
    """``head[argument, argument]``."""

    head: str
    arguments: tuple[Expression, ...]


class Alternatives(msgspec.Struct, frozen=True):
    """``option | option``."""

    options: tuple[Expression, ...]


Expression: TypeAlias = str | Subscript | Alternatives
"""A name or a literal is its own text."""


def write_flat(expression: Expression) -> str:
    """Return an expression on one line."""
    if isinstance(expression, str):
        return expression
    if isinstance(expression, Subscript):
        return f"{expression.head}[{', '.join(map(write_flat, expression.arguments))}]"
    return " | ".join(map(write_flat, expression.options))


def write_line(head: str, expression: Expression, tail: str, indent: int) -> str:
    """Return ``head expression tail``, broken into lines where it is too long for one.

    Args:
        head: What stands before it, with the margin.
        expression: An annotation, or the value of an alias.
        tail: What stands after it: nothing, a comma or ``= None``.
        indent: The margin of what this is a part of.
    """
    flat = f"{head}{write_flat(expression)}"
    if measure(flat + tail) <= WIDTH:
        return flat + tail
    margin = " " * indent
    before, equals, value = tail.partition(" = ")
    if equals and measure(f"{flat}{before} = (") <= WIDTH:
        return f"{flat}{before} = (\n{margin}    {value}\n{margin})"
    if isinstance(expression, Subscript):
        return _break(head, expression, tail, indent)
    if isinstance(expression, str) and (tail or indent + 4 + measure(expression) > WIDTH):
        return flat + tail
    body = _write_inner(expression, indent + 4)
    return f"{head}(\n{body}\n{margin}){tail}"


def _break(head: str, expression: Subscript, tail: str, indent: int) -> str:
    inner = " " * (indent + 4)
    together = inner + ", ".join(map(write_flat, expression.arguments))
    if len(expression.arguments) == 1:
        lines = [_write_inner(expression.arguments[0], indent + 4)]
    elif measure(together) <= WIDTH:
        lines = [together]
    else:
        lines = [_write_inner(one, indent + 4, ",") for one in expression.arguments]
    return "\n".join([f"{head}{expression.head}[", *lines, f"{' ' * indent}]{tail}"])


def _write_inner(expression: Expression, indent: int, tail: str = "") -> str:
    """Return an expression that has lines of its own, between brackets."""
    margin = " " * indent
    flat = f"{margin}{write_flat(expression)}{tail}"
    if isinstance(expression, str) or measure(flat) <= WIDTH:
        return flat
    if isinstance(expression, Subscript):
        return _break(margin, expression, tail, indent)
    lines: list[str] = []
    last = len(expression.options) - 1
    for index, option in enumerate(expression.options):
        head = margin if index == 0 else f"{margin}| "
        end = tail if index == last else ""
        line = f"{head}{write_flat(option)}{end}"
        if isinstance(option, Subscript) and measure(line) > WIDTH:
            line = _break(head, option, end, indent)
        lines.append(line)
    return "\n".join(lines)
