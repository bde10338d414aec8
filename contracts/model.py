"""The model of a contract: frozen values that say what a service is.

No JSON and no files: where a schema stands is a `Location`, to be asked of the
catalogue. A contract that has a model has passed the dialect's rules.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple


class Location(NamedTuple):
    """Where a schema stands: the URI of its document and a JSON pointer in it."""

    document: str
    pointer: str

    def __truediv__(self, token: object) -> Location:
        """Return the location one token further down; the token is escaped."""
        escaped = str(token).replace("~", "~0").replace("/", "~1")
        return Location(self.document, f"{self.pointer}/{escaped}")


class Mode(enum.StrEnum):
    """How a service is provided and consumed."""

    SINGLETON = "singleton"
    KEYED = "keyed"
    REFERENCE = "reference"


class Stability(enum.StrEnum):
    """What an author promises of a contract."""

    EXPERIMENTAL = "experimental"
    BETA = "beta"
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class Deprecation:
    """That something should no longer be used: since when, what instead, and why."""

    since: str | None = None
    use: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a method, in call order."""

    name: str
    schema: Location
    required: bool
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """A member that is called; `result` and `returns` exclude each other."""

    name: str
    params: tuple[Parameter, ...]
    result: Location | None
    returns: str | None
    """The id of a service of mode reference: the result is one private reference."""
    errors: tuple[str, ...]
    """Codes, each a key of the contract's errors."""
    description: str | None
    deprecation: Deprecation | None


@dataclass(frozen=True, slots=True)
class State:
    """A member that replicates the provider's latest value."""

    name: str
    value: Location
    description: str | None
    deprecation: Deprecation | None


@dataclass(frozen=True, slots=True)
class Events:
    """A member that sends events, which are never replayed."""

    name: str
    payload: Location
    discriminator: str | None
    description: str | None
    deprecation: Deprecation | None


Member = Method | State | Events


@dataclass(frozen=True, slots=True)
class ErrorCase:
    """An error that a contract announces."""

    code: str
    description: str | None
    data: Location | None


@dataclass(frozen=True, slots=True)
class Contract:
    """One service contract, as its file says it."""

    document: str
    """The URI of the document; `Location(document, "")` is its root."""
    service_id: str
    mode: Mode
    key: Location | None
    scopes: tuple[str, ...] | None
    version: int
    stability: Stability | None
    title: str | None
    description: str | None
    members: tuple[Member, ...]
    """In the order of the file."""
    errors: tuple[ErrorCase, ...]
    deprecation: Deprecation | None
    asserts_format: bool
