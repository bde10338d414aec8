"""Between the text of a frame and its message; a bad text is a value, not an exception."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import msgspec
from msgspec import UNSET
from pi_contracts.runtime.errors import InvalidJSON, clip
from pi_contracts.runtime.parse import parse_json
from pi_contracts.runtime.strict_json import DEEPEST

from .messages import (
    LARGEST,
    MESSAGES,
    AnyMessage,
    Call,
    Ended,
    Failed,
    Fault,
    Goodbye,
    Message,
    Subscribe,
    get_tag,
)

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST_FRAME: Final = DEEPEST + 4
"""How many levels a frame may have: those of its payload, and its own."""

_LONGEST_FLAT: Final = 2 * DEEPEST_FRAME
"""Up to how many bytes a text cannot be too deep."""
_SHORTEST_LEVEL: Final = len(b'{"":')
"""How many bytes it takes at least to begin something inside an object."""
_LONGEST_PROBLEM: Final = 300
_LONGEST_WORDED: Final = 8 * 1024
"""How long a text may be that is read again, slowly, to say what is wrong with it."""
_MOST_DIGITS: Final = len(str(LARGEST))
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS: Final = bytes(set(range(256)) - set(_STEPS))

_KINDS: Final[dict[str, type[Message]]] = {get_tag(kind): kind for kind in MESSAGES}

_decode: Final = msgspec.json.Decoder(AnyMessage).decode
_encode: Final = msgspec.json.Encoder().encode


class Malformed(NamedTuple):
    """A text that is no frame."""

    problem: str
    kind: type[Message] | None = None
    """What it seems to be."""
    id: int | None = None
    """Its id, if it can be read; that of the call for a fault."""
    deep: bool = False
    """Whether it has more than `DEEPEST_FRAME` levels."""


def encode(message: Message) -> bytes:
    """Return the text of *message*."""
    return _encode(message)


def encode_data(value: object) -> bytes:
    """Return the text of JSON."""
    return _encode(value)


def decode(text: bytes) -> AnyMessage | Malformed:
    """Return the message that *text* spells, or what is wrong with it."""
    if len(text) > _LONGEST_FLAT and is_too_deep(text):
        return Malformed(f"a frame of more than {DEEPEST_FRAME} levels", deep=True)
    try:
        message = _decode(text)
        if _encode(message) != text:  # not as we would spell it
            parse_json(text, levels=DEEPEST_FRAME)  # names may stand in it twice
        check = _CHECKS.get(type(message))
        problem = None if check is None else check(message)
    except (msgspec.MsgspecError, UnicodeError, InvalidJSON, RecursionError) as error:
        return Malformed(_word(error, text), *_glance_at(text))
    return message if problem is None else Malformed(problem, *_glance_at(text))


def is_too_deep(text: bytes) -> bool:
    """Tell whether more than `DEEPEST_FRAME` arrays and objects stand inside each other."""
    arrays = text.count(b"[")
    if arrays + (len(text) - arrays) // _SHORTEST_LEVEL < DEEPEST_FRAME:
        return False  # there is no room for so many objects
    if arrays + text.count(b"{") <= DEEPEST_FRAME:
        return False
    brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > DEEPEST_FRAME


def _find_target_problem(message: Call | Subscribe) -> str | None:
    """Return what is wrong with an address: a service, an instance of one, or a reference."""
    is_instance = message.key is not UNSET
    if not is_instance and message.service and not (message.reference or message.generation):
        return None
    if bool(message.service) == bool(message.reference):
        return "expected either a service or a reference"
    if is_instance != bool(message.generation):
        return "expected a key and a generation, or neither"
    if is_instance and message.reference:
        return "a reference has no key"
    if type(message) is Subscribe and is_instance and not message.member:
        return "an instance is followed through its service; only its events have a subscription"
    return None


def _find_data_problem(message: Goodbye | Fault | Failed | Ended) -> str | None:
    """Return what is wrong with the data of an error: nobody judges them later."""
    error = message.error
    if error is not UNSET and error.data is not UNSET:
        try:
            parse_json(bytes(error.data))
        except InvalidJSON as fault:
            return f"the data of an error: {fault}"
    return None


_CHECKS: Final[dict[type, Callable[[Any], str | None]]] = {
    **dict.fromkeys((Call, Subscribe), _find_target_problem),
    **dict.fromkeys((Goodbye, Fault, Failed, Ended), _find_data_problem),
}
"""What a decoded frame must hold besides its shape."""


def _word(error: Exception, text: bytes) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply for the stack that is left"
    if type(error) is msgspec.DecodeError and len(text) <= _LONGEST_WORDED:
        try:
            parse_json(text, levels=DEEPEST_FRAME)
        except InvalidJSON as fault:  # names the place and says what is there
            error = fault
    return clip(str(error), _LONGEST_PROBLEM)


def _glance_at(text: bytes) -> tuple[type[Message] | None, int | None]:
    """Return what *text*, which is no frame, seems to be, and the id that it has."""
    import json  # noqa: PLC0415 - seldom needed, and slow to load

    try:
        found = json.loads(text.decode(errors="replace"), parse_int=_read_id)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(found, dict):
        return None, None
    members = cast("dict[str, object]", found)
    kind = _KINDS.get(str(members.get("type")))
    number = members.get("call" if kind is Fault else "id")
    if isinstance(number, int) and number is not True and 1 <= number <= LARGEST:
        return kind, number
    return kind, None


def _read_id(digits: str) -> int:
    return int(digits) if len(digits) <= _MOST_DIGITS else 0
