"""Generated services: what a consumer says through its proxy is what the provider hears."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest
from generated_packages import CASES, KINDS, Package, import_fresh, make_package, run_mypy
from pi_contracts.runtime import BACKGROUND, UNSET, connect_direct

if TYPE_CHECKING:
    from pathlib import Path


def make_case(case: str, **methods: Any) -> dict[str, Any]:
    """Return a case of our own, in the neutral shape of the shared ones."""
    service: dict[str, Any] = {
        "id": "demo.service",
        "mode": "singleton",
        "events": {},
        "state": None,
    }
    return {"id": case, "input": {"service": {**service, "methods": methods}}, "expect": []}


def make_arguments(names: str, required: str = "") -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names.split()},
        "required": required.split(),
    }


LOCALS = "params self_ ctx_ self ctx link _link _self value member rt t abc pydantic UNSET"
BUILT_IN = "list dict str int bool isinstance type print None True class def async await lambda"
OURS: list[dict[str, Any]] = [
    make_case(
        "own-locals",
        all={"arguments": make_arguments(LOCALS, LOCALS), "result": True},
        some={"arguments": make_arguments(LOCALS, "self params"), "result": True},
        none={"arguments": make_arguments(LOCALS), "result": True},
    ),
    make_case(
        "own-built-in",
        all={"arguments": make_arguments(BUILT_IN, BUILT_IN), "result": True},
        none={"arguments": make_arguments(BUILT_IN), "result": {"type": "string"}},
    ),
    make_case(
        "own-alike",
        run={"arguments": make_arguments("a-b a_b aB A_B a.b", "a-b aB"), "result": True},
        folded={"arguments": make_arguments("\ufb01le file \u00b5 \u03bc _ __ __x", "file")}
        | {"result": True},
        nothing={"arguments": {}, "result": True},
    ),
    make_case(
        "own-methods",
        **{
            name: {"arguments": make_arguments("a b", "b"), "result": {"type": "string"}}
            for name in [
                *("__init__", "_link", "self", "list", "dict", "str", "int", "rt", "t", "link"),
                *("class", "None", "__class__", "register", "mro", "get-item", "getItem", "call"),
                *("__slots__", "_abc_impl", "__abstractmethods__", "1st", "\u7530", "a b", "'\"\\"),
            ]
        },
    ),
]
SHARED = [case for case in CASES if "service" in case["input"]]
SERVICES = {case["id"]: case for case in [*SHARED, *OURS]}
EXAMPLES: dict[str, Any] = {
    "string": "s",
    "integer": 1,
    "boolean": True,
    "array": [2],
    "object": {},
    "number": 1.5,
    "null": None,
}


@pytest.fixture(scope="module")
def packages(package_folder: Path) -> dict[tuple[str, str], Package]:
    """Return the package of each service, with either kind of types."""
    return {
        (name, kind): make_package(case, kind, package_folder)
        for name, case in SERVICES.items()
        for kind in KINDS
    }


class Heard(list[tuple[str, dict[str, Any]]]):
    """What a provider was called with: the wire name of the method, and its arguments."""


def implement(module: Any, heard: Heard, answers: dict[str, Any]) -> Any:
    """Return an implementation of the one service of *module*, which notes what it hears."""
    token = find_token(module)
    names: dict[str, Any] = module.__dict__
    provider = next(one for name, one in names.items() if name.endswith("Provider"))

    def make_method(member: Any) -> Any:
        signature = inspect.signature(getattr(provider, get_attribute(member)))
        names = {parameter.attribute: parameter.name for parameter in member.parameters}

        async def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(self, *args, **kwargs).arguments
            given = {names[k]: v for k, v in bound.items() if k in names and v is not UNSET}
            heard.append((member.name, given))
            return answers[member.name]

        method.__signature__ = signature  # type: ignore[attr-defined]
        return method

    methods = {get_attribute(member): make_method(member) for member in token.members}
    return type("Implementation", (provider,), methods)()


def find_token(module: Any) -> Any:
    names: dict[str, Any] = module.__dict__
    return next(one for name, one in names.items() if name.isupper() and hasattr(one, "id"))


def get_attribute(member: Any) -> str:
    return member.attribute or member.name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", SERVICES)
def test_every_argument_arrives_under_its_own_name(
    case: str, kind: str, packages: dict[tuple[str, str], Package]
) -> None:
    package = packages[case, kind]
    (name,) = package.modules
    module = __import__(name, fromlist=["*"])
    methods = SERVICES[case]["input"]["service"]["methods"]
    answers = {wire: f"result of {wire}" for wire in methods}
    if case in {one["id"] for one in SHARED}:
        answers = {
            wire: ["x"] if isinstance(method["result"], dict) else wire
            for wire, method in methods.items()
        }
    heard = Heard()

    async def call_all() -> None:
        proxy: Any = connect_direct(find_token(module), implement(module, heard, answers))
        for member in find_token(module).members:
            schemas = methods[member.name]["arguments"].get("properties", {})
            call = getattr(proxy, get_attribute(member))
            values = {one.name: EXAMPLES[schemas[one.name]["type"]] for one in member.parameters}
            required = [values[one.name] for one in member.parameters if one.required]
            others = {
                one.attribute: values[one.name] for one in member.parameters if not one.required
            }
            assert await call(*required, BACKGROUND) == answers[member.name]
            assert await call(*required, BACKGROUND, **others) == answers[member.name]
            needed = {one.name: values[one.name] for one in member.parameters if one.required}
            assert heard == [(member.name, needed), (member.name, values)]
            heard.clear()

    asyncio.run(call_all())


def test_methods_that_are_spelled_alike_stay_methods_of_their_own(
    packages: dict[tuple[str, str], Package],
) -> None:
    for package in packages.values():
        (name,) = package.modules
        members = find_token(__import__(name, fromlist=["*"])).members
        assert len({get_attribute(member) for member in members}) == len(members)
        assert [member.name for member in members] == [*package.case["input"]["service"]["methods"]]


def test_services_import_first(packages: dict[tuple[str, str], Package], tmp_path: Path) -> None:
    assert import_fresh(packages.values(), tmp_path) == []


USES = {
    "g-svc-03": (
        'await service.find("k", ctx)\n    await service.find("k", ctx, limit=1)',
        ["await service.find(ctx)", "await service.find(1, ctx)", 'await service.find("k")'],
    ),
    "g-svc-05": (
        'await service.get_item(1, ctx)\n    await service.get_item_a01895("b", ctx)',
        ['await service.get_item("b", ctx)', "await service.get_item_276823(1, ctx)"],
    ),
}


def test_type_checkers_agree(packages: dict[tuple[str, str], Package]) -> None:
    folder = next(iter(packages.values())).folder
    expected: set[str] = set()
    for (case, kind), package in packages.items():
        if case not in USES:
            continue
        good, wrong = USES[case]
        for index, code in enumerate([good, *wrong]):
            name = f"use_{case}_{kind}_{index}".replace("-", "_")
            (folder / f"{name}.py").write_text(
                f"from {package.modules[0]} import DemoService\n"
                "from pi_contracts.runtime import Context\n"
                f"async def use(service: DemoService, ctx: Context) -> None:\n    {code}\n"
            )
            expected |= {f"{name}.py"} if index else set()
    complaints = run_mypy(folder)
    assert complaints.keys() == expected, [complaints[one] for one in {*complaints} - expected]
