"""Importing the runtime is cheap, and loads nothing of what authors use."""

from __future__ import annotations

import subprocess
import sys

FORBIDDEN = ("typer", "jinja2", "pydantic", "jsonschema", "datamodel_code_generator", "rich")


def test_importing_the_runtime_loads_no_authoring_library() -> None:
    code = (
        "import sys, pi_contracts.runtime, pi_contracts.runtime.generated\n"
        f"print([name for name in {FORBIDDEN!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_the_runtime_compiles_no_validator() -> None:
    code = (
        "from pi_contracts.runtime import strict_json\n"
        "print(strict_json.get_json_validator.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
