"""Headings list names and imports in the order that ruff wants."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pi_contracts.codegen.headings import sort_exports, sort_imports

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = st.from_regex(r"[A-Za-z_É漢][A-Z0-9a-z_é]{0,5}", fullmatch=True)


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(NAMES, min_size=20, max_size=40, unique=True))
def test_exports_are_in_the_order_of_ruff(names: list[str]) -> None:
    source = "__all__ = (\n" + "".join(f"    {one!r},\n" for one in sort_exports(names)) + ")\n"
    ruff = str(Path(sys.executable).with_name("ruff"))
    done = subprocess.run(
        [ruff, "check", "--isolated", "--select=RUF022", "--stdin-filename=x.py", "-"],
        input=source,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == "All checks passed!\n"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["b", "B", "BC", "a10", "a9"], ["BC", "B", "a9", "a10", "b"]),
        (["X_9", "X_10", "X_010", "X_01", "X"], ["X_01", "X_010", "X_9", "X_10", "X"]),
        (["a", "a"], ["a"]),
    ],
)
def test_constants_come_first_and_numbers_count(names: list[str], expected: list[str]) -> None:
    assert sort_exports(names) == expected


def test_imports_from_further_away_come_first() -> None:
    lines = [
        "from . import b as _b",
        "from .. import c as _c",
        "from .a import x as _a_x",
        "from . import a as _a",
        "from . import a as _a",
    ]
    assert sort_imports(lines) == [lines[1], lines[3], lines[0], lines[2]]


def test_many_names_have_a_type_since_none_is_inferred(
    generate_files: Callable[..., dict[str, str]],
) -> None:
    few, many = (
        generate_files({f"{name}.schema.json": {"$defs": {f"D{n}": {} for n in range(count)}}})
        for name, count in (("few", 253), ("many", 254))  # and the root, and two functions
    )
    assert "\n__all__ = (\n" in few["few.py"]
    assert "\n__all__: tuple[str, ...] = (\n" in many["many.py"]
