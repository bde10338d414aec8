"""Tokens: the identity of a service, as a value.

A token creates nothing. Two tokens with equal ids denote the same service, in every
process; a local service is another one than a remote service of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from .errors import InvalidToken
from .members import ErrorCase, Member, Method
from .schemas import Validator

if TYPE_CHECKING:
    from .link import Link

T = TypeVar("T")


# No slots: a subscripted call such as Singleton[Models](...) sets an attribute and survives
# that a frozen class refuses it, but not how a frozen class with slots does.
@dataclass(frozen=True, eq=False, kw_only=True)
class RemoteToken(Generic[T]):
    """A service with a contract, which may be provided in another process."""

    id: str
    version: int
    digest: str
    members: tuple[Member, ...]
    proxy: Callable[[Link], T]
    """Makes the consumer's view over a link."""
    scopes: tuple[str, ...] | None = None
    """Where it may be provided; None is anywhere."""
    deprecated: bool = False

    def __post_init__(self) -> None:
        check_id(self.id)

    @property
    def errors(self) -> dict[str, ErrorCase]:
        """Every error that a method of the service announces, by code."""
        methods = [member for member in self.members if isinstance(member, Method)]
        return {code: case for method in methods for code, case in method.errors.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteToken) and self.id == other.id

    def __hash__(self) -> int:
        return hash(("remote", self.id))


@dataclass(frozen=True, eq=False, kw_only=True)
class Singleton(RemoteToken[T]):
    """A service of which there is one: provided once, used by many."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Keyed(RemoteToken[T]):
    """A service of which there are instances, each under a key of its own."""

    key: Validator[str] | None = None
    """Checks keys when an instance is spawned."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Referenced(RemoteToken[T]):
    """A service that only a method returns, as a private reference."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Local(Generic[T]):
    """A service of this process only: no contract, no schema, any Python object."""

    id: str

    def __post_init__(self) -> None:
        check_id(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Local) and self.id == other.id

    def __hash__(self) -> int:
        return hash(("local", self.id))


def local_service(name: str) -> Local[T]:
    """Return the token of a service that is provided and used in this process only.

    Its type stands in an annotation: ``STORE: Local[Store] = local_service("store")``.
    """
    return Local(id=name)


def check_id(service_id: str) -> None:
    """Raise `InvalidToken` for an empty id, and for those that are reserved."""
    if not service_id:
        raise InvalidToken("the id of a service must not be empty")
    if service_id.startswith("$"):
        raise InvalidToken(
            f'the id "{service_id}" is reserved, as is every one that begins with "$"'
        )
