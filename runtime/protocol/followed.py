"""What we follow at the other side: our subscriptions, which lose count and recover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import UNSET, structs

from .happenings import Gap, Published, SubscriptionEnded
from .messages import (
    Closed,
    Ended,
    ErrorEnvelope,
    Event,
    Snapshot,
    Spawned,
    Subscribe,
    Unsubscribe,
    Update,
    get_tag,
)
from .states import NUMBERED, PUBLISHED, Phase, Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from .happenings import Happening
    from .limits import Limits
    from .messages import Message


class Following:
    """One subscription of ours; its id changes when it is opened anew."""

    __slots__ = ("handle", "live", "number", "phase", "request", "subject")

    def __init__(self, handle: object, subject: Subject, request: Subscribe) -> None:
        self.handle: Final = handle
        self.subject: Final = subject
        self.request = request
        self.phase = Phase.OPENING
        self.number = 0
        """The number of the last frame that arrived."""
        self.live: dict[str, int] = {}
        """The generation of each live instance."""


class Followed:
    """The table of our subscriptions; *put* sends a message."""

    def __init__(
        self,
        limits: Limits,
        put: Callable[[Message], object],
        fault: Callable[[str, list[Happening]], None],
    ) -> None:
        self._limits = limits
        self._put = put
        self._fault = fault
        self._by_id: dict[int, Following] = {}
        self._by_handle: dict[object, Following] = {}
        self._last_id = 0

    def __len__(self) -> int:
        return len(self._by_id)

    def subscribe(self, handle: object, subject: Subject, **fields: Any) -> int:
        """Open a subscription under a handle that nothing else has; *fields* address it.

        Returns its id; what is published under lower ones is none of it.
        """
        self._last_id += 1
        request = Subscribe(self._last_id, **fields)
        following = Following(handle, subject, request)
        self._by_handle[handle] = self._by_id[request.id] = following
        self._put(request)
        return request.id

    def unsubscribe(self, handle: object) -> None:
        """Close a subscription; nothing is published to its handle after that."""
        following = self._by_handle.pop(handle, None)
        if following is not None:
            self._forget(following)

    def take(self, message: Any, happenings: list[Happening]) -> None:
        """Judge a publication by the tables, the numbers and the generations."""
        following = self._by_id.get(message.id)
        if following is None:
            if message.id > self._last_id:
                problem = f"there never was a subscription {message.id}"
                self._fault(problem, happenings)
            return
        kind = cast("type[Message]", type(message))
        rows = PUBLISHED[following.subject]
        phase = rows[following.phase].get(kind)
        if phase is None:
            if kind in rows[Phase.ACTIVE]:
                problem = f'"{get_tag(kind)}" before the subscription has begun'
                self._lose_count(following, problem, happenings)
            else:
                problem = f'"{get_tag(kind)}" for a subscription of {following.subject.value}'
                self._fault(problem, happenings)
            return
        if kind in NUMBERED:
            if message.number != following.number + 1:
                problem = f"number {message.number} where {following.number + 1} is due"
                self._lose_count(following, problem, happenings)
                return
            following.number = message.number
            if kind is not Event and not self._is_current(following, message, happenings):
                return
        elif isinstance(message, Ended):
            self._end(following, message.error, happenings)
            return
        elif not self._restart(following, message, happenings):
            return
        following.phase = phase
        happenings.append(Published(following.handle, message))

    def lose(self, subscription_id: int | None, problem: str, happenings: list[Happening]) -> bool:
        """Open a subscription anew of which something is no frame; False if it is not open."""
        following = None if subscription_id is None else self._by_id.get(subscription_id)
        if following is None:
            return False
        self._lose_count(following, problem, happenings)
        return True

    def _restart(self, following: Following, message: Any, happenings: list[Happening]) -> bool:
        """Count from *message* on; False if it does not fit the subscription."""
        following.number = 0
        following.live.clear()
        if not isinstance(message, Snapshot):
            return True
        is_keyed = following.subject is Subject.INSTANCES
        if (message.instances is not UNSET) != is_keyed or (message.states is UNSET) != is_keyed:
            problem = f"this is no snapshot of {following.subject.value}"
            self._fault(problem, happenings)
            error = ErrorEnvelope("protocol_error", problem)
            self._forget(following)
            self._end(following, error, happenings)
            return False
        if is_keyed and message.instances is not UNSET:
            following.live = {live.key: live.generation for live in message.instances}
            return not self._end_overfull(following, happenings)
        return True

    def _is_current(self, following: Following, message: Any, happenings: list[Happening]) -> bool:
        """Tell whether *message* speaks of what is live; an older generation is late."""
        live = following.live
        if isinstance(message, Update):
            if following.subject is Subject.SERVICE:
                return True
            key = "" if message.key is UNSET else message.key
            return live.get(key) == message.generation
        known = live.get(message.key, 0)
        if isinstance(message, Closed):
            if known != message.generation:
                return False
            del live[message.key]
            return True
        if isinstance(message, Spawned) and message.generation > known:
            live[message.key] = message.generation
            return not self._end_overfull(following, happenings)
        if message.generation == known:
            problem = f"generation {known} of this instance is live already"
            self._fault(problem, happenings)
        return False

    def _end_overfull(self, following: Following, happenings: list[Happening]) -> bool:
        """Tell whether more is live than this side follows; the subscription has ended then."""
        if len(following.live) <= self._limits.instances:
            return False
        problem = f"more than {self._limits.instances} instances are live"
        self._forget(following)
        self._end(following, ErrorEnvelope("overflow", problem), happenings)
        return True

    def _lose_count(self, following: Following, problem: str, happenings: list[Happening]) -> None:
        """Open a subscription anew; end it if that happens twice before a snapshot."""
        error = ErrorEnvelope("protocol_error", problem)
        self._fault(problem, happenings)
        self._forget(following)
        if following.phase is Phase.REOPENING:
            self._end(following, error, happenings)
            return
        self._last_id += 1
        following.request = structs.replace(following.request, id=self._last_id)
        following.phase = Phase.REOPENING
        following.number = 0
        following.live.clear()
        self._by_id[self._last_id] = following
        self._put(following.request)
        happenings.append(Gap(following.handle, error))

    def _forget(self, following: Following) -> None:
        del self._by_id[following.request.id]
        self._put(Unsubscribe(following.request.id))

    def _end(self, following: Following, error: ErrorEnvelope, happenings: list[Happening]) -> None:
        self._by_id.pop(following.request.id, None)
        self._by_handle.pop(following.handle, None)
        following.phase = Phase.OVER
        happenings.append(SubscriptionEnded(following.handle, error))
