"""Rules about names: in one style, and fit to be names in Python."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from pi_contracts.contracts.findings import Severity, escape
from pi_contracts.contracts.json_values import is_object
from pi_contracts.contracts.model import Location, Method
from pi_contracts.contracts.names import (
    capitalize,
    is_plain_identifier,
    make_attribute,
    make_class_name,
    make_parameter,
    split_words,
)

from .lint import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pi_contracts.contracts.names import Identifier

    from .lint import Lint


class _Style(NamedTuple):
    """A way to write several words as one name."""

    name: str
    pattern: re.Pattern[str]
    join: Callable[[Sequence[str]], str]


def _join_camel(words: Sequence[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])


def _join_pascal(words: Sequence[str]) -> str:
    return "".join(word.capitalize() for word in words)


def _join_upper(words: Sequence[str]) -> str:
    return "_".join(words).upper()


_STYLES: Final = (
    _Style("camelCase", re.compile("[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*"), _join_camel),
    _Style("snake_case", re.compile("[a-z][a-z0-9]*(?:_[a-z0-9]+)*"), "_".join),
    _Style("kebab-case", re.compile("[a-z][a-z0-9]*(?:-[a-z0-9]+)*"), "-".join),
    _Style("PascalCase", re.compile("(?:[A-Z][a-z0-9]*)+"), _join_pascal),
    _Style("UPPER_CASE", re.compile("[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*"), _join_upper),
)


class _Named(NamedTuple):
    """One name and where it is given."""

    kind: str
    name: str
    place: Location


def find_mixed_names(lint: Lint) -> Iterator[Fault]:
    """Yield names that are not in the style of most others of their kind."""
    root = lint.root
    codes = [_Named("error", one.code, root / "errors" / one.code) for one in lint.contract.errors]
    definitions = [
        _Named("definition", name, root / "$defs" / name)
        for name in _get_names(lint, root, "$defs")
    ]
    properties = [
        _Named("property", name, place / "properties" / name)
        for place, _ in lint.schemas
        for name in _get_names(lint, place, "properties")
    ]
    for group in ((*_list_calls(lint), *properties), codes, definitions):
        yield from _find_odd(group)


def _find_odd(group: Iterable[_Named]) -> Iterator[Fault]:
    first: dict[str, _Named] = {}
    for one in group:
        first.setdefault(one.name, one)
    # a word in lower case fits three styles, and what is no word in letters none
    fitting = {name: [one for one in _STYLES if one.pattern.fullmatch(name)] for name in first}
    counts = Counter(style for styles in fitting.values() for style in styles)
    usual = max(counts, key=lambda style: counts[style], default=None)
    if usual is None:
        return
    for name, named in first.items():
        if fitting[name] and usual not in fitting[name]:
            better = usual.join([word.lower() for word in split_words(name)])
            yield Fault(
                named.place,
                f'the {named.kind} "{escape(name)}" is not in {usual.name}, as most names of this '
                "contract are: whoever writes against it has to look up each one",
                f'call it "{better}", which is another name on the wire',
                of_key=True,
            )


def find_mangled_names(lint: Lint) -> Iterator[Fault]:
    """Yield names that generated code has to spell in another way."""
    for named in _list_calls(lint):
        python: str = _make_name(named)
        plain = "_".join(word.lower() for word in split_words(named.name))
        if python != plain:
            # a name of a builtin could stand there, and would only be in the way
            yield _word_mangled(
                named, python, Severity.NOTE if is_plain_identifier(plain) else None
            )
    for case in lint.contract.errors:
        wanted = capitalize(case.code)
        python = make_class_name(wanted)
        if python != wanted:
            named = _Named("error", case.code, lint.root / "errors" / case.code)
            yield _word_mangled(named, python)
    for place, _ in lint.schemas:
        for name in _get_names(lint, place, "properties"):
            if not is_plain_identifier(name):
                named = _Named("property", name, place / "properties" / name)
                yield _word_mangled(named, make_attribute(name), Severity.NOTE)


def _make_name(named: _Named) -> Identifier:
    return make_parameter(named.name) if named.kind == "parameter" else make_attribute(named.name)


def _word_mangled(named: _Named, python: str, severity: Severity | None = None) -> Fault:
    where = " where types are pydantic's" if named.kind == "property" else ""
    return Fault(
        named.place,
        f'the {named.kind} "{escape(named.name)}" is no name that Python takes as it is; it is '
        f'called "{python}"{where}',
        "choose a name that begins with a letter, and is neither a keyword nor a builtin of Python",
        of_key=True,
        severity=severity,
    )


def _list_calls(lint: Lint) -> Iterator[_Named]:
    """Yield the members and their parameters."""
    for member in lint.contract.members:
        yield _Named("member", member.name, lint.root / "members" / member.name)
        for parameter in member.params if isinstance(member, Method) else ():
            yield _Named("parameter", parameter.name, parameter.schema)


def _get_names(lint: Lint, place: Location, keyword: str) -> Iterable[str]:
    holder = lint.document.value if place == lint.root else lint.get_keywords(place)
    names = holder.get(keyword) if is_object(holder) else None
    return names if is_object(names) else ()
