"""Templates render what outlines hold, and nothing that they do not."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import jinja2
import pytest
from pi_contracts.codegen import render as module
from pi_contracts.codegen.outline import Heading, IndexOutline, TypesOutline
from pi_contracts.codegen.render import TEMPLATES, get_environment, render

if TYPE_CHECKING:
    from pathlib import Path

HEADING = Heading(
    ("One.", "Two."), '"""A module."""', (("import abc",), ("import x", "import y")), ""
)


def test_groups_of_imports_are_parted_by_blank_lines() -> None:
    outline = TypesOutline(HEADING, "x = 1\n\n\ny = 2")
    assert render(outline) == (
        '# One.\n# Two.\n"""A module."""\n\nfrom __future__ import annotations\n\n'
        "import abc\n\nimport x\nimport y\n\nrt.require(1)\n\n\nx = 1\n\n\ny = 2\n"
    )


def test_texts_are_rendered_as_they_are() -> None:
    text = "{{ x }} {% if %} {# y #} <&'\">"
    assert f"\n{text}\n" in render(IndexOutline(HEADING, text))


def test_a_template_that_asks_for_more_than_there_is_fails() -> None:
    with pytest.raises(jinja2.UndefinedError):
        get_environment().from_string("{{ heading.docstrin }}").render(heading=HEADING)


@pytest.mark.parametrize("file", sorted(TEMPLATES.glob("*.jinja")), ids=lambda file: file.name)
def test_templates_loop_and_test_emptiness_and_decide_nothing(file: Path) -> None:
    text = file.read_text("utf-8")
    name = r"[a-z_]+(\.[a-z_]+)*"
    statement = rf"for [a-z]+ in {name}|if (not )?{name}|endfor|endif|include \"[a-z]+\.jinja\""
    for found in re.findall(r"\{%(.*?)%\}", text):
        assert re.fullmatch(statement, found.strip()), found
    for found in re.findall(r"\{\{(.*?)\}\}", text):
        assert re.fullmatch(name, found.strip()), found


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep compiled templates in a folder of the test, with a fresh environment."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "compiled"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(module, "get_environment", get_environment.__wrapped__)
    return tmp_path / "compiled"


def find_compiled(cached: Path) -> list[Path]:
    return sorted(path for path in cached.rglob("*") if path.is_file())


def test_compiled_templates_are_kept_and_used(
    cached: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = render(TypesOutline(HEADING))
    assert len(find_compiled(cached)) == 3

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a template was compiled again")

    monkeypatch.setattr(jinja2.Environment, "compile", refuse)
    assert render(TypesOutline(HEADING)) == expected


@pytest.mark.parametrize("content", [b"", b"nonsense", b"j2"])
def test_compiled_templates_that_are_broken_are_made_anew(cached: Path, content: bytes) -> None:
    expected = render(TypesOutline(HEADING))
    before = {path: path.read_bytes() for path in find_compiled(cached)}
    for path in before:
        path.write_bytes(content)
    assert render(TypesOutline(HEADING)) == expected
    assert {path: path.read_bytes() for path in find_compiled(cached)} == before


def test_where_nothing_may_be_kept_nothing_is(
    cached: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached.write_text("a file where the folder belongs")
    expected = render(TypesOutline(HEADING))
    cached.unlink()
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert render(TypesOutline(HEADING)) == expected
    assert find_compiled(cached) == []


def test_the_template_engine_is_imported_when_something_is_rendered() -> None:
    code = (
        "import sys, pi_contracts.codegen.generate, pi_contracts.codegen.output\n"
        "heavy = ('jinja2', 'pydantic', 'jsonschema', 'datamodel_code_generator')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    output = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert ast.literal_eval(output) == []
