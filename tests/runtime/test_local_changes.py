"""Views of this process while providers, facets and references come and go."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    Cancellation,
    Cancelled,
    InaccessibleView,
    InvalidArguments,
    InvalidImplementation,
    ModeMismatch,
    StaleInstance,
    StaleReference,
    local_service,
)
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.registry import Registry
from runtime_jobs import Job
from runtime_views import open_active

SCHEMAS = rt.Schemas(json.dumps({"$defs": {"n": {"type": "integer"}}}))
LEFT: rt.StateMember[int] = rt.StateMember("left", SCHEMAS, value="#/$defs/n")
RIGHT: rt.StateMember[int] = rt.StateMember("right", SCHEMAS, value="#/$defs/n")
TWO: rt.Singleton[Any] = rt.Singleton(
    id="two", version=1, digest="", members=(LEFT, RIGHT), proxy=lambda link: link
)


class Two:
    def __init__(self, number: int) -> None:
        self.left = rt.MutableState(LEFT, number)
        self.right = rt.MutableState(RIGHT, number)


def test_states_of_a_new_provider_are_seen_together() -> None:
    """SNG-10, STA-4: no listener sees one of the old provider and one of the new."""
    registry = Registry()
    registry.provide(TWO, Two(1))
    view = registry.open_local().use(TWO)
    pairs: list[tuple[int, int]] = []
    for state in (view.left, view.right):
        state.subscribe(lambda *_: pairs.append((view.left.value, view.right.value)))
    registry.replace(TWO, Two(2))
    assert pairs == [(1, 1)] * 2 + [(2, 2)] * 2


def test_a_listener_of_one_state_may_subscribe_to_another_that_is_new_too() -> None:
    """STA-23."""
    registry = Registry()
    view = registry.open_local().use(TWO)
    seen: list[int] = []
    view.left.subscribe(lambda *_: view.right.subscribe(lambda value, _: seen.append(value)))
    registry.provide(TWO, Two(1))
    assert seen == [1]


@pytest.mark.parametrize("follower", [None, 3], ids=["by nothing", "by another one"])
def test_a_listener_may_take_the_provider_away(follower: int | None) -> None:
    """SNG-11: what the old provider sets then reaches nobody."""
    registry, old = Registry(), Two(1)
    view = registry.open_local().use(TWO)
    seen: list[int] = []
    view.right.subscribe(lambda value, _: seen.append(value))

    def change(value: int, _: Any) -> None:
        if value == 1:
            if follower is None:
                registry.withdraw(TWO)
            else:
                registry.replace(TWO, Two(follower))

    view.left.subscribe(change)
    registry.provide(TWO, old)
    old.right.set(9, BACKGROUND)
    old.left.set(9, BACKGROUND)
    assert 9 not in seen
    assert view.right.last(None) in {1, follower}
    assert view.left.ready is (follower is not None)


def test_the_end_of_a_facet_ends_its_listeners(run: Any, sample: Any) -> None:
    """SNG-14: one that runs is cancelled, and what waits for it is dropped."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        namespace = open_active(registry)
        models = namespace.use(sample.MODELS)
        log: list[Any] = []

        async def listen(event: Any, ctx: rt.Context) -> None:
            log.append(event["type"])
            try:
                await asyncio.Event().wait()
            finally:
                log.append(ctx.cancelled)

        models.changed.subscribe(listen)
        for kind in ("a", "b"):
            catalogue.changed.emit({"type": kind}, BACKGROUND)
        await sample.settle()
        namespace.close()
        await sample.settle()
        assert log == ["a", True]
        assert not models.state.ready
        with pytest.raises(InaccessibleView, match="its facet has ended"):
            _ = models.state.value
        with pytest.raises(InaccessibleView, match="its facet has ended"):
            models.changed.on("a", listen)

    run(test)


def test_without_listeners_nothing_is_passed_on(sample: Any) -> None:
    """EVT-7, EVT-9."""
    registry, catalogue = Registry(), sample.Catalogue()
    models = registry.open_local().use(sample.MODELS)
    channel = catalogue.changed._channel
    one, two = (models.changed.subscribe(lambda *_: None) for _ in range(2))
    registry.provide(sample.MODELS, catalogue)
    assert channel.wanted
    one.close()
    two.close()
    assert not channel.wanted
    models.changed.subscribe(lambda *_: None)
    assert channel.wanted


