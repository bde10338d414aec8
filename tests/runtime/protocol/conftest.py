"""A pair of connections whose bytes cross at once, so that each script tests both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Raw
from pi_contracts.runtime.protocol import Connection, Framing, Limits, Role, Subject
from pi_contracts.runtime.protocol.codec import encode
from pi_contracts.runtime.protocol.framing import add_header

if TYPE_CHECKING:
    from pi_contracts.runtime.protocol.happenings import Happening
    from pi_contracts.runtime.protocol.messages import Message

SINGLETON = {"mode": "singleton", "version": 1, "digest": "d", "service": "models"}
KEYED = {"mode": "keyed", "version": 1, "digest": "d", "service": "dialogs"}


class Pair:
    """Two ends, the time, and everything that has happened at each."""

    def __init__(self, *, limits: Limits | None = None, framing: Framing = Framing.LENGTH) -> None:
        self.now = 100.0
        self.client = Connection(Role.CLIENT, framing, limits=limits)
        self.server = Connection(Role.SERVER, framing, limits=limits)

    def open(self) -> None:
        self.client.start(self.now)
        self.server.start(self.now)
        self.cross()
        self.server.accept(self.now)
        self.cross()

    def cross(self) -> list[tuple[str, Happening]]:
        """Let everything cross until nothing is left, and return what has happened."""
        found: list[tuple[str, Happening]] = []
        while self.client.has_output or self.server.has_output:
            for source, target, name in (
                (self.client, self.server, "server"),
                (self.server, self.client, "client"),
            ):
                for data in source.take_output():
                    found += [(name, one) for one in target.receive(data, self.now)]
        return found

    def at_client(self) -> list[Happening]:
        return [one for name, one in self.cross() if name == "client"]

    def at_server(self) -> list[Happening]:
        return [one for name, one in self.cross() if name == "server"]

    def inject(self, connection: Connection, *messages: Message | bytes) -> list[Happening]:
        """Let a connection receive what its other end never sent."""
        found: list[Happening] = []
        for message in messages:
            text = message if isinstance(message, bytes) else encode(message)
            found += connection.receive(add_header(text), self.now)
        return found

    def call(self, **address: Any) -> int:
        """Call from the client, and return the id."""
        call_id = self.client.call("a", Raw(b"{}"), address or {"service": "s"})
        self.cross()
        return call_id

    def grant(self, name: str = "ref") -> None:
        """Grant a reference to the client."""
        assert self.server.served.grant(self.call(), name, "job")
        self.cross()

    def follow(self, handle: object = "models", **fields: Any) -> int:
        """Subscribe from the client, and return the id that the server knows it by."""
        self.client.followed.subscribe(handle, Subject.SERVICE, **{**SINGLETON, **fields})
        self.cross()
        return max(self.server.served.subscriptions)

    def observe(self, handle: object = "dialogs") -> int:
        """Follow a keyed service from the client; return the id that the server knows it by."""
        self.client.followed.subscribe(handle, Subject.INSTANCES, **KEYED)
        self.cross()
        return max(self.server.served.subscriptions)

    def listen(self, handle: object = "changed") -> int:
        """Follow events from the client, and return the id that the server knows them by."""
        self.client.followed.subscribe(handle, Subject.EVENTS, member="changed", **SINGLETON)
        self.cross()
        return max(self.server.served.subscriptions)


@pytest.fixture
def make_pair() -> type[Pair]:
    """Give what makes a pair that is not open yet."""
    return Pair


@pytest.fixture
def pair() -> Pair:
    """Give an open pair."""
    made = Pair()
    made.open()
    return made
