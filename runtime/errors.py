"""Errors: what the runtime raises, and what crosses between provider and consumer.

A `ServiceError` has a code and crosses. The others stay in the process that they
arose in. How a `ContractViolation` is worded belongs to ``wording.py``.
"""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Final, TypeVar

# ruff: noqa: N818 - errors are named by what is wrong, and users know these names


class PiContractsError(Exception):
    """Anything that the runtime raises on purpose; it can be copied and pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors word themselves: their text is not what their constructors take.
        return _make_again, (type(self), self.args), self.__dict__


class UnservedVersionError(PiContractsError, ImportError):
    """Generated code asks for a runtime that this one no longer is, or is not yet."""

    def __init__(self, asked: int, served: int) -> None:
        super().__init__(
            f"generated code asks for version {asked} of the runtime, this one serves {served}\n"
            "run: pi-contracts gen"
        )
        self.asked = asked
        self.served = served


class NotHydrated(PiContractsError):
    """A state has no value yet: its first snapshot has not arrived."""

    def __init__(self, member: str) -> None:
        super().__init__(
            f'the state "{member}" is not hydrated\n'
            "look at `ready` first, subscribe, or ask `last` for the value last known"
        )
        self.member = member


class InvalidToken(PiContractsError, ValueError):
    """A token cannot have this id."""


class InvalidImplementation(PiContractsError, TypeError):
    """An object that is to be provided does not implement its contract."""

    def __init__(self, service: str, problems: tuple[str, ...]) -> None:
        lines = "".join(f"\n- {problem}" for problem in problems)
        super().__init__(f'this is no implementation of "{service}":{lines}')
        self.service = service
        self.problems = problems


class InvalidKey(PiContractsError, ValueError):
    """An instance cannot be spawned under this key."""

    def __init__(self, service: str, problem: str) -> None:
        super().__init__(f'an instance of "{service}" cannot be spawned: {problem}')
        self.service = service
        self.problem = problem


class InvalidProvision(PiContractsError, ValueError):
    """A service cannot be provided, replaced or withdrawn like this."""

    def __init__(self, service: str, problem: str) -> None:
        super().__init__(f'the service "{service}" cannot be provided: {problem}')
        self.service = service
        self.problem = problem


class InaccessibleView(PiContractsError, RuntimeError):
    """A view of a service is used before its facet is active, or after it has ended."""

    def __init__(self, service: str, problem: str) -> None:
        super().__init__(f'"{service}" cannot be used: {problem}')
        self.service = service
        self.problem = problem


class BrokenSchemasError(PiContractsError):
    """The schemas of a generated module cannot be read or compiled."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"the schema {where} cannot be used: {why}\nrun: pi-contracts gen")
        self.where = where


class InvalidJSON(PiContractsError, ValueError):
    """A text is not strict JSON. Lines and columns count from 1, in code points."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {problem}")
        self.problem = problem
        self.line = line
        self.column = column


class ContractViolation(PiContractsError, ValueError):
    """A value is not what its contract asks for; the message never holds the value.

    ``pointer`` leads to the place in the value. ``keyword`` is the keyword of the
    schema that refused it, or ``json`` for what is no JSON at all, and then
    ``schema_location`` is empty.
    """

    def __init__(
        self, expected: str, found: str, *, pointer: str, keyword: str, schema_location: str
    ) -> None:
        place = f"at {clip_pointer(pointer)}: " if pointer else ""
        super().__init__(f"{place}expected {expected}, found {found}")
        self.expected = expected
        self.found = found
        self.pointer = pointer
        self.keyword = keyword
        self.schema_location = schema_location


class ServiceError(PiContractsError):
    """An error that crosses from a provider to its consumer under a stable code.

    Generated error classes derive from it. ``data`` is None or JSON.
    """

    code: ClassVar[str]
    data: Any

    def __init__(self, message: str, data: object = None) -> None:
        super().__init__(message)
        self.message = message
        self.data = data


class Cancelled(ServiceError):
    """The Context of a call or a wait was cancelled."""

    code = "cancelled"

    def __init__(self, message: str = "the context was cancelled", data: object = None) -> None:
        super().__init__(message, data)


class InvalidArguments(ServiceError):
    """A call's arguments are not what the contract asks for; nothing was called."""

    code = "invalid_arguments"


