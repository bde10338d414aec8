"""What a dry run tells of each facet: the lines that pass between its two processes."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from .facets import Declaration  # noqa: TC001 # msgspec reads the annotations

LOST: Final = 97
"""The exit code of a process that cannot tell any more."""
Phase: TypeAlias = Literal["import", "setup"]


class Job(msgspec.Struct, frozen=True):
    """One facet to be set up: its entry point, and whether it may be missing here."""

    plugin: str
    kind: str
    module: str
    attribute: str
    is_optional: bool = False
    """Whether another report stands in where its package is not installed."""


class Order(msgspec.Struct, frozen=True):
    """What the process of one host kind is to do."""

    jobs: list[Job]
    path: list[bytes]
    """Folders to look for modules in, before those of the interpreter."""
    limit: float
    """Seconds that one facet may take, its import included."""
    is_careful: bool
    """Whether all of the library is looked at after each import and setup, which takes longer."""
    key: bytes
    """Of the seal under which the process tells of itself."""


class Frame(msgspec.Struct, frozen=True):
    """A line of somebody's code."""

    path: str
    line: int


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong with a facet; `kind` says what `text` holds.

    Which kinds there are, and how they are worded, stands in ``setup_rules.py``.
    """

    kind: str
    text: str = ""
    frames: tuple[Frame, ...] = ()
    """Where, the nearest line first."""
    phase: Phase = "setup"
    advice: str = ""
    """A way out, where the error knows one."""


class ServiceFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a token says of its contract."""

    scopes: tuple[str, ...] | None = None
    deprecated: bool = False


class Step(msgspec.Struct, frozen=True, tag="step"):
    """A facet is being imported or set up from now on."""

    index: int
    phase: Phase
    frames: tuple[Frame, ...] = ()
    """Where the setup is written: the place of what has none of its own."""


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True, tag="outcome"):
    """What became of one facet; a later one for it adds faults."""

    index: int
    requires: tuple[Declaration, ...] = ()
    provides: tuple[Declaration, ...] = ()
    is_complete: bool = False
    """Whether setup has returned, so that nothing is missing in the lists."""
    is_absent: bool = False
    """Whether the package of an optional facet is not installed here."""
    faults: tuple[Fault, ...] = ()
    services: dict[str, ServiceFacts] = {}
    folder: str | None = None
    """Of the plugin's top-level package."""
    is_last: bool = False
    """Whether the process has ended, because this facet left it in another state."""


class Spoiled(msgspec.Struct, frozen=True, tag="spoiled"):
    """Something of the library was changed: from here on all has to be judged with care.

    Whether an import, a setup or which facet has done that is only known if it is
    looked for after each.
    """

    index: int


Line: TypeAlias = Step | Outcome | Spoiled
