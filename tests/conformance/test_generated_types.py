"""Generated types on cases from bug reports about other people's generators."""

from __future__ import annotations

import copy
import importlib
import json
import keyword
import os
import subprocess
import sys
import typing
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pydantic
import pytest
from generated_packages import (
    CASES,
    KINDS,
    Package,
    dump,
    get_fields,
    holds_null,
    import_fresh,
    is_required,
    make_package,
    run_mypy,
)
from pi_contracts.contracts.names import capitalize
from pi_contracts.runtime import ContractViolation, parse_json
from typing_extensions import is_typeddict

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMAS = [case for case in CASES if "service" not in case["input"]]
TOGETHER = {
    *("imports", "no_warning", "no_side_effect"),
    *("mypy_strict", "union_tag", "type_error"),
    "text",
}
"""Facts about which one run tells for all cases: of an interpreter, of mypy; and words."""
FACTS = [
    pytest.param(case["id"], kind, fact, id=f"{case['id']}-{kind}-{index}-{fact['check']}")
    for case in SCHEMAS
    for kind in KINDS
    for index, fact in enumerate(case["expect"])
    if fact["check"] not in TOGETHER
]
TEXTS = [
    pytest.param(case["id"], kind, fact["says"], id=f"{case['id']}-{kind}")
    for case in SCHEMAS
    for kind in KINDS
    for fact in case["expect"]
    if fact["check"] == "text"
]

pytestmark = pytest.mark.skipif(not CASES, reason="the shared cases are not beside this checkout")


@pytest.fixture(scope="module")
def packages(package_folder: Path) -> dict[tuple[str, str], Package]:
    """Return the package of each case, with either kind of types."""
    return {
        (case["id"], kind): make_package(case, kind, package_folder)
        for case in SCHEMAS
        for kind in KINDS
    }


@pytest.mark.parametrize(("case", "kind", "fact"), FACTS)
def test_generated_types_are_as_the_case_says(
    case: str, kind: str, fact: dict[str, Any], packages: dict[tuple[str, str], Package]
) -> None:
    CHECKS[fact["check"]](packages[case, kind], fact)


def test_every_module_imports_first_and_in_any_order(
    packages: dict[tuple[str, str], Package], tmp_path: Path
) -> None:
    assert import_fresh(packages.values(), tmp_path) == []
    assert list(tmp_path.iterdir()) == [], "a text of a schema was executed"


def check_presence(package: Package, fact: dict[str, Any]) -> None:
    record = package.get_type(fact["type"])
    must_be_there = fact["check"] == "required"
    assert is_required(record, fact["key"]) is must_be_there
    hint = get_fields(record)[fact["key"]]
    if must_be_there or not package.is_pydantic:  # None is absence in a model, too
        assert holds_null(hint) is fact["nullable"]
    module = package.load(fact["type"])
    for other in package.case["expect"]:
        if other["check"] == "round_trip" and other["type"] == fact["type"]:
            value = {name: item for name, item in other["value"].items() if name != fact["key"]}
            assert module.is_valid(value) is not must_be_there
            assert module.is_valid({**value, fact["key"]: None}) is fact["nullable"]


def check_round_trip(package: Package, fact: dict[str, Any]) -> None:
    module = package.load(fact["type"])
    text = json.dumps(fact["value"], sort_keys=True)
    value = module.validate(parse_json(text))
    assert json.dumps(dump(package, value, fact["type"]), sort_keys=True) == text
    if isinstance(value, pydantic.BaseModel):
        again = type(value).model_validate(value.model_dump(exclude_unset=True))
        assert again == value


def check_rejects(package: Package, fact: dict[str, Any]) -> None:
    module = package.load(fact["type"])
    value = parse_json(json.dumps(fact["value"]))
    assert module.is_valid(value) is False
    with pytest.raises(ContractViolation):
        module.validate(value)


def check_identifiers(package: Package, fact: dict[str, Any]) -> None:
    record = package.get_type(fact["type"])
    assert list(get_fields(record)) == fact["keys"]
    if package.is_pydantic:
        names = list(record.model_fields)
        assert all(name.isidentifier() and not keyword.iskeyword(name) for name in names)
        assert len({unicodedata.normalize("NFKC", name) for name in names}) == len(names)
        value = record(**dict.fromkeys(names, "v")) if fact["keys"][0] == "schema" else None
        assert value is None or [getattr(value, name) for name in names] == ["v"] * len(names)


def check_distinct_types(package: Package, fact: dict[str, Any]) -> None:
    found: list[object] = []
    for name in package.modules:
        module = importlib.import_module(name)
        found += [one for one in module.__dict__.values() if is_record(one, module)]
    assert len(found) >= fact["at_least"]


