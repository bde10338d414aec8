"""Using services within the process that provides them: views that forward, and no more.

Nothing is checked, encoded or copied: arguments, results and the Context keep their
identity. A view may be taken before anything provides the service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from .acquiring import Acquisitions
from .context import BACKGROUND, Context
from .direct import DirectLink
from .errors import (
    Cancelled,
    InaccessibleView,
    PiContractsError,
    StaleInstance,
    StaleReference,
    copy_error,
)
from .handles import HandleEvents, HandleReplica
from .implementation import check_implementation
from .local_sources import FixedSource, SlotSource
from .members import EventsMember, Method, StateMember
from .observing import Observer
from .references import HeldReference, give_up, hold
from .tokens import Keyed, Local, Singleton, check_mode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .keyed import KeyedHandle, LiveInstance
    from .link import Instance, Reference, Subscription
    from .local_sources import LocalSource
    from .members import Member
    from .references import KnownReferences
    from .registry import Registry, Slot
    from .tokens import Referenced, RemoteToken

T = TypeVar("T")


class Access:
    """Whether the methods of one facet's views may be called."""

    def __init__(self, refusal: PiContractsError | None = None) -> None:
        self.refusal = refusal
        """Why they may not, if so."""

    def check(self, service: str) -> None:
        """Raise if they may not."""
        if self.refusal is None:
            return
        if isinstance(self.refusal, InaccessibleView):
            raise InaccessibleView(service, self.refusal.problem)
        raise copy_error(self.refusal)


class LocalNamespace:
    """Where one facet consumes the services of its own process.

    With *strict*, services are called as over a wire: everything is checked and copied.
    """

    def __init__(self, registry: Registry, *, scope: str = "", strict: bool = False) -> None:
        self._registry = registry
        self._scope = scope
        self._strict = strict
        self._access = Access(
            InaccessibleView("", "its facet is not active yet: call it from activation on")
        )
        self._acquisitions = Acquisitions()
        self._views: dict[int, tuple[RemoteToken[Any] | Local[Any], LocalSource, Any]] = {}
        """What was taken, by the identity of its token."""
        self._observations: dict[_Observation, None] = {}

    def use(self, service: Singleton[T, Any] | Local[T]) -> T:
        """Return a view of a singleton or a local service at once, provided or not.

        The same one each time.
        """
        check_mode(service, "use", Singleton, Local)
        self._acquisitions.add(service.id, "use")
        known = self._views.get(id(service))
        if known is not None:
            return cast("T", known[2])
        source = SlotSource(self._registry, service, self._scope)
        view: Any
        if isinstance(service, Local):
            view = ObjectView(source, self._access)
        else:
            view = make_view(service, source, self._access, strict=self._strict)
        self._views[id(service)] = (service, source, view)
        return cast("T", view)

    def observe(
        self, service: Keyed[T, Any], handler: Callable[[Instance[T], Context], Awaitable[None]]
    ) -> Subscription:
        """Run *handler* for each live instance of a keyed service, in a task of its own."""
        check_mode(service, "observe", Keyed)
        self._acquisitions.add(service.id, "observe")
        observation = _Observation(
            self._registry,
            service,
            self._scope,
            handler,
            strict=self._strict,
            forget=self._observations.pop,
        )
        self._observations[observation] = None
        return observation

    def activate(self) -> None:
        """Let the methods of the views be called from now on."""
        if not self._acquisitions.closed:
            self._access.refusal = None

    def seal(self, owner: str) -> None:
        """Let nothing more be acquired: the setup of *owner* is over."""
        self._acquisitions.sealed = owner

    def close(self) -> None:
        """End every view that was acquired here; a second time does nothing."""
        if self._acquisitions.closed:
            return
        self._acquisitions.closed = True
        self._access.refusal = InaccessibleView("", "its facet has ended")
        for service, source, _ in self._views.values():
            source.close(InaccessibleView(service.id, "its facet has ended"))
        for observation in list(self._observations):
            observation.close()


