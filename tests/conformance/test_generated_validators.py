"""Generated validators on cases from bug reports about other people's validators."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.codegen.generate import generate
from pi_contracts.codegen.output import write
from pi_contracts.contracts.read import read
from pi_contracts.runtime import InvalidJSON, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = Path(__file__).resolve().parents[3] / "shared/cases/validators.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_bytes()) if FILE.is_file() else []
JUDGED = [case for case in CASES if "compile" not in case["expect"]]
REFUSED = [case for case in CASES if "compile" in case["expect"]]
SPECIAL: dict[str, Callable[[], object]] = {
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "bytes": lambda: b"bytes",
    "datetime": lambda: dt.datetime(2020, 1, 2, tzinfo=dt.UTC),
    "set": lambda: {1},
    "object": object,
}

pytestmark = pytest.mark.skipif(not CASES, reason="the shared cases are not beside this checkout")


def write_schema(case: dict[str, Any], folder: Path) -> Path:
    given = case["input"]
    file = folder / "case.schema.json"
    text = given["schema_raw"] if "schema_raw" in given else json.dumps(given["schema"])
    file.write_text(text, "utf-8")
    return file


def make_instance(instance: dict[str, Any]) -> object:
    if "special" in instance:
        return SPECIAL[instance["special"]]()
    if "nest" in instance:
        nest = instance["nest"]
        value = nest["around"]
        for _ in range(nest["depth"]):
            value = [value] if nest["key"] is None else {nest["key"]: value}
        return value
    if "raw" in instance:
        return parse_json(instance["raw"])
    return instance["data"]


@pytest.mark.parametrize("types", ["typed-dict", "pydantic"])
@pytest.mark.parametrize("case", JUDGED, ids=[case["id"] for case in JUDGED])
def test_generated_validators_judge_as_the_case_says(
    case: dict[str, Any],
    types: Any,
    package_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    reading = read([write_schema(case, package_folder)], base=package_folder)
    assert reading.is_sound, reading.findings
    name = f"judged_{case['id']}_{types}".replace("-", "_")
    assert write(package_folder / name, generate(reading.catalogue, types=types)).refused == ()
    importlib.invalidate_caches()
    module = importlib.import_module(f"{name}.case")
    for instance in case["expect"]["instances"]:
        judge(module, instance)
    assert list(tmp_path.iterdir()) == [], "a text of the schema was executed"


def judge(module: Any, instance: dict[str, Any]) -> None:
    """Compare the verdict on one instance, which must not change by being judged."""
    shown = json.dumps(instance)[:200]
    if "raw" in instance and instance["valid"] is not True:
        with contextlib.suppress(InvalidJSON):
            judge_value(module, instance, parse_json(instance["raw"]), shown)
        return
    judge_value(module, instance, make_instance(instance), shown)


def judge_value(module: Any, instance: dict[str, Any], value: object, shown: str) -> None:
    before = repr(value) if "nest" not in instance else ""
    verdict = module.is_valid(value)
    if instance["valid"] is None:
        assert module.is_valid({}) in {True, False}
    else:
        assert verdict is instance["valid"], shown
    if verdict:
        module.validate(value)
    else:
        with pytest.raises(ValueError, match=r"expected .+, found "):
            module.validate(value)
    if before:
        assert repr(value) == before


@pytest.mark.parametrize("case", REFUSED, ids=[case["id"] for case in REFUSED])
def test_reading_refuses_what_cannot_be_compiled(case: dict[str, Any], tmp_path: Path) -> None:
    reading = read([write_schema(case, tmp_path)], base=tmp_path)
    errors = [finding for finding in reading.findings if finding.severity == "error"]
    assert errors
    assert all(finding.line is not None for finding in errors)
    said = " ".join(f"{finding.message} {finding.pointer}" for finding in errors)
    for text in case["expect"].get("must_mention", ()):
        assert text in said
