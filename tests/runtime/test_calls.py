"""Each end of a call checks for itself what crosses, whatever carries it."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest
from pi_contracts.runtime.calls import (
    Answer,
    Failure,
    dump_arguments,
    make_error,
    read_answer,
    run_method,
)
from pi_contracts.runtime.context import BACKGROUND, Context
from pi_contracts.runtime.errors import (
    ContractViolation,
    InternalError,
    InvalidArguments,
    InvalidResult,
    ServiceError,
    StaleReference,
)
from pi_contracts.runtime.members import ErrorCase, Method, Parameter
from pi_contracts.runtime.schemas import Schemas
from pi_contracts.runtime.tokens import Singleton

SCHEMAS = Schemas(
    json.dumps(
        {
            "$defs": {
                "params": {"properties": {"n": {"type": "integer"}}, "additionalProperties": False},
                "result": {"type": "string"},
            }
        }
    )
)


class Busy(ServiceError):  # noqa: N818 - as contracts name errors
    code = "busy"


class Digits:
    """A codec that refuses what it cannot dump."""

    def load(self, value: Any, /) -> Any:
        return value

    def dump(self, value: Any, /) -> object:
        return value.digits


METHOD: Method[Any, Any] = Method(
    "m",
    SCHEMAS,
    params="#/$defs/params",
    result="#/$defs/result",
    errors=(ErrorCase(Busy),),
    parameters=(Parameter("n", "n", required=True),),
)
SILENT: Method[Any, Any] = Method("silent", SCHEMAS, params="#/$defs/params")
TOKEN: Singleton[Any] = Singleton(
    id="s", version=1, digest="", members=(METHOD, SILENT), proxy=lambda link: link
)


class Provider:
    def __init__(self, result: object = "x") -> None:
        self.result = result
        self.called = 0

    async def m(self, n: int, ctx: Context) -> object:
        self.called += 1
        ctx.check()
        assert isinstance(n, int)
        return self.result


def run(arguments: Any, implementation: object, method: Method[Any, Any] = METHOD) -> Answer:
    return asyncio.run(run_method(TOKEN, method, implementation, arguments, BACKGROUND))


def test_a_provider_answers_a_good_call() -> None:
    assert run({"n": 1}, Provider()) == Answer(result="x")


@pytest.mark.parametrize("arguments", [{"n": "1"}, {"n": 1, "ctx": {}}], ids=["type", "extra"])
def test_a_provider_checks_arguments_itself_and_calls_nothing(arguments: Any) -> None:
    # CON-11, CON-12, CTX-8
    provider = Provider()
    answer = run(arguments, provider)
    assert answer.failure is not None
    assert answer.failure.code == "invalid_arguments"
    assert answer.failure.message.startswith("the arguments of s.m: ")
    assert provider.called == 0


def test_a_provider_answers_even_where_arguments_cannot_be_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A call that nobody answers would wait for ever."""

    def fail(*_: object) -> None:
        raise ValueError("Recursion limit reached")

    provider = Provider()
    monkeypatch.setattr(type(METHOD.params), "check_json", fail)
    answer = run({"n": 1}, provider)
    assert answer.failure is not None
    assert answer.failure.code == "internal"
    assert "Recursion" not in answer.failure.message
    assert provider.called == 0


def test_a_missing_argument_that_the_schema_lets_pass_is_an_internal_error() -> None:
    answer = run({}, Provider())
    assert answer.failure is not None
    assert answer.failure.code == "internal"


def test_a_consumer_checks_results_itself() -> None:  # CON-11
    assert read_answer(TOKEN, METHOD, Answer(result="x")) == "x"
    with pytest.raises(InvalidResult, match=r"the result of s\.m: expected a string") as caught:
        read_answer(TOKEN, METHOD, Answer(result=3))
    assert isinstance(caught.value.__cause__, ContractViolation)
    assert caught.value.data == {
        "pointer": "",
        "keyword": "type",
        "schemaLocation": "#/$defs/result/type",
    }


def test_a_consumer_without_result_ignores_one() -> None:  # CON-8
    assert read_answer(TOKEN, SILENT, Answer(result=3)) is None


def test_arguments_are_dumped_or_refused() -> None:
    assert dump_arguments(TOKEN, METHOD, {"n": 1}) == {"n": 1}
    with pytest.raises(InvalidArguments, match=r"the arguments of s\.m: at /n: expected"):
        dump_arguments(TOKEN, METHOD, {"n": "1"})


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (Failure("busy", "no", None), Busy),
        (Failure("internal", "no", {"incident": "x"}), InternalError),
        (Failure("stale_reference", "no", None), StaleReference),
    ],
    ids=lambda value: getattr(value, "code", ""),
)
def test_a_failure_is_raised_as_the_class_of_its_code(
    failure: Failure, kind: type[ServiceError]
) -> None:  # ERR-5
    error = make_error(TOKEN, METHOD, failure)
    assert type(error) is kind
    assert Failure(error.code, error.message, error.data) == failure
    with pytest.raises(kind):
        read_answer(TOKEN, SILENT, Answer(failure))


def test_a_result_that_its_codec_cannot_dump_is_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    method: Method[Any, Any] = Method(
        "m",
        SCHEMAS,
        params="#/$defs/params",
        result="#/$defs/result",
        parameters=(Parameter("n", "n", required=True),),
        result_codec=Digits(),
    )
    with caplog.at_level(logging.ERROR):
        answer = run({"n": 1}, Provider("x"), method)
    assert answer.failure is not None
    assert answer.failure.code == "internal"
    assert "AttributeError" in caplog.text


@pytest.mark.parametrize("stop", [KeyboardInterrupt, GeneratorExit])
def test_what_ends_the_process_or_the_coroutine_passes_through(stop: type[BaseException]) -> None:
    class Stopping(Provider):
        async def m(self, n: int, ctx: Context) -> object:
            del n, ctx
            raise stop

    call = run_method(TOKEN, METHOD, Stopping(), {"n": 1}, BACKGROUND)
    with pytest.raises(stop):
        call.send(None)
