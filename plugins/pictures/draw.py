"""The picture of a plan in the form that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from .dot import render_dot
from .html import render_html
from .mermaid import render_mermaid
from .scene import make_scene

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pi_contracts.contracts.findings import Finding
    from pi_contracts.plugins.plan import Plan

Form: TypeAlias = Literal["mermaid", "dot", "html"]


def split_style(
    style: Literal["text", "json", "github", "sarif", "mermaid", "dot", "html"],
) -> tuple[Literal["text", "json", "github", "sarif"], Form | None]:
    """Return the form of the report and that of the picture, whose report is a text."""
    match style:
        case "mermaid" | "dot" | "html":
            return "text", style
        case _:
            return style, None


def draw_picture(form: Form, plan: Plan, title: str, findings: Iterable[Finding]) -> str:
    """Return the picture of a plan as text.

    Args:
        form: A mermaid flowchart, a graph for graphviz, or a page for a browser.
        plan: The plan.
        title: What the page is called.
        findings: What to show as wrong, in the order of the report.
    """
    scene = make_scene(plan, findings)
    if form == "mermaid":
        return render_mermaid(scene)
    if form == "dot":
        return render_dot(scene)
    return render_html(scene, title)
