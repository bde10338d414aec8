"""What is too long for a line breaks where ruff breaks it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pi_contracts.codegen.fitting import (
    Argument,
    fit_annotation,
    fit_assignment,
    fit_call,
    fit_signature,
)

NAMES = st.tuples(st.integers(1, 50), st.sampled_from(["Abcde", "Xy"])).map(
    lambda drawn: (drawn[1] * 12)[: drawn[0]]
)
ANNOTATIONS = st.recursive(
    NAMES
    | st.just("None")
    | st.just("_module.Name")
    | st.just("""t.Literal["a, [b", 'c"| d', 1]"""),
    lambda below: st.one_of(
        below.map(lambda one: f"list[{one}]"),
        below.map(lambda one: f"dict[str, {one}]"),
        st.lists(below, min_size=2, max_size=4).map(" | ".join),
    ),
    max_leaves=8,
)


def format_source(source: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    options = ["format", "--isolated", "--line-length=100", "--stdin-filename=x.pyi.py", "-"]
    return subprocess.run(
        [ruff, *options], input=source, capture_output=True, check=True, encoding="utf-8"
    ).stdout


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(st.tuples(ANNOTATIONS, ANNOTATIONS), min_size=8, max_size=8))
def test_signatures_and_fields_are_as_ruff_would_write_them(pairs: list[tuple[str, str]]) -> None:
    lines = ["class A:"]
    for number, (annotation, _) in enumerate(pairs):
        lines.append("    " + fit_annotation(f"field_{number}: ", annotation, "", 4))
    for number, (annotation, result) in enumerate(pairs):
        arguments = [
            Argument("self"),
            Argument("one", annotation),
            Argument("*"),
            Argument("two", f"{annotation} | rt.Unset", "rt.UNSET"),
        ]
        signature = fit_signature(f"async def method_{number}", arguments, result, 4)
        lines += ["", f"    {signature}", "        return 1"]
    source = "\n".join(lines) + "\n"
    assert format_source(source) == source


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    st.lists(st.tuples(NAMES, NAMES, ANNOTATIONS), min_size=8, max_size=8),
    st.lists(NAMES, min_size=1, max_size=3),
)
def test_assignments_of_calls_are_as_ruff_would_write_them(
    rows: list[tuple[str, str, str]], items: list[str]
) -> None:
    calls: list[str] = []
    for name, params, result in rows:
        annotation = f"t.Final[rt.Method[_{params}, {result}]]"
        calls += [
            fit_call(name, annotation, "rt.Method", items, 0, tall=True),
            fit_call(name, f"t.Final[{params}]", "rt.Validator", items, 0, tall=False),
            fit_call(f"self.{name}", "t.Final", f"link.{params}", items, 0, tall=False),
        ]
    source = "\n".join(calls) + "\n"
    assert format_source(source) == source


@pytest.mark.parametrize(
    ("target", "value"),
    [
        ("a", "b"),
        ("a" * 40, "b" * 57),
        ("a" * 40, "b" * 58),
        ("a" * 96, "b" * 10),
        ("a" * 97, "b" * 10),
        (f'a["{"k" * 91}"]', "b" * 10),
        (f'a["{"k" * 92}"]', "b" * 10),
    ],
)
def test_an_assignment_is_put_in_parentheses_where_that_makes_it_fit(
    target: str, value: str
) -> None:
    source = f"{fit_assignment(target, value, 0)}\n"
    assert format_source(source) == source
