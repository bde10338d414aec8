"""Services within their own process: views that forward and change nothing."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    InaccessibleView,
    InvalidArguments,
    ModeMismatch,
    NotHydrated,
    StaleInstance,
    StaleReference,
    UnknownService,
    local_service,
)
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.registry import Registry
from runtime_views import open_active

if TYPE_CHECKING:
    from pi_contracts.runtime import Local


def test_arguments_results_and_the_context_keep_their_identity(run: Any, sample: Any) -> None:
    """SNG-12: nothing is checked, encoded or copied."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        seen: list[Any] = []
        result = object()

        def act(*given: Any) -> Any:
            seen.extend(given)
            return result

        catalogue.act = act
        registry.provide(sample.MODELS, catalogue)
        models = open_active(registry).use(sample.MODELS)
        argument, ctx = object(), BACKGROUND.with_value(rt_key(), 1)
        assert await models.select(argument, ctx, force=argument) is result
        assert seen == [argument, argument, ctx]
        assert seen[2] is ctx
        with pytest.raises(TypeError):
            await models.select("x", ctx, None, "one too many")
        with pytest.raises(TypeError):
            await models.select("x")

    run(test)


def rt_key() -> Any:
    from pi_contracts.runtime import ContextKey

    return ContextKey("mine")


def test_a_view_has_exactly_the_members_of_the_table(run: Any, sample: Any) -> None:
    """CON-5, CON-15."""

    async def test() -> None:
        registry = Registry()
        registry.provide(sample.MODELS, sample.Catalogue())
        models = open_active(registry).use(sample.MODELS)
        assert {name for name in dir(models) if not name.startswith("__")} == {
            "state",
            "changed",
            "select",
            "refresh",
            "start",
        }
        assert not hasattr(models.state, "set")
        assert models.select.__name__ == "select"
        with pytest.raises(AttributeError, match="a view cannot be changed"):
            models.select = None

    run(test)


def test_a_view_may_be_taken_before_anything_provides_the_service(run: Any, sample: Any) -> None:
    """SNG-13: its states and events may be subscribed to, its methods wait for activation."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        namespace = registry.open_local()
        models = namespace.use(sample.MODELS)
        values, events, some = sample.Seen(), sample.Seen(), sample.Seen()
        models.state.subscribe(values)
        models.changed.subscribe(events)
        models.changed.on("b", some)
        assert not models.state.ready
        with pytest.raises(NotHydrated):
            _ = models.state.value
        registry.provide(sample.MODELS, catalogue)
        assert models.state.value is catalogue.state.value
        value, event = {"list": [1]}, {"type": "a"}
        catalogue.state.set(value, BACKGROUND)
        catalogue.changed.emit(event, BACKGROUND)
        catalogue.changed.emit({"type": "b"}, BACKGROUND)
        assert values[-1] is value
        assert events[0] is event
        assert some == [{"type": "b"}]
        with pytest.raises(InaccessibleView) as caught:
            await models.refresh(BACKGROUND)
        assert str(caught.value) == (
            '"models" cannot be used: its facet is not active yet: call it from activation on'
        )
        namespace.activate()
        await models.refresh(BACKGROUND)

    run(test)


def test_a_view_outlives_providers(run: Any, sample: Any) -> None:
    """SNG-6, SNG-9, SNG-10, SNG-11: captured methods too."""

    async def test() -> None:
        registry, old, new = Registry(), sample.Catalogue(), sample.Catalogue()
        registry.provide(sample.MODELS, old)
        models = open_active(registry).use(sample.MODELS)
        select, values = models.select, sample.Seen()
        models.state.subscribe(values)
        new.state.set({"list": [2]}, BACKGROUND)
        registry.replace(sample.MODELS, new)
        old.state.set({"list": [1]}, BACKGROUND)
        await select("x", BACKGROUND)
        assert (old.calls, len(new.calls)) == ([], 1)
        assert values == [{"list": []}, {"list": [2]}]
        registry.withdraw(sample.MODELS)
        assert not models.state.ready
        assert models.state.last(None) == {"list": [2]}
        with pytest.raises(UnknownService, match='nothing provides "models" now'):
            await select("x", BACKGROUND)
        registry.provide(sample.MODELS, old)
        assert await select("y", BACKGROUND) == "y"

    run(test)


def test_the_end_of_a_facet_ends_its_views_and_no_others(run: Any, sample: Any) -> None:
    """SNG-13, SNG-14."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        ended, kept = open_active(registry), open_active(registry)
        one, two = ended.use(sample.MODELS), kept.use(sample.MODELS)
        values = sample.Seen()
        one.state.subscribe(values)
        ended.close()
        ended.close()
        ended.activate()
        catalogue.state.set({"list": [1]}, BACKGROUND)
        assert values == [{"list": []}]
        with pytest.raises(InaccessibleView, match="its facet has ended"):
            await one.refresh(BACKGROUND)
        await two.refresh(BACKGROUND)
        with pytest.raises(InaccessibleView):
            ended.use(sample.MODELS)

    run(test)


