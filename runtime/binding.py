"""What this process uses of one scope of another process, over whatever connects them.

A binding outlives connections: handles stay the same while it is attached to one peer
after the other. Each facet has a namespace of its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .acquiring import Acquisitions
from .errors import Disconnected, ModeMismatch, ServiceNotAllowed
from .following import ServiceFollower
from .instances import InstancesFollower
from .remote import RemoteLink
from .tokens import Keyed, Local, Singleton

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .calls import Failure
    from .context import Context
    from .link import Instance, Subscription
    from .peer import Peer

T = TypeVar("T")


class Binding:
    """The services of one scope at the other side."""

    def __init__(self, *, scope: str = "") -> None:
        self.scope: Final = scope
        self._peer: Peer | None = None
        self._followers: dict[str, ServiceFollower | InstancesFollower] = {}
        self._users: dict[str, int] = {}

    @property
    def attached(self) -> bool:
        """Whether there is a connection."""
        return self._peer is not None

    def attach(self, peer: Peer) -> None:
        """Use *peer*, whose link is open, until it ends or another one is attached."""
        if peer is self._peer:
            return
        self.detach()
        if not peer.opened:
            raise Disconnected
        self._peer = peer
        for follower in list(self._followers.values()):
            follower.attach(peer)
        peer.on_end(lambda failure: self._take_end(peer, failure))

    def detach(self) -> None:
        """Use no peer; every handle waits for the next one. A second time does nothing."""
        peer, self._peer = self._peer, None
        if peer is not None:
            for follower in list(self._followers.values()):
                follower.leave()

    def open_namespace(self) -> RemoteNamespace:
        """Return where one facet consumes services."""
        return RemoteNamespace(self)

    def acquire(self, token: Singleton[Any] | Keyed[Any]) -> ServiceFollower | InstancesFollower:
        """Return what all handles of a token share, and count one more of them."""
        follower = self._followers.get(token.id)
        is_keyed = isinstance(token, Keyed)
        if follower is None:
            if isinstance(token, Keyed):
                follower = InstancesFollower(token, scope=self.scope, service=token.id)
            else:
                follower = ServiceFollower(token, "singleton", scope=self.scope, service=token.id)
            self._followers[token.id] = follower
            if self._peer is not None:
                follower.attach(self._peer)
        elif isinstance(follower, InstancesFollower) != is_keyed:
            first, second = ("use", "observe") if is_keyed else ("observe", "use")
            raise ModeMismatch(
                f'"{token.id}" cannot be acquired with {second}: {first} has acquired it first'
            )
        self._users[token.id] = self._users.get(token.id, 0) + 1
        return follower

    def release(self, token: Singleton[Any] | Keyed[Any]) -> None:
        """Count one handle less; with the last, the subscription is closed."""
        self._users[token.id] -= 1
        if not self._users[token.id]:
            del self._users[token.id]
            self._followers.pop(token.id).close()

    def _take_end(self, peer: Peer, failure: Failure) -> None:
        del failure
        if self._peer is peer:
            self._peer = None
            for follower in list(self._followers.values()):
                follower.detach(quietly=peer.closed_here)


class RemoteNamespace:
    """Where one facet consumes the services of a binding."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._links: list[tuple[Singleton[Any], RemoteLink]] = []
        self._observers: list[tuple[Keyed[Any], Subscription]] = []
        self._acquired: dict[str, ServiceFollower | InstancesFollower] = {}
        self._acquisitions = Acquisitions()

    def use(self, service: Singleton[T, Any] | Local[T]) -> T:
        """Return a handle of a singleton at once, whether or not there is a connection."""
        if isinstance(service, Local):
            raise ServiceNotAllowed(
                f'"{service.id}" is a local service: it is used in its own process only'
            )
        self._acquisitions.add(service.id, "use")
        follower = self._binding.acquire(service)
        link = RemoteLink(follower.target)
        self._links.append((service, link))
        self._acquired[service.id] = follower
        return service.proxy(link)

    def observe(
        self, service: Keyed[T, Any], handler: Callable[[Instance[T], Context], Awaitable[None]]
    ) -> Subscription:
        """Run *handler* for each live instance of a keyed service, in a task of its own."""
        self._acquisitions.add(service.id, "observe")
        follower = self._binding.acquire(service)
        assert isinstance(follower, InstancesFollower)  # noqa: S101 - acquired as keyed
        observer = follower.observe(handler)
        self._observers.append((service, observer))
        self._acquired[service.id] = follower
        return observer

    async def ready(self, ctx: Context) -> None:
        """Wait until everything that was acquired here is hydrated.

        What is acquired meanwhile is waited for as well. Raises what makes one of them
        fail, and `Cancelled`; only the wait ends then.
        """
        while True:
            cold = [each for each in self._acquired.values() if not each.hydrated]
            if not cold:
                return
            failure = cold[0].target.failure
            if failure is not None:
                raise failure
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            for each in cold:
                each.waiters.add(future)
            await ctx.wait(future)

    def seal(self, owner: str) -> None:
        """Let nothing more be acquired: the setup of *owner* is over."""
        self._acquisitions.sealed = owner

    def close(self) -> None:
        """End every handle that was acquired here; a second time does nothing."""
        if self._acquisitions.closed:
            return
        self._acquisitions.closed = True
        for service, link in self._links:
            link.close(Disconnected(f'the handle of "{service.id}" has ended with its facet'))
            self._binding.release(service)
        for keyed, observer in self._observers:
            observer.close()
            self._binding.release(keyed)
