"""Steps: where in a value a question stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .node import Node

Side: TypeAlias = tuple[Node, ...]
"""Some schemas: of the left of a question all accept a value, of the right none does."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step into a value: to a member by its name, or to an item."""

    key: str | int
    names: tuple[Side, Side] | None = None
    """Where any name will do that these schemas accept and these refuse."""
    of_name: bool = False
    """Whether the step is to the name itself, not to the member."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A question, and the step at which it stands open below."""

    left: Side
    right: Side
    step: Step | None
