"""What this process provides: to its peers over wires, and to itself without one."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from .errors import InvalidProvision
from .exposure import Exposure
from .failures import report
from .implementation import check_implementation
from .keyed import KeyedHandle
from .local import LocalNamespace
from .serving import Serving
from .tokens import Keyed, Local, RemoteToken, Singleton, check_id

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .peer import Peer

T = TypeVar("T")


class Watcher(Protocol):
    """Is told when what provides a service changes."""

    def take_change(self) -> None:
        """Look again at what the slot holds."""
        ...


class Slot:
    """One service in one scope, provided or not, and those who watch it."""

    def __init__(self, service: str) -> None:
        self.service: Final = service
        self.exposure: Exposure | None = None
        """What provides it as a singleton."""
        self.keyed: KeyedHandle[Any] | None = None
        """What provides it as a keyed service."""
        self.local: object | None = None
        """What provides it in this process only."""
        self.watchers: dict[Watcher, None] = {}

    @property
    def provided(self) -> bool:
        """Whether anything provides it."""
        return not (self.exposure is None and self.keyed is None and self.local is None)

    @property
    def implementation(self) -> object | None:
        """The object that provides it as a singleton, in whatever way."""
        return self.local if self.exposure is None else self.exposure.implementation

    def tell(self) -> None:
        """Tell every watcher to look again."""
        for watcher in list(self.watchers):
            watcher.take_change()


class Registry:
    """The services of one process, by scope.

    *allowed* names, for each scope, the ids that peers may use; None allows whatever is
    provided. Local services are never among them.
    """

    def __init__(self, *, allowed: Mapping[str, Collection[str]] | None = None) -> None:
        self._allowed = (
            None if allowed is None else {scope: frozenset(ids) for scope, ids in allowed.items()}
        )
        self._slots: dict[tuple[str, str], Slot] = {}
        self._local: dict[str, Slot] = {}
        self._servings: dict[Serving, None] = {}
        self._holders: dict[int, tuple[object, int]] = {}
        self._tasks: set[asyncio.Future[Any]] = set()

    # Providing

    def provide(
        self, service: Singleton[Any, T] | Local[T], implementation: T, *, scope: str = ""
    ) -> None:
        """Let *implementation* provide a singleton, or a local service.

        Raises `InvalidProvision` if something provides it already, and
        `InvalidImplementation` for what does not implement its contract.
        """
        slot = self._open_slot(service, scope)
        if isinstance(service, Local):
            slot.local = implementation
        else:
            try:
                check_implementation(service, implementation)
            except BaseException:
                self._drop_empty(slot, scope)
                raise
            slot.exposure = Exposure(service, implementation)
        slot.tell()

    def provide_keyed(
        self, service: Keyed[Any, T], *, scope: str = "", active: bool = True
    ) -> KeyedHandle[T]:
        """Own a keyed service; nothing can be spawned before it is *active*."""
        slot = self._open_slot(service, scope)
        handle: KeyedHandle[T] = KeyedHandle(
            service, lambda: self.withdraw(service, scope=scope), active=active
        )
        slot.keyed = handle
        slot.tell()
        return handle

    def withdraw(
        self, service: Singleton[Any] | Keyed[Any] | Local[Any], *, scope: str = ""
    ) -> None:
        """Provide a service no more; a second time does nothing.

        Subscriptions stay, and get a snapshot from whatever provides it next.
        """
        slot = self._find_slot(service, scope)
        if slot is None or not slot.provided:
            return
        exposure, keyed = slot.exposure, slot.keyed
        slot.exposure = slot.keyed = slot.local = None
        if exposure is not None:
            self._forget_source(exposure)
        slot.tell()
        if keyed is not None:
            keyed.close()
        self._drop_empty(slot, scope)

    def replace(
        self, service: Singleton[Any, T] | Local[T], implementation: T, *, scope: str = ""
    ) -> None:
        """Let *implementation* take the place of what provides a service, without a gap.

        Raises `InvalidImplementation` and `InvalidProvision`, and leaves the old one
        active then.
        """
        slot = self._find_slot(service, scope)
        if slot is None or not slot.provided:
            raise InvalidProvision(service.id, "nothing provides it that could be replaced")
        if isinstance(service, Local):
            slot.local = implementation
        else:
            old = slot.exposure
            if old is None or set(old.members) != {member.name for member in service.members}:
                raise InvalidProvision(service.id, "the replacement has another member table")
            check_implementation(service, implementation)
            slot.exposure = Exposure(service, implementation)
            self._forget_source(old)
        slot.tell()

    # Looking up

    def is_allowed(self, service: str, scope: str) -> bool:
        """Tell whether peers may use a service; a local one never."""
        if self._allowed is None:
            return service not in self._local or (scope, service) in self._slots
        return service in self._allowed.get(scope, frozenset())

    def find(self, service: str, scope: str) -> Slot | None:
        """Return the slot of a remote service, if it is provided or watched."""
        return self._slots.get((scope, service))

    def find_local(self, service: str) -> Slot | None:
        """Return the slot of a local service, if it is provided or watched."""
        return self._local.get(service)

    def watch(self, service: str, scope: str, watcher: Watcher) -> Slot:
        """Tell *watcher* of changes of a remote service from now on, and return its slot."""
        slot = self._slots.setdefault((scope, service), Slot(service))
        slot.watchers[watcher] = None
        return slot

    def watch_local(self, service: str, watcher: Watcher) -> Slot:
        """Tell *watcher* of changes of a local service from now on, and return its slot."""
        slot = self._local.setdefault(service, Slot(service))
        slot.watchers[watcher] = None
        return slot

    def leave(self, service: str, scope: str, watcher: Watcher) -> None:
        """Tell *watcher* no more."""
        slot = self._slots[scope, service]
        slot.watchers.pop(watcher, None)
        self._drop_empty(slot, scope)

    def leave_local(self, service: str, watcher: Watcher) -> None:
        """Tell *watcher* of a local service no more."""
        slot = self._local[service]
        slot.watchers.pop(watcher, None)
        self._drop_empty(slot, "")

    def open_local(self, *, scope: str = "", strict: bool = False) -> LocalNamespace:
        """Return where one facet of this process consumes what is provided here."""
        return LocalNamespace(self, scope=scope, strict=strict)

    # Peers

    def serve(self, peer: Peer) -> Serving:
        """Return what answers the requests of *peer*."""
        serving = Serving(peer, self)
        self._servings[serving] = None
        return serving

    def leave_peer(self, serving: Serving) -> None:
        """Forget a peer that is gone."""
        self._servings.pop(serving, None)

    def hold(self, implementation: object) -> None:
        """Count a private reference to *implementation*."""
        _, count = self._holders.get(id(implementation), (implementation, 0))
        self._holders[id(implementation)] = (implementation, count + 1)

    def release(self, implementation: object) -> None:
        """Count one reference less; with the last, ``on_release`` is called if there is one."""
        _, count = self._holders.pop(id(implementation))
        if count > 1:
            self._holders[id(implementation)] = (implementation, count - 1)
            return
        on_release = getattr(implementation, "on_release", None)
        if callable(on_release):
            self._run(on_release)

    def _run(self, callback: Any) -> None:
        try:
            outcome = callback()
            if inspect.isawaitable(outcome):
                task = asyncio.ensure_future(outcome)
                self._tasks.add(task)
                task.add_done_callback(self._finish)
        except Exception as error:  # noqa: BLE001 - whatever a callback raises is its own
            report("the callback of a released reference failed", error)

    def _finish(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            report("the callback of a released reference failed", error)

    # Within

    def _forget_source(self, exposure: Exposure) -> None:
        for serving in list(self._servings):
            serving.forget_source(exposure)

    def _open_slot(self, service: RemoteToken[Any] | Local[Any], scope: str) -> Slot:
        check_id(service.id)
        if isinstance(service, Local):
            slot = self._local.setdefault(service.id, Slot(service.id))
        else:
            slot = self._slots.setdefault((scope, service.id), Slot(service.id))
        if slot.provided:
            raise InvalidProvision(service.id, "something provides it already")
        return slot

    def _find_slot(self, service: RemoteToken[Any] | Local[Any], scope: str) -> Slot | None:
        if isinstance(service, Local):
            return self._local.get(service.id)
        return self._slots.get((scope, service.id))

    def _drop_empty(self, slot: Slot, scope: str) -> None:
        if slot.provided or slot.watchers:
            return
        if self._slots.get((scope, slot.service)) is slot:
            del self._slots[scope, slot.service]
        else:
            del self._local[slot.service]
