"""Renders outlines: the one module that knows the template engine."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from .outline import ContractOutline, DocumentOutline, IndexOutline, Outline, TypesOutline

if TYPE_CHECKING:
    import jinja2

_TEMPLATES: dict[type[Outline], str] = {
    ContractOutline: "contract.jinja",
    DocumentOutline: "document.jinja",
    TypesOutline: "plain.jinja",
    IndexOutline: "index.jinja",
}


def render(outline: Outline) -> str:
    """Return the text of a module."""
    fields = {one.name: getattr(outline, one.name) for one in dataclasses.fields(outline)}
    return _get_environment().get_template(_TEMPLATES[type(outline)]).render(fields)


@functools.cache
def _get_environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415  # most commands render nothing

    return jinja2.Environment(
        loader=jinja2.PackageLoader("pi_contracts.codegen"),
        undefined=jinja2.StrictUndefined,
        # What is rendered is Python, and every text in it was escaped for Python.
        autoescape=False,  # noqa: S701
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
    )
