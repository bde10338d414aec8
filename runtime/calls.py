"""One call, without the way between its ends: what each end checks, and which errors cross.

A link carries what `dump_arguments` gives to `run_method`, and its `Answer` to
`read_answer`. All three deal in JSON values.
"""

from __future__ import annotations

import asyncio
import inspect
import uuid
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

import msgspec

from .errors import (
    Cancelled,
    ContractMismatch,
    ContractViolation,
    Disconnected,
    InternalError,
    InvalidArguments,
    InvalidResult,
    ModeMismatch,
    NotAttached,
    NotAuthorized,
    Overflow,
    ProtocolError,
    ServiceError,
    ServiceNotAllowed,
    ServiceNotImplemented,
    SessionUnavailable,
    StaleInstance,
    StaleReference,
    TooLarge,
    UnannouncedError,
    UnknownInstance,
    UnknownMember,
    UnknownService,
    UnknownSession,
    UnsupportedVersion,
)
from .failures import LOGGER
from .implementation import check_implementation
from .strict_json import JsonValue, encode_message, make_plain

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .context import Context
    from .members import Method, Payload
    from .tokens import RemoteToken

R = TypeVar("R")

_BUILT_IN: Final[dict[str, type[ServiceError]]] = {
    error.code: error
    for error in (
        Cancelled,
        ContractMismatch,
        Disconnected,
        InternalError,
        InvalidArguments,
        InvalidResult,
        ModeMismatch,
        NotAttached,
        NotAuthorized,
        Overflow,
        ProtocolError,
        ServiceNotAllowed,
        ServiceNotImplemented,
        SessionUnavailable,
        StaleInstance,
        StaleReference,
        TooLarge,
        UnknownInstance,
        UnknownMember,
        UnknownService,
        UnknownSession,
        UnsupportedVersion,
    )
}
_ANYBODY_MAY_RAISE: Final = (NotAuthorized, ServiceNotImplemented)


class Failure(NamedTuple):
    """An error as it crosses."""

    code: str
    message: str
    data: JsonValue


class Answer(msgspec.Struct, frozen=True):
    """What a call comes to at the provider."""

    failure: Failure | None = None
    result: JsonValue = None
    reference: object = None
    """The implementation that a method with ``returns`` gave."""


def dump_arguments(token: RemoteToken[Any], method: Method[Any, Any], params: object) -> JsonValue:
    """Return the arguments object as JSON, or raise `InvalidArguments`."""
    place = ("the arguments of ", token.id, ".", method.name)
    try:
        return method.params.check(params, *place)
    except ContractViolation as violation:
        failure = _describe_violation("invalid_arguments", "".join(place), violation)
        raise InvalidArguments(failure.message, failure.data) from violation


def encode_arguments(token: RemoteToken[Any], method: Method[Any, Any], value: JsonValue) -> bytes:
    """Return the text of arguments that were dumped, or raise `InvalidArguments`."""
    try:
        return encode_message(value)
    except ContractViolation as violation:
        place = f"the arguments of {token.id}.{method.name}"
        failure = _describe_violation("invalid_arguments", place, violation)
        raise InvalidArguments(failure.message, failure.data) from violation


def encode_result(
    token: RemoteToken[Any], method: Method[Any, Any], value: JsonValue
) -> bytes | Failure:
    """Return the text of a result that was dumped, or why it cannot cross."""
    try:
        return encode_message(value)
    except ContractViolation as violation:
        return _refuse_result(token, method, violation)


async def run_method(
    token: RemoteToken[Any],
    method: Method[Any, Any],
    implementation: object,
    arguments: JsonValue,
    ctx: Context,
) -> Answer:
    """Check *arguments*, call the implementation, and return what may cross of the outcome.

    Raises nothing but CancelledError, and that only after *ctx* was cancelled, and
    KeyboardInterrupt. One that exits fails alone: it does not end the process.
    """
    place = ("the arguments of ", token.id, ".", method.name)
    try:
        method.params.check_json(arguments, *place)
    except ContractViolation as violation:
        return Answer(_describe_violation("invalid_arguments", "".join(place), violation))
    except Exception as error:  # noqa: BLE001 - a call is answered whatever its arguments do
        return Answer(_hide(token, method, error))
    try:
        positional, named = method.bind(method.params.load(arguments))
        function: Callable[..., Any] = getattr(implementation, method.attribute)
        outcome: object = function(*positional, ctx, **named)
        if type(outcome) is not CoroutineType and not inspect.isawaitable(outcome):
            raise TypeError(f'the method "{method.attribute}" is not asynchronous')  # noqa: TRY301 - logged like any other fault of the implementation
        result = await cast("Awaitable[object]", outcome)
        if method.refers:
            check_implementation(cast("RemoteToken[Any]", method.get_returned()), result)
            return Answer(reference=result)
    except asyncio.CancelledError as error:
        if ctx.cancelled:
            raise
        return Answer(_hide(token, method, error))
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever else an implementation raises
        return Answer(_judge(token, method, error, ctx))
    return _dump_result(token, method, result)


