"""What stands for null when a module runs is None, and a union may hold it once."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.codegen.output import write
from typing_extensions import get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DOCUMENTS: dict[str, Any] = {
    "nulls.schema.json": {
        "$defs": {
            "Null": {"type": "null"},
            "Only": {"const": None},
            "Twice": {"anyOf": [{"$ref": "#/$defs/Null"}, {"type": "null"}]},
            "Alike": {"anyOf": [{"$ref": "#/$defs/Null"}, {"$ref": "#/$defs/Only"}]},
            "Deep": {"anyOf": [{"$ref": "#/$defs/Twice"}, {"$ref": "others.schema.json"}]},
            "Text": {"anyOf": [{"$ref": "#/$defs/Null"}, {"type": ["string", "null"]}]},
            "Ring": {"anyOf": [{"type": "null"}, {"items": {"$ref": "#/$defs/Ring"}}]},
        },
        "type": "object",
        "properties": {
            "one": {"$ref": "#/$defs/Null"},
            "two": {"anyOf": [{"$ref": "#/$defs/Twice"}, {"type": "null"}]},
            "other": {"$ref": "others.schema.json"},
        },
        "required": ["two"],
    },
    "others.schema.json": {"type": "null"},
}


@pytest.mark.parametrize("kind", ["typed-dict", "pydantic"])
def test_unions_of_nulls_can_be_evaluated(
    kind: str,
    generate_files: Callable[..., dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = f"nulls_{kind}".replace("-", "_")
    write(tmp_path / package, generate_files(DOCUMENTS, kind))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    module = importlib.import_module(f"{package}.nulls")
    assert [module.Twice, module.Alike, module.Deep] == [None, None, None]
    assert module.Text == str | None
    assert get_type_hints(module.Nulls)["two"] in {None, type(None)}
    value = {"one": None, "two": None, "other": None}
    assert module.is_valid(value)
    assert module.validate(value)
    assert not module.is_valid({"two": 1})
    text = (tmp_path / package / "nulls.py").read_text()
    assert "Twice: t.TypeAlias = Null\n" in text
    assert "Deep: t.TypeAlias = Twice\n" in text
