"""The life of a link: handshake, liveness, bad frames, and its end."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import pytest
from pi_contracts.runtime import (
    BACKGROUND,
    Cancellation,
    Cancelled,
    Disconnected,
    NotAuthorized,
    UnsupportedVersion,
)
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.testing import ControlledLink, FakeClock
from runtime_frames import HELLO, answers, inject, make_call, make_peer


def test_a_handshake_opens_both_ends(run: Any) -> None:
    async def test() -> None:
        link = ControlledLink()
        client, server = (make_peer(link, role) for role in (Role.CLIENT, Role.SERVER))
        server.start()
        assert not client.opened
        await client.open(BACKGROUND)
        await client.open(BACKGROUND)
        assert (client.opened, server.opened, client.ending) == (True, True, None)
        await client.close()
        assert (client.opened, server.opened) == (False, False)
        assert client.ending is not None
        assert client.ending.message == "this side closed the link"
        assert (await server.wait_ended()).message == "the other side closed the link"

    run(test)


def test_a_version_that_is_not_spoken_is_refused_before_any_call(run: Any, sample: Any) -> None:
    """TRN-11: both sides' versions are named."""

    async def test() -> None:
        link = ControlledLink()
        server = make_peer(link, Role.SERVER)
        server.start()
        link.client.start(_Deaf())
        inject(link, {**HELLO, "versions": [7, 9]}, make_call(1))
        await sample.settle()
        (goodbye,) = answers(link)
        assert goodbye["error"]["code"] == "protocol_version"
        assert goodbye["error"]["data"] == {"accepted": [1], "offered": [7, 9]}
        assert server.ending is not None
        assert server.ending.code == "protocol_version"

    run(test)


def test_a_client_hears_that_its_version_is_not_spoken(run: Any, sample: Any) -> None:
    async def test() -> None:
        link = ControlledLink()
        client = make_peer(link, Role.CLIENT)
        opening = asyncio.create_task(client.open(BACKGROUND))
        link.server.start(_Deaf())
        await sample.settle()
        error = {"code": "protocol_version", "message": "no", "data": {"accepted": [2]}}
        link.to_client.inject(json.dumps({"type": "goodbye", "error": error}).encode())
        with pytest.raises(UnsupportedVersion) as caught:
            await opening
        assert caught.value.data == {"accepted": [2]}

    run(test)


class _Deaf:
    """A receiver that does nothing."""

    def receive(self, data: bytes, /) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def lose(self, error: Exception | None, /) -> None: ...


def test_nothing_is_dispatched_before_the_client_is_authenticated(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """TRN-18."""

    async def test() -> None:
        wire = make_wire()
        catalogue = wire.provide()
        allowed = asyncio.Event()

        async def authenticate(credential: str | None, transport: Any) -> str:
            assert (credential, transport.facts) == (None, {"transport": "controlled"})
            await allowed.wait()
            return "somebody"

        link = ControlledLink()
        server = make_peer(link, Role.SERVER, registry=wire.registry, authenticate=authenticate)
        server.start()
        link.client.start(_Deaf())
        inject(link, make_call(1), HELLO, make_call(2))
        await sample.settle()
        assert catalogue.calls == []
        assert [(one["type"], one.get("call")) for one in answers(link)] == [
            ("fault", 1),
            ("fault", 2),
        ]
        allowed.set()
        await sample.settle()
        inject(link, make_call(3))
        await sample.settle()
        assert [one["type"] for one in answers(link)[2:]] == ["welcome", "result"]
        assert server.identity == "somebody"
        await server.close()

    run(test)


REFUSALS: dict[str, tuple[Exception, str, int]] = {
    "not authorized": (NotAuthorized("who are you"), "who are you", 0),
    "a failure of its own": (RuntimeError("s3cret"), "not authorized", 1),
}


@pytest.mark.parametrize(("error", "message", "reports"), REFUSALS.values(), ids=REFUSALS)
def test_who_is_not_authenticated_is_refused(
    make_wire: Any, run: Any, error: Exception, message: str, reports: int
) -> None:
    async def test() -> None:
        wire = make_wire()

        async def authenticate(*_: Any) -> str:
            raise error

        with pytest.raises(NotAuthorized, match=message):
            async with wire.connect(authenticate=authenticate, credential="wrong"):
                pass
        assert len(wire.reported()) == reports

    run(test)


def test_an_authentication_ends_with_its_link(run: Any, sample: Any) -> None:
    async def test() -> None:
        link = ControlledLink()
        ended: list[str] = []

        async def authenticate(*_: Any) -> str:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            return ""

        async def authenticate_late(*_: Any) -> str:
            with_late.append(1)
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            return "late"

        with_late: list[int] = []
        server = make_peer(link, Role.SERVER, authenticate=authenticate)
        server.start()
        link.client.start(_Deaf())
        inject(link, HELLO)
        await sample.settle()
        link.end()
        await sample.settle()
        assert ended == ["cancelled"]
        late = ControlledLink()
        server = make_peer(late, Role.SERVER, authenticate=authenticate_late)
        server.start()
        late.client.start(_Deaf())
        inject(late, HELLO)
        await sample.settle()
        late.end()
        await sample.settle()
        assert with_late == [1]
        assert not server.opened

    run(test)


def test_a_handshake_that_is_cancelled_leaves_nothing_open(run: Any, sample: Any) -> None:
    """TRN-1."""

    async def test() -> None:
        link = ControlledLink()
        client = make_peer(link, Role.CLIENT)
        cancellation = Cancellation()
        opening = asyncio.create_task(client.open(BACKGROUND.with_cancellation(cancellation)))
        link.server.start(_Deaf())
        await sample.settle()
        cancellation.cancel()
        with pytest.raises(Cancelled):
            await opening
        await sample.settle()
        assert link.client.closed
        again = make_peer(ControlledLink(), Role.CLIENT)
        with pytest.raises(Cancelled):
            await again.open(BACKGROUND.with_cancellation(cancellation))

    run(test)


def test_a_handshake_that_takes_too_long_is_given_up(run: Any, sample: Any) -> None:
    """TRN-18."""

    async def test() -> None:
        link, clock = ControlledLink(), FakeClock()
        client = Peer(link.client, Role.CLIENT, clock=clock)
        opening = asyncio.create_task(client.open(BACKGROUND))
        await sample.settle()
        await clock.advance(11)
        with pytest.raises(Disconnected, match="the handshake took more than 10 seconds"):
            await opening
        await clock.advance(3)
        assert link.client.closed

    run(test)
