"""The member table stays in the form of ruff, however long its names are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.codegen.member_table import make_codec

if TYPE_CHECKING:
    from collections.abc import Callable

RUFF = str(Path(sys.executable).with_name("ruff"))


def format_source(source: str) -> str:
    return subprocess.run(
        [RUFF, "format", "--isolated", "--line-length=100", "--stdin-filename=x.py", "-"],
        input=source,
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout


@pytest.mark.parametrize("length", [10, 30, 45, 50, 55, 60, 64])
def test_a_codec_is_broken_as_ruff_would(length: int) -> None:
    annotations = (
        "X" * length,
        f"_{'m' * length}.{'X' * (length // 2)}",
        f"list[{'X' * length}]",
        f"dict[str, {'X' * length} | None]",
    )
    for annotation in annotations:
        source = f"call(\n    a,\n    {make_codec('codec', annotation, 4)},\n)\n"
        assert format_source(source) == source


@pytest.mark.parametrize("kind", ["typed-dict", "pydantic"])
@pytest.mark.parametrize("length", [1, 3, 5, 6, 7, 12])
def test_long_names_break_lines_where_ruff_does(
    generate_files: Callable[..., dict[str, str]], kind: str, length: int
) -> None:
    word = "Lengthy" * length
    data = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    params = {f"first{word}": {"$ref": f"#/$defs/{word}"}, f"b-{word}": {"type": "string"}}
    members: dict[str, Any] = {
        f"do{word}": {
            "kind": "method",
            "params": params,
            "optional": [f"b-{word}"],
            "result": {"anyOf": [{"$ref": f"#/$defs/{word}"}, {"type": "null"}]},
            "errors": [f"bad{word}"],
        },
        f"state{word}": {"kind": "state", "value": {"type": "array", "items": data}},
        f"changed{word}": {"kind": "events", "payload": data},
    }
    contract: dict[str, Any] = {
        "service": {
            "id": f"service{word}",
            "mode": "keyed",
            "scopes": [word, f"{word}2"],
            "key": {},
        },
        "members": members,
        "errors": {f"bad{word}": {"data": {"$ref": f"#/$defs/{word}"}}},
        "$defs": {word: data},
    }
    source = generate_files({"a.contract.json": contract}, kind)["a.py"]
    assert format_source(source) == source
