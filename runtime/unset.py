"""`UNSET`: that an optional parameter was left out, as opposed to null."""

from __future__ import annotations

import enum
from typing import Any, Final


class Unset(enum.Enum):
    """The type of `UNSET`; it is falsy, and it is never JSON."""

    # The value is an object on purpose: validators read members of an Enum by value.
    UNSET = object()

    def __repr__(self) -> str:
        return "UNSET"

    def __reduce_ex__(self, proto: object) -> tuple[Any, ...]:
        return getattr, (Unset, self.name)

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset.UNSET
"""What an optional parameter is when its caller left it out."""
