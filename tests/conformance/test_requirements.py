"""Each requirement of the runtime is named by a test that would fail without it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from pi_contracts.plugins.library import services
from pi_contracts.runtime import State

TESTS = Path(__file__).resolve().parents[1]
FILE = (TESTS / ".." / ".." / "shared" / "REQUIREMENTS.md").resolve()
ELSEWHERE = {
    *("KEY-21", "KEY-25", "STA-19", "STA-27", "EVT-12", "CTX-16", "TRN-5", "TRN-17"),
    *("FLT-4", "FLT-5"),  # faults of a plan, whose rules have tests of their own
}
"""What needs hosts, routing or reload, or is not about the runtime."""


def test_every_requirement_is_named_by_a_test() -> None:
    if not FILE.is_file():
        pytest.skip("the requirements are not beside us")
    pattern = r"^- ((?:TOK|CON|SNG|KEY|STA|EVT|REF|CTX|TRN|ERR|FLT)-\d+|SEC-[1-6]) "
    wanted = re.findall(pattern, FILE.read_text("utf-8"), re.MULTILINE)
    assert len(wanted) > 180
    text = "".join(
        file.read_text("utf-8") for file in TESTS.rglob("*.py") if file != Path(__file__)
    )
    text += Path(__file__).read_text("utf-8").partition('"""What needs hosts')[2]
    named = set(re.findall(r"[A-Z]{3}-\d+", text))
    assert [one for one in wanted if one not in named and one not in ELSEWHERE] == []


SERVICES = sorted(Path(services.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("file", SERVICES, ids=lambda file: str(file.stem))
def test_a_module_of_a_contract_imports_no_host_and_does_nothing(file: Path) -> None:
    """TOK-2, TOK-11: a token is a value; importing one runs no code of a provider or a host."""
    allowed = {"__future__", "abc", "typing", "importlib", "types", "collections", "pi_contracts"}
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            assert {one.name.partition(".")[0] for one in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            assert module.partition(".")[0] in allowed
            assert not module.startswith("pi_contracts.plugins.hosts")
            if module.startswith("pi_contracts"):
                assert module == "pi_contracts.runtime"


def test_nothing_that_a_consumer_sees_speaks_of_how_a_state_is_sent() -> None:
    """STA-30, KEY-17: values, and no numbers, encodings or directories."""
    seen = {name for name in vars(State) if not name.startswith("_")}
    assert seen == {"ready", "value", "last", "subscribe"}


def test_members_are_checked_by_types_and_by_tables() -> None:
    """CON-16: a token's type says what its table holds."""
    from pi_contracts.plugins.library.services import models

    assert {member.name for member in models.MODELS.members} >= {"state", "select"}
    assert {"state", "select"} <= set(dir(models.Models))
    assert "Singleton[Models]" in str(models.__annotations__["MODELS"])
