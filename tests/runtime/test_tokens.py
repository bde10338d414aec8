"""Tokens are immutable values; equal ids denote the same service."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.errors import InvalidToken, ServiceError
from pi_contracts.runtime.members import ErrorCase, Method
from pi_contracts.runtime.schemas import Schemas, Validator
from pi_contracts.runtime.tokens import Keyed, Local, Referenced, Singleton, local_service

if TYPE_CHECKING:
    from pi_contracts.runtime.link import Link

SCHEMAS = Schemas('{"$defs": {"key": {"type": "string", "minLength": 3}}}')
REMOTE = [Singleton, Keyed, Referenced]


class Busy(ServiceError):  # noqa: N818 - as contracts name errors
    code = "busy"


def refuse_proxy(link: Link) -> object:
    raise AssertionError(f"defining a token makes no proxy over {link}")


def make(kind: Any, service_id: str = "models", **more: Any) -> Any:
    facts = {"version": 1, "digest": "sha256:0", "members": (), "proxy": refuse_proxy}
    return kind(id=service_id, **facts, **more)


@pytest.mark.parametrize("kind", [*REMOTE, Local])
@pytest.mark.parametrize(
    ("service_id", "message"),
    [
        ("", "must not be empty"),
        ("$wire", "is reserved"),
        ("caf\u00e9 \ud800", r'the id "café \\ud800" holds half of a surrogate pair'),
        (3, "must be a string, found an object of type int"),
        (None, "must be a string, found an object of type NoneType"),
        (b"models", "must be a string, found an object of type bytes"),
    ],
    ids=["empty", "reserved", "a surrogate", "a number", "none", "bytes"],
)
def test_ids_that_no_contract_can_have_are_refused(
    kind: Any, service_id: Any, message: str
) -> None:
    # TOK-1, TOK-5
    with pytest.raises(InvalidToken, match=message):
        Local(id=service_id) if kind is Local else make(kind, service_id)


class Names(enum.StrEnum):
    STORE = "store"


@pytest.mark.parametrize("kind", [*REMOTE, Local])
@pytest.mark.parametrize("service_id", ["ü/\U0001f600", "a b\n", Names.STORE])
def test_every_other_text_is_an_id_and_is_kept_as_a_plain_string(
    kind: Any, service_id: str
) -> None:
    token = Local[Any](id=service_id) if kind is Local else make(kind, service_id)
    assert token.id == service_id
    assert type(token.id) is str


@pytest.mark.parametrize("kind", REMOTE)
def test_tokens_with_equal_ids_are_equal(kind: Any) -> None:  # TOK-3
    assert make(kind) == make(Keyed, scopes=("session",))
    assert hash(make(kind)) == hash(make(Keyed))
    assert make(kind) != make(kind, "other")
    assert make(kind) != "models"


def test_a_local_service_is_another_than_a_remote_one_of_its_name() -> None:  # TOK-6
    local: Local[object] = local_service("models")
    again: Local[int] = Local(id="models")
    assert local == again
    assert hash(local) == hash(again)
    assert local != make(Singleton)
    assert local != local_service("other")
    assert make(Singleton) != local


@pytest.mark.parametrize("kind", REMOTE)
def test_a_token_is_immutable(kind: Any) -> None:
    token = make(kind)
    with pytest.raises(AttributeError, match='a token is immutable: "id" cannot be set'):
        token.id = "other"
    assert token.id == "models"  # TOK-4


def test_a_local_token_is_immutable() -> None:
    token: Local[int] = local_service("x")
    with pytest.raises(AttributeError, match="immutable"):
        token.id = "y"  # type: ignore[misc] # pyright: ignore[reportAttributeAccessIssue]


def test_a_subscripted_token_can_be_made() -> None:
    token = Singleton[object](id="m", version=1, digest="", members=(), proxy=refuse_proxy)
    assert token.id == "m"


def test_a_token_shows_its_kind_and_id() -> None:
    assert repr(make(Keyed)) == "<Keyed 'models'>"
    local: Local[object] = local_service("x")
    assert repr(local) == "<Local 'x'>"


def test_what_the_contract_says_is_kept() -> None:
    token = make(Singleton, scopes=("session",), deprecated=True)
    assert (token.version, token.digest, token.scopes) == (1, "sha256:0", ("session",))
    assert token.deprecated
    assert not make(Keyed).deprecated
    assert make(Keyed).scopes is None


def test_a_keyed_token_checks_its_keys() -> None:
    assert make(Keyed).key is None
    key: Validator[str] = Validator(SCHEMAS, "#/$defs/key")
    assert make(Keyed, key=key).key.is_valid("abc")


def test_the_errors_of_all_methods_are_those_of_the_service() -> None:
    case = ErrorCase(Busy)
    method: Method[Any, None] = Method("m", SCHEMAS, params="#/$defs/key", errors=(case,))
    token: Singleton[object] = Singleton(
        id="m", version=1, digest="", members=(method,), proxy=refuse_proxy
    )
    assert token.errors == {"busy": case}
