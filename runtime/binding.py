"""What this process uses of one scope of another process, over whatever connects them.

A binding outlives connections: handles stay the same while it is attached to one peer
after the other. Each facet has a namespace of its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from .acquiring import Acquisitions
from .errors import Disconnected, ModeMismatch, ServiceNotAllowed, copy_error
from .following import ServiceFollower, Waiters
from .instances import InstancesFollower
from .observing import check_handler
from .remote import RemoteLink
from .tokens import Keyed, Local, Singleton, check_mode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .calls import Failure
    from .context import Context
    from .link import Instance, Subscription
    from .observing import Observer
    from .peer import Peer

T = TypeVar("T")


_Contract: TypeAlias = tuple[str, int, str]
"""The id of a service, and which contract of it is held: its version and digest."""


class Holder(Protocol):
    """Who attaches a binding to one peer after the other, and lets nobody else do so."""

    def owns(self, peer: Peer, /) -> bool:
        """Tell whether *peer* is the one that the binding is to be attached to."""
        ...


class Binding:
    """The services of one scope at the other side."""

    def __init__(self, *, scope: str = "") -> None:
        self.scope: Final = scope
        self._peer: Peer | None = None
        self._holder: Holder | None = None
        """The connector that attaches and detaches it, while there is one."""
        self._followers: dict[_Contract, ServiceFollower | InstancesFollower] = {}
        self._users: dict[_Contract, int] = {}

    @property
    def attached(self) -> bool:
        """Whether there is a connection."""
        return self._peer is not None

    def reserve(self, holder: Holder) -> None:
        """Let *holder* alone attach and detach the binding, until it frees it.

        Raises RuntimeError while another one holds it, or a peer is attached by hand.
        """
        if self._holder is holder:
            return
        self._check_free()
        if self._peer is not None:
            raise RuntimeError(
                "a connector cannot take a binding that is attached to a peer: detach it first"
            )
        self._holder = holder

    def free(self, holder: Holder) -> None:
        """Let others attach the binding again; nothing happens if *holder* does not hold it."""
        if self._holder is holder:
            self._holder = None

    def attach(self, peer: Peer) -> None:
        """Use *peer*, whose link is open, until it ends or another one is attached.

        Raises RuntimeError for a peer of somebody else than who holds the binding.
        """
        if self._holder is None or not self._holder.owns(peer):
            self._check_free()
        if peer is self._peer:
            return
        self._leave()
        if not peer.opened:
            raise Disconnected
        self._peer = peer
        for follower in list(self._followers.values()):
            follower.attach(peer)
        peer.on_end(self._take_end)

    def detach(self) -> None:
        """Use no peer; every handle waits for the next one. A second time does nothing.

        Raises RuntimeError while a connector holds the binding: closing that detaches it.
        """
        self._check_free()
        self._leave()

    def _check_free(self) -> None:
        if self._holder is not None:
            raise RuntimeError(
                "this binding belongs to a connector that is at work: close that first, "
                "or give each connector a binding of its own"
            )

    def _leave(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.forget_end(self._take_end)
            for follower in list(self._followers.values()):
                follower.leave()

    def open_namespace(self) -> RemoteNamespace:
        """Return where one facet consumes services."""
        return RemoteNamespace(self)

    def acquire(self, token: Singleton[Any] | Keyed[Any]) -> ServiceFollower | InstancesFollower:
        """Return what all handles of a token share, and count one more of them.

        Tokens of one service that were generated from unlike contracts share nothing.
        """
        is_keyed = isinstance(token, Keyed)
        for (service, *_), known in self._followers.items():
            if service == token.id and isinstance(known, InstancesFollower) != is_keyed:
                first, second = ("use", "observe") if is_keyed else ("observe", "use")
                raise ModeMismatch(
                    f'"{token.id}" cannot be acquired with {second}: {first} has acquired it first'
                )
        contract = _get_contract(token)
        follower = self._followers.get(contract)
        if follower is None:
            if isinstance(token, Keyed):
                follower = InstancesFollower(token, scope=self.scope, service=token.id)
            else:
                follower = ServiceFollower(token, "singleton", scope=self.scope, service=token.id)
            self._followers[contract] = follower
            if self._peer is not None:
                follower.attach(self._peer)
        self._users[contract] = self._users.get(contract, 0) + 1
        return follower

    def release(self, token: Singleton[Any] | Keyed[Any]) -> None:
        """Count one handle less; with the last, the subscription is closed."""
        contract = _get_contract(token)
        self._users[contract] -= 1
        if not self._users[contract]:
            del self._users[contract]
            self._followers.pop(contract).close()

    def _take_end(self, failure: Failure) -> None:
        del failure
        peer, self._peer = self._peer, None
        assert peer is not None  # noqa: S101 - another one would have been left
        for follower in list(self._followers.values()):
            follower.detach(quietly=peer.closed_here)


def _get_contract(token: Singleton[Any] | Keyed[Any]) -> _Contract:
    return token.id, token.version, token.digest


class _Handle(NamedTuple):
    """What one facet has taken of one service."""

    service: Singleton[Any]
    follower: ServiceFollower | InstancesFollower
    link: RemoteLink
    proxy: Any


class RemoteNamespace:
    """Where one facet consumes the services of a binding."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._handles: dict[int, _Handle] = {}
        """What was taken, by the identity of its token."""
        self._observers: dict[Observer, tuple[Keyed[Any], InstancesFollower]] = {}
        self._waiters = Waiters()
        self._acquisitions = Acquisitions()

    def use(self, service: Singleton[T, Any] | Local[T]) -> T:
        """Return a handle of a singleton at once, whether or not there is a connection.

        The same one each time.
        """
        if isinstance(service, Local):
            raise ServiceNotAllowed(
                f'"{service.id}" is a local service: it is used in its own process only'
            )
        check_mode(service, "use", Singleton)
        self._acquisitions.add(service.id, "use")
        known = self._handles.get(id(service))
        if known is not None:
            return cast("T", known.proxy)
        follower = self._binding.acquire(service)
        link = RemoteLink(follower.target)
        proxy = service.proxy(link)
        self._handles[id(service)] = _Handle(service, follower, link, proxy)
        self._waiters.wake()
        return proxy

    def observe(
        self, service: Keyed[T, Any], handler: Callable[[Instance[T], Context], Awaitable[None]]
    ) -> Subscription:
        """Run *handler* for each live instance of a keyed service, in a task of its own."""
        check_mode(service, "observe", Keyed)
        self._acquisitions.add(service.id, "observe")
        check_handler(handler)
        follower = self._binding.acquire(service)
        assert isinstance(follower, InstancesFollower)  # noqa: S101 - acquired as keyed
        observer = follower.observe(handler, self._forget)
        self._observers[observer] = (service, follower)
        self._waiters.wake()
        return observer

    def _forget(self, observer: Observer) -> None:
        service, _ = self._observers.pop(observer)
        self._binding.release(service)

    async def ready(self, ctx: Context) -> None:
        """Wait until everything that was acquired here is hydrated.

        What is acquired meanwhile is waited for as well. Raises what makes one of them
        fail, and `Cancelled`; only the wait ends then.
        """
        while True:
            if self._acquisitions.closed:
                raise Disconnected("the facet that waits has ended")
            acquired = {
                *(handle.follower for handle in self._handles.values()),
                *(follower for _, follower in self._observers.values()),
            }
            for each in acquired:
                if each.target.failure is not None:
                    raise copy_error(each.target.failure)
            cold = [each for each in acquired if not each.hydrated]
            if not cold:
                return
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            for waiters in (self._waiters, *(each.waiters for each in cold)):
                waiters.add(future)
            try:
                await ctx.wait(future)
            finally:
                future.cancel()

    def seal(self, owner: str) -> None:
        """Let nothing more be acquired: the setup of *owner* is over."""
        self._acquisitions.sealed = owner

    def close(self) -> None:
        """End every handle that was acquired here; a second time does nothing."""
        if self._acquisitions.closed:
            return
        self._acquisitions.closed = True
        for handle in self._handles.values():
            problem = f'the handle of "{handle.service.id}" has ended with its facet'
            handle.link.close(Disconnected(problem))
            self._binding.release(handle.service)
        for observer in list(self._observers):
            observer.close()
        self._waiters.wake()
