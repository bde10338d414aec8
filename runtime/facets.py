"""Facets: what a plugin's setup functions are given, as interfaces.

A setup is a plain function of one of these contexts that returns None. Hosts make
the contexts; a dry run makes ones that only record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .context import Context
    from .link import Instance, Subscription
    from .tokens import Keyed, Local, Singleton

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Namespace(Protocol):
    """Where services are consumed; services are acquired during setup only."""

    def use(self, service: Singleton[T, Any] | Local[T]) -> T:
        """Require a singleton, and return the view of it that lasts as long as the facet.

        The view may be kept, and its states and events subscribed to; its methods
        can be called from activation on.
        """
        ...

    def observe(
        self, service: Keyed[T, Any], handler: Callable[[Instance[T], Context], Awaitable[None]]
    ) -> Subscription:
        """Require a keyed service, and run *handler* for each of its live instances.

        Its Context is cancelled when the instance is closed.
        """
        ...


class KeyedProvider(Protocol[T_contra]):
    """The owner's side of a keyed service."""

    def spawn(self, key: str, implementation: T_contra) -> Subscription:
        """Open an instance under a *key* that no live one has; closing it is idempotent.

        Possible from activation until disposal.
        """
        ...


class Facet(Namespace, Protocol):
    """What every setup receives; the kind of host adds to it.

    What is registered here ends with the facet, in reverse order.
    """

    def provide(self, service: Singleton[Any, T] | Local[T], implementation: T) -> None:
        """Own a singleton, which *implementation* serves."""
        ...

    def provide_keyed(self, service: Keyed[Any, T]) -> KeyedProvider[T]:
        """Own a keyed service, and return what opens its instances."""
        ...

    def own(self, disposal: Callable[[], object] | Subscription) -> None:
        """Call or close *disposal* when the facet ends; it may be a coroutine function."""
        ...

    def on_activate(self, callback: Callable[[], object]) -> None:
        """Call *callback* once every facet is set up and what this one requires is active."""
        ...

    def on_dispose(self, callback: Callable[[], object]) -> None:
        """Call *callback* when the facet ends, while what it requires still works."""
        ...


class ServerFacet(Facet, Protocol):
    """The context of a facet of kind ``server``: it provides and uses in that scope."""


class SessionFacet(Facet, Protocol):
    """The context of a facet of kind ``session``: it provides and uses in that scope."""

    @property
    def server(self) -> Namespace:
        """The services of the server that manages this session."""
        ...


class PresentationFacet(Facet, Protocol):
    """The context of a facet of any other kind: it provides and uses local services."""

    @property
    def server(self) -> Namespace:
        """The services of the connected server."""
        ...

    @property
    def session(self) -> Namespace:
        """The services of the selected session."""
        ...
