"""Suppressions: findings that a file answers in place, in a ``$comment`` with a reason.

``pi-contracts: allow RULE because …`` holds for what stands in the same object, and
below it. Several rules are parted by commas, several suppressions by lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .findings import Finding, Severity, Subject, escape, quote
from .json_values import Hints, escape_token, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .catalogue import Catalogue
    from .documents import Document

_COMMENT: Final = "$comment"
_MARK: Final = "pi-contracts:"
_ALLOW: Final = re.compile(r"allow\s+([^\s,]+(?:\s*,\s*[^\s,]+)*)\s+because\s+\S")
_FORM: Final = f'write "{_MARK} allow RULE because …", with a reason'


@dataclass(frozen=True, slots=True)
class Suppression:
    """That one rule is allowed something at one place and below."""

    document: Document
    pointer: str
    """Of the object that the comment stands in."""
    rule: str


class Suppressions:
    """The suppressions of all documents of a run."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.findings: list[Finding] = []
        """What is wrong with suppressions themselves."""
        self._found: dict[tuple[str, str, str], Suppression] = {}
        """By path, rule and pointer."""
        self._used: set[Suppression] = set()
        for document in catalogue.documents.values():
            # looking into the text first spares nearly all files a walk
            if document.generated and _MARK in document.source.text:
                for pointer, line in _find_comments(catalogue, document):
                    self._read(document, pointer, line)

    def apply(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return the findings that no suppression answers."""
        return (
            tuple(one for one in findings if not self._answer(one))
            if self._found
            else (tuple(findings))
        )

    def report_unused(
        self,
        rules: Sequence[str],
        is_judged: Callable[[Document], bool],
        is_rule: Callable[[str], bool],
    ) -> Iterator[Finding]:
        """Yield what suppressions that answered nothing come to.

        Args:
            rules: All that can be suppressed.
            is_judged: Whether a document was sound enough to be judged by all rules.
            is_rule: Whether there is such a rule at all, of whatever command.
        """
        hints = Hints()
        for one in self._found.values():
            if one.rule not in rules:
                near = None if is_rule(one.rule) else hints.find(one.rule, rules)
                hint = f"; did you mean {quote(near)}?" if near else ""
                message = f"{quote(one.rule)} is no rule that a comment can answer{hint}"
                fix = f'write "{near}"' if near else "pi-contracts explain lists the rules"
                yield _fault("invalid-suppression", one, message, fix, Severity.ERROR)
            elif one not in self._used and is_judged(one.document):
                message = f"nothing here or below breaks the rule {quote(one.rule)}"
                fix = "remove the suppression"
                yield _fault("unused-suppression", one, message, fix, Severity.WARNING)

    def _answer(self, finding: Finding) -> bool:
        """Tell whether a suppression answers a finding, the innermost one; an error never is."""
        if finding.severity is Severity.ERROR or finding.path is None or finding.pointer is None:
            return False
        pointer, is_whole = finding.pointer, False
        while not is_whole:
            one = self._found.get((finding.path, finding.rule, pointer))
            if one is not None:
                self._used.add(one)
                return True
            is_whole = not pointer
            pointer = pointer.rpartition("/")[0]
        return False

    def _read(self, document: Document, pointer: str, line: str) -> None:
        allowed = _ALLOW.match(line)
        if allowed is None:
            message = "the suppression is not understood: it needs a rule and a reason"
            one = Suppression(document, pointer, line)
            fault = _fault("invalid-suppression", one, message, _FORM, Severity.ERROR)
            self.findings.append(fault)
            return
        for rule in re.split(r"\s*,\s*", allowed[1]):
            key = document.source.path, rule, pointer
            self._found.setdefault(key, Suppression(document, pointer, rule))


def _find_comments(catalogue: Catalogue, document: Document) -> Iterator[tuple[str, str]]:
    """Yield the lines of comments that are for us, each with the object it stands in."""
    for pointer, value in _list_objects(catalogue, document):
        comment = value.get(_COMMENT)
        for line in comment.splitlines() if isinstance(comment, str) else ():
            if line.strip().startswith(_MARK):
                yield pointer, line.strip().removeprefix(_MARK).strip()


def _list_objects(
    catalogue: Catalogue, document: Document
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what can hold a comment: schemas, and parts of a contract."""
    value = document.value
    if document.role == "contract" and is_object(value):
        yield "", value
        for group in ("members", "errors"):
            parts = value.get(group)
            for name, part in parts.items() if is_object(parts) else ():
                if is_object(part):
                    yield f"/{group}/{escape_token(name)}", part
    for location, node in catalogue.get_schemas(document):
        if is_object(node.schema):
            yield location.pointer, node.schema


def _fault(rule: str, one: Suppression, message: str, fix: str, severity: Severity) -> Finding:
    source = one.document.source
    return source.find(
        rule,
        message,
        f"{one.pointer}/{_COMMENT}",
        severity=severity,
        subject=Subject(document=source.path, detail=escape(one.rule)),
        fix=fix,
    )


def suppress(catalogue: Catalogue, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that no comment answers."""
    return Suppressions(catalogue).apply(findings)
