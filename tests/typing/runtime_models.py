"""What type checkers must find of codecs and contexts; never imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

import pydantic
from pi_contracts.runtime import BACKGROUND, Cancellation, Context, ContextKey
from pi_contracts.runtime import generated as rt

if TYPE_CHECKING:
    import asyncio


class Model(pydantic.BaseModel):
    name: str


CODEC: rt.ModelCodec[Model] = rt.ModelCodec(lambda: pydantic.TypeAdapter(Model))


def check_codecs(schemas: rt.Schemas, value: object) -> None:
    as_codec: rt.Codec[Model] = CODEC
    del as_codec
    validator: rt.Validator[Model] = rt.Validator(schemas, "#/$defs/m", codec=CODEC)
    assert_type(validator.validate(value), Model)
    state: rt.StateMember[Model] = rt.StateMember("s", schemas, value="#/$defs/m", codec=CODEC)
    assert_type(rt.MutableState(state, Model(name="x")).value, Model)


USER: ContextKey[str] = ContextKey("user")


async def check_contexts(ctx: Context, future: asyncio.Future[int]) -> None:
    assert_type(ctx.with_value(USER, "ann"), Context)
    assert_type(ctx.get(USER), str | None)
    assert_type(ctx.get(USER, 3), str | int)
    assert_type(BACKGROUND.with_cancellation(Cancellation()), Context)
    assert_type(await ctx.wait(future), int)
    assert_type(ctx.cancelled, bool)
