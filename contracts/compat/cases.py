"""Cases: which ways of a question are worth telling apart, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .nodes import (
    MEMBERS,
    NUMBERS,
    TYPED,
    AnyOf,
    AtLeast,
    AtMost,
    If,
    Members,
    Names,
    OneOf,
    Required,
    Types,
    Unique,
    get_types,
)

if TYPE_CHECKING:
    from .facts import Choice, Facts
    from .signature import Signatures

_MOST_TAGS: Final = 40
_OBJECT: Final[frozenset[str]] = frozenset({"object"})


def sort_choices(facts: Facts) -> list[Choice]:
    """Return the choices that may matter, those with the fewest branches first."""
    if not facts.negatives:
        return sorted(facts.choices, key=_count)
    types, names = _get_concern(facts)
    relevant = [choice for choice in facts.choices if _concerns(choice, types, names)]
    return sorted(relevant, key=_count)


def _count(choice: Choice) -> int:
    return 2 if isinstance(choice, If) else len(choice.branches)


def _get_concern(facts: Facts) -> tuple[frozenset[str], frozenset[str] | None]:
    """Return the types and the members that the refused literals are about; None is any."""
    names: set[str] = set()
    for atom in facts.negatives:
        match atom:
            case Required(name):
                names.add(name)
            case Members(((name, _),), (), rest) if not rest.atoms:
                names.add(name)
            case Members() | Names():
                return facts.types, None
            case AtLeast(what, _) | AtMost(what, _) if what == MEMBERS:
                return facts.types, None
            case _:
                pass
    return facts.types, frozenset(names) or None


def _concerns(choice: Choice, types: frozenset[str], names: frozenset[str] | None) -> bool:
    """Whether a branch of a choice says something of those types and members."""
    ways = (choice.then, choice.otherwise) if isinstance(choice, If) else choice.branches
    pending = [atom for way in ways for atom in way.atoms]
    while pending:
        atom = pending.pop()
        match atom:
            case Required(name):
                relevant = names is None or name in names
            case Members(named, patterns, rest):
                relevant = (
                    names is None
                    or bool(patterns or rest.atoms)
                    or any(name in names for name, _ in named)
                )
            case AnyOf(branches) | OneOf(branches):
                pending.extend(inner for branch in branches for inner in branch.atoms)
                continue
            case If(_, then, otherwise):
                pending.extend((*then.atoms, *otherwise.atoms))
                continue
            case Types(some):
                relevant = not types <= some
            case _ if isinstance(atom, TYPED) and not isinstance(atom, Unique):
                relevant = bool(get_types(atom) & types)
            case _:
                relevant = True
        if relevant:
            return True
    return False


def find_tags(signatures: Signatures, facts: Facts) -> list[dict[str, object]]:
    """Return cases of the values of a member that tells the refused schemas apart."""
    if facts.types != _OBJECT:
        return []
    for name, member in facts.signature.members.items():
        values = member.values
        if values is None or not 1 < len(values) <= _MOST_TAGS:
            continue
        for goal in facts.goals:
            other = signatures.get(goal).members.get(name)
            if other is not None and other.values is not None and values.keys() - other.values:
                cases: list[dict[str, object]] = [
                    {"properties": {name: {"const": value}}, "required": [name]}
                    for value in values.values()
                ]
                if name not in facts.signature.required:
                    cases.append({"properties": {name: False}})
                return cases
    return []


def find_types(facts: Facts) -> list[dict[str, object]]:
    """Return cases of the types that the value can have, if they are several."""
    if len(facts.types) == 1 or facts.types == NUMBERS:
        return []
    names = sorted(facts.types - NUMBERS)
    cases: list[dict[str, object]] = [{"type": name} for name in names]
    numbers = facts.types & NUMBERS
    if numbers:
        cases.append({"type": "integer" if "fraction" not in numbers else "number"})
    return cases
