"""Long strings: members of a language that a search step by step would not reach.

A state that a character leads back to can be stayed in as long as is wanted.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from .regular import NOTHING, TooManyStatesError, choose_characters, derive, find_member

if TYPE_CHECKING:
    from collections.abc import Callable

    from .regular import Language


def find_long_member(
    language: Language, length: int, most: int, tick: Callable[[], object]
) -> str | None:
    """Return a string of *length* that is of a language, None if none was found.

    Args:
        language: The language, which should not be about lengths itself.
        length: How long the string is to be.
        most: How many states are looked at.
        tick: Is called now and then, and may raise what ends the search.
    """
    before = {language: ""}
    pending = deque([language])
    while pending:
        state = pending.popleft()
        tick()
        for character in choose_characters(state):
            after = derive(state, character)
            if after is state:
                found = _stay(state, before[state], chr(character), length, most)
                if found is not None:
                    return found
            elif after not in before and after is not NOTHING and len(before) < most:
                before[after] = before[state] + chr(character)
                pending.append(after)
    return None


def _stay(state: Language, prefix: str, character: str, length: int, most: int) -> str | None:
    """Return a string that stays in a state for as long as there is room."""
    try:
        suffix = find_member(state, most)
    except TooManyStatesError:
        return None
    if suffix is None or len(prefix) + len(suffix) > length:
        return None
    return prefix + character * (length - len(prefix) - len(suffix)) + suffix
