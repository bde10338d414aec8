"""What is said in the place of a frame that is larger than the other side takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, structs

from .messages import Ended, ErrorEnvelope, Failed, Fault, Goodbye, Granted, Result

if TYPE_CHECKING:
    from .faults import FrameTooLarge
    from .messages import Message


def shorten(message: Message, problem: FrameTooLarge) -> Message:
    """Return a short frame that ends the same thing, or says that much.

    Raises *problem* for a frame that has no such place: what this side asks for.
    """
    error = ErrorEnvelope("too_large", str(problem))
    if isinstance(message, Result | Failed | Granted):
        return Failed(message.id, error)
    if isinstance(message, Ended):
        return Ended(message.id, error)
    if isinstance(message, Fault | Goodbye) and message.error is not UNSET:
        return structs.replace(message, error=ErrorEnvelope(message.error.code, str(problem)))
    raise problem