def is_record(value: Any, module: Any) -> bool:
    if not isinstance(value, type) or value.__module__ != module.__name__:
        return False
    record: type[Any] = value
    is_model = issubclass(record, pydantic.BaseModel)
    return not record.__name__.startswith("_") and (is_typeddict(record) or is_model)


def check_same_type(package: Package, fact: dict[str, Any]) -> None:
    first, *others = (
        get_fields(package.get_type(place.partition("#")[0] + "#"))[place.rpartition("/")[2]]
        for place in fact["places"]
    )
    assert all(other == first for other in others)


def check_deterministic(package: Package, _: dict[str, Any]) -> None:
    folder = package.folder.with_name(f"again-{package.name}")
    folder.mkdir()
    again = make_package(package.case, "pydantic" if package.is_pydantic else "typed-dict", folder)
    assert again.files == package.files
    for path in package.files:
        text = (package.folder / package.name / path).read_bytes()
        assert (folder / again.name / path).read_bytes() == text


CHECKS: dict[str, Callable[[Package, dict[str, Any]], None]] = {
    "required": check_presence,
    "optional": check_presence,
    "round_trip": check_round_trip,
    "rejects": check_rejects,
    "identifiers": check_identifiers,
    "distinct_types": check_distinct_types,
    "same_type": check_same_type,
    "deterministic": check_deterministic,
}


def test_type_checkers_agree(packages: dict[tuple[str, str], Package]) -> None:
    """Generated code is clean, unions narrow by their tags, and misuse is a complaint."""
    folder = next(iter(packages.values())).folder
    expected: set[str] = set()
    for (case, kind), package in packages.items():
        for fact in package.case["expect"]:
            name = f"use_{case}_{kind}_{fact['check']}".replace("-", "_")
            if fact["check"] == "union_tag":
                (folder / f"{name}.py").write_text(narrow(package, fact))
            elif fact["check"] == "type_error":
                good, bad = MISUSES[case](package)
                (folder / f"{name}.py").write_text(good)
                (folder / f"{name}_wrong.py").write_text(bad)
                expected.add(f"{name}_wrong.py")
            elif fact["check"] == "text" and case in MISUSES:
                good, bad = MISUSES[case](package)
                (folder / f"{name}_text.py").write_text(bad)
                expected.add(f"{name}_text.py")
    complaints = run_mypy(folder)
    assert complaints.keys() == expected, [complaints[one] for one in {*complaints} - expected]


def narrow(package: Package, fact: dict[str, Any]) -> str:
    """Return code that is clean where each tag leaves one type of a union."""
    module = package.load(fact["type"]).__name__
    root = f"m.{capitalize(module.rpartition('.')[2])}"
    key = f"value.{fact['key']}" if package.is_pydantic else f"value[{fact['key']!r}]"
    tags = [
        (tag, f"m.{capitalize(place.rpartition('/')[2])}") for tag, place in fact["tags"].items()
    ]
    lines = ["from typing_extensions import assert_never, assert_type", f"import {module} as m", ""]
    lines.append(f"def use(value: {root}) -> None:")
    for index, (tag, name) in enumerate(tags):
        lines.append(f"    {'el' if index else ''}if {key} == {tag!r}:")
        lines.append(f"        assert_type(value, {name})")
    lines += ["    else:", "        assert_never(value)", ""]
    return "\n".join(lines)


def misuse_constant(package: Package) -> tuple[str, str]:
    module = package.modules[0]
    root = f"m.{capitalize(module.rpartition('.')[2])}"
    text = '{{"k": "{}", "n": 1}}' if not package.is_pydantic else root + '(k="{}", n=1)'
    code = f"import {module} as m\nvalue: {root} = " + text + "\n"
    return code.format("and"), code.format("or")


def give_never(package: Package) -> tuple[str, str]:
    module = package.modules[0]
    root = f"m.{capitalize(module.rpartition('.')[2])}"
    code = f"import {module} as m\nvalue: {root} = "
    text = root + "({})" if package.is_pydantic else "{{{}}}"
    return code + text.format(""), code + text.format(
        "never=1" if package.is_pydantic else '"never": 1'
    )


MISUSES: dict[str, Callable[[Package], tuple[str, str]]] = {
    "g-enu-05": misuse_constant,
    "g-con-05": give_never,
}


@pytest.mark.parametrize(("case", "kind", "says"), TEXTS)
def test_what_a_case_says_in_words_is_true(
    case: str, kind: str, says: str, packages: dict[tuple[str, str], Package]
) -> None:
    assert case in WORDS, f"nobody has looked at: {says}"
    WORDS[case](packages[case, kind])


def nothing_stays_nothing(package: Package) -> None:
    assert dump(package, package.load().validate({})) == {}


