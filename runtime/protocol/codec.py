"""Between the text of a frame and its message; a bad text is a value, not an exception."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw
from pi_contracts.runtime.errors import InvalidJSON, clip
from pi_contracts.runtime.parse import parse_json
from pi_contracts.runtime.strict_json import DEEPEST

from .messages import AnyMessage, Call, Id, Result, Subscribe

if TYPE_CHECKING:
    from .messages import Message

DEEPEST_FRAME: Final = DEEPEST + 4
"""How many levels a frame may have: those of its payload, and its own."""

_LONGEST_FLAT: Final = 2 * DEEPEST_FRAME
"""Up to how many bytes a text cannot be too deep."""
_LONGEST_PROBLEM: Final = 300
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS: Final = bytes(set(range(256)) - set(_STEPS))

_SHORTEST_RESULT: Final = len(b'{"type":"result","id":,"result":}')

_decoder: Final = msgspec.json.Decoder(AnyMessage)
_encoder: Final = msgspec.json.Encoder()


class Malformed(NamedTuple):
    """A text that is no frame."""

    problem: str
    call: int | None = None
    """Its id, if it seems to be a call and has one that can be read."""
    deep: bool = False
    """Whether it has more than `DEEPEST_FRAME` levels."""


class _Glance(msgspec.Struct, tag_field="type", tag="call"):
    """What is looked for in a text that is no frame."""

    id: Id


_glance: Final = msgspec.json.Decoder(_Glance)


def encode(message: Message) -> bytes:
    """Return the text of *message*."""
    return _encoder.encode(message)


def encode_data(value: object) -> bytes:
    """Return the text of JSON."""
    return _encoder.encode(value)


def decode(text: bytes) -> AnyMessage | Malformed:
    """Return the message that *text* spells, or what is wrong with it."""
    if len(text) > _LONGEST_FLAT and is_too_deep(text):
        return Malformed(f"a frame of more than {DEEPEST_FRAME} levels", deep=True)
    try:
        message = _decoder.decode(text)
        if _is_spelled_otherwise(message, text):
            parse_json(text)  # names may stand in it twice
    except (msgspec.MsgspecError, UnicodeError, InvalidJSON, RecursionError) as error:
        return Malformed(_word(error), _find_call(text))
    if type(message) is Call or type(message) is Subscribe:
        problem = _find_target_problem(message)
        if problem is not None:
            return Malformed(problem, message.id if type(message) is Call else None)
    return message


def _is_spelled_otherwise(message: Message, text: bytes) -> bool:
    """Tell whether *text* is not what we would write for *message*."""
    if type(message) is Result and isinstance(message.result, Raw):
        # The most frequent frame, whose shortest text has no room for anything else.
        return len(text) != _SHORTEST_RESULT + len(str(message.id)) + len(message.result)
    return _encoder.encode(message) != text


def is_too_deep(text: bytes) -> bool:
    """Tell whether more than `DEEPEST_FRAME` arrays and objects stand inside each other."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST_FRAME:
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


def _word(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply for the stack that is left"
    return clip(str(error), _LONGEST_PROBLEM)


def _find_call(text: bytes) -> int | None:
    try:
        return _glance.decode(text).id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
