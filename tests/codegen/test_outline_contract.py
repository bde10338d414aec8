"""What a generated module does when it runs: goldens, called over the direct link."""
# ruff: noqa: ARG002 # an implementation takes what the contract gives, used or not

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import BACKGROUND, connect_direct
from pi_contracts.runtime import generated as rt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOLDENS = Path(__file__).resolve().parents[1] / "goldens"


@pytest.fixture(params=["typed_dict", "pydantic_models"])
def load(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import modules of a golden package."""
    package: str = request.param
    monkeypatch.setattr(sys, "path", [str(GOLDENS), *sys.path])

    def load(name: str) -> Any:
        return importlib.import_module(f"{package}.{name}")

    yield load
    for name in [one for one in sys.modules if one.partition(".")[0] == package]:
        del sys.modules[name]


def test_arguments_of_any_name_reach_the_implementation(load: Callable[[str], Any]) -> None:
    module = load("arguments")
    seen: list[Any] = []

    class Provider(module.DemoArgumentsProvider):
        async def run(
            self, request: str, self_: str, ctx_: str, ctx: rt.Context, **optional: Any
        ) -> Any:
            given = {name: one for name, one in optional.items() if one is not rt.UNSET}
            seen.append((request, self_, ctx_, given))
            return [request]

        async def find(self, key: str, ctx: rt.Context, *, limit: Any) -> list[str]:
            if limit is rt.UNSET:
                raise module.NoMatch
            return [key] * limit

        async def dashed(
            self, a_b: str, a_b_: int, x: None, ctx: rt.Context, *, list_: Any
        ) -> None:
            seen.append((a_b, a_b_, x, list_))

    async def test() -> None:
        proxy = connect_direct(module.DEMO_ARGUMENTS, Provider())
        given: dict[str, Any] = {"timeout": 1, "args": [2], "kwargs": {}, "params_": None}
        assert await proxy.run("r", "s", "c", BACKGROUND, **given) == ["r"]
        assert await proxy.run(request="r", self_="s", ctx_="c", ctx=BACKGROUND) == ["r"]
        assert seen == [("r", "s", "c", given), ("r", "s", "c", {})]
        assert await proxy.find("k", BACKGROUND, limit=2) == ["k", "k"]
        with pytest.raises(module.NoMatch, match="no match") as caught:
            await proxy.find("k", BACKGROUND)
        assert caught.value.code == "no_match"
        (dashed,) = (one for one in module.DEMO_ARGUMENTS.members if one.name == "dashed")
        names = [one.attribute for one in dashed.parameters]
        await proxy.dashed("a", 1, None, BACKGROUND, list_=[True])
        assert seen[-1] == ("a", 1, None, [True])
        assert [one.name for one in dashed.parameters] == ["a-b", "a_b", "__x", "list"]
        assert len({*names}) == 4

    asyncio.run(test())


def test_states_and_events_are_made_by_the_providers_constructor(
    load: Callable[[str], Any],
) -> None:
    module = load("members")
    is_model = "pydantic" in module.__name__

    def count(number: int) -> Any:
        return module.StateValue(count=number) if is_model else {"count": number}

    class Provider(module.DemoMembersProvider):
        pass

    Provider.__abstractmethods__ = frozenset()

    async def test() -> None:
        provider = Provider(state=count(1), t_=["a"], c=None, rt_=1, self_=2)
        proxy = connect_direct(module.DEMO_MEMBERS, provider)
        seen: list[Any] = []

        def keep(value: Any, _: rt.Context) -> None:
            seen.append(value)

        proxy.state.subscribe(keep)
        proxy.events.on("cleared", keep)
        assert (proxy.t_.value, proxy.c.value, proxy.self.value) == (["a"], None, 2)
        provider.state.set(count(2), BACKGROUND)
        payload = {"type": "cleared"}
        event = module.EventsPayloadCleared(**payload) if is_model else payload
        provider.events.emit(event, BACKGROUND)
        provider.link.emit("x", BACKGROUND)
        await asyncio.sleep(0)
        assert seen == [count(1), count(2), event]
        with pytest.raises(rt.ContractViolation):
            provider.t_.set([1], BACKGROUND)

    asyncio.run(test())


def test_a_method_that_returns_a_service_gives_a_reference_to_it(
    load: Callable[[str], Any],
) -> None:
    index, job, report = load("index"), load("index_job"), load("index_report")

    class Job(job.IndexJobProvider):
        async def split(self, ctx: rt.Context) -> Any:
            return Job(done=self.done.value + 1)

        async def report(self, ctx: rt.Context) -> Any:
            return Report()

    class Report(report.IndexReportProvider):
        async def job(self, ctx: rt.Context) -> Any:
            return Job(done=9)

        async def tree(self, ctx: rt.Context) -> Any:
            raise AssertionError

    class Index(index.IndexProvider):
        async def start(self, folder: str, ctx: rt.Context) -> Any:
            return Job(done=len(folder))

    async def test() -> None:
        proxy = connect_direct(index.INDEX, Index())
        async with await proxy.start("four", BACKGROUND) as first:
            assert first.service.done.value == 4
            second = await first.service.split(BACKGROUND)
            assert second.service.done.value == 5
            third = await second.service.report(BACKGROUND)
            assert (await third.service.job(BACKGROUND)).service.done.value == 9

    asyncio.run(test())


def test_the_token_says_what_the_contract_says(load: Callable[[str], Any]) -> None:
    dialog = load("keyed.dialog")
    assert type(dialog.DIALOG).__name__ == "Keyed"
    assert (dialog.DIALOG.id, dialog.DIALOG.scopes) == ("dialog", ("session", "server"))
    assert [dialog.DIALOG.key.is_valid(one) for one in ("abc", "A", 1)] == [True, False, False]
    assert type(load("index_job").INDEX_JOB).__name__ == "Referenced"
    arguments = load("arguments").DEMO_ARGUMENTS
    assert type(arguments).__name__ == "Singleton"
    assert (arguments.version, arguments.scopes, arguments.deprecated) == (3, ("session",), False)
    assert load("old").OLD.deprecated
    assert f"Digest {arguments.digest}" in (GOLDENS / "typed_dict/arguments.py").read_text("utf-8")


def test_errors_carry_data_and_word_themselves(load: Callable[[str], Any]) -> None:
    dialog = load("keyed.dialog")
    data = {"answer": "yes"}
    if "pydantic" in dialog.__name__:
        data = dialog.AlreadyAnsweredData(**data)
    error = dialog.AlreadyAnswered(data=data)
    assert (error.code, error.data, str(error)) == (
        "already_answered",
        data,
        "somebody else was faster",
    )
    assert str(dialog.TooLate()) == "too late"
    assert str(dialog.TooLate("ten seconds")) == "ten seconds"


def test_formats_are_asserted_where_the_contract_says_so(load: Callable[[str], Any]) -> None:
    dialog = load("keyed.dialog")

    class Provider(dialog.DialogProvider):
        async def answer(self, answer: str, ctx: rt.Context) -> bool:
            raise AssertionError

    question: Any = {"text": "?", "choices": ["yes"], "asked": "yesterday"}
    if "pydantic" in dialog.__name__:
        question = dialog.Question(**question)
    with pytest.raises(rt.ContractViolation):
        Provider(question=question)


def test_a_deprecated_member_says_so_and_the_proxy_does_not_warn(
    load: Callable[[str], Any],
) -> None:
    old = load("old")
    notice = 'Deprecated: use ``ask``. It is "slow".'
    assert old.Old.status.fget.__deprecated__ == notice
    assert notice in old.Old.status.__doc__
    assert old.Old.__doc__.endswith("Deprecated since 2: use ``new``. It was never fast.\n    ")

    class Provider(old.OldProvider):
        async def ask(self, ctx: rt.Context) -> str:
            return "no"

    async def test() -> None:
        proxy = connect_direct(old.OLD, Provider(status="fine"))
        assert (await proxy.ask(BACKGROUND), proxy.status.value) == ("no", "fine")

    asyncio.run(test())


def test_a_plain_schema_validates_and_guards(load: Callable[[str], Any]) -> None:
    branch = load("keyed.branch")
    good = {"length": 1.5, "tree": {"name": "oak", "branches": [{"length": 2}]}}
    assert branch.is_valid(good)
    assert not branch.is_valid({"length": 0})
    assert not branch.is_valid(object())
    with pytest.raises(rt.ContractViolation, match="/tree/branches/0"):
        branch.validate({"length": 1, "tree": {"name": "oak", "branches": [{}]}})
    valid = branch.validate(good)
    assert (valid.length if "pydantic" in branch.__name__ else valid["length"]) == 1.5
