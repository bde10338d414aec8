"""Tokens: the identity of a service, as a value.

A token creates nothing. Two tokens with equal ids denote the same service, in every
process; a local service is another one than a remote service of that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, cast

from typing_extensions import TypeVar

from .errors import InvalidToken, ModeMismatch
from .members import ErrorCase, Member, Method

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .link import Link
    from .schemas import Validator

T = TypeVar("T")
P = TypeVar("P", default=T)
"""What a provider is: not what a consumer sees, where a method returns a reference."""


class _Frozen:
    """Each attribute is set once and for all."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__:
            raise AttributeError(f'a token is immutable: "{name}" cannot be set')
        super().__setattr__(name, value)


class RemoteToken(_Frozen, Generic[T]):
    """A service with a contract, which may be provided in another process.

    *proxy* makes the consumer's view over a link; *scopes* None is anywhere.
    """

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 - the word of the contract
        version: int,
        digest: str,
        members: tuple[Member, ...],
        proxy: Callable[[Link], T],
        scopes: tuple[str, ...] | None = None,
        deprecated: bool = False,
    ) -> None:
        self.id: Final = check_id(id)
        self.version: Final = version
        self.digest: Final = digest
        self.members: Final = members
        self.proxy: Final = proxy
        self.scopes: Final = scopes
        self.deprecated: Final = deprecated
        methods = [member for member in members if isinstance(member, Method)]
        self.errors: Final[Mapping[str, ErrorCase]] = {
            code: case for method in methods for code, case in method.errors.items()
        }
        """Every error that a method of the service announces, by code."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteToken) and self.id == other.id

    def __hash__(self) -> int:
        return hash(("remote", self.id))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id!r}>"


class Singleton(RemoteToken[T], Generic[T, P]):
    """A service of which there is one: provided once, used by many."""


class Keyed(RemoteToken[T], Generic[T, P]):
    """A service of which there are instances, each under a key of its own.

    *key* checks keys when an instance is spawned.
    """

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 - the word of the contract
        version: int,
        digest: str,
        members: tuple[Member, ...],
        proxy: Callable[[Link], T],
        scopes: tuple[str, ...] | None = None,
        deprecated: bool = False,
        key: Validator[str] | None = None,
    ) -> None:
        super().__init__(
            id=id,
            version=version,
            digest=digest,
            members=members,
            proxy=proxy,
            scopes=scopes,
            deprecated=deprecated,
        )
        self.key: Final = key


class Referenced(RemoteToken[T], Generic[T, P]):
    """A service that only a method returns, as a private reference."""


class Local(_Frozen, Generic[T]):
    """A service of this process only: no contract, no schema, any Python object."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - the word of the contract
        self.id: Final = check_id(id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Local) and self.id == cast("Local[object]", other).id

    def __hash__(self) -> int:
        return hash(("local", self.id))

    def __repr__(self) -> str:
        return f"<Local {self.id!r}>"


def local_service(name: str) -> Local[T]:
    """Return the token of a service that is provided and used in this process only.

    Its type stands in an annotation: ``STORE: Local[Store] = local_service("store")``.
    """
    return Local(id=name)


def check_id(service_id: object) -> str:
    """Return an id as a plain string, or raise `InvalidToken`.

    What contracts take as ``service.id``: a string that is not empty, is not
    reserved and can be written as UTF-8.
    """
    if not isinstance(service_id, str):
        kind = type(service_id).__name__
        raise InvalidToken(f"the id of a service must be a string, found an object of type {kind}")
    if not service_id:
        raise InvalidToken("the id of a service must not be empty")
    if service_id.startswith("$"):
        raise InvalidToken(
            f'the id "{service_id}" is reserved, as is every one that begins with "$"'
        )
    if not service_id.isascii() and any("\ud800" <= c <= "\udfff" for c in service_id):
        shown = service_id.encode(errors="backslashreplace").decode()
        raise InvalidToken(
            f'the id "{shown}" holds half of a surrogate pair, which no text on the wire can'
        )
    return str.__str__(service_id)


def check_mode(service: object, call: str, *modes: type[RemoteToken[Any] | Local[Any]]) -> None:
    """Raise unless *service* is a token that *call* takes.

    `ModeMismatch` for a token of another mode, TypeError for what is no token.
    """
    if isinstance(service, modes):
        return
    if isinstance(service, RemoteToken | Local):
        mode = type(cast("object", service)).__name__.lower()
        wanted = " or ".join(each.__name__.lower() for each in modes)
        raise ModeMismatch(f'"{service.id}" is {mode}: {call} takes what is {wanted}')
    kind = type(service).__name__
    raise TypeError(f"{call} takes the token of a service, found an object of type {kind}")
