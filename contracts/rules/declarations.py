"""Rules about what a contract declares: described, used, and what takes its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.findings import escape
from pi_contracts.contracts.json_values import is_object, unescape
from pi_contracts.contracts.model import Location, Method

from .lint import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .lint import Lint


def find_missing_descriptions(lint: Lint) -> Iterator[Fault]:
    """Yield what readers of the contract and of its code would look for in vain."""
    contract, root = lint.contract, lint.root
    if not _is_said(contract.description):
        yield _word_description("the contract", root)
    for member in contract.members:
        place = root / "members" / member.name
        if not _is_said(member.description):
            yield _word_description(f'the member "{escape(member.name)}"', place)
        for parameter in member.params if isinstance(member, Method) else ():
            if not _is_described(lint, parameter.schema):
                what = f'the parameter "{escape(parameter.name)}"'
                yield _word_description(what, parameter.schema)
    for case in contract.errors:
        if not _is_said(case.description):
            what = f'the error "{escape(case.code)}"'
            yield _word_description(what, root / "errors" / case.code)
    for place in _list_definitions(lint):
        if not _is_described(lint, place):
            yield _word_description(f'the definition "{_name(place)}"', place)


def _word_description(what: str, place: Location) -> Fault:
    message = f"{what} has no description, and nor has the code that is generated for it"
    return Fault(place, message, 'add "description", in a sentence', of_key=True)


def _is_said(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def _is_described(lint: Lint, place: Location) -> bool:
    """Tell whether a schema, or what it refers to, has a description."""
    parts = lint.find_parts(place)
    return any(_is_said(lint.get_keywords(part).get("description")) for part in parts)


def find_unused_errors(lint: Lint) -> Iterator[Fault]:
    """Yield errors that no method lists."""
    methods = [member for member in lint.contract.members if isinstance(member, Method)]
    raised = {code for method in methods for code in method.errors}
    for case in lint.contract.errors:
        if case.code not in raised:
            yield Fault(
                lint.root / "errors" / case.code,
                f'no method lists the error "{escape(case.code)}", so nobody can raise it',
                'list it in "errors" of the methods that raise it, or remove it',
                of_key=True,
            )


def find_unused_definitions(lint: Lint) -> Iterator[Fault]:
    """Yield definitions that no payload leads to; of those that lead to each other, the first."""
    definitions = [*_list_definitions(lint)]
    roots, edges = _follow_definitions(lint)
    used = _reach(roots, edges)
    # which one a dynamic reference leads to depends on the way to it
    used.update(place for place in definitions if "$dynamicAnchor" in lint.get_keywords(place))
    unused = [place for place in definitions if place not in used]
    needed = {end for place in unused for end in edges.get(place, ()) if end != place}
    for place in sorted(unused, key=lambda one: one in needed):
        if place not in used:
            yield Fault(
                place,
                f'nothing leads to the definition "{_name(place)}"',
                "remove it, or refer to it",
                of_key=True,
            )
            used |= _reach([place], edges)


def _follow_definitions(lint: Lint) -> tuple[list[Location], dict[Location, list[Location]]]:
    """Return the definitions that others refer to, and to which ones each of them refers."""
    roots: list[Location] = []
    edges: dict[Location, list[Location]] = {}
    for target, uses in lint.uses.items():
        if target.document == lint.contract.document:
            end = _find_top(target)
            for use in uses:
                is_inside = use.document == target.document and use.pointer.startswith("/$defs/")
                (edges.setdefault(_find_top(use), []) if is_inside else roots).append(end)
    return roots, edges


def _find_top(place: Location) -> Location:
    """Return the definition that a place is in."""
    return Location(place.document, "/".join(place.pointer.split("/")[:3]))


def _list_definitions(lint: Lint) -> Iterator[Location]:
    value = lint.document.value
    definitions = value.get("$defs") if is_object(value) else None
    for name in definitions if is_object(definitions) else ():
        yield lint.root / "$defs" / name


def _name(place: Location) -> str:
    return escape(unescape(place.pointer.rpartition("/")[2]))


def _reach(
    starts: Iterable[Location], edges: Mapping[Location, Iterable[Location]]
) -> set[Location]:
    found: set[Location] = set()
    pending = list(starts)
    while pending:
        place = pending.pop()
        if place not in found:
            found.add(place)
            pending.extend(edges.get(place, ()))
    return found


def find_dead_ends(lint: Lint) -> Iterator[Fault]:
    """Yield what is deprecated without a word on what to use instead."""
    contract, root = lint.contract, lint.root
    parts: list[tuple[str, Location]] = [("the service", root)]
    parts += [
        (f'the member "{escape(one.name)}"', root / "members" / one.name)
        for one in contract.members
    ]
    parts += [
        (f'the error "{escape(one.code)}"', root / "errors" / one.code) for one in contract.errors
    ]
    parts += [("the schema", place) for place, _ in lint.schemas]
    for what, place in parts:
        value = lint.catalogue.find_value(place)
        facts = value.get("deprecation") if is_object(value) else None
        is_deprecated = is_object(value) and (value.get("deprecated") is True or is_object(facts))
        if is_deprecated and not (is_object(facts) and _is_said(facts.get("use"))):
            yield Fault(
                place,
                f"{what} is deprecated, and nothing says what to use instead",
                'add "deprecation": {"use": …}',
                of_key=True,
            )
