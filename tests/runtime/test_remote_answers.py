"""Answers that do not fit, whoever has sent them."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# The sample service is of type Any here: its contract is made by hand.

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pi_contracts.runtime import BACKGROUND, InvalidResult
from pi_contracts.runtime.errors import UnannouncedError
from pi_contracts.runtime.protocol import Role

ANSWERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a value for a reference": (
        "start",
        {"type": "result", "result": "ref"},
        "expected a reference",
    ),
    "a reference for a value": (
        "select",
        {"type": "granted", "reference": "r", "service": "job"},
        "expected a value, found a reference",
    ),
    "a reference to another service": (
        "start",
        {"type": "granted", "reference": "r", "service": "other"},
        'expected a reference to "job"',
    ),
    "nothing for a value": ("select", {"type": "result"}, "expected a value, found none"),
    "a value outside the contract": ("select", {"type": "result", "result": 5}, "expected"),
    "data outside the contract": (
        "select",
        {"type": "failed", "error": {"code": "unknown_model", "message": "m", "data": "x"}},
        'the data of the error "unknown_model"',
    ),
}


@pytest.mark.parametrize("case", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_that_does_not_fit_is_an_invalid_result(
    make_wire: Any, run: Any, sample: Any, case: tuple[str, dict[str, Any], str]
) -> None:
    """CON-11, REF-2: an ordinary value never becomes a reference."""
    method, answer, text = case

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_server.hold()
            arguments = ("x", BACKGROUND) if method == "select" else (BACKGROUND,)
            call = asyncio.create_task(getattr(models, method)(*arguments))
            await sample.settle()
            content = {"type": answer["type"], "id": 1, **answer}
            wire.link.to_client.inject(json.dumps(content, separators=(",", ":")).encode())
            with pytest.raises(InvalidResult, match=text):
                await call

    run(test)


def test_a_name_that_stands_twice_in_a_result_is_an_invalid_result(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-10."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_server.hold()
            call = asyncio.create_task(models.select("x", BACKGROUND))
            await sample.settle()
            wire.link.to_client.inject(b'{"type":"result","id":1,"result":{"a":1,"a":2}}')
            with pytest.raises(InvalidResult, match="stands twice"):
                await call

    run(test)


def test_a_result_of_a_method_that_has_none_is_ignored(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """CON-8."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            wire.link.to_server.hold()
            call = asyncio.create_task(models.refresh(BACKGROUND))
            await sample.settle()
            wire.link.to_client.inject(b'{"type":"result","id":1,"result":null}')
            assert await call is None

    run(test)


def test_a_code_that_this_side_does_not_know_is_raised_as_it_came(
    make_wire: Any, run: Any, sample: Any
) -> None:
    """ERR-5."""

    async def test() -> None:
        wire = make_wire()
        wire.provide()
        models = wire.namespace.use(sample.MODELS)
        async with wire.connect():
            for method, arguments in ((models.refresh, ()), (models.start, ())):
                wire.link.to_server.hold()
                call = asyncio.create_task(method(*arguments, BACKGROUND))
                await sample.settle()
                number = json.loads(wire.link.to_server.waiting[0])["id"]
                error = {"code": "later", "message": "m", "data": {"a": 1}}
                failed = {"type": "failed", "id": number, "error": error}
                wire.link.to_client.inject(json.dumps(failed).encode())
                with pytest.raises(UnannouncedError) as caught:
                    await call
                assert (caught.value.code, caught.value.data) == ("later", {"a": 1})
                wire.link.to_server.release()
                await sample.settle()
            assert wire.link.list_kinds(Role.CLIENT).count("call") == 2

    run(test)