def test_a_call_under_a_cancelled_context_runs_nothing(run: Any, sample: Any) -> None:
    """FLT-6, CTX-10: wherever the Context stands."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        models = open_active(registry).use(sample.MODELS)
        cancellation = Cancellation()
        ctx = BACKGROUND.with_cancellation(cancellation)
        await models.select("x", ctx)
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await models.select("x", ctx)
        with pytest.raises(Cancelled):
            await models.select("x", ctx=ctx, force=True)
        assert len(catalogue.calls) == 1
        await models.select("x", ctx.without_cancellation())
        with pytest.raises(TypeError):
            await models.select("x")

    run(test)


ENDINGS = ("release", "replace", "withdraw", "close")


@pytest.mark.parametrize("strict", [False, True], ids=["as it is", "strict"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_reference_ends_as_over_a_wire(
    run: Any, sample: Any, ending: str, *, strict: bool
) -> None:
    """REF-4, REF-6, REF-8: one object is one reference, and is cleaned up once."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        job = catalogue.job = Job(sample)
        registry.provide(sample.MODELS, catalogue)
        namespace = open_active(registry, strict=strict)
        models = namespace.use(sample.MODELS)
        reference = await models.start(BACKGROUND)
        assert await models.start(BACKGROUND) is reference
        assert reference.service.progress.value == 0
        if ending == "release":
            await reference.release()
        elif ending == "replace":
            registry.replace(sample.MODELS, sample.Catalogue())
        elif ending == "withdraw":
            registry.withdraw(sample.MODELS)
        else:
            namespace.close()
        await reference.release()
        assert job.released == 1
        with pytest.raises(StaleReference):
            await reference.service.wait(BACKGROUND)
        with pytest.raises(StaleReference):
            _ = reference.service.progress.value

    run(test)


def test_an_object_that_comes_too_late_is_given_up(run: Any, sample: Any) -> None:
    """REF-4, REF-6."""

    async def test() -> None:
        registry, catalogue, job = Registry(), sample.Catalogue(), Job(sample)
        go = asyncio.Event()

        async def start(ctx: rt.Context) -> Any:
            await ctx.wait(go.wait())
            return job

        catalogue.start = start
        registry.provide(sample.MODELS, catalogue)
        models = open_active(registry).use(sample.MODELS)
        starting = asyncio.create_task(models.start(BACKGROUND))
        await sample.settle()
        registry.replace(sample.MODELS, sample.Catalogue())
        go.set()
        with pytest.raises(StaleReference, match="its provider ended"):
            await starting
        assert job.released == 1

    run(test)


def test_what_is_no_implementation_is_no_reference(run: Any, sample: Any) -> None:
    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        catalogue.job = object()
        registry.provide(sample.MODELS, catalogue)
        with pytest.raises(InvalidImplementation):
            await open_active(registry).use(sample.MODELS).start(BACKGROUND)

    run(test)


def test_a_strict_observer_calls_as_over_a_wire(run: Any, sample: Any) -> None:
    """FLT-2."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        dialogs = registry.provide_keyed(sample.DIALOGS)
        instances: list[Any] = []

        async def observe(instance: Any, _: Any) -> None:
            instances.append(instance.service)

        subscription = open_active(registry, strict=True).observe(sample.DIALOGS, observe)
        live = dialogs.spawn("a", catalogue)
        await sample.settle()
        (service,) = instances
        with pytest.raises(InvalidArguments):
            await service.select(object(), BACKGROUND)
        given = ["x"]
        assert await service.select(given, BACKGROUND) == given
        assert catalogue.calls[0][0] is not given
        live.close()
        for use in (lambda: service.state.value, lambda: service.changed.subscribe(print)):
            with pytest.raises(StaleInstance):
                use()
        with pytest.raises(StaleInstance):
            await service.refresh(BACKGROUND)
        subscription.close()

    run(test)


def test_using_and_observing_again_and_again_leaves_nothing(run: Any, sample: Any) -> None:
    async def test() -> None:
        registry = Registry()
        registry.provide(sample.MODELS, sample.Catalogue())
        registry.provide_keyed(sample.DIALOGS).spawn("a", sample.Catalogue())
        store: Any = local_service("store")
        namespace = open_active(registry)
        assert namespace.use(store) is namespace.use(store)
        models = namespace.use(sample.MODELS)

        async def observe(*_: Any) -> None:
            await asyncio.Event().wait()

        for _ in range(100):
            assert namespace.use(sample.MODELS) is models
            namespace.observe(sample.DIALOGS, observe).close()
        assert len(namespace._views) == 2
        assert namespace._observations == {}
        slot = registry.find("dialogs", "")
        assert slot is not None
        assert slot.watchers == {}

    run(test)


def test_each_call_takes_tokens_of_its_mode(sample: Any) -> None:
    """TOK-9: what is given to the wrong one is refused by name."""
    registry = Registry()
    namespace: Any = registry.open_local()
    with pytest.raises(ModeMismatch) as caught:
        namespace.use(sample.DIALOGS)
    assert str(caught.value) == '"dialogs" is keyed: use takes what is singleton or local'
    with pytest.raises(ModeMismatch, match='"models" is singleton: observe takes what is keyed'):
        namespace.observe(sample.MODELS, lambda *_: None)
    with pytest.raises(ModeMismatch, match='"job" is referenced: provide takes'):
        registry.provide(sample.JOB, sample.Download(progress=0))
    with pytest.raises(ModeMismatch, match="provide_keyed takes what is keyed"):
        registry.provide_keyed(sample.MODELS)
    with pytest.raises(ModeMismatch, match="replace takes"):
        registry.replace(sample.DIALOGS, sample.Catalogue())
    with pytest.raises(TypeError, match="use takes the token of a service, found an object of"):
        namespace.use("models")
