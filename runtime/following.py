"""Following a service at the other side: one subscription, shared by all handles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import ContractViolation, InvalidJSON
from .failures import LOGGER, report
from .protocol import Subject
from .protocol.messages import Snapshot, Update
from .targets import Target, find_mismatch, make_failure, make_unreadable

if TYPE_CHECKING:
    import asyncio

    from .errors import ServiceError
    from .peer import Peer
    from .protocol.happenings import Publication
    from .protocol.messages import ErrorEnvelope, Mode
    from .tokens import RemoteToken


class Waiters:
    """Those who wait until something is hydrated, or has failed, and look for themselves."""

    def __init__(self) -> None:
        self._futures: set[asyncio.Future[None]] = set()

    def add(self, future: asyncio.Future[None]) -> None:
        """Wake *future* with the next news, unless it is done before."""
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)

    def wake(self) -> None:
        """Tell everybody that there is news."""
        for future in list(self._futures):
            if not future.done():
                future.set_result(None)


class ServiceFollower:
    """Fills the replicas of one singleton or one reference."""

    def __init__(self, token: RemoteToken[Any], mode: Mode, **address: Any) -> None:
        self.target = Target(token, mode, **address)
        self.waiters = Waiters()
        self._subscribed = False
        self._since = 0
        """The id of the subscription; what comes under lower ones is late."""

    @property
    def hydrated(self) -> bool:
        """Whether the snapshot has arrived."""
        return self.target.hydrated

    def attach(self, peer: Peer, *, subscribe: bool = True) -> None:
        """Follow over *peer* from now on."""
        self._subscribed = subscribe
        self.target.attach(peer)
        if subscribe:
            self._since = peer.subscribe(self, Subject.SERVICE, self.target)

    def detach(self, *, quietly: bool) -> None:
        """Follow over nothing: the connection is gone."""
        self._subscribed = False
        self.target.detach(quietly=quietly)

    def leave(self) -> None:
        """Follow over nothing: the connection goes on without this."""
        peer = self.target.peer
        if peer is not None:
            self.target.close(peer)
            if self._subscribed:
                peer.unsubscribe(self)
        self.detach(quietly=True)

    def close(self) -> None:
        """Follow no more."""
        self.leave()

    def take(self, message: Publication) -> None:
        """Install a snapshot or an update."""
        if not self._subscribed or message.id < self._since:
            return  # it came together with what made us leave
        try:
            if isinstance(message, Snapshot):
                self._take_snapshot(message)
            elif isinstance(message, Update):
                self.target.update(message)
            else:
                self.target.lose()
                self.target.known = None
        except (ContractViolation, InvalidJSON) as error:
            self._fail(make_unreadable(self.target.token.id, error))

    def take_gap(self, error: ErrorEnvelope) -> None:
        """Wait for the snapshot that follows."""
        self.target.lose()
        report(f'updates of "{self.target.token.id}" were lost', make_failure(error))

    def take_end(self, error: ErrorEnvelope) -> None:
        """Let every use fail until there is another connection."""
        if not self._subscribed:
            return
        self._subscribed = False
        self._set_failure(make_failure(error))

    def _take_snapshot(self, message: Snapshot) -> None:
        mismatch = find_mismatch(self.target, message)
        if mismatch is not None:
            self._fail(mismatch)
        else:
            states = message.states if isinstance(message.states, dict) else {}
            self.target.install(message.members, states)
            self.waiters.wake()

    def _fail(self, failure: ServiceError) -> None:
        if self.target.peer is not None:
            self._subscribed = False
            self.target.peer.unsubscribe(self)
        self._set_failure(failure)

    def _set_failure(self, failure: ServiceError) -> None:
        LOGGER.warning('"%s" cannot be used: %s', self.target.token.id, failure)
        self.target.fail(failure)
        self.waiters.wake()
