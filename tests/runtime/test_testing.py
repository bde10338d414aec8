"""What tests of applications use: the pair, the clock, the link under control."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND, Cancellation
from pi_contracts.runtime.errors import Cancelled, Disconnected, NotAuthorized
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import (
    ControlledAddress,
    ControlledLink,
    FakeClock,
    Frame,
    connect_pair,
    settle,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def test_time_passes_only_when_told_and_timers_go_off_in_order(run: Any) -> None:
    async def main() -> None:
        clock = FakeClock(100.0)
        heard: list[tuple[str, float]] = []

        def hear(name: str) -> None:
            heard.append((name, clock.time()))
            if name == "first":
                clock.call_at(clock.time() + 1, lambda: hear("second"))

        clock.call_at(105.0, lambda: hear("last"))
        clock.call_at(101.0, lambda: hear("first"))
        clock.call_at(101.5, lambda: hear("never")).cancel()
        late = clock.call_at(101.7, lambda: hear("neither"))
        clock.call_at(101.6, late.cancel)
        assert clock.next_timer == 101.0
        await clock.advance(3)
        assert heard == [("first", 101.0), ("second", 102.0)]
        assert clock.time() == 103.0
        assert clock.next_timer == 105.0
        await clock.advance(10)
        assert heard[-1] == ("last", 105.0)
        assert clock.next_timer is None

    run(main)


def test_a_pair_is_connected_and_each_frame_is_recorded(run: Any, sample: Any) -> None:
    """BND-2: what was sent can be searched."""

    async def main() -> None:
        registry, binding = Registry(), Binding()
        registry.provide(sample.MODELS, sample.Catalogue())
        models = binding.open_namespace().use(sample.MODELS)
        async with connect_pair(server=registry) as pair:
            binding.attach(pair.client)
            assert await models.select("m", BACKGROUND) == "m"
            assert pair.link.list_kinds(Role.CLIENT) == ["hello", "subscribe", "call"]
            assert pair.link.list_kinds(Role.SERVER) == ["welcome", "snapshot", "result"]
            assert len(pair.link.list_kinds()) == 6
            assert pair.link.frames[-1].content == {"type": "result", "id": 1, "result": "m"}
        assert not pair.client.opened
        assert not pair.server.opened

    run(main)


def answer_with(text: str) -> Callable[..., str]:
    return lambda *_: text


def sleep_long(*_: object) -> Any:
    return asyncio.sleep(60)


def test_both_may_provide_and_use(run: Any, sample: Any) -> None:
    """TRN-8: peers are symmetric, and equal request ids of both do not collide."""

    async def main() -> None:
        registries = [Registry(), Registry()]
        bindings = [Binding(), Binding()]
        for number, registry in enumerate(registries):
            registry.provide(sample.MODELS, sample.Catalogue(answer_with(f"by {number}")))
        handles = [binding.open_namespace().use(sample.MODELS) for binding in bindings]
        async with connect_pair(client=registries[0], server=registries[1]) as pair:
            bindings[0].attach(pair.client)
            bindings[1].attach(pair.server)
            answers = await asyncio.gather(
                *[handle.select("m", BACKGROUND) for handle in handles * 3]
            )
            assert answers == ["by 1", "by 0"] * 3

    run(main)


def test_the_credential_reaches_the_servers_check(run: Any) -> None:
    async def main() -> None:
        async def check(credential: str | None, _: object) -> str:
            if credential != "good":
                raise NotAuthorized
            return "somebody"

        async with connect_pair(credential="good", authenticate=check) as pair:
            assert pair.server.identity == "somebody"
        with pytest.raises(NotAuthorized):
            async with connect_pair(credential="bad", authenticate=check):
                pass

    run(main)


class Ends:
    """A link whose ends note what they are told."""

    def __init__(self) -> None:
        self.link = ControlledLink()
        self.client: list[Any] = []
        self.server: list[Any] = []
        for end, told in ((self.link.client, self.client), (self.link.server, self.server)):
            end.start(Noting(told))


class Noting:
    def __init__(self, told: list[Any]) -> None:
        self.told = told

    def receive(self, data: bytes) -> None:
        self.told.append(data)

    def pause(self) -> None:
        self.told.append("pause")

    def resume(self) -> None:
        self.told.append("resume")

    def lose(self, error: Exception | None) -> None:
        self.told.append(error)


def test_frames_are_held_released_dropped_and_repeated(run: Any) -> None:
    async def main() -> None:
        ends = Ends()
        way = ends.link.to_server
        ends.link.client.send([b"0"])
        await settle()
        way.hold()
        ends.link.client.send([b"1", b"2", b"3", b"4", b"5"])
        await settle()
        assert ends.server == [b"0"]
        assert way.waiting == (b"1", b"2", b"3", b"4", b"5")
        way.release(1)
        way.drop()
        way.repeat()
        assert ends.server == [b"0", b"1", b"3"]
        way.release()
        way.release(7)
        way.drop(7)
        assert ends.server == [b"0", b"1", b"3", b"3", b"4", b"5"]
        way.inject(b"forged")
        ends.link.client.send([b"6"])
        await settle()
        assert ends.server[-2:] == [b"forged", b"6"]
        assert ends.link.frames[-1] == Frame(Role.CLIENT, b"6")
        assert ends.client == []

    run(main)


def test_a_frame_that_was_about_to_arrive_is_held_as_well(run: Any) -> None:
    async def main() -> None:
        ends = Ends()
        ends.link.client.send([b"1"])
        ends.link.to_server.hold()
        await settle()
        assert ends.server == []

    run(main)


def test_a_reader_that_does_not_read_pauses_the_writer(run: Any) -> None:
    async def main() -> None:
        ends = Ends()
        ends.link.to_client.hold(pause=True)
        ends.link.to_client.hold(pause=True)
        assert ends.server == ["pause"]
        ends.link.to_client.release()
        assert ends.server == ["pause", "resume"]

    run(main)


def test_frames_of_two_connections_can_be_reordered(run: Any) -> None:
    async def main() -> None:
        order: list[bytes] = []
        links = [ControlledLink(), ControlledLink()]
        for link in links:
            link.server.start(Noting(order))
            link.to_server.hold()
        links[0].client.send([b"first"])
        links[1].client.send([b"second"])
        links[1].to_server.release()
        links[0].to_server.release()
        assert order == [b"second", b"first"]

    run(main)


def close(link: ControlledLink) -> None:
    link.client.close()


def abort(link: ControlledLink) -> None:
    link.client.abort()


def end(link: ControlledLink) -> None:
    link.end()


def lose(link: ControlledLink) -> None:
    link.end(OSError())


@pytest.mark.parametrize(
    ("way", "told", "others"),
    [
        (close, [None], [b"held", None]),
        (abort, [ConnectionAbortedError], [ConnectionAbortedError]),
        (end, [None], [None]),
        (lose, [OSError], [OSError]),
    ],
    ids=["closed", "aborted", "ended", "lost"],
)
def test_a_link_ends_once_and_for_both(
    run: Any, way: Callable[[ControlledLink], None], told: list[Any], others: list[Any]
) -> None:
    async def main() -> None:
        ends = Ends()
        ends.link.to_server.hold()
        ends.link.client.send([b"held"])
        way(ends.link)
        way(ends.link)
        await settle()
        ends.link.client.send([b"late"])
        ends.link.to_server.inject(b"late")
        await ends.link.client.wait_closed()
        assert ends.link.server.closed
        for heard, expected in ((ends.client, told), (ends.server, others)):
            assert len(heard) == len(expected)
            for one, wanted in zip(heard, expected, strict=True):
                assert isinstance(one, wanted) if isinstance(wanted, type) else one == wanted

    run(main)


def test_an_address_counts_attempts_and_keeps_links(run: Any) -> None:
    async def main() -> None:
        address = ControlledAddress()
        accepted: list[Any] = []
        with pytest.raises(ConnectionRefusedError):
            await address.connect(BACKGROUND)
        stop = await address.listen(accepted.append)
        client = await address.connect(BACKGROUND)
        assert client is address.links[0].client
        assert accepted == [address.links[0].server]
        cancellation = Cancellation()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await address.connect(BACKGROUND.with_cancellation(cancellation))
        await stop()
        with pytest.raises(ConnectionRefusedError):
            await address.connect(BACKGROUND)
        assert address.attempts == 4
        assert len(address.links) == 1

    run(main)


def test_a_call_over_a_link_that_ends_is_disconnected(run: Any, sample: Any) -> None:
    """TRN-15"""

    async def main() -> None:
        registry, binding = Registry(), Binding()
        registry.provide(sample.MODELS, sample.Catalogue(sleep_long))
        models = binding.open_namespace().use(sample.MODELS)
        async with connect_pair(server=registry) as pair:
            binding.attach(pair.client)
            call = asyncio.ensure_future(models.select("m", BACKGROUND))
            await settle()
            pair.link.end(OSError())
            with pytest.raises(Disconnected):
                await call

    run(main)
