"""A method that is surely not asynchronous is refused, and one that might be is not."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# The lambda is looked at as somebody would write it.

from __future__ import annotations

import asyncio
import functools
import types
from collections.abc import Awaitable, Coroutine, Generator
from typing import TYPE_CHECKING, Any, TypeAlias
from unittest.mock import AsyncMock, MagicMock, create_autospec

import pytest
from pi_contracts.runtime.errors import InvalidImplementation
from pi_contracts.runtime.implementation import check_implementation
from pi_contracts.runtime.members import Method
from pi_contracts.runtime.schemas import Schemas
from pi_contracts.runtime.tokens import Singleton

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from pi_contracts.runtime.context import Context

REFRESH: Method[Any, Any] = Method(
    "refresh", Schemas('{"$defs": {"any": {}}}'), params="#/$defs/any"
)
TOKEN: Singleton[Any] = Singleton(
    id="models", version=1, digest="", members=(REFRESH,), proxy=lambda link: link
)

Answer: TypeAlias = Coroutine[Any, Any, int]


class Later(Awaitable[int]):
    def __await__(self) -> Generator[Any, None, int]:
        yield
        return 1


async def refresh(ctx: Context) -> int:
    del ctx
    return 1


def decorate(function: Any) -> Any:
    @functools.wraps(function)
    def call(*args: Any) -> Any:
        result = function(*args)
        return result  # noqa: RET504 - as one who looks at it would write

    return call


def unannotated(function: Any) -> Any:
    function.__annotations__ = {}
    return function


def decorate_plainly(function: Any) -> Any:
    @unannotated
    def call(*args: Any) -> Any:
        result = function(*args)
        return result  # noqa: RET504

    return call


@unannotated
def pass_on(ctx: Context) -> Any:
    return refresh(ctx)


def announce(ctx: Context) -> Coroutine[Any, Any, int]:
    coroutine = refresh(ctx)
    return coroutine  # noqa: RET504


def announce_by_alias(ctx: Context) -> Answer:
    coroutine = refresh(ctx)
    return coroutine  # noqa: RET504


def announce_own(ctx: Context) -> Later:
    del ctx
    later = Later()
    return later  # noqa: RET504


def announce_future(ctx: Context) -> asyncio.Future[int]:
    del ctx
    future = asyncio.get_running_loop().create_future()
    return future  # noqa: RET504


def announce_nothing(ctx: Context) -> Any:
    del ctx
    kept = Later()
    return kept  # noqa: RET504


@types.coroutine
def by_generator(ctx: Context) -> Generator[Any, Any, int]:
    del ctx
    yield
    return 1


class Asynchronous:
    async def method(self, ctx: Context) -> int:
        del ctx
        return 1

    @decorate
    async def decorated(self, ctx: Context) -> int:
        del ctx
        return 1

    async def __call__(self, ctx: Context) -> int:
        del ctx
        return 1


PERHAPS: dict[str, Any] = {
    "a method": Asynchronous().method,
    "a decorated method": Asynchronous().decorated,
    "a callable object": Asynchronous(),
    "a function": refresh,
    "a partial": functools.partial(refresh),
    "a partial of a partial with keywords": functools.partial(functools.partial(refresh)),
    "a mock": AsyncMock(),
    "any mock": MagicMock(),
    "a mock of a function": create_autospec(refresh),
    "a decorated function": decorate(refresh),
    "one whose decorator keeps nothing": decorate_plainly(refresh),
    "one that passes on": pass_on,
    "one that announces a coroutine": announce,
    "one that announces it by another name": announce_by_alias,
    "one that announces a class of its own": announce_own,
    "one that announces a future": announce_future,
    "one that may return anything": announce_nothing,
    "a lambda": lambda ctx: refresh(ctx),  # noqa: PLW0108 - it is what is looked at
    "a coroutine of old": by_generator,
}


@pytest.mark.parametrize("function", PERHAPS.values(), ids=PERHAPS)
def test_what_may_return_an_awaitable_is_accepted(function: Any) -> None:
    check_implementation(TOKEN, types.SimpleNamespace(refresh=function))


def plain(ctx: Context) -> None: ...


def count(ctx: Context) -> int:
    del ctx
    return int("1")


@unannotated
def untyped(ctx: Context) -> Any:
    total = ctx
    return total  # noqa: RET504


def unknown(ctx: Context) -> Any:
    return ctx


unknown.__annotations__["return"] = "nowhere.Found[int]"


def evaluated(ctx: Context) -> Any:
    return ctx


evaluated.__annotations__["return"] = int


def generate(ctx: Context) -> Generator[int]:
    del ctx
    yield 1


async def generate_slowly(ctx: Context) -> AsyncGenerator[int]:
    del ctx
    yield 1


def make_closures() -> tuple[Callable[[Any], int], Callable[[Any], int]]:
    seen: list[Any] = []

    def note(ctx: Context) -> int:
        seen.append(ctx)
        return later

    def early(ctx: Context) -> int:
        del ctx
        return never

    later = 1
    if not seen:
        return note, early
    never = 2
    return early, note


NOTE, EARLY = make_closures()


class Plain:
    def method(self, ctx: Context) -> None: ...

    @staticmethod
    def static(ctx: Context) -> None: ...

    @classmethod
    def of_class(cls, ctx: Context) -> None: ...


class Heir(Plain):
    def method(self, ctx: Context) -> None:
        super().method(ctx)


SURELY: dict[str, tuple[Any, str]] = {
    "a function": (plain, "a plain function"),
    "one that returns what a call gives": (count, "a plain function"),
    "one without annotations": (untyped, "a plain function"),
    "one that announces what is not there": (unknown, "a plain function"),
    "one that encloses a value": (NOTE, "a plain function"),
    "one that encloses nothing yet": (EARLY, "a plain function"),
    "a method": (Plain().method, "a plain function"),
    "a method that calls the inherited one": (Heir().method, "a plain function"),
    "a static method": (Plain.static, "a plain function"),
    "a method of a class": (Plain.of_class, "a plain function"),
    "a partial": (functools.partial(plain), "a plain function"),
    "a partial of a method": (functools.partial(Plain().method), "a plain function"),
    "one whose annotation is no text": (evaluated, "a plain function"),
    "a generator": (generate, "a generator"),
    "an asynchronous generator": (generate_slowly, "an asynchronous generator"),
}


@pytest.mark.parametrize(("function", "kind"), SURELY.values(), ids=SURELY)
def test_what_surely_returns_no_awaitable_is_refused(function: Any, kind: str) -> None:
    with pytest.raises(InvalidImplementation) as caught:
        check_implementation(TOKEN, types.SimpleNamespace(refresh=function))
    expected = "expected an asynchronous method, `async def`"
    assert caught.value.problems == (f'"refresh" is {kind}; {expected}',)
