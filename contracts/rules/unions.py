"""Rules about events that are of several types: whether listeners can tell them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_contracts.contracts.findings import escape
from pi_contracts.contracts.json_values import is_array, is_object
from pi_contracts.contracts.model import Events

from .lint import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_contracts.contracts.model import Location

    from .lint import Lint

_CHOSEN: Final = ("oneOf", "anyOf")
_MOST: Final = 1000


def find_untold_unions(lint: Lint) -> Iterator[Fault]:
    """Yield events that are of several types, without a property that tells them apart."""
    for member in lint.contract.members:
        if not isinstance(member, Events) or member.discriminator is not None:
            continue
        branches = [
            branch
            for branch in _list_branches(lint, member.payload)
            if any("properties" in lint.get_keywords(part) for part in branch)
        ]
        if len(branches) > 1:
            tags = [_find_tags(lint, branch) for branch in branches]
            shared = [name for name in tags[0] if all(name in others for others in tags)]
            named = f'add "discriminator": "{escape(shared[0])}"' if shared else ""
            yield Fault(
                lint.root / "members" / member.name,
                f'the events "{escape(member.name)}" are of {len(branches)} types, and no '
                '"discriminator" says which property tells them: listeners get all or nothing',
                named
                or "give each type a required property with a constant, and name it in "
                '"discriminator"',
                of_key=True,
            )


def find_wrong_discriminators(lint: Lint) -> Iterator[Fault]:
    """Yield discriminators that some event of the payload does not have."""
    for member in lint.contract.members:
        if not isinstance(member, Events) or member.discriminator is None:
            continue
        name = member.discriminator
        lacking = [
            branch
            for branch in _list_branches(lint, member.payload)
            if not _requires(lint, branch, name)
        ]
        if lacking:
            named = lint.catalogue.name_location(lacking[0][-1])
            yield Fault(
                lint.root / "members" / member.name / "discriminator",
                f'"{escape(name)}" is no required property of every event: {escape(named)} may '
                "lack it, and listeners that filter by it would not be told",
                f'require "{escape(name)}" there, or name another property',
            )


def _list_branches(lint: Lint, payload: Location) -> list[tuple[Location, ...]]:
    """Return each type of a payload as the parts that it is joined of, its own last.

    Rings of branches are refused by reading; types without number are not all looked at.
    """
    finished: list[tuple[Location, ...]] = []
    pending: list[tuple[tuple[Location, ...], Location]] = [((), payload)]
    while pending and len(finished) < _MOST:
        above, location = pending.pop()
        parts = lint.find_parts(location)
        joined = (*above, *parts[1:], location)
        below = [
            part / keyword / index
            for part in parts
            for keyword in _CHOSEN
            for index in range(_count(lint.get_keywords(part).get(keyword)))
        ]
        if below:
            pending.extend((joined, place) for place in reversed(below))
        else:
            finished.append(joined)
    return finished


def _count(branches: object) -> int:
    return len(branches) if is_array(branches) else 0


def _find_tags(lint: Lint, branch: tuple[Location, ...]) -> list[str]:
    """Return the required properties of a type that have a constant or a few values."""
    names: list[str] = []
    for part in branch:
        properties = lint.get_keywords(part).get("properties")
        for name in properties if is_object(properties) else ():
            told = lint.get_keywords(part / "properties" / name)
            if {"const", "enum"} & told.keys() and _requires(lint, branch, name):
                names.append(name)
    return names


def _requires(lint: Lint, branch: tuple[Location, ...], name: str) -> bool:
    for part in branch:
        required = lint.get_keywords(part).get("required")
        if is_array(required) and name in required:
            return True
    return False
