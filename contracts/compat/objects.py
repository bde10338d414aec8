"""Objects: which members there are, what they have, and whether there is such an object."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .budget import ExhaustedError
from .nodes import MEMBERS, AtLeast, AtMost, Members, Names, Pattern, Required
from .steps import Step
from .validators import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .facts import Facts
    from .node import Node
    from .prover import Prover
    from .steps import Side
    from .validators import Validators

_MOST_PATTERNS: Final = 5
_MOST_MATCHED: Final = 5000


@dataclass(slots=True)
class Objects:
    """What literals say of an object, and what of its members is to be refused."""

    groups: list[Members] = field(default_factory=list[Members])
    required: dict[str, None] = field(default_factory=dict[str, None])
    absent: set[str] = field(default_factory=set[str])
    low: int = 0
    high: int | None = None
    names: list[Node] = field(default_factory=list["Node"])
    wrong: dict[str, list[Node]] = field(default_factory=dict[str, "list[Node]"])
    """Of a member that is there, what it must not have."""
    wrong_rest: list[Members] = field(default_factory=list[Members])
    """Of each, some member that is there must not have its schema."""
    wrong_names: list[Node] = field(default_factory=list["Node"])
    """Of each, some member must not have a name that has its schema."""
    _by_name: dict[str, list[Node]] = field(default_factory=dict[str, "list[Node]"])
    """The schemas of members in the groups that say nothing of others."""
    _wide: list[Members] = field(default_factory=list[Members])
    """The other groups."""

    def get_declared(self) -> list[str]:
        """Return every name that is spoken of."""
        groups = (*self.groups, *self.wrong_rest)
        names = dict.fromkeys(name for group in groups for name, _ in group.named)
        return list({**self.required, **names, **dict.fromkeys(sorted(self.absent))})

    def get_patterns(self) -> list[str]:
        """Return every pattern of members that is spoken of."""
        groups = (*self.groups, *self.wrong_rest)
        return list(dict.fromkeys(text for group in groups for text, _ in group.patterns))

    def get_member(self, name: str, validators: Validators, false: Node) -> Side:
        """Return the schemas of a member."""
        if name in self.absent or not all(validators.accepts(one, name) for one in self.names):
            return (false,)
        nodes = [*self._by_name.get(name, ())]
        for group in self._wide:
            nodes.extend(get_member(group, name))
        return (false,) if false in nodes else tuple(dict.fromkeys(nodes))

    def index(self) -> None:
        """Sort what the groups say by name, once they are complete."""
        for group in self.groups:
            if group.patterns or group.rest.atoms:
                self._wide.append(group)
                continue
            for name, node in group.named:
                self._by_name.setdefault(name, []).append(node)


def get_member(group: Members, name: str) -> list[Node]:
    """Return the schemas that a group has for a member.

    Raises:
        ExhaustedError: The group has so many patterns that each would take too long.
    """
    if len(group.patterns) > _MOST_MATCHED:
        raise ExhaustedError
    named = group.by_name.get(name)
    nodes = [] if named is None else [named]
    found = [node for text, node in group.patterns if matches(text, name)]
    if not nodes and not found:
        found = [group.rest]
    return [node for node in (*nodes, *found) if not node.is_plainly_true]


def get_class(group: Members, matched: frozenset[str]) -> list[Node]:
    """Return the schemas that a group has for a member that it does not name."""
    nodes = [node for text, node in group.patterns if text in matched]
    if not any(text in matched for text, _ in group.patterns):
        nodes = [group.rest]
    return [node for node in nodes if not node.is_plainly_true]


def collect_objects(facts: Facts) -> Objects:
    """Return what the literals of *facts* say of an object."""
    low = [one.count for one in facts.select(AtLeast) if one.what == MEMBERS]
    low += [one.count + 1 for one in facts.reject(AtMost) if one.what == MEMBERS]
    high = [one.count for one in facts.select(AtMost) if one.what == MEMBERS]
    high += [one.count - 1 for one in facts.reject(AtLeast) if one.what == MEMBERS]
    objects = Objects(
        groups=list(facts.select(Members)),
        required={one.name: None for one in facts.select(Required)},
        absent={one.name for one in facts.reject(Required)},
        names=[one.node for one in facts.select(Names)],
        wrong_names=[one.node for one in facts.reject(Names)],
    )
    for group in facts.reject(Members):
        if group.patterns or group.rest.atoms:
            objects.wrong_rest.append(group)
            low.append(1)
            continue
        said = [(name, node) for name, node in group.named if not node.is_plainly_true]
        for name, node in said:
            objects.wrong.setdefault(name, []).append(node)
            objects.required[name] = None
        if not said:  # a look inside has shown that it accepts every object
            low.append(1)
            high.append(0)
    low += [1] if objects.wrong_names else []
    objects.low = max([*low, len(objects.required)])
    objects.high = min(high, default=None)
    objects.index()
    return objects


def is_empty(prover: Prover, facts: Facts, left: Side, right: Side) -> bool:
    """Whether no object is as *facts* say."""
    objects = collect_objects(facts)
    return _Judge(prover, objects, (left, right)).judge()


class _Judge:
    def __init__(self, prover: Prover, objects: Objects, sides: tuple[Side, Side]) -> None:
        self.prover = prover
        self.objects = objects
        self.sides = sides
        self.false = prover.pool.false
        self.patterns = objects.get_patterns()
        self.members = {name: self._get_member(name) for name in objects.get_declared()}

    def _get_member(self, name: str) -> Side:
        return self.objects.get_member(name, self.prover.validators, self.false)

    def judge(self) -> bool:
        objects = self.objects
        if objects.high is not None and objects.low > objects.high:
            return True
        if any(map(self._is_right, objects.wrong)):
            return True
        if any(self._cannot_be(name) for name in objects.required):
            return True
        if objects.low > len(objects.required) and self._has_too_few():
            return True
        if objects.high == len(objects.required):
            # there is room for the required members alone
            self.members = {name: self.members[name] for name in objects.required}
            self.patterns = []
            is_full = True
        else:
            is_full = False
        return any(
            self._is_rest_right(group, is_full=is_full) for group in objects.wrong_rest
        ) or any(self._are_names_right(node, is_full=is_full) for node in objects.wrong_names)

    def _cannot_be(self, name: str) -> bool:
        nodes = self.members[name]
        return bool(nodes) and self.prover.is_part_empty(nodes)

    def _has_too_few(self) -> bool:
        """Whether there cannot be as many members as there must be."""
        if len(self.patterns) > _MOST_PATTERNS:
            return False
        if not all(map(self._is_class_closed, self._get_classes())):
            return False
        possible = (name for name in self.members if not self._cannot_be(name))
        return len(list(itertools.islice(possible, self.objects.low))) < self.objects.low

    def _is_class_closed(self, matched: frozenset[str]) -> bool:
        nodes = self._get_class(matched)
        return self.false in nodes or self._has_no_name(matched)

    def _get_classes(self) -> Iterator[frozenset[str]]:
        """Yield the sets of patterns that an undeclared name may match, and no other."""
        for count in range(len(self.patterns) + 1):
            yield from map(frozenset, itertools.combinations(self.patterns, count))

    def _get_class(self, matched: frozenset[str]) -> Side:
        nodes = [node for group in self.objects.groups for node in get_class(group, matched)]
        return tuple(dict.fromkeys(nodes))

    def _get_class_names(self, matched: frozenset[str]) -> tuple[Side, Side]:
        """Return schemas that accept, and schemas that refuse, the names of a class."""
        pool = self.prover.pool
        patterns = [pool.single(Pattern(text)) for text in self.patterns if text in matched]
        others = [pool.single(Pattern(text)) for text in self.patterns if text not in matched]
        declared = [pool.make({"enum": list(self.members)})] if self.members else []
        string = pool.make({"type": "string"})
        return (string, *self.objects.names, *patterns), (*others, *declared)

    def _has_no_name(self, matched: frozenset[str]) -> bool:
        if not matched and not self.objects.names:
            return False
        return self.prover.prove_part(*self._get_class_names(matched))

    def _is_right(self, name: str) -> bool:
        """Whether a member certainly has one of the schemas that it must not have."""
        wrong = tuple(self.objects.wrong[name])
        return self._descend(Step(name), self.members[name], wrong)

    def _descend(self, step: Step, left: Side, right: Side) -> bool:
        return self.prover.descend(*self.sides, step, left, right)

    def _is_rest_right(self, group: Members, *, is_full: bool) -> bool:
        """Whether every member certainly has the schema that one must not have."""
        for name, nodes in self.members.items():
            wrong = get_member(group, name)
            if nodes != (self.false,) and not all(
                self._descend(Step(name), nodes, (node,)) for node in wrong
            ):
                return False
        if is_full:
            return True
        if len(self.patterns) > _MOST_PATTERNS:
            return any(self._is_right_by_pattern(one, group) for one in self.objects.groups)
        return all(self._is_class_right(group, matched) for matched in self._get_classes())

    def _is_right_by_pattern(self, mine: Members, group: Members) -> bool:
        """Whether each pattern of a group is one of mine, with what it must have."""
        wrong, right = dict(group.patterns), dict(mine.patterns)
        if wrong.keys() - right.keys():
            return False
        others = [right[text] for text in right.keys() - wrong.keys()]
        return all(
            self.prover.prove_part((right[text],), (node,)) for text, node in wrong.items()
        ) and all(self.prover.prove_part((node,), (group.rest,)) for node in (*others, mine.rest))

    def _is_class_right(self, group: Members, matched: frozenset[str]) -> bool:
        nodes = self._get_class(matched)
        wrong = get_class(group, matched)
        if self.false in nodes or not wrong:
            return True
        if all(self.prover.prove_part(nodes, (node,)) for node in wrong):
            return True
        if self._has_no_name(matched):
            return True
        step = Step("", names=self._get_class_names(matched))
        return all(self._descend(step, nodes, (node,)) for node in wrong)

    def _are_names_right(self, node: Node, *, is_full: bool) -> bool:
        """Whether every member certainly has a name of a schema."""
        validators = self.prover.validators
        if any(
            not validators.accepts(node, name) and not self._cannot_be(name)
            for name in self.members
        ):
            return False
        if is_full:
            return True
        if len(self.patterns) > _MOST_PATTERNS:
            return False
        for matched in self._get_classes():
            if self.false in self._get_class(matched):
                continue
            accepted, refused = self._get_class_names(matched)
            step = Step("", names=(accepted, (*refused, node)), of_name=True)
            if not self._descend(step, accepted, (*refused, node)):
                return False
        return True
