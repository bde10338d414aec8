"""Checking: what reading, fixtures and lint rules say of contracts, suppressions aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.documents import find_inputs
from pi_contracts.contracts.findings import Finding, Subject
from pi_contracts.contracts.fixtures import check_fixtures
from pi_contracts.contracts.rules import RULES
from pi_contracts.contracts.rules.lint import Lint
from pi_contracts.contracts.soundness import find_broken
from pi_contracts.contracts.suppressions import Suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.documents import Document
    from pi_contracts.contracts.fixtures import Explain
    from pi_contracts.contracts.read import Reading
    from pi_contracts.contracts.rules.lint import Fault, Rule


def check(
    reading: Reading,
    paths: Sequence[Path],
    explain: Explain,
    *,
    more: Iterable[Finding] = (),
    base: Path | None = None,
) -> tuple[Finding, ...]:
    """Return everything that is wrong with what was read, and is not allowed in place.

    Documents with errors of their own are passed over by lint rules.

    Args:
        reading: What came of reading *paths*.
        paths: Folders and files; what they lead to is judged, and not what that refers to.
        explain: Words why a fixture is refused.
        more: What others found wrong with the same documents, to be suppressed alike.
        base: The folder that findings name files relative to; the working directory.
    """
    catalogue = reading.catalogue
    fixtures = check_fixtures(reading, paths, explain, base)
    given = {one.file.as_uri() for one in find_inputs([one for one in paths if one.exists()])}
    judged = given - find_broken(reading)
    linted = lint(catalogue, judged, fixtures.verdicts)
    suppressions = Suppressions(catalogue)
    kept = suppressions.apply((*reading.findings, *linted, *more))

    def is_judged(document: Document) -> bool:
        return document.uri in judged

    unused = suppressions.report_unused(list_suppressible(), is_judged, _is_rule)
    return (*kept, *fixtures.findings, *suppressions.findings, *unused)


def lint(
    catalogue: Catalogue,
    judged: Iterable[str],
    examples: Mapping[tuple[str, str], frozenset[bool]],
) -> tuple[Finding, ...]:
    """Return what the lint rules say of the contracts among *judged*, each thing once.

    Args:
        catalogue: The documents, of which those judged are sound.
        judged: URIs of documents; plain schemas are passed over.
        examples: By document and subject, whether fixtures show what must pass, and what not.
    """
    found: dict[tuple[str, str, str | None], Finding] = {}
    for uri in sorted(judged):
        contract = catalogue.contracts.get(uri)
        if contract is not None:
            one = Lint(catalogue, contract, examples)
            for rule in RULES:
                for fault in rule.find(one):
                    # two contracts may lead to one schema
                    finding = _make_finding(catalogue, rule, fault)
                    found.setdefault((rule.id, finding.fingerprint, finding.path), finding)
    return tuple(found.values())


def _is_rule(rule: str) -> bool:
    from pi_contracts.contracts.rule_index import list_pages  # noqa: PLC0415 # seldom needed

    return rule in list_pages()


def list_suppressible() -> tuple[str, ...]:
    """Return the rules that comments can answer: those of warnings and notes."""
    read = """ambiguous-ref deprecated-keyword impossible-schema name-collision no-members
    unknown-keyword unresolved-ref"""
    return (*(rule.id for rule in RULES), *read.split())


def _make_finding(catalogue: Catalogue, rule: Rule, fault: Fault) -> Finding:
    source = catalogue.documents[fault.location.document].source
    return source.find(
        rule.id,
        fault.message,
        fault.location.pointer,
        severity=fault.severity or rule.severity,
        subject=Subject(document=source.path, detail=fault.detail),
        fix=fault.fix,
        of_key=fault.of_key,
    )
