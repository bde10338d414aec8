"""Contracts in, a package out: clean, deterministic, safe, and only as new as it has to be."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pi_contracts.codegen.comparison import compare
from pi_contracts.codegen.generate import generate
from pi_contracts.codegen.lock import LOCK_NAME
from pi_contracts.codegen.output import check_paths, write
from pi_contracts.contracts.read import read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "tests" / "goldens"
LIBRARY = ROOT / "contracts" / "library"
CATALOGUE = ROOT / ".." / "shared" / "data" / "wire-catalog"
CASES = ROOT / ".." / "shared" / "cases" / "codegen.json"
KINDS: tuple[Any, ...] = ("typed-dict", "pydantic")
GOLDEN_PACKAGES = {"typed-dict": "typed_dict", "pydantic": "pydantic_models"}


def generate_from(folder: Path, types: Any) -> dict[str, str]:
    return generate(read([folder]).catalogue, types=types)


def run_python(code: str, *, path: Path = GOLDENS, **options: Any) -> str:
    environment = {**os.environ, "PYTHONPATH": str(path), **options.pop("env", {})}
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(
        command, capture_output=True, check=True, text=True, env=environment, **options
    ).stdout


@pytest.mark.parametrize("kind", KINDS)
def test_the_goldens_are_what_is_generated(kind: Any) -> None:
    """Write them anew with: pi-contracts gen tests/goldens/contracts --out tests/goldens/…"""
    files = generate_from(GOLDENS / "contracts", kind)
    found = compare(GOLDENS / GOLDEN_PACKAGES[kind], files).differences
    assert [f"{one.path} {one.reason}\n{one.diff}" for one in found] == []


MODULES = [
    ".".join(file.relative_to(GOLDENS).with_suffix("").parts).removesuffix(".__init__")
    for package in GOLDEN_PACKAGES.values()
    for file in sorted((GOLDENS / package).rglob("*.py"))
]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_imports_first(module: str, tmp_path: Path) -> None:
    run_python(f"import {module}", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == [], "a text of a contract was executed"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package for each kind of types and each real set of contracts."""
    folder = tmp_path_factory.mktemp("packages")
    sources = {"library": LIBRARY, "goldens": GOLDENS / "contracts"}
    if CATALOGUE.is_dir():
        sources["wire"] = CATALOGUE
    for name, source in sources.items():
        for kind in KINDS:
            package = folder / f"{name}_{GOLDEN_PACKAGES[kind]}"
            assert write(package, generate_from(source, kind)).refused == ()
    return folder


STRICT = {
    "typeCheckingMode": "strict",
    "pythonVersion": "3.11",
    "extraPaths": [str(ROOT / ".links")],
    "venvPath": str(Path(sys.prefix).parent),
    "venv": Path(sys.prefix).name,
}


