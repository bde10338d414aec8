"""Following a keyed service at the other side, for all its observers here."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from .errors import ContractViolation, InvalidJSON, StaleInstance
from .failures import LOGGER, report
from .following import Waiters
from .observing import Observer
from .protocol import Subject
from .protocol.messages import Closed, Snapshot, Spawned, Update
from .remote import RemoteLink
from .targets import Target, find_mismatch, make_failure, make_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from .errors import ServiceError
    from .peer import Peer
    from .protocol.happenings import Publication
    from .protocol.messages import ErrorEnvelope, Members, States
    from .tokens import Keyed


class RemoteInstance:
    """One live instance at the other side."""

    def __init__(
        self, token: Keyed[Any], peer: Peer, key: str, generation: int, address: dict[str, Any]
    ) -> None:
        self.key: Final = key
        self.generation: Final = generation
        self.target: Final = Target(token, "keyed", key=key, generation=generation, **address)
        self.target.attach(peer)
        self._waiters: Final = Waiters()

    def install(self, members: Members, states: States) -> None:
        """Take all of its states at once."""
        self.target.install(members, states)
        self._waiters.wake()

    async def wait_hydrated(self) -> None:
        """Return once each of its states has a value; at once if that is so."""
        while not self.target.hydrated:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.add(future)
            await future

    def make_view(self) -> tuple[Any, Callable[[], object]]:
        """Return a fresh proxy of the instance, and what closes it."""
        link = RemoteLink(self.target)
        gone = StaleInstance(f'the instance "{self.key}" of "{self.target.token.id}" is gone')
        return self.target.token.proxy(link), lambda: link.close(gone)


class InstancesFollower:
    """Follows one keyed service as long as somebody observes it."""

    def __init__(self, token: Keyed[Any], **address: Any) -> None:
        self._token = token
        self._address = address
        self.target: Final = Target(token, "keyed", **address)
        self.waiters: Final = Waiters()
        self._observers: dict[Observer, None] = {}
        self._live: dict[str, RemoteInstance] = {}
        self._members: Members = {}
        self._subscribed = False
        self._since = 0
        """The id of the subscription; what comes under lower ones is late."""

    @property
    def hydrated(self) -> bool:
        """Whether the snapshot has arrived, if anybody observes."""
        return self.target.hydrated or not self._observers

    def observe(
        self, handler: Callable[[Any, Any], Any], forget: Callable[[Observer], object]
    ) -> Observer:
        """Run *handler* for each instance that is live or becomes so.

        *forget* is called with the observer when that is closed.
        """

        def part(observer: Observer) -> None:
            self._forget(observer)
            forget(observer)

        observer = Observer(self._token.id, handler, part)
        self._observers[observer] = None
        if not self._subscribed:
            self._open()
        for instance in list(self._live.values()):
            observer.begin(instance)
        return observer

    def attach(self, peer: Peer) -> None:
        """Follow over *peer* from now on."""
        self.target.attach(peer)
        if self._observers:
            self._open()

    def detach(self, *, quietly: bool) -> None:
        """Cancel every task: the connection is gone, and its instances are with it."""
        self._subscribed = False
        self._close_all()
        self.target.detach(quietly=quietly)

    def leave(self) -> None:
        """Follow over nothing: the connection goes on without this."""
        self._unsubscribe()
        self.detach(quietly=True)

    def close(self) -> None:
        """Follow no more."""
        for observer in list(self._observers):
            observer.close()

    def take(self, message: Publication) -> None:
        """Take what comes and goes."""
        if not self._subscribed or message.id < self._since:
            return  # it came together with what made us leave
        try:
            if isinstance(message, Snapshot):
                self._take_snapshot(message)
            elif isinstance(message, Spawned):
                self._open_instance(message.key, message.generation, message.states)
            elif isinstance(message, Closed):
                self._close_instance(message.key)
            elif isinstance(message, Update):
                self._live[str(message.key)].target.update(message)
            else:
                self._close_all()
                self._forget_snapshot()
        except (ContractViolation, InvalidJSON) as error:
            self._fail(make_unreadable(self._token.id, error))

    def take_gap(self, error: ErrorEnvelope) -> None:
        """Wait for the snapshot that follows; instances that it still has go on."""
        self.target.lose()
        for instance in self._live.values():
            instance.target.lose()
        report(f'updates of "{self._token.id}" were lost', make_failure(error))

    def take_end(self, error: ErrorEnvelope) -> None:
        """Cancel every task, and let every use fail until there is another connection."""
        if not self._subscribed:
            return
        self._subscribed = False
        self._set_failure(make_failure(error))

    def _take_snapshot(self, message: Snapshot) -> None:
        mismatch = find_mismatch(self.target, message)
        if mismatch is not None:
            self._fail(mismatch)
            return
        instances = message.instances if isinstance(message.instances, list) else []
        self._members = self.target.known = message.members
        kept = {(live.key, live.generation) for live in instances}
        for instance in list(self._live.values()):
            if (instance.key, instance.generation) not in kept:
                self._close_instance(instance.key)
        for live in instances:
            self._open_instance(live.key, live.generation, live.states)
        self.target.hydrated = self._subscribed
        self.waiters.wake()

    def _open_instance(self, key: str, generation: int, states: States) -> None:
        """Let an instance appear with all its states, or take all of them again.

        Nothing appears once a listener or a callback has made us leave meanwhile.
        """
        known = self._live.get(key)
        if known is not None and known.generation == generation:
            known.install(self._members, states)
            return
        if known is not None:
            self._close_instance(key)
        peer = self.target.peer
        if not self._subscribed or peer is None:
            return
        instance = RemoteInstance(self._token, peer, key, generation, self._address)
        instance.install(self._members, states)
        self._live[key] = instance
        for observer in list(self._observers):
            observer.begin(instance)

    def _close_instance(self, key: str) -> None:
        instance = self._live.pop(key, None)
        if instance is None:
            return  # what was closed before has closed it too
        for observer in list(self._observers):
            observer.end(instance)
        if self.target.peer is not None:
            instance.target.close(self.target.peer)
        instance.target.detach(quietly=True)

    def _close_all(self) -> None:
        for key in list(self._live):
            self._close_instance(key)

    def _open(self) -> None:
        peer = self.target.peer
        if peer is not None and self.target.failure is None:
            self._subscribed = True
            self._since = peer.subscribe(self, Subject.INSTANCES, self.target)

    def _forget(self, observer: Observer) -> None:
        self._observers.pop(observer, None)
        if not self._observers and self._subscribed:
            self._unsubscribe()
            self._close_all()
            self._forget_snapshot()
            self.waiters.wake()

    def _forget_snapshot(self) -> None:
        self.target.known = None
        self.target.hydrated = False

    def _unsubscribe(self) -> None:
        if self._subscribed and self.target.peer is not None:
            self.target.peer.unsubscribe(self)
        self._subscribed = False

    def _fail(self, failure: ServiceError) -> None:
        self._unsubscribe()
        self._set_failure(failure)

    def _set_failure(self, failure: ServiceError) -> None:
        LOGGER.warning('"%s" cannot be observed: %s', self._token.id, failure)
        self._close_all()
        self.target.fail(failure)
        self.waiters.wake()
