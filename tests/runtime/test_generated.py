"""The face that generated modules see is exact, and asks for its version."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import typing_extensions
from pi_contracts import runtime
from pi_contracts.runtime import generated
from pi_contracts.runtime.errors import UnservedVersionError


def list_public_names(file: str) -> set[str]:
    """Return what a module imports or defines without a leading underscore."""
    names: set[str] = set()
    for node in ast.parse(Path(file).read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("module", [generated, runtime], ids=["generated", "runtime"])
def test_all_is_exact_and_sorted_within_its_kinds(module: object) -> None:
    public: tuple[str, ...] = module.__all__  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
    assert set(public) == list_public_names(str(module.__file__))  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
    assert len(set(public)) == len(public)
    for name in public:
        assert getattr(module, name) is not None


def test_the_names_that_generated_code_relies_on_are_there() -> None:
    promised = """
        BACKGROUND UNSET Cancelled Codec Context ContractViolation ErrorCase EventSource Events
        EventsMember Instance JsonArray JsonObject JsonValue Keyed Link Method ModelCodec
        MutableState NotHydrated NotRequired Parameter ReadOnly Reference Referenced Required
        Schemas ServiceError Singleton State StateMember Subscription TypedDict Unset Validator
        require
    """
    assert set(promised.split()) == set(generated.__all__)


def test_typed_dicts_are_those_that_pydantic_takes() -> None:
    assert generated.TypedDict is typing_extensions.TypedDict


def test_version_1_is_served() -> None:
    generated.require(1)


@pytest.mark.parametrize("version", [0, 2])
def test_another_version_says_which_command_to_run(version: int) -> None:
    with pytest.raises(UnservedVersionError, match="run: pi-contracts gen") as caught:
        generated.require(version)
    assert (caught.value.asked, caught.value.served) == (version, 1)
    assert isinstance(caught.value, ImportError)
