"""Framing: texts in a stream of bytes, each behind its length in 4 bytes, big-endian."""

from __future__ import annotations

import enum
from typing import Final

HEADER: Final = 4
"""How many bytes the length takes."""


class Framing(enum.Enum):
    """How the texts of frames are told apart."""

    LENGTH = "length"
    """A stream of bytes; each text stands behind its length."""
    MESSAGE = "message"
    """The transport keeps messages apart; each is one text."""


def add_header(text: bytes) -> bytes:
    """Return *text* behind its length."""
    return len(text).to_bytes(HEADER, "big") + text


def describe_excess(length: int, limit: int) -> str:
    """Return what is wrong with a text that is longer than is taken."""
    problem = f"a frame of {length} bytes, where {limit} are taken"
    spelled = (length & 0xFFFFFFFF).to_bytes(HEADER, "big").decode("latin-1")
    if spelled.isascii() and spelled.isprintable():
        problem += f'; its length is the text "{spelled}"'
        problem += ": does a program print where it should not?"
    return problem


class FrameSplitter:
    """Takes a stream apart; keeps no more than one text that is not yet whole."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        """The most bytes of a text; may be raised."""
        self._kept = bytearray()
        self.oversized: int | None = None
        """The length over the limit that a header announced; nothing is taken after it."""

    @property
    def truncated(self) -> bool:
        """Whether a text has begun and is not whole."""
        return bool(self._kept)

    def feed(self, data: bytes) -> list[bytes]:
        """Return each text that *data* completes."""
        if self.oversized is not None:
            return []
        length = int.from_bytes(data[:HEADER], "big")
        if not self._kept and len(data) == HEADER + length and length <= self.limit:
            return [data[HEADER:]]  # as most chunks are: one whole frame
        if self._kept:
            self._kept += data
            if not self._may_be_whole():
                return []
            data = bytes(self._kept)
            self._kept.clear()
        texts: list[bytes] = []
        start = 0
        end = len(data)
        while end - start >= HEADER:
            length = int.from_bytes(data[start : start + HEADER], "big")
            if length > self.limit:
                self.oversized = length
                return texts
            following = start + HEADER + length
            if following > end:
                break
            texts.append(data[start + HEADER : following])
            start = following
        if start < end:
            self._kept += data[start:] if start else data
        return texts

    def _may_be_whole(self) -> bool:
        """Tell whether looking again is worth it: a header over the limit is, too."""
        if len(self._kept) < HEADER:
            return False
        length = int.from_bytes(self._kept[:HEADER], "big")
        return length > self.limit or len(self._kept) >= HEADER + length
