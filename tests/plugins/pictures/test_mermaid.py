from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from pi_contracts.plugins.facets import Declaration, Report, ReportFile
from pi_contracts.plugins.pictures.mermaid import render_mermaid
from pi_contracts.plugins.pictures.scene import make_scene
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]

STATEMENT = re.compile(
    r"""flowchart\ LR
    | \ \ subgraph\ host\d+\["[^"]*"\]
    | \ \ \ \ f\d+\["[^"]*"\](:::faulty)?
    | \ \ end
    | \ \ f\d+\ -->\|"[^"]*"\|\ f\d+
    | \ \ nobody\d+\(\["nobody"\]\):::faulty\ -\.->\|"[^"]*"\|\ f\d+
    | \ \ classDef\ faulty\ [\w:#,-]+
    | \ \ linkStyle\ \d+(,\d+)*\ [\w:#,-]+""",
    re.VERBOSE,
)


def render(file: ReportFile) -> str:
    plan = make_plan(None, [file])
    return render_mermaid(make_scene(plan, plan.findings))


def test_hosts_are_subgraphs_and_services_labels(facets: Facets) -> None:
    text = render(
        facets("@pi/own:session;; session/x session/y*\n@pi/ask:tui; session/x session/y*;")
    )
    assert text.splitlines() == [
        "flowchart LR",
        '  subgraph host0["session"]',
        '    f0["own"]',
        "  end",
        '  subgraph host1["tui"]',
        '    f1["ask"]',
        "  end",
        '  f0 -->|"session/x<br>session/y*"| f1',
    ]


def test_what_is_faulty_is_red(facets: Facets) -> None:
    text = render(facets("a:x; app/gone app/s*;\nb:x;; app/s"))
    assert text.splitlines()[-5:] == [
        "  end",
        '  f0 -->|"app/s*"| f1',
        '  nobody1(["nobody"]):::faulty -.->|"app/gone"| f1',
        "  classDef faulty stroke:#c00,stroke-width:2px",
        "  linkStyle 0,1 stroke:#c00,stroke-width:2px",
    ]


def test_a_faulty_facet_without_arrows_is_red_too(facets: Facets) -> None:
    text = render(facets("a:tui;; session/s\nb:session;;"))
    assert text.splitlines()[-1].startswith("  classDef faulty")
    assert '["a"]:::faulty' in text


@pytest.mark.parametrize(
    "name",
    [
        '"]',
        "`x`",
        "%%{init}%%",
        "a|b",
        "<script>",
        "#quot;",
        "a\\",
        "();end",
        "x\ny",
        "&lt;",
        "$$x$$",
        "fa:fa-car",
    ],
)
def test_no_name_can_end_its_label(name: str) -> None:
    entry = Declaration("app", name, "singleton")
    file = ReportFile([Report(name, "x", [], [entry]), Report("ask", name, [entry], [])])
    for line in render(file).splitlines():
        assert STATEMENT.fullmatch(line), line
        labels = "".join(re.findall(r'"([^"]*)"', line))
        assert not set("`$%:\\<>&|()") & set(labels)
