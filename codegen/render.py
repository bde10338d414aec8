"""Renders outlines: the one module that knows the template engine."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .outline import ContractOutline, DocumentOutline, IndexOutline, Outline, TypesOutline

if TYPE_CHECKING:
    import jinja2
    from jinja2.bccache import Bucket

TEMPLATES = Path(__file__).parent / "templates"
_NAMES: dict[type[Outline], str] = {
    ContractOutline: "contract.jinja",
    DocumentOutline: "document.jinja",
    TypesOutline: "plain.jinja",
    IndexOutline: "index.jinja",
}
# What is rendered is Python, and every text in it was escaped for Python.
_OPTIONS: dict[str, Any] = {
    "autoescape": False,
    "auto_reload": False,
    "keep_trailing_newline": True,
    "lstrip_blocks": True,
    "newline_sequence": "\n",
    "trim_blocks": True,
}


def render(outline: Outline) -> str:
    """Return the text of a module."""
    fields = {one.name: getattr(outline, one.name) for one in dataclasses.fields(outline)}
    return get_environment().get_template(_NAMES[type(outline)]).render(fields)


@functools.cache
def get_environment() -> jinja2.Environment:
    """Return the environment of the templates; what it compiles is kept beside them."""
    import jinja2  # noqa: PLC0415  # most commands render nothing

    class Cache(jinja2.BytecodeCache):
        """Keeps compiled templates where Python keeps compiled modules, if it may write there.

        Compiling them takes longer than rendering a whole library.
        """

        def load_bytecode(self, bucket: Bucket) -> None:
            with contextlib.suppress(OSError, EOFError, ValueError, TypeError):
                bucket.bytecode_from_string(_locate(bucket.key, jinja2.__version__).read_bytes())

        def dump_bytecode(self, bucket: Bucket) -> None:
            if not sys.dont_write_bytecode:
                file = _locate(bucket.key, jinja2.__version__)
                with contextlib.suppress(OSError):
                    file.parent.mkdir(parents=True, exist_ok=True)
                    temporary = file.with_suffix(f".{os.getpid()}")
                    temporary.write_bytes(bucket.bytecode_to_string())
                    temporary.replace(file)

    return jinja2.Environment(  # noqa: S701  # see the options
        loader=jinja2.FileSystemLoader(TEMPLATES, encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        bytecode_cache=Cache(),
        **_OPTIONS,
    )


def _locate(key: str, engine: str) -> Path:
    """Return the file of a compiled template, which nothing but equal input may share."""
    facts = f"{key} {engine} {sorted(_OPTIONS.items())}"
    digest = hashlib.sha256(facts.encode()).hexdigest()[:16]
    beside = Path(importlib.util.cache_from_source(str(TEMPLATES / "template.py")))
    return beside.with_name(f"{digest}.{sys.implementation.cache_tag}")
