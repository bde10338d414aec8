"""An object is held by the count of references to it, and told of the last one's end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pi_contracts.runtime.references import HeldReference, KnownReferences, give_up, hold


class Held:
    def __init__(self, fail: BaseException | None = None) -> None:
        self.released = 0
        self.fail = fail

    def on_release(self) -> None:
        self.released += 1
        if self.fail is not None:
            raise self.fail


def test_the_last_reference_cleans_up_once() -> None:
    """REF-6."""
    held = Held()
    hold(held)
    hold(held)
    give_up(held)
    assert held.released == 0
    give_up(held)
    assert held.released == 1
    hold(object())  # what has no callback needs none


@pytest.mark.parametrize("error", [ValueError("x"), asyncio.CancelledError()], ids=str)
def test_a_callback_that_fails_is_reported(error: BaseException) -> None:
    failures: list[BaseException] = []

    class Later:
        async def on_release(self) -> None:
            await asyncio.sleep(0)
            raise ValueError("later")

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: failures.append(context["exception"])
        )
        for held in (Held(error), Later()):
            hold(held)
            give_up(held)
        for _ in range(4):
            await asyncio.sleep(0)

    asyncio.run(main())
    assert failures[0] is error
    assert str(failures[1]) == "later"


def test_a_reference_ends_once_and_is_known_until_then(sample: Any) -> None:
    """REF-6: also at the end of its block."""

    class Reference(HeldReference):
        pass

    async def main() -> None:
        held, known = Held(), KnownReferences()
        async with Reference(sample.JOB, held, known) as reference:
            assert list(known.values()) == [reference]
        await reference.release()
        reference.end("again")
        assert (held.released, known) == (1, {})

    asyncio.run(main())
