from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.findings import Facet, Finding, Severity, Subject
from pi_contracts.plugins.explain import Drawing, shorten_names
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.plugins.facets import ReportFile

    Facets = Callable[[str], ReportFile]


def draw_faults(file: ReportFile, *, shown: int = 10) -> str:
    plan = make_plan(None, [file])
    drawing = Drawing(plan, shown=shown)
    return "".join(map(drawing.draw_fault, plan.findings))


def test_names_are_short_where_that_is_clear() -> None:
    facets = [Facet("@pi/git", "tui"), Facet("@my/index", "tui"), Facet("@pi/index", "tui")]
    assert list(shorten_names([*facets, Facet("\n", "x")]).values()) == [
        "git:tui",
        "@my/index:tui",
        "@pi/index:tui",
        "\\n:x",
    ]


def test_a_plan_is_drawn_in_the_order_of_activation(facets: Facets) -> None:
    plan = make_plan(None, [facets("@pi/ask:tui; app/x app/y;\n@pi/own:main;; app/x app/y")])
    assert Drawing(plan).draw_plan().splitlines() == [
        "  1. own:main",
        "  2. ask:tui",
        "       app/x <- own:main",
        "       app/y <- own:main",
    ]
    assert (
        Drawing(plan, shown=1).draw_plan()
        == "  1. own:main\n     …and 1 more (--format json lists all)\n"
    )


def test_of_many_services_the_first_are_drawn(facets: Facets) -> None:
    plan = make_plan(None, [facets("a:main;; app/w app/x app/y\nb:main; app/w app/x app/y;")])
    assert (
        Drawing(plan, shown=2)
        .draw_plan()
        .endswith("       …and 1 more (--format json lists all)\n")
    )


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        (
            "top:main; app/a;\nmid:main; app/b; app/a\nlow:main; app/gone; app/b",
            (
                "  top:main\n    app/a <- mid:main\n      app/b <- low:main\n"
                "        app/gone <- nobody\n"
            ),
        ),
        ("a:main; app/s*;\nb:main;; app/s", "  a:main\n    app/s: mode-mismatch\n"),
        (
            "a:main; app/y; app/x\nb:main; app/x; app/y",
            "  a:main\n    app/y <- b:main\n      app/x <- a:main\n",
        ),
        (
            "a:main; app/y app/gone; app/x\nb:main; app/x; app/y",
            (
                "  a:main\n    app/y <- b:main\n      app/x <- a:main\n"
                "  a:main\n    app/gone <- nobody\n"
            ),
        ),
        ("a:main; app/x app/gone; app/x", "  a:main\n    app/gone <- nobody\n"),
        ("Lamp:main;;\nlamp:main;;", ""),
    ],
    ids=["a way", "a mismatch", "a ring", "a fault on a ring", "its own", "no facet"],
)
def test_a_fault_is_drawn_with_the_way_that_leads_to_it(
    facets: Facets, text: str, drawn: str
) -> None:
    assert draw_faults(facets(text)) == drawn


def test_the_middle_of_a_long_way_is_left_out(facets: Facets) -> None:
    chain = "\n".join(f"p{i}:main; app/s{i + 1}; app/s{i}" for i in range(20))
    assert draw_faults(facets(chain), shown=4).splitlines() == [
        "  p0:main",
        "    app/s1 <- p1:main",
        "      …and 16 more (--format json lists all)",
        "        app/s18 <- p18:main",
        "          app/s19 <- p19:main",
        "            app/s20 <- nobody",
    ]


def test_a_finding_about_a_facet_alone_is_drawn_as_the_way_to_it(facets: Facets) -> None:
    plan = make_plan(None, [facets("a:main; app/x;\nb:main;; app/x")])
    finding = Finding("x", Severity.NOTE, "m", subject=Subject(facets=(Facet("b", "main"),)))
    assert Drawing(plan).draw_fault(finding) == "  a:main\n    app/x <- b:main\n"


def test_a_facet_alone_that_nobody_waits_for_is_not_drawn(facets: Facets) -> None:
    plan = make_plan(None, [facets("a:main; app/x;\nb:main;; app/x")])
    finding = Finding("x", Severity.NOTE, "m", subject=Subject(facets=(Facet("a", "main"),)))
    assert not Drawing(plan).draw_fault(finding)
