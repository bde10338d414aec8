"""The lock: which files `gen` wrote, from which sources, and what each held.

It decides who owns a file: what hashes as the lock says is generated and may be
replaced or deleted; anything else is somebody's work. Files are not touched here.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pi_contracts.contracts.catalogue import Catalogue

LOCK_NAME = ".pi-contracts.lock"
_FORMAT = 1
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_UNSAFE_PATH = re.compile(r'(^|/)(\.{0,2})(/|$)|[\\:*?"<>|\x00-\x1f\x7f]')


class InvalidLockError(ValueError):
    """The text is no lock that this version can read."""


@dataclass(frozen=True, slots=True)
class Lock:
    """What one run of `gen` wrote; every hash is `sha256:` and 64 hex digits."""

    generator: str
    options: Mapping[str, str]
    sources: Mapping[str, str]
    """Path of each source file, relative to its PATH, and the hash of its value."""
    files: Mapping[str, str]
    """Path of each generated file, below the folder of the lock, and its hash."""
    pending: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files and hashes of a replacement under way; empty once it has ended."""

    def owns(self, path: str, data: bytes) -> bool:
        """Return whether the file at *path* that holds *data* was generated."""
        found = hash_file(data)
        return found in (self.files.get(path), self.pending.get(path))

    def lists(self, path: str) -> bool:
        """Return whether `gen` has written *path*, whatever it holds now."""
        return path in self.files or path in self.pending


def make_lock(catalogue: Catalogue, files: Mapping[str, str], options: Mapping[str, str]) -> Lock:
    """Return the lock of *files*, which hold text, made from *catalogue*."""
    documents = catalogue.documents.values()
    return Lock(
        generator=get_version(),
        options=options,
        sources={d.path: _hash(_encode(d.value)) for d in documents if d.generated},
        files={path: _hash(text.encode()) for path, text in files.items()},
    )


def render_lock(lock: Lock) -> str:
    """Return the text of *lock*: JSON, one sorted line for each source and file."""
    value: dict[str, object] = {
        "lock": _FORMAT,
        "generator": lock.generator,
        "options": dict(sorted(lock.options.items())),
        "sources": dict(sorted(lock.sources.items())),
        "files": dict(sorted(lock.files.items())),
    }
    if lock.pending:
        value["pending"] = dict(sorted(lock.pending.items()))
    return json.dumps(value, indent=2) + "\n"


def parse_lock(text: str) -> Lock:
    """Make a lock from its text, or raise `InvalidLockError` with what is wrong."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidLockError("it is not JSON") from None
    if not isinstance(value, dict):
        raise InvalidLockError("it is not an object")
    fields = cast("dict[str, object]", value)
    version = fields.get("lock")
    if version != _FORMAT:
        raise InvalidLockError(f"its format is not {_FORMAT}, the one that this version knows")
    generator = fields.get("generator")
    if not isinstance(generator, str):
        raise InvalidLockError("it does not name its generator")
    return Lock(
        generator=generator,
        options=_parse_texts(fields, "options"),
        sources=_parse_texts(fields, "sources"),
        files=_parse_hashes(fields, "files"),
        pending=_parse_hashes({"pending": {}, **fields}, "pending"),
    )


def _parse_texts(fields: Mapping[str, object], name: str) -> dict[str, str]:
    value = fields.get(name)
    if not isinstance(value, dict):
        raise InvalidLockError(f"{name!r} is not an object")
    entries = cast("dict[str, object]", value)
    texts = {key: text for key, text in entries.items() if isinstance(text, str)}
    if len(texts) < len(entries):
        raise InvalidLockError(f"{name!r} holds something that is not a text")
    return texts


def _parse_hashes(fields: Mapping[str, object], name: str) -> dict[str, str]:
    hashes = _parse_texts(fields, name)
    for path, digest in hashes.items():
        # The lock says what may be deleted, so it must not lead out of its folder.
        if _UNSAFE_PATH.search(path):
            raise InvalidLockError(f"{path!r} is not a path below its folder")
        if not _HASH.fullmatch(digest):
            raise InvalidLockError(f"the hash of {path!r} is not one of sha256")
    return hashes


def hash_file(data: bytes) -> str:
    """Return the hash of a file's content, whichever line ends a checkout gave it."""
    return _hash(data.replace(b"\r\n", b"\n"))


def get_version() -> str:
    """Return the version of this generator."""
    from importlib.metadata import version  # noqa: PLC0415  # needed by no run that only reads

    return version("pi-contracts")


def _hash(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _encode(value: object) -> bytes:
    # The value and not the bytes: spaces and line ends differ between checkouts.
    # The order of members counts, since the generated code follows it.
    return json.dumps(value, separators=(",", ":")).encode()
