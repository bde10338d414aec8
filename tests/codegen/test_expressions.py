from __future__ import annotations

import random
import subprocess
import sys

import pytest
from pi_contracts.codegen.expressions import (
    Alternatives,
    Expression,
    Subscript,
    write_flat,
    write_line,
)


def make_expression(source: random.Random, depth: int) -> Expression:
    """Return an expression with names of every length."""

    def make_name() -> str:
        return source.choice("ABCDEFGHIJ") * source.choice([1, 3, 8, 12, 20, 30])

    choice = source.random() if depth else 0
    if choice < 0.35:
        names = [make_name(), f"_common.{make_name()}", "A" * source.randint(80, 105)]
        return source.choice(["str", "int", *names, f'"{"a" * source.randint(60, 105)}"'])
    if choice < 0.5:
        count = source.choice([1, 1, 2, 3, 5])
        return Subscript("t.Literal", tuple(f'"{make_name()}"' for _ in range(count)))
    if choice < 0.6:
        return Subscript("list", (make_expression(source, depth - 1),))
    if choice < 0.7:
        return Subscript("dict", ("str", make_expression(source, depth - 1)))
    options = [make_expression(source, depth - 1) for _ in range(source.choice([2, 2, 3, 4]))]
    flat = tuple(one for one in options if not isinstance(one, Alternatives))
    return Alternatives(flat) if len(flat) > 1 else "X"


def make_lines(source: random.Random) -> str:
    lines = ["class A:"]
    for _ in range(300):
        expression = make_expression(source, 3)
        name = "    " + "n" * source.choice([1, 5, 20])
        field = 'pydantic.Field(alias="xyz")'
        lines.append(
            source.choice(
                [
                    write_line(f"{name}: ", expression, "", 4),
                    write_line(f"{name}: ", Subscript("rt.ReadOnly", (expression,)), "", 4),
                    write_line(f"{name}: ", expression, " = None", 4),
                    write_line(
                        f"{name}: ", Subscript("t.Annotated", (expression, field)), " = None", 4
                    ),
                    write_line(f"{name}: t.TypeAlias = ", expression, "", 4),
                ]
            )
        )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(5))
def test_lines_are_what_the_formatter_would_write(seed: int) -> None:
    text = make_lines(random.Random(seed))
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=100", "-"]
    formatted = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert formatted.stdout == text


def test_a_name_that_no_line_holds_stays_in_one_piece() -> None:
    name = "A" * 120
    assert write_line("    x: ", name, " = None", 4) == f"    x: {name} = None"


def test_an_expression_on_one_line_reads_as_it_is_written() -> None:
    expression = Alternatives((Subscript("dict", ("str", "int")), "None"))
    assert write_flat(expression) == "dict[str, int] | None"