def test_a_strict_namespace_checks_and_copies_as_a_wire_does(run: Any, sample: Any) -> None:
    """FLT-2: what works alone works over a socket."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        models = open_active(registry, strict=True).use(sample.MODELS)
        with pytest.raises(InvalidArguments):
            await models.select(object(), BACKGROUND)
        given = ["a"]
        assert await models.select(given, BACKGROUND) == given
        assert catalogue.calls[0][0] is not given
        assert models.state.value == {"list": []}
        events = sample.Seen()
        models.changed.subscribe(events)
        catalogue.changed.emit({"type": "a"}, BACKGROUND)
        assert events == [{"type": "a"}]
        async with await models.start(BACKGROUND) as job:
            assert await job.service.wait(BACKGROUND) == 7
        registry.replace(sample.MODELS, sample.Catalogue())
        await models.refresh(BACKGROUND)
        assert len(catalogue.calls) == 1

    run(test)


def test_a_reference_is_a_view_of_the_object_itself(run: Any, sample: Any) -> None:
    """REF-1, REF-6."""

    async def test() -> None:
        registry, catalogue = Registry(), sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        models = open_active(registry).use(sample.MODELS)
        async with await models.start(BACKGROUND) as job:
            assert await job.service.wait(BACKGROUND) == 7
            assert job.service.progress.value == 100
        await job.release()
        with pytest.raises(StaleReference, match='the reference to "job" was released'):
            await job.service.wait(BACKGROUND)

    run(test)


def test_a_local_service_may_be_any_object(run: Any) -> None:
    """TOK-6, TOK-8."""

    async def test() -> None:
        registry = Registry()

        class Store:
            size = 3

            def read(self, sink: Any) -> Any:
                return sink

        stores: Local[Any] = local_service("store")
        functions: Local[Any] = local_service("function")
        namespace = registry.open_local()
        store, function = namespace.use(stores), namespace.use(functions)
        with pytest.raises(InaccessibleView):
            _ = store.size
        with pytest.raises(InaccessibleView):
            store.size = 4
        with pytest.raises(InaccessibleView):
            function()
        namespace.activate()
        with pytest.raises(UnknownService):
            _ = store.size
        made = Store()
        registry.provide(stores, made)
        registry.provide(functions, lambda *given, **named: (given, named))
        sink = object()
        assert store.read(sink) is sink
        store.size = 5
        assert made.size == 5
        assert function(1, a=2) == ((1,), {"a": 2})
        namespace.close()
        with pytest.raises(InaccessibleView):
            _ = store.size

    run(test)


def test_instances_of_this_process_are_observed_without_a_wire(run: Any, sample: Any) -> None:
    """KEY-8, KEY-10, KEY-11, KEY-22, KEY-24, KEY-28."""

    async def test() -> None:
        registry = Registry()
        log: list[str] = []
        kept: dict[str, Any] = {}

        async def handle(instance: Any, ctx: rt.Context) -> None:
            log.append(f"+{instance.key}")
            kept[instance.key] = instance.service
            try:
                await asyncio.Event().wait()
            finally:
                assert ctx.cancelled
                log.append(f"-{instance.key}")

        namespace = open_active(registry)
        namespace.observe(sample.DIALOGS, handle)
        dialogs = registry.provide_keyed(sample.DIALOGS)
        catalogue = sample.Catalogue()
        dialogs.spawn("b", catalogue)
        await sample.settle()
        dialogs.spawn("a", sample.Catalogue())
        await sample.settle()
        argument = object()
        assert await kept["b"].select(argument, BACKGROUND) is argument
        late: list[str] = []
        other = registry.open_local()
        observe: Any = other.observe
        observe(sample.DIALOGS, lambda instance, _: late.append(instance.key))
        await sample.settle()
        assert late == ["a", "b"]
        dialogs.live["b"].close()
        await sample.settle()
        with pytest.raises(StaleInstance, match='the instance "b" of "dialogs" is gone'):
            await kept["b"].refresh(BACKGROUND)
        dialogs.close()
        await sample.settle()
        assert log == ["+b", "+a", "-b", "-a"]
        registry.provide_keyed(sample.DIALOGS).spawn("c", sample.Catalogue())
        await sample.settle()
        namespace.close()
        await sample.settle()
        assert log[4:] == ["+c", "-c"]
        other.close()
        slot = registry.find("dialogs", "")
        assert slot is not None
        assert slot.watchers == {}

    run(test)


def test_another_service_of_the_slot_changes_nothing_for_observers(run: Any, sample: Any) -> None:
    async def test() -> None:
        registry = Registry()
        namespace = open_active(registry)
        namespace.observe(sample.DIALOGS, lambda *_: None)
        single: Any = rt.Singleton(
            id="dialogs", version=1, digest="", members=(), proxy=sample.DIALOGS.proxy
        )
        registry.provide(single, sample.Catalogue())
        namespace.close()

    run(test)


def test_one_facet_uses_a_service_in_one_mode(run: Any, sample: Any) -> None:
    """TOK-10, SNG-2."""

    async def test() -> None:
        namespace = open_active(Registry())
        namespace.use(sample.MODELS)
        keyed: Any = rt.Keyed(
            id="models", version=1, digest="", members=(), proxy=sample.MODELS.proxy
        )
        with pytest.raises(ModeMismatch, match="use has acquired it first"):
            namespace.observe(keyed, lambda *_: None)
        namespace.seal("@pi/x:session")
        with pytest.raises(InaccessibleView, match="@pi/x:session calls observe after its setup"):
            namespace.observe(sample.DIALOGS, lambda *_: None)

    run(test)