def make_view(
    token: RemoteToken[T], source: LocalSource, access: Access, *, strict: bool
) -> T | MemberView:
    """Return a view of what *source* leads to; a *strict* one as over a wire."""
    return token.proxy(StrictLink(token, source, access)) if strict else MemberView(source, access)


class MemberView:
    """A view of what has a member table: exactly its members, each forwarding."""

    def __init__(self, source: LocalSource, access: Access) -> None:
        for member in source.members.values():
            self.__dict__[member.attribute] = _make_member(source, member, access)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f'a view cannot be changed: "{name}"')


class ObjectView:
    """A view of a local service, which may be any object."""

    __slots__ = ("_access", "_source")

    def __init__(self, source: LocalSource, access: Access) -> None:
        object.__setattr__(self, "_source", source)
        object.__setattr__(self, "_access", access)

    def __getattr__(self, name: str) -> Any:
        self._access.check(self._source.service)
        return getattr(self._source.get_implementation(), name)

    def __setattr__(self, name: str, value: object) -> None:
        self._access.check(self._source.service)
        setattr(self._source.get_implementation(), name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object, if it can be."""
        self._access.check(self._source.service)
        return cast("Callable[..., Any]", self._source.get_implementation())(*args, **kwargs)


class StrictLink:
    """A link to whatever provides a service in this process now, with the wire's checks."""

    def __init__(self, token: RemoteToken[Any], source: LocalSource, access: Access) -> None:
        self._token = token
        self._source = source
        self._access = access
        self._link: tuple[object, DirectLink] | None = None

    def state(self, member: StateMember[Any]) -> HandleReplica[Any]:
        """Return a view of a state; its values were checked when they were set."""
        return HandleReplica(self._source.get_feed(member), self._source.handle)

    def events(self, member: EventsMember[Any]) -> HandleEvents[Any]:
        """Return a view of a source of events; they were checked when they were emitted."""
        return HandleEvents(member, self._source.get_channel(member), self._source.handle)

    async def call(self, method: Method[Any, Any], params: Any, ctx: Context) -> Any:
        """Call *method* with all checks."""
        return await self._get_link().call(method, params, ctx)

    async def call_reference(
        self, method: Method[Any, Reference[T]], params: object, ctx: Context
    ) -> Reference[T]:
        """Call a method that returns a private reference, with all checks."""
        return await self._get_link().call_reference(method, params, ctx)

    def _get_link(self) -> DirectLink:
        self._access.check(self._token.id)
        implementation = self._source.get_implementation()
        if self._link is None or self._link[0] is not implementation:
            link = DirectLink(self._token, implementation, self._source.references)
            self._link = (implementation, link)
        return self._link[1]


class LocalReference(HeldReference):
    """A reference to an object of this process, which is its own service."""

    def __init__(
        self, token: Referenced[Any], implementation: object, known: KnownReferences
    ) -> None:
        self._access = Access()
        self._source = FixedSource(token, implementation)
        self._service = MemberView(self._source, self._access)
        super().__init__(token, implementation, known)

    @property
    def service(self) -> Any:
        """A view of the object; its calls raise `StaleReference` after the release."""
        return self._service

    def _finish(self, ending: StaleReference) -> None:
        self._access.refusal = ending
        self._source.close(ending)
        super()._finish(ending)


class _LiveSource:
    """A live instance of this process, as observers are given it."""

    def __init__(self, token: Keyed[Any], instance: LiveInstance, *, strict: bool) -> None:
        self.key = instance.key
        self._token = token
        self._instance = instance
        self._strict = strict

    async def wait_hydrated(self) -> None:
        """Return at once: the states of a provider always have values."""

    def make_view(self) -> tuple[Any, Callable[[], object]]:
        """Return a fresh view of the instance, and what closes it."""
        access = Access()
        source = FixedSource(self._token, self._instance.exposure.implementation)

        def close() -> None:
            problem = f'the instance "{self.key}" of "{self._token.id}" is gone'
            access.refusal = StaleInstance(problem)
            source.close(access.refusal)

        return make_view(self._token, source, access, strict=self._strict), close


class _Observation:
    """One observer of a keyed service of this process, whoever provides it."""

    def __init__(
        self,
        registry: Registry,
        token: Keyed[Any],
        scope: str,
        handler: Callable[[Any, Context], Any],
        *,
        strict: bool,
        forget: Callable[[_Observation], object],
    ) -> None:
        self._registry = registry
        self._token = token
        self._scope = scope
        self._strict = strict
        self._forget = forget
        self._observer = Observer(token.id, handler, lambda _: self._leave())
        self._keyed: KeyedHandle[Any] | None = None
        self._live: dict[str, _LiveSource] = {}
        self._slot: Slot = registry.watch(token.id, scope, self)
        self.take_change()

    def close(self) -> None:
        """Observe no more."""
        self._observer.close()

    def take_change(self) -> None:
        """Observe what provides the service now."""
        keyed = self._slot.keyed
        if keyed is self._keyed:
            return
        self._detach()
        if keyed is not None:
            self._keyed = keyed
            keyed.watchers[self] = None
            for key in sorted(keyed.live):
                self.take_spawned(keyed.live[key])

    def take_spawned(self, instance: LiveInstance) -> None:
        """Begin with an instance."""
        source = self._live[instance.key] = _LiveSource(self._token, instance, strict=self._strict)
        self._observer.begin(source)

    def take_closed(self, instance: LiveInstance) -> None:
        """End what was begun with an instance."""
        self._observer.end(self._live.pop(instance.key))

    def _detach(self) -> None:
        if self._keyed is not None:
            self._keyed.watchers.pop(self, None)
            self._keyed = None
        live, self._live = self._live, {}
        for source in live.values():
            self._observer.end(source)

    def _leave(self) -> None:
        self._detach()
        self._registry.leave(self._token.id, self._scope, self)
        self._forget(self)


def _make_member(source: LocalSource, member: Member, access: Access) -> object:
    if isinstance(member, StateMember):
        return HandleReplica(source.get_feed(member), source.handle)
    if isinstance(member, EventsMember):
        return HandleEvents(member, source.get_channel(member), source.handle)
    returned = member.get_returned()
    forward = _make_forward(source, member, access)
    return forward if returned is None else _make_referring(source, forward, returned)


def _make_forward(
    source: LocalSource, method: Method[Any, Any], access: Access
) -> Callable[..., Any]:
    name = method.attribute
    place = sum(parameter.required for parameter in method.parameters)

    def forward(*args: Any, **kwargs: Any) -> Any:
        if access.refusal is not None:
            access.check(source.service)
        ctx = args[place] if len(args) > place else kwargs.get("ctx")
        if ctx is not BACKGROUND and isinstance(ctx, Context) and ctx.cancelled:
            raise Cancelled
        implementation = source.implementation
        if implementation is None:
            implementation = source.get_implementation()
        method = getattr(implementation, name)
        return method(*args, **kwargs) if kwargs else method(*args)

    forward.__name__ = forward.__qualname__ = name
    return forward


def _make_referring(
    source: LocalSource, forward: Callable[..., Any], token: Referenced[Any]
) -> Callable[..., Any]:
    async def refer(*args: Any, **kwargs: Any) -> HeldReference:
        giver = source.implementation
        implementation = await forward(*args, **kwargs)
        check_implementation(token, implementation)
        if source.implementation is not giver:
            hold(implementation)  # and nobody will ever have it
            give_up(implementation)
            raise StaleReference("its provider ended before the reference was there")
        known = source.references.get((id(implementation), token.id))
        return known or LocalReference(token, implementation, source.references)

    return refer