@pytest.mark.parametrize(
    "command",
    [
        ["mypy", "--strict", "--explicit-package-bases", "--follow-imports=silent", "."],
        ["basedpyright", "--project", "pyrightconfig.json"],
        ["ruff", "check", "--isolated", "."],
        [
            "ruff",
            "check",
            "--config",
            str(GOLDENS / "ruff.toml"),
            "--config",
            "extend-exclude=[]",
            ".",
        ],
        ["ruff", "format", "--isolated", "--line-length=100", "--check", "."],
    ],
    ids=["mypy", "pyright", "ruff", "all rules of ruff", "ruff format"],
)
def test_what_is_generated_is_clean(packages: Path, command: list[str]) -> None:
    (packages / "pyrightconfig.json").write_text(json.dumps(STRICT))
    program = str(Path(sys.executable).with_name(command[0]))
    environment = {**os.environ, "MYPYPATH": f"{ROOT / '.links'}{os.pathsep}{packages}"}
    done = subprocess.run(
        [program, *command[1:]],
        cwd=packages,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_index_imports_a_contract_when_it_is_asked_for() -> None:
    output = run_python(
        "import sys, typed_dict\n"
        "print(sorted(typed_dict.CONTRACTS), len(typed_dict.CONTRACTS))\n"
        "print([name for name in sys.modules if name.startswith('typed_dict.')])\n"
        "print(typed_dict.CONTRACTS['dialog'].DIALOG.id, 'nothing' in typed_dict.CONTRACTS)\n"
        "print([name for name in sys.modules if name.startswith('typed_dict.')])\n"
    )
    services = (
        "['@demo/members', 'bare', 'demo.arguments', 'dialog', 'index', 'index-job',"
        " 'index-report', 'old', 'texts \"\"\" \\' \\\\ \\n']"
    )
    assert output.splitlines() == [
        f"{services} 9",
        "[]",
        "dialog False",
        "['typed_dict.keyed', 'typed_dict.values', 'typed_dict.keyed.dialog']",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_importing_compiles_no_schema_and_loads_no_authoring_library(kind: str) -> None:
    heavy = ("typer", "jinja2", "jsonschema", "datamodel_code_generator", "rich")
    heavy = heavy if kind == "pydantic" else (*heavy, "pydantic")
    output = run_python(
        "import sys, jsonschema_rs\n"
        "def refuse(*a, **k): raise AssertionError\n"
        "jsonschema_rs.validator_for = refuse\n"
        f"import {GOLDEN_PACKAGES[kind]} as package\n"
        "for module in package.CONTRACTS.values(): module\n"
        f"print([name for name in {heavy!r} if name in sys.modules])\n"
    )
    assert output == "[]\n"


@pytest.mark.parametrize("kind", KINDS)
def test_equal_input_gives_equal_bytes(kind: str, tmp_path: Path) -> None:
    code = (
        "import hashlib, json, sys\nfrom pathlib import Path\n"
        "from pi_contracts.contracts.read import read\n"
        "from pi_contracts.codegen.generate import generate\n"
        "paths = [Path(one) for one in json.loads(sys.argv[1])]\n"
        f"files = generate(read(paths).catalogue, types={kind!r})\n"
        "print(hashlib.sha256(json.dumps(files).encode()).hexdigest())\n"
    )
    sources = sorted((GOLDENS / "contracts").rglob("*.json"))
    outputs: set[str] = set()
    for seed in ("1", "2", "3"):
        random.Random(seed).shuffle(sources)
        command = [sys.executable, "-c", code, json.dumps([str(one) for one in sources])]
        folder = tmp_path / seed
        folder.mkdir()
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "HOME": str(folder),
            "TZ": f"UTC-{seed}",
        }
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, check=True, text=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    files = generate_from(GOLDENS / "contracts", kind)
    assert not any(
        version("pi-contracts") in text for path, text in files.items() if path != LOCK_NAME
    )


@pytest.mark.parametrize("kind", KINDS)
def test_files_end_in_line_feeds_and_have_paths_of_their_own(kind: str) -> None:
    files = generate_from(GOLDENS / "contracts", kind)
    check_paths(files)
    assert list(files)[-1] == LOCK_NAME
    for text in files.values():
        assert "\r" not in text
        assert not text or (text.endswith("\n") and not text.endswith("\n\n"))


def test_file_names_that_meet_when_folded_give_files_that_do_not(
    generate_files: Callable[..., dict[str, str]],
) -> None:
    names = ("a-b", "a_b", "A-B", "\u00e9", "e\u0301", "con", "class", "__init__", "A/x", "a/x")
    files = generate_files({f"{name}.schema.json": {"type": "object"} for name in names})
    check_paths(files)
    documents = [path for path, text in files.items() if "validate" in text]
    assert len(documents) == len(names)


CONTRACT: dict[str, Any] = {
    "service": {"id": "one", "mode": "singleton"},
    "members": {"go": {"kind": "method", "params": {"x": {"$ref": "#/$defs/X"}}}},
    "$defs": {"X": {"type": "object", "properties": {"y": {"type": "integer"}}}},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_member_changes_its_module_and_the_lock_and_nothing_else(
    generate_files: Callable[..., dict[str, str]], kind: str
) -> None:
    others = {
        "two.contract.json": {**CONTRACT, "service": {"id": "two", "mode": "keyed"}},
        "three.schema.json": {"$ref": "one.contract.json#/$defs/X"},
    }
    before = generate_files({"one.contract.json": CONTRACT, **others}, kind)
    members = {**CONTRACT["members"], "stop": {"kind": "method", "result": {"type": "string"}}}
    after = generate_files({"one.contract.json": {**CONTRACT, "members": members}, **others}, kind)
    assert before.keys() == after.keys()
    changed = {path for path in after if after[path] != before[path]}
    assert changed == {"one.py", LOCK_NAME}


def test_without_documents_there_is_an_index_of_nothing(
    generate_files: Callable[..., dict[str, str]],
) -> None:
    files = generate_files({"a.schema.json": {}})
    assert "_MODULES: Final[Mapping[str, str]] = {}\n" in files["__init__.py"]


HOSTILE = st.text(
    st.sampled_from("ab_ -.\"'\\\n\r\t\0\x1b\x7f\x85\u202e\u2028{}%#$[];\U0001f680é漢"), min_size=1
)
NAMES = st.one_of(
    HOSTILE.filter(lambda name: not name.startswith("$")),
    st.sampled_from(["self", "ctx", "list", "rt", "class", "__init__", "_link", "None", "schemas"]),
)


@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    NAMES, st.dictionaries(NAMES, HOSTILE, min_size=1, max_size=4), HOSTILE, st.sampled_from(KINDS)
)
def test_no_name_and_no_text_is_executed(
    service: str, names: dict[str, str], text: str, kind: Any
) -> None:
    kinds: list[Callable[[str, str], dict[str, Any]]] = [
        lambda name, about: {
            "kind": "method",
            "params": {other: {"description": about, "pattern": "a"} for other in names},
            "optional": [name],
            "errors": [*names],
        },
        lambda name, about: {
            "kind": "state",
            "description": about,
            "value": {"properties": {name: {"const": about, "title": about}}},
        },
        lambda _, about: {"kind": "events", "description": about, "payload": {"enum": [about]}},
    ]
    contract = {
        "$schema": "urn:pi-contracts:dialect:1",
        "description": text,
        "service": {"id": service, "mode": "singleton"},
        "members": {
            name: kinds[index % 3](name, about) for index, (name, about) in enumerate(names.items())
        },
        "errors": {name: {"description": about} for name, about in names.items()},
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.contract.json").write_text(json.dumps(contract), encoding="utf-8")
        reading = read([Path(folder)])
        assert [one.message for one in reading.findings if one.severity == "error"] == []
        files = generate(reading.catalogue, types=kind)
    source = files["a.py"]
    compile(source, "a.py", "exec")
    ruff = str(Path(sys.executable).with_name("ruff"))
    for options in (["format", "--line-length=100"], ["check"]):
        done = subprocess.run(
            [ruff, *options, "--isolated", "--stdin-filename=a.py", "-"],
            input=source,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.stdout == (source if options[0] == "format" else "All checks passed!\n")


def test_neutral_service_cases_generate_modules_that_import(
    generate_files: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    if not CASES.is_file():
        pytest.skip("the shared cases are not beside this checkout")
    cases = [one for one in json.loads(CASES.read_text("utf-8")) if "service" in one["input"]]
    assert cases
    documents = {
        f"{one['id']}.contract.json": translate({**one["input"]["service"], "id": one["id"]})
        for one in cases
    }
    for kind in KINDS:
        package = f"cases_{GOLDEN_PACKAGES[kind]}"
        write(tmp_path / package, generate_files(documents, kind))
        for one in cases:
            run_python(f"import {package}.{one['id'].replace('-', '_')}", path=tmp_path)


def translate(service: Mapping[str, Any]) -> dict[str, Any]:
    """Return a contract for a service in the neutral shape of the shared cases."""
    members: dict[str, Any] = {}
    for name, method in service["methods"].items():
        arguments = method["arguments"].get("properties", {})
        optional = [one for one in arguments if one not in method["arguments"].get("required", ())]
        members[name] = {"kind": "method", "params": arguments, "optional": optional}
        members[name]["result"] = method["result"]
    for name, payload in service["events"].items():
        members[name] = {"kind": "events", "payload": payload}
    if service["state"] is not None:
        members["state"] = {"kind": "state", "value": service["state"]}
    return {"service": {"id": service["id"], "mode": service["mode"]}, "members": members}
