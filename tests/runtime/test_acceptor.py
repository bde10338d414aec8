"""Accepting connections: the same services for each, and an end for all."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from pi_contracts.runtime.acceptor import Acceptor
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.errors import Disconnected, NotAuthorized
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import ControlledAddress, settle


async def connect(address: ControlledAddress, registry: Registry | None = None) -> Peer:
    peer = Peer(await address.connect(BACKGROUND), Role.CLIENT, registry=registry)
    await peer.open(BACKGROUND)
    return peer


def test_everyone_who_connects_gets_the_same_services(run: Any, sample: Any) -> None:
    async def main() -> None:
        address, registry = ControlledAddress(), Registry()
        catalogue = sample.Catalogue()
        registry.provide(sample.MODELS, catalogue)
        acceptor = Acceptor(address.listen, registry)
        await acceptor.start()
        for name in ("a", "b", "c"):
            binding = Binding()
            models = binding.open_namespace().use(sample.MODELS)
            binding.attach(await connect(address))
            assert await models.select(name, BACKGROUND) == name
        assert len(acceptor.peers) == 3
        address.links[1].end()
        assert len(acceptor.peers) == 2
        await asyncio.gather(acceptor.close(), acceptor.close())
        assert acceptor.peers == ()
        with pytest.raises(ConnectionRefusedError):
            await connect(address)

    run(main)


def test_accepting_may_end_before_the_connections_do(run: Any) -> None:
    """TRN-3"""

    async def main() -> None:
        address = ControlledAddress()
        acceptor = Acceptor(address.listen, Registry())
        stop = await acceptor.start()
        peer = await connect(address)
        await stop()
        assert peer.opened
        await acceptor.close()
        await settle()
        assert not peer.opened

    run(main)


def test_it_is_started_once_and_not_after_its_end(run: Any) -> None:
    async def main() -> None:
        address = ControlledAddress()
        acceptor = Acceptor(address.listen, Registry())
        await acceptor.start()
        with pytest.raises(RuntimeError, match="started once"):
            await acceptor.start()
        await acceptor.close()
        unused = Acceptor(address.listen, Registry())
        await unused.close()
        with pytest.raises(RuntimeError, match="started once"):
            await unused.start()

    run(main)


def test_one_that_arrives_at_the_very_end_is_turned_away(run: Any) -> None:
    async def main() -> None:
        kept: list[Any] = []

        async def listen(accept: Any) -> Any:
            kept.append(accept)
            return lambda: asyncio.sleep(0)

        acceptor = Acceptor(listen, Registry())
        await acceptor.start()
        await acceptor.close()
        address = ControlledAddress()
        await address.listen(kept[0])
        with pytest.raises(Disconnected):
            await connect(address)

    run(main)


def test_what_a_client_provides_can_be_used_once_it_is_known(run: Any, sample: Any) -> None:
    """TRN-8, TRN-18: after the handshake, and only after one that went well."""

    async def main() -> None:
        async def check(credential: str | None, _: object) -> str:
            if credential is None and len(opened) == 1:
                raise NotAuthorized
            return "somebody"

        opened: list[Peer] = []
        answers: list[Any] = []
        binding = Binding()
        models = binding.open_namespace().use(sample.MODELS)

        def use(peer: Peer) -> None:
            opened.append(peer)
            binding.attach(peer)

        address = ControlledAddress()
        acceptor = Acceptor(address.listen, Registry(), authenticate=check, on_open=use)
        await acceptor.start()
        provided = Registry()
        provided.provide(sample.MODELS, sample.Catalogue())
        await connect(address, provided)
        await settle()
        answers.append(await models.select("m", BACKGROUND))
        assert answers == ["m"]
        assert opened[0].identity == "somebody"
        with pytest.raises(NotAuthorized):
            await connect(address)
        assert len(opened) == 1
        await acceptor.close()

    run(main)


def test_an_application_that_fails_there_keeps_the_connection() -> None:
    complaints: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context["exception"]))

        def fail(_: Peer) -> None:
            raise ZeroDivisionError

        address = ControlledAddress()
        acceptor = Acceptor(address.listen, Registry(), on_open=fail)
        await acceptor.start()
        peer = await connect(address)
        await settle()
        assert peer.opened
        await acceptor.close()

    asyncio.run(main())
    assert [type(one) for one in complaints] == [ZeroDivisionError]


def test_connections_are_bounded_and_who_finds_no_room_is_told(run: Any) -> None:
    async def main() -> None:
        address = ControlledAddress()
        acceptor = Acceptor(address.listen, Registry(), connections=2)
        await acceptor.start()
        first, _ = [await connect(address) for _ in range(2)]
        for _ in range(3):
            with pytest.raises(Disconnected, match="takes no more than 2 connections"):
                await connect(address)
        assert len(acceptor.peers) == 2
        await first.close()
        await settle()
        await connect(address)
        gc.collect()  # of peers that were refused nothing is left that nobody looked at
        await acceptor.close()
        assert {task for task in asyncio.all_tasks() if task is not asyncio.current_task()} == set()

    run(main)


def test_of_those_who_are_refused_at_a_time_only_some_are_told(run: Any) -> None:
    async def main() -> None:
        address = ControlledAddress()
        acceptor = Acceptor(address.listen, Registry(), connections=1)
        await acceptor.start()
        await connect(address)
        outcomes = await asyncio.gather(
            *[connect(address) for _ in range(100)], return_exceptions=True
        )
        assert {type(outcome) for outcome in outcomes} == {Disconnected}
        told = [outcome for outcome in outcomes if "takes no more than 1" in str(outcome)]
        assert len(told) == 64
        with pytest.raises(Disconnected, match="takes no more than 1"):
            await connect(address)
        await acceptor.close()

    run(main)


def test_there_is_room_for_one_connection_at_least() -> None:
    with pytest.raises(ValueError, match="at least 1 connection, found 0"):
        Acceptor(ControlledAddress().listen, Registry(), connections=0)
