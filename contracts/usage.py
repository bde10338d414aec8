"""Usage: how the command line words arguments that it does not take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS: Final[Mapping[re.Pattern[str], str]] = {
    re.compile(r"Value error, (.+)", re.DOTALL): r"\1",
    re.compile(r"Input should be a valid number.*", re.DOTALL): "a number is expected.",
}
"""How the library that reads arguments says things, and what is said instead."""


def word_usage(message: str) -> str:
    """Return what is wrong with an argument, without the words of a library."""
    for pattern, words in _WORDS.items():
        if pattern.fullmatch(message):
            return pattern.sub(words, message, count=1)
    return message


class Commands(TyperGroup):
    """The commands, of whose arguments those that are refused are told in plain words."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the arguments name."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as problem:
            problem.message = word_usage(problem.message)
            raise
