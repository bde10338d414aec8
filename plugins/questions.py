"""Questions to a plan: why a service is there, what breaks without a plugin, what has changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pi_contracts.contracts.findings import UNREADABLE, escape

from .against import Comparison
from .changes import compare
from .generations import make_generation, read_generation
from .plan import judge_graph
from .rules import RULES as JUDGED
from .skew import RULE as SKEW_BREAK
from .skew import Skew
from .why import draw_why, explain_service, find_named, is_ambiguous, suggest_services
from .without import RULE as RETAINED_CONSUMER
from .without import Removal, draw_without, list_plugins, suggest_plugins

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pi_contracts.contracts.findings import Finding

    from .graph import Service
    from .plan import Plan

RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        rule: (find.__doc__ or "").partition("\n")[0]
        for rule, find in (
            (RETAINED_CONSUMER, Removal.find_retained),
            (SKEW_BREAK, Skew.find_breaks),
        )
    }
)
"""The rules that only questions apply, each in one sentence."""
_JUDGED: Final = frozenset(rule.id for rule in JUDGED)


class UnknownNameError(Exception):
    """A question names something that the assembly does not have."""

    def __init__(self, what: str, name: str, near: Sequence[str]) -> None:
        self.what = what
        self.name = name
        self.near = tuple(near)
        found = ", ".join(f'"{escape(one)}"' for one in near)
        advice = f"; did you mean {found}?" if near else ""
        super().__init__(f'the assembly has no {what} "{escape(name)}"{advice}')


class Older(NamedTuple):
    """The file of an older generation; see `read_generation`."""

    path: Path
    name: str
    folder: Path | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """What was asked, answered: the plan that it is about, and what the report has beside it."""

    plan: Plan
    """Of what remains, where a plugin was left out."""
    findings: tuple[Finding, ...]
    """Those of the plan and of the questions."""
    additions: dict[str, object] = field(default_factory=dict[str, object])
    text: str = ""
    """The answers for people."""


def ask(
    plan: Plan,
    *,
    why: Sequence[str] = (),
    without: str | None = None,
    against: Older | None = None,
    rules: Mapping[str, str] | None = None,
) -> Answers:
    """Answer questions to a plan; the others are about what remains without a plugin.

    Args:
        plan: The plan of the whole assembly.
        why: ``SCOPE/SERVICE`` of each service that is asked about.
        without: The id of a plugin to leave out.
        against: The file of an older generation.
        rules: As for `make_plan`.

    Raises:
        UnknownNameError: The assembly has no such service or plugin; not where a
            part of it could not be read.
    """
    findings = list(plan.findings)
    additions: dict[str, object] = {}
    texts: list[str] = []
    is_whole = not any(finding.rule in UNREADABLE for finding in findings)
    if without is not None:
        additions["without"] = None
        if without in list_plugins(plan.graph):
            removal = Removal(plan.graph, without)
            additions["without"] = removal.answer
            texts.append(draw_without(plan.graph, removal.answer))
            kept = [finding for finding in findings if _is_kept(finding, without)]
            plan = judge_graph(
                removal.rest,
                rules=rules,
                findings=kept,
                manifest=plan.manifest,
            )
            findings = removal.judge(plan.findings)
        elif is_whole:
            raise UnknownNameError("plugin", without, suggest_plugins(plan.graph, without))
    if why:
        named: list[Service] = []
        for name in why:
            services = find_named(plan.graph, name)
            if not services and is_whole:
                raise UnknownNameError("service", name, suggest_services(plan.graph, name))
            named += services
        named = list(dict.fromkeys(named))
        answers = [explain_service(plan.graph, one) for one in named]
        additions["why"] = answers
        texts += [
            draw_why(plan.graph, service, answer, is_ambiguous=is_ambiguous(service, named))
            for service, answer in zip(named, answers, strict=True)
        ]
    if against is not None:
        old, faults = read_generation(*against)
        findings += faults
        additions["against"] = None
        if old is not None:
            new = make_generation(plan.graph, plan.manifest)
            book = plan.assembly.contracts
            skew = Skew(old.graph, new.graph, None if book is None else book.judge)
            answer = compare(old, new, skew)
            additions["against"] = answer
            findings += skew.find_breaks()
            texts.append(Comparison(old, new, answer).draw())
    return Answers(plan, tuple(findings), additions, "\n".join(texts))


def _is_kept(finding: Finding, plugin: str) -> bool:
    """Tell whether a finding was made before the graph, and is not about a plugin alone."""
    facets = finding.subject.facets
    is_about = bool(facets) and all(facet.plugin == plugin for facet in facets)
    return finding.rule not in _JUDGED and not is_about
