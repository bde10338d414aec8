"""Errors carry facts and word themselves."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from pi_contracts.runtime import errors
from pi_contracts.runtime.errors import (
    BrokenSchemasError,
    ContractViolation,
    InvalidImplementation,
    InvalidJSON,
    NotHydrated,
    PiContractsError,
    ServiceError,
    UnservedVersionError,
    clip,
    clip_pointer,
)

WORDS: dict[str, tuple[PiContractsError, str]] = {
    "unserved version": (
        UnservedVersionError(2, 1),
        (
            "generated code asks for version 2 of the runtime, this one serves 1\n"
            "run: pi-contracts gen"
        ),
    ),
    "not hydrated": (
        NotHydrated("state"),
        (
            'the state "state" is not hydrated\n'
            "look at `ready` first, subscribe, or ask `last` for the value last known"
        ),
    ),
    "broken schemas": (
        BrokenSchemasError("#/$defs/x", "no such place"),
        "the schema #/$defs/x cannot be used: no such place\nrun: pi-contracts gen",
    ),
    "invalid json": (InvalidJSON("a fault", 2, 7), "line 2, column 7: a fault"),
    "violation": (
        ContractViolation("a string", "null", pointer="/a", keyword="type", schema_location="#"),
        "at /a: expected a string, found null",
    ),
    "violation at the root": (
        ContractViolation("a string", "null", pointer="", keyword="type", schema_location="#"),
        "expected a string, found null",
    ),
    "invalid implementation": (
        InvalidImplementation("models", ("a is missing", "b is a list")),
        'this is no implementation of "models":\n- a is missing\n- b is a list',
    ),
    "cancelled": (errors.Cancelled(), "the context was cancelled"),
    "not implemented": (errors.ServiceNotImplemented(), "this is not implemented yet"),
    "not authorized": (errors.NotAuthorized(), "not authorized"),
}


@pytest.mark.parametrize(("error", "text"), WORDS.values(), ids=WORDS)
def test_each_error_words_itself(error: PiContractsError, text: str) -> None:
    assert str(error) == text


CODES = {
    "Cancelled": "cancelled",
    "ContractMismatch": "contract_mismatch",
    "Disconnected": "disconnected",
    "InternalError": "internal",
    "InvalidArguments": "invalid_arguments",
    "InvalidResult": "invalid_result",
    "ModeMismatch": "mode_mismatch",
    "NotAttached": "not_attached",
    "NotAuthorized": "not_authorized",
    "Overflow": "overflow",
    "ProtocolError": "protocol_error",
    "ServiceNotAllowed": "service_not_allowed",
    "ServiceNotImplemented": "service_not_implemented",
    "SessionUnavailable": "session_unavailable",
    "StaleInstance": "stale_instance",
    "StaleReference": "stale_reference",
    "TooLarge": "too_large",
    "UnannouncedError": "unannounced",
    "UnknownInstance": "unknown_instance",
    "UnknownMember": "unknown_member",
    "UnknownService": "unknown_service",
    "UnknownSession": "unknown_session",
    "UnsupportedVersion": "protocol_version",
}


def test_each_code_has_one_meaning() -> None:
    """ERR-2, ERR-6: each code has one class, and no class has two codes."""
    classes = {
        name: value.code
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, ServiceError) and value is not ServiceError
    }
    assert classes == CODES


def test_a_service_error_keeps_message_and_data() -> None:
    error = errors.InvalidArguments("wrong", {"pointer": "/a"})
    assert (error.message, error.data, error.code) == (
        "wrong",
        {"pointer": "/a"},
        "invalid_arguments",
    )
    assert errors.NotAuthorized().data is None


def test_service_errors_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(errors.Cancelled("stop")))
    assert isinstance(error, errors.Cancelled)
    assert error.message == "stop"


def test_an_error_of_an_unknown_code_keeps_its_code_when_it_is_copied() -> None:
    """ERR-5: a code that this side does not know is raised as it came."""
    error = errors.copy_error(errors.UnannouncedError("later", "text", {"a": 1}))
    assert (error.code, error.message, error.data) == ("later", "text", {"a": 1})


def test_a_copied_error_has_no_traceback_of_another_raising() -> None:
    with pytest.raises(errors.UnknownMember) as caught:
        raise errors.UnknownMember("gone")
    assert caught.value.__traceback__ is not None
    again = errors.copy_error(caught.value)
    assert again.__traceback__ is None
    assert (type(again), again.message) == (errors.UnknownMember, "gone")


TEXTS: dict[str, tuple[Any, ...]] = {
    "plain": ("abc", 5, "abc"),
    "cut": ("abcdef", 3, "abc…"),
    "controls": ("a\n\x1b\u202eb", 9, "a\\u000a\\u001b\\u202eb"),
    "lone surrogate": ("\ud800", 9, "\\ud800"),
    "beyond four digits": ("\U000e0001", 9, "\\U000e0001"),
}


@pytest.mark.parametrize(("text", "longest", "shown"), TEXTS.values(), ids=TEXTS)
def test_text_for_a_message_is_one_line_and_short(text: str, longest: int, shown: str) -> None:
    assert clip(text, longest) == shown


def test_long_pointers_are_cut_token_by_token() -> None:
    assert clip_pointer("/a/" + "b" * 99 + "/c") == "/a/" + "b" * 60 + "…/c"
    assert len(clip_pointer("/a" * 5000)) == 301


class Told(errors.ServiceError):
    """As generated: data is given by name, and the text has a default."""

    code = "told"

    def __init__(self, message: str = "this was told", *, data: Any) -> None:
        super().__init__(message, data)


EVERY: dict[str, errors.PiContractsError] = {
    "version": errors.UnservedVersionError(2, 1),
    "hydration": errors.NotHydrated("state"),
    "implementation": errors.InvalidImplementation("models", ("a", "b")),
    "key": errors.InvalidKey("models", "why"),
    "provision": errors.InvalidProvision("models", "why"),
    "view": errors.InaccessibleView("models", "why"),
    "schemas": errors.BrokenSchemasError("where", "why"),
    "text": errors.InvalidJSON("why", 1, 2),
    "violation": errors.ContractViolation(
        "a", "b", pointer="/x", keyword="type", schema_location="/y"
    ),
    "built in": errors.Cancelled(),
    "of a contract": Told(data={"a": 1}),
    "unknown": errors.UnannouncedError("later", "text", [1]),
}


@pytest.mark.parametrize("error", EVERY.values(), ids=EVERY)
def test_every_error_can_be_copied_and_pickled(error: errors.PiContractsError) -> None:
    error.add_note("a note")
    for again in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert again.__dict__ == error.__dict__
