"""Commands one after the other, as a user and a CI job run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
CATALOGUE = SHARED / "data" / "wire-catalog"
ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, folder: Path, module: str = "pi_contracts.cli") -> str:
    result = subprocess.run(
        [sys.executable, "-P", "-m", module, *arguments],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("types", ["typed-dict", "pydantic"])
def test_a_new_contract_becomes_code_that_is_type_checked(tmp_path: Path, types: str) -> None:
    run("new", "contracts/todo-list", folder=tmp_path)
    run("check", "contracts", "--strict", folder=tmp_path)
    run("gen", "contracts", "--out", "services", "--types", types, folder=tmp_path)
    run("gen", "contracts", "--out", "services", "--types", types, "--check", folder=tmp_path)
    (tmp_path / "use.py").write_text(
        "from services.todo_list import TODO_LIST, TodoList\n"
        "from pi_contracts.runtime import Context\n"
        "async def rename(todo: TodoList, ctx: Context) -> str:\n"
        "    print(TODO_LIST.id)\n"
        "    await todo.rename('first', 'New', ctx)\n"
        "    return str(todo.state.value)\n"
    )
    run("--strict", "use.py", "services", folder=tmp_path, module="mypy")


@pytest.mark.skipif(not CATALOGUE.exists(), reason="the folder shared is not beside the checkout")
@pytest.mark.parametrize("types", ["typed-dict", "pydantic"])
def test_real_wire_documents_pass_every_command(tmp_path: Path, types: str) -> None:
    assert run("check", str(CATALOGUE), folder=tmp_path).endswith("No problems found.\n")
    more = (str(CATALOGUE), "--out", "wire", "--types", types)
    run("gen", *more, folder=tmp_path)
    run("gen", *more, "--check", folder=tmp_path)
    code = "import wire.queue_v1, wire.common_v1"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_what_is_generated_here_is_up_to_date() -> None:
    run("gen", "--check", folder=ROOT)
    run("check", "--strict", folder=ROOT)
    run("plan", "--strict", folder=ROOT)
