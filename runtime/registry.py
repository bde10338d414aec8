"""What this process provides: to its peers over wires, and to itself without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from .errors import InvalidProvision
from .exposure import Exposure, describe_members
from .implementation import check_implementation
from .keyed import KeyedHandle
from .local import LocalNamespace
from .serving import Serving
from .tokens import Keyed, Local, RemoteToken, Singleton, check_id, check_mode

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
            if watcher in self.watchers:
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

    # Providing

    def provide(
        self, service: Singleton[Any, T] | Local[T], implementation: T, *, scope: str = ""
    ) -> None:
        """Let *implementation* provide a singleton, or a local service.

        Raises `InvalidProvision` if something provides it already, and
        `InvalidImplementation` for what does not implement its contract.
        """
        check_mode(service, "provide", Singleton, Local)
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
        check_mode(service, "provide_keyed", Keyed)
        slot = self._open_slot(service, scope)
        handle: KeyedHandle[T] = KeyedHandle(
            service, lambda: self._withdraw_keyed(slot, handle, scope), active=active
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
            exposure.close()
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
        check_mode(service, "replace", Singleton, Local)
        slot = self._find_slot(service, scope)
        if slot is None or not slot.provided:
            raise InvalidProvision(service.id, "nothing provides it that could be replaced")
        if isinstance(service, Local):
            slot.local = implementation
        else:
            old = slot.exposure
            if old is None or describe_members(old.token) != describe_members(service):
                raise InvalidProvision(service.id, "the replacement has another member table")
            check_implementation(service, implementation)
            slot.exposure = Exposure(service, implementation)
            old.close()
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
        return Serving(peer, self)

    # Within

    def _withdraw_keyed(self, slot: Slot, handle: KeyedHandle[Any], scope: str) -> None:
        if slot.keyed is handle:
            self.withdraw(handle.token, scope=scope)

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
