"""Unevaluated members and items, said with the keywords that need no annotations.

A schema with ``unevaluatedProperties`` is a choice: for each way in which its
branches can turn out, the members that those branches evaluate are known, and the
rest has the keyword's schema. Where there are too many ways the schema is not
taken apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from .flat import absolve, cut_reference
from .nodes import Items

if TYPE_CHECKING:
    from pi_contracts.contracts.drafts import Schema

    from .node import Node
    from .pool import Pool

_MOST_CASES: Final = 24
_MOST_BRANCHES: Final = 4
"""Of how many branches of an ``anyOf`` every set is looked at."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One way in which the branches of a schema turn out, and what is evaluated then."""

    conditions: tuple[Node, ...] = ()
    names: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    count: int = 0
    contained: tuple[Node, ...] = ()
    """Items that have one of these schemas are evaluated."""
    everything: bool = field(default=False)

    def __and__(self, other: _Case) -> _Case:
        """Return the case that both hold."""
        return _Case(
            (*self.conditions, *other.conditions),
            self.names | other.names,
            self.patterns | other.patterns,
            max(self.count, other.count),
            (*self.contained, *other.contained),
            self.everything or other.everything,
        )


class _TooManyError(Exception):
    """There are more cases than are looked at."""


def expand_unevaluated(pool: Pool, schema: dict[str, Any], uri: str, keyword: str) -> Node | None:
    """Return what ``unevaluatedProperties`` or ``unevaluatedItems`` asks in *schema*.

    None means that there are too many cases.
    """
    try:
        cases = _Expander(pool, uri, of_items=keyword == "unevaluatedItems").expand(
            {name: value for name, value in schema.items() if name != keyword}
        )
    except _TooManyError:
        return None
    rest = pool.make_at(schema[keyword], uri)
    return pool.either(tuple(_say(pool, case, rest, keyword) for case in cases))


def _say(pool: Pool, case: _Case, rest: Node, keyword: str) -> Node:
    conditions = case.conditions
    atoms: tuple[Node, ...]
    if case.everything:
        return pool.join(conditions)
    if keyword == "unevaluatedItems":
        rest = pool.either((rest, *case.contained))
        prefix = (pool.true,) * case.count
        atoms = () if rest is pool.true else (pool.single(Items(prefix, rest)),)
    else:
        true = pool.true
        named, patterns = dict.fromkeys(case.names, true), dict.fromkeys(case.patterns, true)
        atoms = tuple(pool.single(atom) for atom in pool.members(named, patterns, rest))
    return pool.join((*conditions, *atoms))


class _Expander:
    def __init__(self, pool: Pool, uri: str, *, of_items: bool) -> None:
        self.pool = pool
        self.uri = uri
        self.of_items = of_items
        self.seen: frozenset[str] = frozenset()

    def expand(self, schema: Schema) -> list[_Case]:
        """Return the cases of a schema that accepts; each has the conditions of its branches."""
        if isinstance(schema, bool):
            return [_Case()]
        cases = [self._get_own(schema)]
        for parts in self._get_choices(schema):
            cases = [case & part for case in cases for part in parts]
            if len(cases) > _MOST_CASES:
                raise _TooManyError
        return cases

    def _get_own(self, schema: dict[str, Any]) -> _Case:
        if self.of_items:
            case = _Case(count=len(schema.get("prefixItems", ())))
            if "contains" in schema:
                case = replace(case, contained=(self._make(schema["contains"]),))
            return replace(case, everything="items" in schema or "unevaluatedItems" in schema)
        return _Case(
            names=frozenset(schema.get("properties", ())),
            patterns=frozenset(schema.get("patternProperties", ())),
            everything="additionalProperties" in schema or "unevaluatedProperties" in schema,
        )

    def _get_choices(self, schema: dict[str, Any]) -> list[list[_Case]]:
        """Return the cases of each keyword that applies schemas in place."""
        choices: list[list[_Case]] = []
        if "$ref" in schema:
            choices.append(self._follow(schema["$ref"]))
        choices.extend(self.expand(part) for part in schema.get("allOf", ()))
        if "anyOf" in schema:
            choices.append(self._expand_any(schema["anyOf"]))
        if "oneOf" in schema:
            # the schema itself says that the other branches refuse
            choices.append([case for part in schema["oneOf"] for case in self._assume(part)])
        if "if" in schema:
            holds = self._assume(schema["if"])
            then = self.expand(schema.get("then", True))
            fails = _Case((self.pool.negate(self._make(schema["if"])),))
            otherwise = self.expand(schema.get("else", True))
            choices.append([a & b for a in holds for b in then] + [fails & b for b in otherwise])
        for name, part in schema.get("dependentSchemas", {}).items():
            there = self._make({"type": "object", "required": [name]})
            absent = _Case((self.pool.negate(there),))
            choices.append([_Case((there,)) & case for case in self.expand(part)] + [absent])
        return choices

    def _assume(self, part: Schema) -> list[_Case]:
        """Return the cases of a branch that accepts, which is one of their conditions."""
        accepts = _Case((self._make(part),))
        return [accepts & case for case in self.expand(part)]

    def _expand_any(self, branches: list[Schema]) -> list[_Case]:
        if len(branches) > _MOST_BRANCHES:
            raise _TooManyError
        cases: list[_Case] = []
        for chosen in range(1, 1 << len(branches)):
            some = [_Case()]
            for index, branch in enumerate(branches):
                if chosen >> index & 1:
                    part = self._assume(branch)
                else:
                    part = [_Case((self.pool.negate(self._make(branch)),))]
                some = [case & one for case in some for one in part]
            cases.extend(some)
        return cases

    def _follow(self, reference: str) -> list[_Case]:
        target = absolve(reference, self.uri)
        if target in self.seen:
            raise _TooManyError
        before = self.uri, self.seen
        self.uri, pointer = cut_reference(target)
        self.seen = self.seen | {target}
        cases = self.expand(self.pool.documents[self.uri].get(pointer))
        self.uri, self.seen = before
        return cases

    def _make(self, schema: Schema) -> Node:
        return self.pool.make_at(schema, self.uri)