def _dump_result(token: RemoteToken[Any], method: Method[Any, Any], result: object) -> Answer:
    if method.result is None:
        return Answer()
    place = ("the result of ", token.id, ".", method.name)
    try:
        return Answer(None, method.result.check(result, *place))
    except ContractViolation as violation:
        return Answer(_refuse_result(token, method, violation))
    except Exception as error:  # noqa: BLE001 - a codec that cannot dump what was returned
        return Answer(_hide(token, method, error))


def _refuse_result(
    token: RemoteToken[Any], method: Method[Any, Any], violation: ContractViolation
) -> Failure:
    place = f"the result of {token.id}.{method.name}"
    LOGGER.error("%s: %s", place, violation)
    return _describe_violation("invalid_result", place, violation)


def read_answer(token: RemoteToken[Any], method: Method[Any, R], answer: Answer) -> R:
    """Return the result of a call, or raise its error."""
    if answer.failure is not None:
        raise make_error(token, method, answer.failure)
    if method.result is None:
        return cast("R", None)
    return read_result(token, method, method.result, answer.result)


def read_result(
    token: RemoteToken[Any], method: Method[Any, R], payload: Payload[R], result: JsonValue
) -> R:
    """Return what *result* stands for by the *payload* of *method*, or raise `InvalidResult`."""
    place = ("the result of ", token.id, ".", method.name)
    try:
        payload.check_json(result, *place)
    except ContractViolation as violation:
        failure = _describe_violation("invalid_result", "".join(place), violation)
        raise InvalidResult(failure.message, failure.data) from violation
    return payload.load(result)


def make_error(token: RemoteToken[Any], method: Method[Any, Any], failure: Failure) -> ServiceError:
    """Return the error that *failure* stands for, as the consumer raises it."""
    case = method.errors.get(failure.code) or token.errors.get(failure.code)
    if case is None:
        return make_built_in_error(failure)
    if case.data is not None:
        place = f'the data of the error "{failure.code}"'
        try:
            case.data.check_json(failure.data, place)
        except ContractViolation as violation:
            described = _describe_violation("invalid_result", place, violation)
            return InvalidResult(described.message, described.data)
    return case.make(failure.message, failure.data)


def make_built_in_error(failure: Failure) -> ServiceError:
    """Return the error of the runtime that *failure* stands for."""
    error = _BUILT_IN.get(failure.code)
    if error is None:
        return UnannouncedError(failure.code, failure.message, failure.data)
    return error(failure.message, failure.data)


def _judge(
    token: RemoteToken[Any], method: Method[Any, Any], error: BaseException, ctx: Context
) -> Failure:
    """Return what may cross of an error that an implementation raised."""
    if isinstance(error, Cancelled) and ctx.cancelled:
        return Failure(error.code, error.message, None)
    if not isinstance(error, ServiceError):
        return _hide(token, method, error)
    try:
        code = error.code
        case = method.errors.get(code) or token.errors.get(code)
        if case is not None and isinstance(error, case.error):
            data: JsonValue = None
            if case.data is not None:
                data = case.data.check(error.data, f'the data of the error "{code}"')
            return Failure(code, _make_text(error.message), data)
        if isinstance(error, _ANYBODY_MAY_RAISE) and isinstance(error, _BUILT_IN.get(code, ())):
            return Failure(code, _make_text(error.message), make_plain(error.data))
    except Exception as fault:  # noqa: BLE001 - an error whose own data are wrong
        error.add_note(f"it cannot cross: {fault}")
    return _hide(token, method, error)


def _hide(token: RemoteToken[Any], method: Method[Any, Any], error: BaseException) -> Failure:
    """Log *error* under an incident, and return a failure that names only that."""
    incident = uuid.uuid4().hex
    LOGGER.error("incident %s in %s.%s", incident, token.id, method.name, exc_info=error)
    message = f"{token.id}.{method.name} failed; the provider's log has the incident {incident}"
    return Failure(InternalError.code, message, {"incident": incident})


def _describe_violation(code: str, place: str, violation: ContractViolation) -> Failure:
    data: JsonValue = {
        "pointer": violation.pointer,
        "keyword": violation.keyword,
        "schemaLocation": violation.schema_location,
    }
    return Failure(code, f"{place}: {violation}", data)


def _make_text(message: str) -> str:
    return message.encode(errors="backslashreplace").decode()
