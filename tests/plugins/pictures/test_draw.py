from __future__ import annotations

import pytest
from pi_contracts.plugins.pictures.draw import draw_picture, split_style
from pi_contracts.plugins.plan import make_plan


@pytest.mark.parametrize(
    ("form", "start"),
    [("mermaid", "flowchart LR\n"), ("dot", "digraph plan {\n"), ("html", "<!doctype html>\n")],
)
def test_each_form_has_its_picture(form: str, start: str) -> None:
    assert draw_picture(form, make_plan(), "t", ()).startswith(start)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("style", "parts"),
    [("text", ("text", None)), ("json", ("json", None)), ("dot", ("text", "dot"))],
)
def test_beside_a_picture_the_report_is_a_text(style: str, parts: tuple[str, str | None]) -> None:
    assert split_style(style) == parts  # type: ignore[arg-type] # from a table
