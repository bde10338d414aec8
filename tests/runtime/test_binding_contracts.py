"""What happens where the contracts or modes of both sides differ."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    ContractMismatch,
    ModeMismatch,
    ServiceNotAllowed,
    UnknownMember,
    local_service,
)
from pi_contracts.runtime import generated as rt
from runtime_tokens import alter

CONTRACTS: dict[str, tuple[dict[str, Any], bool]] = {
    "the same digest in another version": ({"digest": "", "version": 2}, True),
    "another digest in the same version": ({"digest": "x", "version": 1}, True),
    "another digest in another version": ({"digest": "x", "version": 2}, False),
}


@pytest.mark.parametrize(("contract", "fits"), CONTRACTS.values(), ids=CONTRACTS)
def test_contracts_are_compared_when_a_subscription_opens(
    make_wire: Any, run: Any, sample: Any, contract: dict[str, Any], *, fits: bool
) -> None:
    """SNG-7."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(alter(sample.MODELS, **contract))
        async with wire.connect(ready=fits):
            if fits:
                assert models.state.ready
                return
            with pytest.raises(ContractMismatch) as caught:
                await wire.namespace.ready(BACKGROUND)
            assert str(caught.value) == '"models" is provided in version 1, and used in version 2'
            with pytest.raises(ContractMismatch):
                await models.refresh(BACKGROUND)
            with pytest.raises(ContractMismatch):
                _ = models.state.value
            with pytest.raises(ContractMismatch):
                await wire.namespace.ready(BACKGROUND)

    run(test)


def test_a_member_of_another_kind_fails_the_attach(make_wire: Any, run: Any, sample: Any) -> None:
    """SNG-7, SNG-8, CON-7."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        members = tuple(
            rt.EventsMember("state", sample.SCHEMAS, payload="#/$defs/n")
            if member.name == "state"
            else member
            for member in sample.MODELS.members
        )

        class Proxy:
            def __init__(self, link: rt.Link) -> None:
                self.link = link

        token = rt.Singleton(id="models", version=1, digest="x", members=members, proxy=Proxy)
        wire.namespace.use(token)
        async with wire.connect(ready=False):
            with pytest.raises(ContractMismatch, match=r'"models.state" is provided as state'):
                await wire.namespace.ready(BACKGROUND)

    run(test)


def test_a_member_that_the_provider_lacks_fails_when_it_is_used(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """SNG-7, CON-18: and one that only the provider has is ignored."""

    async def test() -> None:
        wire = make_wire()
        names = {"state", "changed", "selectModel", "refresh"}
        older = alter(
            sample.MODELS, members=tuple(m for m in sample.MODELS.members if m.name in names)
        )
        wire.registry.provide(older, wire.catalogue, scope="session")
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            assert await models.select("x", BACKGROUND) == "x"
            with pytest.raises(UnknownMember, match='has no member "start"'):
                await models.start(BACKGROUND)
        newer = make_wire()
        newer.provide()
        small = alter(
            sample.MODELS, members=tuple(m for m in sample.MODELS.members if m.name != "state")
        )

        class Proxy:
            def __init__(self, link: rt.Link) -> None:
                self._link = link

            async def refresh(self, ctx: rt.Context) -> Any:
                method: Any = sample.MODELS.members[3]
                return await self._link.call(method, {}, ctx)

        small = rt.Singleton(id="models", version=1, digest="x", members=small.members, proxy=Proxy)
        models = newer.namespace.use(small)
        async with newer.connect():
            await models.refresh(BACKGROUND)

    run(test)


def test_a_state_that_the_provider_lacks_fails_when_it_is_read(
    make_wire: Any, run: Any, sample: Any
) -> None:
    async def test() -> None:
        wire = make_wire()
        older = alter(
            sample.MODELS,
            members=tuple(m for m in sample.MODELS.members if m.name not in {"state", "changed"}),
        )
        wire.registry.provide(older, wire.catalogue, scope="session")
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            with pytest.raises(UnknownMember, match='has no member "state"'):
                _ = models.state.value
            assert models.state.last(1) == 1
            subscription: Any = models.changed.subscribe(sample.Seen())
            await sample.settle()
            assert subscription.closed
            assert subscription.failure.code == "unknown_member"
            assert len(wire.reported()) == 1

    run(test)


def test_one_token_has_one_mode(make_wire: Any, run: Any, sample: Any) -> None:
    """TOK-9, TOK-10: the first use is named."""

    async def test() -> None:
        wire = make_wire()

        async def handle(*_: Any) -> None: ...

        keyed = alter(sample.MODELS, kind=rt.Keyed)
        wire.namespace.use(sample.MODELS)
        with pytest.raises(ModeMismatch, match="with observe: use has acquired it first"):
            wire.namespace.observe(keyed, handle)
        other = wire.binding.open_namespace()
        with pytest.raises(ModeMismatch, match="with observe: use has acquired it first"):
            other.observe(keyed, handle)
        wire.namespace.observe(sample.DIALOGS, handle)
        single = alter(sample.DIALOGS, kind=rt.Singleton)
        with pytest.raises(ModeMismatch, match="with use: observe has acquired it first"):
            other.use(single)

    run(test)


def test_the_provider_answers_another_mode_with_mode_mismatch(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TOK-9, KEY-29: also when it is provided later."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()

        async def handle(*_: Any) -> None: ...

        wire.namespace.observe(alter(sample.MODELS, kind=rt.Keyed), handle)
        later = wire.binding.open_namespace()
        later.use(alter(sample.DIALOGS, kind=rt.Singleton))
        async with wire.connect(ready=False):
            with pytest.raises(ModeMismatch, match='"models" is not keyed'):
                await wire.namespace.ready(BACKGROUND)
            wire.registry.provide_keyed(sample.DIALOGS, scope="session")
            with pytest.raises(ModeMismatch, match='"dialogs" is keyed'):
                await later.ready(BACKGROUND)

    run(test)


def test_a_local_service_is_not_for_others(make_wire: Any, run: Any) -> None:
    """TOK-6, TOK-7."""

    async def test() -> None:
        with pytest.raises(ServiceNotAllowed, match='"store" is a local service'):
            make_wire().namespace.use(local_service("store"))

    run(test)
