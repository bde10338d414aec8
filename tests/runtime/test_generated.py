"""The faces that generated modules and users see are exact."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import typing_extensions
from pi_contracts import runtime
from pi_contracts.runtime import generated


def list_public_names(file: str) -> set[str]:
    """Return what a module imports or defines without a leading underscore."""
    names: set[str] = set()
    for node in ast.parse(Path(file).read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names |= {alias.asname or alias.name for alias in node.names}
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("module", [generated, runtime], ids=["generated", "runtime"])
def test_all_is_exact(module: Any) -> None:
    public: tuple[str, ...] = module.__all__
    assert set(public) == list_public_names(module.__file__)
    assert len(set(public)) == len(public)
    for name in public:
        assert getattr(module, name) is not None


def test_the_names_that_generated_code_relies_on_are_there() -> None:
    promised = """
        BACKGROUND UNSET Cancelled Codec Context ContractViolation ErrorCase EventSource Events
        EventsMember Instance JsonArray JsonObject JsonValue Keyed Link Method ModelCodec
        MutableState NotHydrated NotRequired Parameter ReadOnly Reference Referenced Required
        Schemas ServiceError Singleton State StateMember Subscription TypedDict Unset Validator
        deprecated require
    """
    assert set(promised.split()) == set(generated.__all__)


def test_typed_dicts_are_those_that_pydantic_takes() -> None:
    assert generated.TypedDict is typing_extensions.TypedDict
