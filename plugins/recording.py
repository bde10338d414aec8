"""Contexts for a dry run: every declaration is recorded, and nothing else happens.

Views are cold: their states are not ready, they can be subscribed to, and nothing
can be called. A context has what a host of its kind offers, and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeVar

from pi_contracts.runtime import PiContractsError
from pi_contracts.runtime.direct import DirectEvents
from pi_contracts.runtime.errors import NotHydrated
from pi_contracts.runtime.events import EventSource
from pi_contracts.runtime.implementation import check_implementation
from pi_contracts.runtime.replica import Replica, ReplicaFeed
from pi_contracts.runtime.tokens import Local

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pi_contracts.runtime import Context, Instance, Keyed, Singleton, Subscription
    from pi_contracts.runtime.members import EventsMember, Method, StateMember

    from .ledger import Ledger

T = TypeVar("T")
P = TypeVar("P")
R = TypeVar("R")


class CalledInSetup(PiContractsError, RuntimeError):  # noqa: N818 - named by what is wrong
    """A service is called, or an instance spawned, before the facet is active."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} during setup, when no service can be called yet\n"
            "do it in a callback given to on_activate()"
        )
        self.what = what


def make_context(ledger: Ledger) -> RecordingFacet:
    """Return the context of a facet's kind, which records into *ledger*."""
    makers = {"server": RecordingFacet, "session": RecordingSession}
    return makers.get(ledger.kind, RecordingPresentation)(ledger)


class RecordingNamespace:
    """A namespace that records what is required of it."""

    __slots__ = ("_ledger", "_method", "_scope")

    def __init__(self, ledger: Ledger, scope: str | None, name: str) -> None:
        self._ledger: Final = ledger
        self._scope: Final = scope
        self._method: Final = name

    def use(self, service: Singleton[T, Any] | Local[T]) -> T:
        """Record a requirement, and return a cold view."""
        self._ledger.require(self._scope, service, "singleton", f"{self._method}.use")
        if isinstance(service, Local):
            view: Any = LocalView(service.id)
            return view  # type: ignore[no-any-return] # stands for the implementation
        return service.proxy(ColdLink(service.id))

    def observe(
        self, service: Keyed[T, Any], handler: Callable[[Instance[T], Context], Awaitable[None]]
    ) -> Subscription:
        """Record a requirement; *handler* is never called."""
        self._ledger.require(self._scope, service, "keyed", f"{self._method}.observe")
        _check_callable(handler, "observe", "a handler")
        return IdleSubscription()


class RecordingFacet(RecordingNamespace):
    """The context of a server facet, and what every context has."""

    __slots__ = ()

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger, None, "facet")

    def provide(self, service: Singleton[Any, T] | Local[T], implementation: T) -> None:
        """Record a provision, once the implementation has the members of the contract."""
        self._ledger.provide(service, "singleton", "facet.provide")
        if not isinstance(service, Local):
            check_implementation(service, implementation)

    def provide_keyed(self, service: Keyed[Any, T]) -> RecordingKeyedProvider[T]:
        """Record a provision, and return a handle that spawns nothing yet."""
        self._ledger.provide(service, "keyed", "facet.provide_keyed")
        return RecordingKeyedProvider(service)

    def own(self, disposal: Callable[[], object] | Subscription) -> None:
        """Check that *disposal* can be called or closed; it never is."""
        self._ledger.check_open("facet.own()")
        if not callable(getattr(disposal, "close", None)):
            _check_callable(disposal, "own", "a function or a subscription")

    def on_activate(self, callback: Callable[[], object]) -> None:
        """Check that *callback* can be called; it never is."""
        self._ledger.check_open("facet.on_activate()")
        _check_callable(callback, "on_activate", "a function")

    def on_dispose(self, callback: Callable[[], object]) -> None:
        """Check that *callback* can be called; it never is."""
        self._ledger.check_open("facet.on_dispose()")
        _check_callable(callback, "on_dispose", "a function")


class RecordingSession(RecordingFacet):
    """The context of a session facet."""

    __slots__ = ("server",)

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger)
        self.server: Final = RecordingNamespace(ledger, "server", "facet.server")


class RecordingPresentation(RecordingSession):
    """The context of a facet of any kind but ``server`` and ``session``."""

    __slots__ = ("session",)

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger)
        self.session: Final = RecordingNamespace(ledger, "session", "facet.session")


class RecordingKeyedProvider(Generic[T]):
    """The owner's handle of a keyed service, before activation."""

    __slots__ = ("_service",)

    def __init__(self, service: Keyed[Any, T]) -> None:
        self._service = service

    def spawn(self, key: str, implementation: T) -> NoReturn:
        """Raise `CalledInSetup`: instances come with activation."""
        del key, implementation
        raise CalledInSetup(f'an instance of "{self._service.id}" is spawned')


class IdleSubscription:
    """A subscription to nothing."""

    __slots__ = ()

    def close(self) -> None:
        """Do nothing."""


class ColdLink:
    """The link of a remote view: states are not ready, events do not come."""

    def __init__(self, service: str) -> None:
        self._service = service

    def state(self, member: StateMember[T]) -> Replica[T]:
        """Return a replica without a value."""
        return Replica(ReplicaFeed(member))

    def events(self, member: EventsMember[T]) -> DirectEvents[T]:
        """Return a source that emits nothing."""
        return DirectEvents(member, EventSource(member))

    async def call(self, method: Method[P, R], params: P, ctx: Context) -> R:
        """Raise `CalledInSetup`."""
        del params, ctx
        raise CalledInSetup(f'"{self._service}.{method.name}" is called')

    async def call_reference(self, method: Method[Any, T], params: object, ctx: Context) -> T:
        """Raise `CalledInSetup`."""
        del params, ctx
        raise CalledInSetup(f'"{self._service}.{method.name}" is called')


class LocalView:
    """The view of a local service, of whose members nothing is known."""

    __slots__ = ("_service",)

    def __init__(self, service: str) -> None:
        self._service = service

    def __getattr__(self, name: str) -> LocalMember:
        if name.startswith("__"):
            raise AttributeError(name)
        return LocalMember(f"{self._service}.{name}")


class LocalMember:
    """A member of a local service: a method, a state or a source of events."""

    __slots__ = ("_name",)

    ready: Final = False

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def value(self) -> NoReturn:
        """Raise `NotHydrated`: the provider may not have registered yet."""
        raise NotHydrated(self._name)

    def last(self, default: T) -> T:
        """Return the default: no value is known."""
        return default

    def subscribe(self, listener: Callable[[Any, Context], object]) -> IdleSubscription:
        """Check that *listener* can be called; it never is."""
        _check_callable(listener, "subscribe", "a listener")
        return IdleSubscription()

    def on(self, type: str, listener: Callable[[Any, Context], object]) -> IdleSubscription:  # noqa: A002 - the word of the contract
        """Check that *listener* can be called; it never is."""
        del type
        _check_callable(listener, "on", "a listener")
        return IdleSubscription()

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Raise `CalledInSetup`."""
        raise CalledInSetup(f'"{self._name}" is called')


def _check_callable(value: object, method: str, expected: str) -> None:
    if not callable(value):
        raise TypeError(
            f"{method}() takes {expected}, found an object of type {type(value).__name__}"
        )
