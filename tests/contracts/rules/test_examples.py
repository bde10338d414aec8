from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.check import lint

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.read import Reading

CONTRACT: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "shop", "mode": "keyed", "key": {"type": "string"}},
    "members": {
        "stock": {"kind": "state", "value": {"type": "integer"}},
        "sales": {"kind": "events", "payload": {"type": "integer"}},
        "buy": {"kind": "method", "params": {"a": True}, "result": True, "errors": ["sold_out"]},
        "refresh": {"kind": "method"},
    },
    "errors": {"sold_out": {"data": True}, "none_left": {}},
    "$defs": {"Item": {}},
}
SUBJECTS = ["stock", "sales", "buy.params", "buy.result", "sold_out.error", "$key"]


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (frozenset({True, False}), []),
        (frozenset({True}), [("invalid", "note")]),
        (frozenset({False}), [("valid", "warning")]),
        (frozenset[bool](), [("valid", "warning")]),
    ],
    ids=str,
)
def test_each_payload_is_shown_by_values_that_pass_and_that_do_not(
    read_files: Callable[[dict[str, Any]], Reading],
    shown: frozenset[bool],
    missing: list[tuple[str, str]],
) -> None:
    catalogue = read_files({"shop.contract.json": CONTRACT}).catalogue
    (uri,) = catalogue.documents
    examples = {(uri, subject): shown for subject in SUBJECTS}
    found = lint(catalogue, catalogue.documents, examples)
    told = [
        (one.subject.detail, one.severity.value, one.fix)
        for one in found
        if one.rule == "missing-fixture"
    ]
    assert told == [
        (f"{subject}.{verdict}", severity, f"add fixtures/shop.{subject}.{verdict}.json")
        for subject in SUBJECTS
        for verdict, severity in missing
    ]
