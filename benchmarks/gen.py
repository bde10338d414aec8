"""Measures `gen` against the command that a user would take instead, as whole processes.

    python benchmarks/gen.py [ROUNDS]

The set has 300 definitions of 8 properties. Every process starts cold, apart from
compiled modules; the commands alternate, and the best of the rounds counts.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(sys.executable).parent
LIBRARY = ROOT / "contracts" / "library"
SERVICES = ROOT / "plugins" / "library" / "services"
TOOL = [str(SCRIPTS / "pi-contracts"), "gen"]
PROPERTIES = (
    {"type": "string", "minLength": 1},
    {"type": "integer", "minimum": 0},
    {"type": "number"},
    {"type": "boolean"},
    {"type": ["string", "null"]},
    {"enum": ["one", "two", "three"]},
    {"type": "array", "items": {"type": "string"}},
)


def make_set() -> dict[str, object]:
    """Return a schema with 300 definitions of 8 properties, one of which is the one before."""
    definitions: dict[str, object] = {}
    for number in range(300):
        properties: dict[str, object] = {
            f"property{index}": schema for index, schema in enumerate(PROPERTIES)
        }
        before = f"Definition{number - 1}" if number else "Definition0"
        properties["other"] = {"$ref": f"#/$defs/{before}"}
        definitions[f"Definition{number}"] = {
            "type": "object",
            "description": f"The definition with the number {number}.",
            "properties": properties,
            "required": ["property0", "property1", "property4"],
            "additionalProperties": False,
        }
    dialect = "https://json-schema.org/draft/2020-12/schema"
    last = {"$ref": "#/$defs/Definition299"}
    return {
        "$schema": dialect,
        "type": "object",
        "properties": {"last": last},
        "$defs": definitions,
    }


def measure(folder: Path, commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """Return the best wall time of each command, in seconds."""
    best = dict.fromkeys(commands, float("inf"))
    # Compiled modules are kept, as they are wherever software is installed.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for _ in range(rounds + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment)
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def report(name: str, value: float, base: float, bound: float) -> bool:
    """Print a ratio with its bound, and tell whether it is kept."""
    ratio = value / base
    mark = "ok" if ratio <= bound else "TOO SLOW"
    print(f"{name:34} {value:6.3f} s / {base:6.3f} s = {ratio:5.2f}  (at most {bound})  {mark}")
    return ratio <= bound


def measure_generation(folder: Path, rounds: int) -> bool:
    """Compare both kinds of types with datamodel-codegen, writing everything anew."""
    source = folder / "set.schema.json"
    source.write_text(json.dumps(make_set()))
    clean = "import shutil, sys; shutil.rmtree(sys.argv[1], True)"
    peer = [
        *[str(SCRIPTS / "datamodel-codegen"), "--input", str(source)],
        *["--input-file-type", "jsonschema", "--formatters", "builtin", "--disable-timestamp"],
        *["--target-python-version", "3.11"],
    ]
    commands: dict[str, list[str]] = {}
    for kind, peer_kind in (
        ("typed-dict", "typing.TypedDict"),
        ("pydantic", "pydantic_v2.BaseModel"),
    ):
        out = folder / kind
        commands[f"{kind} clean"] = [sys.executable, "-c", clean, str(out)]
        commands[kind] = [*TOOL, str(source), "--out", str(out), "--types", kind]
        output = str(folder / f"{kind}.py")
        commands[f"{kind} peer"] = [*peer, "--output-model-type", peer_kind, "--output", output]
    best = measure(folder, commands, rounds)
    kept = [
        report(f"gen --types {kind}", best[kind], best[f"{kind} peer"], bound)
        for kind, bound in (("typed-dict", 0.5), ("pydantic", 1.3))
    ]
    return all(kept)


def measure_check(folder: Path, rounds: int) -> bool:
    """Compare a check of the whole library with an interpreter that imports what it needs."""
    commands = {
        "floor": [sys.executable, "-c", "import typer, jinja2, jsonschema_rs"],
        "check": [*TOOL, str(LIBRARY), "--out", str(SERVICES), "--check"],
    }
    best = measure(folder, commands, rounds)
    return report("gen --check of the library", best["check"], best["floor"], 4)


def measure_import(folder: Path, rounds: int) -> bool:
    """Compare importing the largest generated module of the wire catalogue with an empty one."""
    source = ROOT / ".." / "shared" / "data" / "wire-catalog"
    if not source.is_dir():
        print("import of a generated module       not measured: the wire catalogue is not here")
        return True
    package = folder / "wire"
    subprocess.run([*TOOL, str(source), "--out", str(package)], check=True, capture_output=True)
    (package / "empty.py").write_text(
        "from __future__ import annotations\n\nimport typing as t\n\n"
        "from pi_contracts.runtime import generated as rt\n"
    )
    largest = max(package.glob("*.py"), key=lambda file: file.stat().st_size)
    load = f"import sys; sys.path.insert(0, {str(folder)!r}); import wire."
    commands = {
        "empty": [sys.executable, "-c", f"{load}empty"],
        "largest": [sys.executable, "-c", f"{load}{largest.stem}"],
    }
    best = measure(folder, commands, rounds)
    cost = (best["largest"] - best["empty"]) * 1000
    mark = "ok" if cost < 50 else "TOO SLOW"
    print(f"import of {largest.stem:24} {cost:6.1f} ms more than an empty one (under 50)  {mark}")
    return cost < 50


def main() -> int:
    """Measure everything; return 1 if a bound is not kept."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = [measure_generation(folder, rounds), measure_check(folder, rounds)]
        kept.append(measure_import(folder, rounds))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
