"""Rules about fixtures: whether each payload is shown by an example."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.bundle import Arguments
from pi_contracts.contracts.documents import get_stem
from pi_contracts.contracts.findings import Severity, escape
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.payloads import list_payloads

from .lint import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .lint import Lint


def find_missing_fixtures(lint: Lint) -> Iterator[Fault]:
    """Yield payloads without a fixture that must pass, and without one that must not."""
    stem = get_stem(lint.document.path)
    for payload in list_payloads(lint.document, lint.contract):
        if isinstance(payload.root, Arguments) and not payload.root.properties:
            continue
        found = lint.examples.get((lint.contract.document, payload.subject), frozenset())
        for is_valid, verdict, fate in ((True, "valid", "accepted"), (False, "invalid", "refused")):
            # where there is none at all, the one that must pass comes first
            if is_valid not in found and (is_valid or found):
                subject = escape(payload.subject)
                yield Fault(
                    Location(payload.document.uri, payload.pointer),
                    f'no fixture shows a value that must be {fate} as "{subject}"',
                    f"add fixtures/{escape(stem)}.{subject}.{verdict}.json",
                    f"{payload.subject}.{verdict}",
                    of_key=True,
                    severity=None if is_valid else Severity.NOTE,
                )