def defaults_are_not_shared(package: Package) -> None:
    module = package.load()
    first, second = module.validate({"tags": []}), module.validate({"tags": []})
    (first.tags if package.is_pydantic else first["tags"]).append("x")
    assert dump(package, second) == {"tags": []}
    assert dump(package, module.validate({})) == {}


def defaults_are_not_surfaced(package: Package) -> None:
    module = package.load()
    text = package.case["input"]["schema"]["properties"]["s"]["default"]
    source = Path(module.__file__).read_text("utf-8")
    assert not any(spelled in source for spelled in (text, repr(text), json.dumps(text)))
    assert dump(package, module.validate({})) == {}
    if package.is_pydantic:
        assert module.validate({}).s is None


def constants_are_those_of_the_schema(package: Package) -> None:
    module = package.load()
    constants = {
        value
        for name in module.__all__
        if is_record(getattr(module, name), module)
        for hint in get_fields(getattr(module, name)).values()
        for value in find_literals(hint)
    }
    assert constants == {"id", "name"}


def find_literals(hint: Any) -> set[Any]:
    if typing.get_origin(hint) is typing.Literal:
        return set(typing.get_args(hint))
    return {value for part in typing.get_args(hint) for value in find_literals(part)}


def values_keep_their_kind(package: Package) -> None:
    for value in (True, 1, 0, False, 1.0, 0.0, 1.5):
        read = dump(package, package.load().validate({"v": value}))["v"]
        assert (type(read), read) == (type(value), value)


def a_member_named_copy_is_a_member(package: Package) -> None:
    value = package.load().validate({"copy": "v", "self": "w"})
    assert dump(package, copy.copy(value)) == {"copy": "v", "self": "w"}
    assert dump(package, copy.deepcopy(value)) == {"copy": "v", "self": "w"}
    assert (value.copy_ if package.is_pydantic else value["copy"]) == "v"


def members_do_not_change_each_other(package: Package) -> None:
    keys = list(package.case["input"]["schema"]["properties"])
    value = package.load().validate(dict.fromkeys(keys, 0))
    for number, key in enumerate(keys, 1):
        if package.is_pydantic:
            fields: dict[str, Any] = package.get_type().model_fields
            name = next(name for name, field in fields.items() if (field.alias or name) == key)
            changed = dump(package, value.model_copy(update={name: number}))
        else:
            changed = {**value, key: number}
        assert changed == {**dict.fromkeys(keys, 0), key: number}


def paths_differ_after_folding(package: Package) -> None:
    folded = [unicodedata.normalize("NFC", path).casefold() for path in package.files]
    assert len(set(folded)) == len(folded)


def a_ring_is_one_module(package: Package) -> None:
    """What imports first is tried for all cases together; here that the ring is no accident."""
    own = [package.get_type(f"{name}#") for name in package.case["input"]["files"]]
    assert len({one.__module__ for one in own}) == 1


def generation_ends_in_a_module(package: Package) -> None:
    assert package.load().is_valid({"next": {}}) is False


def never_is_no_member(package: Package) -> None:
    assert "never" not in get_fields(package.get_type())


def places_and_times_leave_no_trace(package: Package) -> None:
    folder = package.folder.with_name(f"elsewhere-{package.name}")
    folder.mkdir()
    again = import_elsewhere(package, folder)
    for path in package.files:
        text = (package.folder / package.name / path).read_bytes()
        assert str(package.folder.parent).encode() not in text
        assert (again / path).read_bytes() == text


def import_elsewhere(package: Package, folder: Path) -> Path:
    """Generate once more, in another folder, zone and home, as another user; return the package."""
    schema = folder / "case.json"
    schema.write_text(json.dumps(package.case["input"]["schema"]))
    kind = "pydantic" if package.is_pydantic else "typed-dict"
    environment = {"HOME": str(folder), "USER": "other", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"}
    command = ["-m", "pi_contracts.cli", "gen", "case.json", "--out", "out", "--types", kind]
    subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )
    return folder / "out"


WORDS: dict[str, Callable[[Package], None]] = {
    "g-opt-07": nothing_stays_nothing,
    "g-def-01": defaults_are_not_shared,
    "g-def-03": defaults_are_not_surfaced,
    "g-uni-03": constants_are_those_of_the_schema,
    "g-uni-07": values_keep_their_kind,
    "g-nam-02": a_member_named_copy_is_a_member,
    "g-nam-06": members_do_not_change_each_other,
    "g-mul-03": paths_differ_after_folding,
    "g-mul-05": a_ring_is_one_module,
    "g-rec-03": generation_ends_in_a_module,
    "g-con-05": never_is_no_member,
    "g-det-02": places_and_times_leave_no_trace,
}
