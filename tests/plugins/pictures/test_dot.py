from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from pi_contracts.plugins.facets import Declaration, Report, ReportFile
from pi_contracts.plugins.pictures.dot import render_dot
from pi_contracts.plugins.pictures.scene import make_scene
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d+|->|[{}\[\]=,;])', re.DOTALL)
NAMES = ['"', "\\", '\\"', "a\\n", "&amp;", "<b>", "{|}", "//", "/* x", "#x", "ü→", "x\ny", "->"]


def render(file: ReportFile) -> str:
    plan = make_plan(None, [file])
    return render_dot(make_scene(plan, plan.findings))


def name_all(name: str) -> ReportFile:
    entry = Declaration("app", name, "singleton")
    return ReportFile([Report(name, "x", [], [entry]), Report("ask", name, [entry], [])])


class Reader:
    """Reads the part of the language's grammar that stands in its documentation."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        place = 0
        while text[place:].strip():
            match = TOKEN.match(text, place)
            assert match, text[place : place + 40]
            self.tokens.append(match[1])
            place = match.end()

    def take(self, *wanted: str) -> str:
        token = self.tokens.pop(0)
        assert not wanted or token in wanted, (token, wanted)
        return token

    def read_graph(self) -> None:
        self.take("digraph")
        self.take()
        self.read_statements()
        assert not self.tokens

    def read_statements(self) -> None:
        self.take("{")
        while self.tokens[0] != "}":
            first = self.take()
            assert re.fullmatch(r"\w+", first)
            if first == "subgraph":
                self.take()
                self.read_statements()
                continue
            if self.tokens[0] == "=":
                self.take("=")
                self.take()
                continue
            while self.tokens[0] == "->":
                self.take("->")
                assert re.fullmatch(r"\w+", self.take())
            if self.tokens[0] == "[":
                self.read_attributes()
        self.take("}")

    def read_attributes(self) -> None:
        self.take("[")
        while self.tokens[0] != "]":
            assert re.fullmatch(r"\w+", self.take())
            self.take("=")
            self.take()
            if self.tokens[0] == ",":
                self.take(",")
        self.take("]")


def test_hosts_are_clusters_and_services_labels(facets: Facets) -> None:
    text = render(
        facets("@pi/own:session;; session/x session/y*\n@pi/ask:tui; session/x session/y*;")
    )
    assert text.splitlines()[4:] == [
        "  subgraph cluster_0 {",
        '    label="session"',
        '    f0 [label="own"]',
        "  }",
        "  subgraph cluster_1 {",
        '    label="tui"',
        '    f1 [label="ask"]',
        "  }",
        r'  f0 -> f1 [label="session/x\nsession/y*"]',
        "}",
    ]


def test_what_is_faulty_is_red(facets: Facets) -> None:
    lines = render(facets("a:x; app/gone app/s*;\nb:x;; app/s")).splitlines()
    assert '    f1 [label="a", color=red]' in lines
    assert '  f0 -> f1 [label="app/s*", color=red]' in lines
    assert '  nobody1 -> f1 [label="app/gone", color=red, style=dashed]' in lines


@pytest.mark.parametrize("name", NAMES)
def test_every_name_gives_a_text_of_the_grammar(name: str) -> None:
    Reader(render(name_all(name))).read_graph()


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed here")
@pytest.mark.parametrize("name", NAMES)
def test_graphviz_draws_every_name_as_it_is(name: str) -> None:
    drawn = subprocess.run(
        ["dot", "-Tplain"], input=render(name_all(name)).encode(), capture_output=True, check=True
    )
    assert drawn.stderr == b""
    assert len(re.findall(rb"^node ", drawn.stdout, re.MULTILINE)) == 2
    assert len(re.findall(rb"^edge ", drawn.stdout, re.MULTILINE)) == 1
