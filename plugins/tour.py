"""The tour: the whole path on the shipped library, in one process, saying what it does.

Generating is handed in, since it belongs above this package.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import contextmanager
from importlib import resources
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from pi_contracts.contracts.read import read
from pi_contracts.contracts.reports.report import Report
from pi_contracts.contracts.reports.text import Quoter, draw_nothing, render_text
from pi_contracts.runtime.direct import connect_direct
from pi_contracts.runtime.errors import ContractViolation
from pi_contracts.runtime.generated import BACKGROUND
from pi_contracts.runtime.members import EventsMember, Method, Payload, StateMember
from pi_contracts.runtime.parse import parse_json
from pi_contracts.runtime.tokens import RemoteToken

from .explain import Drawing
from .manifest import parse_manifest, read_manifest
from .plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from types import ModuleType

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.findings import Finding
    from typing_extensions import TypeIs

    from .plan import Plan

_PACKAGE: Final = "pi_contracts_tour"


class SurpriseError(Exception):
    """Something on the tour went otherwise than the tour says."""


def give_tour(
    generate: Callable[[Catalogue], Mapping[str, str]], say: Callable[[str], None]
) -> None:
    """Walk through everything once, and say each step.

    Args:
        generate: Makes the files of a package from contracts.
        say: Prints a line.

    Raises:
        SurpriseError: A step did not end as it should.
    """
    library = Path(str(resources.files("pi_contracts.contracts") / "library"))
    with TemporaryDirectory(prefix="pi-contracts-demo-") as temporary:
        folder = Path(temporary)
        package = folder / "services"
        _show_generation(library, package, generate, say)
        with _import_package(package) as index:
            _show_fixtures(library, index, say)
            asyncio.run(_show_calls(library, index, say))
        manifest = Path(str(resources.files("pi_contracts.plugins") / "library"))
        manifest = manifest / "coding-agent.manifest.json"
        _show_plan(manifest, say)
        _show_broken_plan(manifest, say)
        _show_broken_contract(library, folder / "broken", say)
    say("")
    say("That is all of it. Begin one of your own: pi-contracts new NAME")


def _show_generation(
    library: Path,
    package: Path,
    generate: Callable[[Catalogue], Mapping[str, str]],
    say: Callable[[str], None],
) -> None:
    say("1. Contracts in, typed Python out")
    reading = read([library], base=library.parent)
    _expect(reading.is_sound, "the shipped contracts have no errors")
    contracts = len(reading.catalogue.contracts)
    say(f"   The library that comes with the tool holds {contracts} service contracts.")
    files = generate(reading.catalogue)
    for path, text in files.items():
        file = package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")
    size = sum(text.count("\n") for text in files.values())
    say(f"   gen made a package of {len(files)} files and {size} lines, in a temporary folder.")
    say("   Of the contract `models` it made, among others:")
    shown = ("class Models", "async def select")
    lines = (package / "models.py").read_text("utf-8").splitlines()
    for line in dict.fromkeys(line for line in lines if line.lstrip().startswith(shown)):
        say(f"     {line}")


@contextmanager
def _import_package(folder: Path) -> Generator[ModuleType]:
    """Import a package from *folder* under a name that nobody else has."""
    loader = SourceFileLoader(_PACKAGE, str(folder / "__init__.py"))
    spec = ModuleSpec(_PACKAGE, loader, origin=loader.path, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    module = module_from_spec(spec)
    sys.modules[_PACKAGE] = module
    try:
        loader.exec_module(module)
        yield module
    finally:
        for name in [one for one in sys.modules if one.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]


def _show_fixtures(library: Path, index: ModuleType, say: Callable[[str], None]) -> None:
    say("")
    say("2. The fixtures of the library, judged by the generated code")
    accepted = refused = 0
    for service, module in index.CONTRACTS.items():
        for subject, payload in _list_payloads(_find_token(module)):
            for file in sorted((library / "fixtures").glob(f"{service}.{subject}.*.json")):
                is_valid = file.name.split(".")[-2].startswith("valid")
                fits = _find_violation(payload, file) is None
                _expect(fits is is_valid, f"{file.name} is judged as its name says")
                accepted += is_valid
                refused += not is_valid
    say(f"   {accepted} valid payloads were accepted, {refused} invalid ones were refused. One of")
    say("   these, diff-review-manager.patch_too_large.error.invalid.json, with the reason:")
    violation = _find_violation(
        dict(_list_payloads(_find_token(index.CONTRACTS["diff-review-manager"])))[
            "patch_too_large.error"
        ],
        library / "fixtures" / "diff-review-manager.patch_too_large.error.invalid.json",
    )
    say(f"     {violation}")


def _find_token(module: ModuleType) -> RemoteToken[Any]:
    """Return the one token that a generated module exports."""
    for name in module.__all__:
        value: object = vars(module)[name]
        if _is_token(value):
            return value
    raise SurpriseError(f"expected that {module.__name__!r} exports a token")


def _is_token(value: object) -> TypeIs[RemoteToken[Any]]:
    return isinstance(value, RemoteToken)


def _list_payloads(token: RemoteToken[Any]) -> Iterator[tuple[str, Payload[Any]]]:
    """Yield each payload of a service, by what its fixtures are called."""
    for member in token.members:
        if isinstance(member, StateMember):
            yield member.name, member.value
        elif isinstance(member, EventsMember):
            yield member.name, member.payload
        else:
            yield from _list_payloads_of(member)
    for code, case in token.errors.items():
        if case.data is not None:
            yield f"{code}.error", case.data


def _list_payloads_of(method: Method[Any, Any]) -> Iterator[tuple[str, Payload[Any]]]:
    yield f"{method.name}.params", method.params
    if method.result is not None:
        yield f"{method.name}.result", method.result


def _find_violation(payload: Payload[Any], fixture: Path) -> ContractViolation | None:
    try:
        payload.check_json(parse_json(fixture.read_bytes()), fixture.name)
    except ContractViolation as violation:
        return violation
    return None


async def _show_calls(library: Path, index: ModuleType, say: Callable[[str], None]) -> None:
    say("")
    say("3. A provider and a consumer that meet through generated code alone")
    module: Any = index.CONTRACTS["models"]
    valid = (library / "fixtures" / "models.state.valid.json").read_bytes()
    provider = _define_provider(module)(state=json.loads(valid))
    models: Any = connect_direct(module.MODELS, provider)
    await models.cycle_thinking(BACKGROUND)
    level = models.state.value["configuration"]["thinkingLevel"]
    say("   The provider is a subclass of ModelsProvider, the consumer holds a Models.")
    say(f'   cycle_thinking() was called; the consumer\'s state now says "{level}".')
    _expect(level == "high", "the good state is set and reaches the consumer")
    try:
        await models.select({"provider": "nobody", "modelId": "none"}, BACKGROUND)
    except module.UnknownModel as error:
        say(f"   select() of a model that nobody offers raised {type(error).__name__}: {error}")
    else:
        raise SurpriseError("the provider's error reaches the consumer")
    before = provider.state.value
    await models.refresh(BACKGROUND)
    _expect(provider.refusal is not None, "a bad state is refused where it is set")
    _expect(provider.state.value is before, "a bad state changes nothing")
    say("   refresh() tried to set a state outside the schema, and was refused there and then:")
    say(f"     {provider.refusal}")


def _define_provider(module: Any) -> Any:
    """Return a provider as an author would write it; its refresh has a fault."""

    class Picker(module.ModelsProvider):  # type: ignore[misc] # generated a moment ago
        """Offers the models of its state."""

        refusal: ContractViolation | None = None

        async def cycle_thinking(self, ctx: Any) -> None:
            now = self.state.value
            configuration = {**now["configuration"], "thinkingLevel": "high"}
            self.state.set({**now, "configuration": configuration}, ctx)

        async def select(self, model: Any, ctx: Any) -> None:
            del ctx
            raise module.UnknownModel(data=model)

        async def refresh(self, ctx: Any) -> None:
            try:
                self.state.set({**self.state.value, "refresh": {"status": "soon"}}, ctx)
            except ContractViolation as refusal:
                self.refusal = refusal

    return Picker


def _show_plan(manifest: Path, say: Callable[[str], None]) -> None:
    say("")
    say("4. The plan of a whole application, before anything starts")
    read_one, faults = read_manifest(manifest, manifest.name)
    plan = make_plan(read_one, findings=faults)
    _expect(plan.is_ok, "the coding agent's manifest has no errors")
    plugins = len({facet.plugin for facet in plan.facets})
    say(f"   {manifest.name}: {len(plan.facets)} facets of {plugins} plugins.")
    say("   Each service in use has one provider, and there is no cycle. The order of activation:")
    _say_all(Drawing(plan, shown=3).draw_plan().splitlines(), say)


def _show_broken_plan(manifest: Path, say: Callable[[str], None]) -> None:
    say("")
    say("5. The same application without the plugin that offers models")
    document = json.loads(manifest.read_bytes())
    document["plugins"] = [
        plugin for plugin in document["plugins"] if plugin["id"] != "@pi/providers-builtin"
    ]
    text = json.dumps(document, indent=2)
    read_one, faults = parse_manifest(text.encode(), "broken.manifest.json")
    plan = make_plan(read_one, findings=faults)
    _expect(not plan.is_ok, "the missing provider is found")
    _say_report(
        "plan", plan.findings, Quoter(manifest.parent, {"broken.manifest.json": text}), say, plan
    )


def _show_broken_contract(library: Path, folder: Path, say: Callable[[str], None]) -> None:
    say("")
    say("6. A contract with two slips of the pen")
    folder.mkdir()
    text = (library / "diff-review-manager.contract.json").read_text("utf-8")
    text = text.replace('"kind": "method"', '"kind": "methd"', 1)
    text = text.replace('"type": "integer"', '"type": "interger"', 1)
    file = folder / "diff-review-manager.contract.json"
    file.write_text(text, "utf-8")
    (folder / "scalars.schema.json").write_bytes((library / "scalars.schema.json").read_bytes())
    findings = read([folder], base=folder).findings
    _expect(bool(findings), "the slips are found")
    _say_report("check", findings, Quoter(folder), say)


def _say_report(
    tool: str,
    findings: Iterable[Finding],
    quoter: Quoter,
    say: Callable[[str], None],
    plan: Plan | None = None,
) -> None:
    report = Report(tool, tuple(findings))
    spans = render_text(report, quoter, draw=Drawing(plan).draw_fault if plan else draw_nothing)
    _say_all("".join(span.text for span in spans).splitlines(), say)


def _say_all(lines: Iterable[str], say: Callable[[str], None]) -> None:
    for line in lines:
        say(f"   {line}".rstrip())


def _expect(is_true: bool, statement: str) -> None:  # noqa: FBT001 # reads as "expect that"
    if not is_true:
        raise SurpriseError(f"expected that {statement}")
