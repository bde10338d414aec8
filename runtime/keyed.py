"""The owner's side of a keyed service: its live instances and their generations."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from .errors import ContractViolation, InvalidKey
from .exposure import Exposure
from .failures import FAILURES, report
from .implementation import check_implementation

if TYPE_CHECKING:
    from collections.abc import Callable

    from .tokens import Keyed

T = TypeVar("T")


class InstanceWatcher(Protocol):
    """Is told which instances come and go."""

    def take_spawned(self, instance: LiveInstance, /) -> None:
        """Take an instance that is live from now on."""
        ...

    def take_closed(self, instance: LiveInstance, /) -> None:
        """Take an instance that is live no more."""
        ...


class LiveInstance:
    """One instance; it stays the same object as long as it is live."""

    __slots__ = ("_close", "exposure", "generation", "key")

    def __init__(
        self, key: str, generation: int, exposure: Exposure, close: Callable[[LiveInstance], None]
    ) -> None:
        self.key: Final = key
        self.generation: Final = generation
        self.exposure: Final = exposure
        self._close = close

    def close(self) -> None:
        """Close the instance: calls that were admitted return, new ones are refused.

        A second time does nothing.
        """
        self._close(self)


class KeyedHandle(Generic[T]):
    """Spawns the instances of one keyed service; closing it closes them all."""

    def __init__(
        self, service: Keyed[Any, T], withdraw: Callable[[], None], *, active: bool
    ) -> None:
        self.token: Final = service
        self.live: Final[dict[str, LiveInstance]] = {}
        """The live instances, by key."""
        self.latest = 0
        """The generation given last; none is ever given twice."""
        self.watchers: Final[dict[InstanceWatcher, None]] = {}
        self._withdraw = withdraw
        self._active = active
        self._closed = False
        self._news: deque[tuple[InstanceWatcher, LiveInstance, bool]] = deque()
        """Who is still to be told of which instance, and whether it comes or goes."""
        self._telling = False

    def activate(self) -> None:
        """Let instances be spawned from now on."""
        self._active = True

    def spawn(self, key: str, implementation: T) -> LiveInstance:
        """Open an instance under a *key* that no live one has.

        Raises `InvalidKey`, and `InvalidImplementation` for what does not implement the
        contract; nothing has changed then, and no generation is used up.
        """
        key = self._check_key(key)
        check_implementation(self.token, implementation)
        instance = LiveInstance(
            key, self.latest + 1, Exposure(self.token, implementation), self._close_instance
        )
        self.latest += 1
        self.live[key] = instance
        self._tell(instance, appears=True)
        return instance

    def close(self) -> None:
        """Close every instance, and own the service no more; a second time does nothing."""
        if self._closed:
            return
        self._closed = True
        for instance in list(self.live.values()):
            instance.close()
        self._withdraw()

    def _close_instance(self, instance: LiveInstance) -> None:
        if self.live.get(instance.key) is not instance:
            return
        del self.live[instance.key]
        self._tell(instance, appears=False)
        instance.exposure.close()

    def _tell(self, instance: LiveInstance, *, appears: bool) -> None:
        """Tell everybody who watches now, after the news that may be on its way.

        What a watcher does then may spawn and close others: all learn of it in order.
        """
        self._news.extend((watcher, instance, appears) for watcher in self.watchers)
        if self._telling:
            return
        self._telling = True
        try:
            while self._news:
                watcher, instance, appears = self._news.popleft()
                if watcher in self.watchers:
                    self._tell_one(watcher, instance, appears=appears)
        finally:
            self._telling = False

    def _tell_one(self, watcher: InstanceWatcher, instance: LiveInstance, *, appears: bool) -> None:
        """Tell one watcher; one that fails concerns neither the others nor the owner."""
        try:
            (watcher.take_spawned if appears else watcher.take_closed)(instance)
        except FAILURES as error:
            report(f'one who follows "{self.token.id}" failed', error)

    def _check_key(self, key: object) -> str:
        """Return *key* as plain text, or raise `InvalidKey`."""
        service = self.token.id
        if self._closed:
            raise InvalidKey(service, "its provider has ended")
        if not self._active:
            raise InvalidKey(service, "its provider is not active yet")
        if not isinstance(key, str) or not key:
            raise InvalidKey(service, "a key is a string of at least 1 character")
        if self.token.key is not None:
            try:
                self.token.key.validate(key)
            except ContractViolation as violation:
                raise InvalidKey(service, f"the key is refused: {violation}") from violation
        else:
            try:
                key.encode()
            except UnicodeEncodeError:
                raise InvalidKey(service, "the key has a lone surrogate") from None
        plain = str.__str__(key)
        if plain in self.live:
            raise InvalidKey(service, "an instance under this key is live")
        return plain