class InvalidResult(ServiceError):
    """A provider returned what its contract does not allow."""

    code = "invalid_result"


class StaleReference(ServiceError):
    """A private reference is used after it was released or invalidated."""

    code = "stale_reference"


class ServiceNotImplemented(ServiceError):
    """A member stands in the contract and is not implemented yet."""

    code = "service_not_implemented"

    def __init__(self, message: str = "this is not implemented yet", data: object = None) -> None:
        super().__init__(message, data)


class NotAuthorized(ServiceError):
    """The caller may not do this, or may not know whether it exists."""

    code = "not_authorized"

    def __init__(self, message: str = "not authorized", data: object = None) -> None:
        super().__init__(message, data)


class Disconnected(ServiceError):
    """There is no connection, or it ended before the answer came."""

    code = "disconnected"

    def __init__(self, message: str = "there is no connection", data: object = None) -> None:
        super().__init__(message, data)


class UnknownService(ServiceError):
    """The service may be used, and nobody provides it now."""

    code = "unknown_service"


class ServiceNotAllowed(ServiceError):
    """The service is not among those that may be used here."""

    code = "service_not_allowed"


class UnknownMember(ServiceError):
    """The service has no such member, or has one of another kind."""

    code = "unknown_member"


class ModeMismatch(ServiceError):
    """A keyed service is used as a singleton, or a singleton as a keyed service."""

    code = "mode_mismatch"


class StaleInstance(ServiceError):
    """The instance of a keyed service is gone; another one under its key is another one."""

    code = "stale_instance"


class UnknownInstance(ServiceError):
    """There never was such an instance of a keyed service."""

    code = "unknown_instance"


class NotAttached(ServiceError):
    """No session is selected, or another one than is meant."""

    code = "not_attached"


class UnknownSession(ServiceError):
    """There is no such session, or it belongs to somebody else."""

    code = "unknown_session"


class SessionUnavailable(ServiceError):
    """The session exists and cannot be reached now."""

    code = "session_unavailable"


class ContractMismatch(ServiceError):
    """The two sides hold contracts of one service that do not fit each other."""

    code = "contract_mismatch"


class UnsupportedVersion(ServiceError):
    """The two sides speak no common version of the protocol."""

    code = "protocol_version"


class ProtocolError(ServiceError):
    """A frame broke the rules of the protocol."""

    code = "protocol_error"


class TooLarge(ServiceError):
    """A frame has more bytes or levels than are taken."""

    code = "too_large"


class UnannouncedError(ServiceError):
    """An error under a code that this side's contract does not know."""

    code = "unannounced"

    def __init__(self, code: str, message: str, data: object = None) -> None:
        super().__init__(message, data)
        self.__dict__["code"] = code  # of the instance: this class stands for any code


class Overflow(ServiceError):
    """A subscriber was too slow, and its subscription has ended."""

    code = "overflow"


class InternalError(ServiceError):
    """A provider failed in a way that its contract does not announce.

    ``data`` is ``{"incident": ID}``; the provider's log has the ID and the full text.
    """

    code = "internal"


def _make_again(kind: type[PiContractsError], args: tuple[Any, ...]) -> PiContractsError:
    error = kind.__new__(kind, *args)
    error.args = args
    return error


E = TypeVar("E", bound=PiContractsError)


def copy_error(error: E) -> E:
    """Return *error* again, to be raised: each raising writes its own traceback."""
    again = copy.copy(error)
    again.__traceback__ = None
    return again


_LONGEST_TOKEN: Final = 60
_LONGEST_POINTER: Final = 300
_LAST_OF_FOUR_DIGITS: Final = 0xFFFF


def clip_pointer(pointer: str) -> str:
    """Return *pointer* fit for one line of a message: escaped, and cut where it is long."""
    tokens = [clip(token, _LONGEST_TOKEN) for token in pointer.split("/")]
    return clip("/".join(tokens), _LONGEST_POINTER)


def clip(text: str, longest: int) -> str:
    """Return *text* escaped for one line and cut to about *longest* characters."""
    if len(text) > longest:
        text = text[:longest] + "…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= _LAST_OF_FOUR_DIGITS else f"\\U{code:08x}"
