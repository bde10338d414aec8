"""What ends the attempts to connect, and what only a refusal does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND, Cancellation
from pi_contracts.runtime.errors import Cancelled, Disconnected, NotAuthorized
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.testing import settle
from runtime_reconnecting import World, note

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pi_contracts.runtime.peer import Peer


def test_a_connection_that_has_ended_is_nobodys_any_more(run: Any) -> None:
    """TRN-6: at once, also while the transport still sends the goodbye."""

    async def main() -> None:
        world = World()
        await world.go_up()
        connector = world.make_connector()
        connector.start()
        await settle()
        peer = await connector.wait_connected(BACKGROUND)
        assert connector.peer is peer
        seen: list[Any] = []
        peer.on_end(lambda _: seen.append(connector.peer))
        await world.servers[0].close()
        await settle()
        assert seen == [None]
        await world.clock.advance(1)
        assert await connector.wait_connected(BACKGROUND) is not peer
        await connector.close()

    run(main)


def test_a_connection_that_cannot_be_used_is_closed(run: Any) -> None:
    """TRN-1: nothing stays open of an attempt that failed."""

    class Failing(Binding):
        def attach(self, peer: Peer) -> None:
            del peer
            raise ValueError("no use")

    async def main() -> None:
        failures: list[str] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: failures.append(str(context["exception"]))
        )
        world = World()
        await world.go_up()
        connector = world.make_connector(bindings=[Failing()])
        connector.start()
        await settle()
        assert connector.state.value["status"] == "disconnected"
        assert failures == ["no use"]
        assert world.servers[0].ending is not None
        await connector.close()

    run(main)


@pytest.mark.parametrize("turns", range(6))
def test_a_second_close_leaves_the_goodbye_of_the_first(run: Any, turns: int) -> None:
    """r-clo-01, FLT-11: at any time, both return when it is over, and what is shown is true."""

    async def main() -> None:
        world = World()
        await world.go_up()
        connector = world.make_connector()
        connector.start()
        await settle()
        assert connector.state.value["status"] == "connected"
        first = asyncio.create_task(connector.close())
        await settle(turns)
        await connector.close()
        await first
        assert connector.peer is None
        assert connector.state.value["status"] == "disconnected"
        assert world.address.links[0].list_kinds(Role.CLIENT)[-1] == "goodbye"

    run(main)


@pytest.mark.parametrize("when", ["waiting", "connecting", "connected", "not started"])
def test_after_close_nothing_is_tried(run: Any, when: str) -> None:
    """r-rec-05: giving up is visible, and closing stops the trying."""

    async def main() -> None:
        world = World()
        if when == "connected":
            await world.go_up()

        async def never(_: object) -> Any:
            await asyncio.get_running_loop().create_future()

        options = {"connect": never} if when == "connecting" else {}
        connector = world.make_connector(**options)
        if when != "not started":
            connector.start()
        await settle()
        before = world.address.attempts
        await asyncio.gather(connector.close(), connector.close())
        await connector.close()
        await world.clock.advance(1000)
        assert world.address.attempts == before
        assert world.clock.next_timer is None or when == "connected"
        assert connector.state.value["status"] == "disconnected"
        with pytest.raises(RuntimeError, match="was closed"):
            connector.start()
        with pytest.raises(Disconnected, match="there is no connection"):
            await connector.wait_connected(BACKGROUND)

    run(main)


def test_one_who_waits_gets_the_connection(run: Any) -> None:
    async def main() -> None:
        world = World()
        connector = world.make_connector()
        with pytest.raises(Disconnected, match="not started"):
            await connector.wait_connected(BACKGROUND)
        connector.start()
        cancellation = Cancellation()
        impatient = asyncio.ensure_future(
            connector.wait_connected(BACKGROUND.with_cancellation(cancellation))
        )
        waiting = asyncio.ensure_future(connector.wait_connected(BACKGROUND))
        await settle()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await impatient
        await world.go_up()
        await world.clock.advance(2)
        assert await waiting is connector.peer
        assert await connector.wait_connected(BACKGROUND) is connector.peer
        await connector.close()

    run(main)


def test_an_attempt_that_takes_too_long_is_given_up(run: Any) -> None:
    async def main() -> None:
        world = World()

        async def hang(ctx: Any) -> Any:
            world.address.attempts += 1
            await ctx.wait(asyncio.get_running_loop().create_future())

        connector = world.make_connector(connect=hang, patience=20.0)
        shown = note(connector)
        connector.start()
        await settle()
        for attempt, wait in enumerate((0.5, 1.0, 2.0), 1):
            await world.clock.advance(20.0)
            assert shown[-1]["reason"] == "the attempt took more than 20 seconds"
            assert world.address.attempts == attempt
            await world.clock.advance(wait)
            assert world.address.attempts == attempt + 1
        await connector.close()

    run(main)


def test_a_server_that_hangs_up_in_the_handshake_is_tried_again(run: Any) -> None:
    async def main() -> None:
        world = World()
        await world.address.listen(lambda transport: transport.abort())
        connector = world.make_connector()
        shown = note(connector)
        connector.start()
        await settle()
        await world.clock.advance(2.0)
        assert world.address.attempts == 3
        assert {state["status"] for state in shown[1:]} == {"connecting", "disconnected"}
        await connector.close()

    run(main)


async def refuse(*_: object) -> str:
    raise NotAuthorized("go away")


async def fail(_: object) -> Any:
    raise OSError(113, "No route to host")


async def break_down(_: object) -> Any:
    raise ImportError("no library")


@pytest.mark.parametrize(
    ("options", "connect", "reason", "final"),
    [
        ({"authenticate": refuse}, None, "go away", True),
        ({}, fail, "No route to host", False),
        ({}, break_down, "connecting failed: ImportError", True),
    ],
    ids=["not authorized", "an error of the system", "a fault of the host"],
)
def test_a_refusal_that_would_only_be_repeated_ends_the_attempts(
    options: Any, connect: Callable[[Any], Awaitable[Any]] | None, reason: str, *, final: bool
) -> None:
    complaints: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context["exception"]))
        world = World(**options)
        await world.go_up()
        connector = world.make_connector(**({} if connect is None else {"connect": connect}))
        shown = note(connector)
        connector.start()
        await settle()
        assert shown[-1]["reason"] == reason
        assert (shown[-1]["retryAt"] is None) is final
        if final:
            with pytest.raises(Disconnected, match=reason):
                await connector.wait_connected(BACKGROUND)
        await connector.close()

    asyncio.run(main())
    assert [type(one) for one in complaints] == ([ImportError] if connect is break_down else [])
