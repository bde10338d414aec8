from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.contracts.compat.canonical import covers
from pi_contracts.contracts.compat.flat import make_document

TEXT = {"type": "string"}


def ask(receiver: Any, sender: Any, reference: str = "#") -> bool:
    return covers((make_document(receiver), reference), (make_document(sender), reference))


@pytest.mark.parametrize(
    ("receiver", "sender", "answer"),
    [
        (True, TEXT, True),
        (TEXT, {"enum": ["a"]}, True),
        ({"enum": ["a"]}, TEXT, False),
        ({**TEXT, "pattern": "^a"}, {**TEXT, "pattern": "^ab"}, False),
        ({"type": "strin"}, TEXT, False),
        ({"enum": ["a" * 3_000]}, {"enum": ["a" * 3_000]}, False),
    ],
)
def test_only_what_is_proved_of_small_schemas_counts(
    receiver: Any,
    sender: Any,
    answer: bool,  # noqa: FBT001
) -> None:
    assert ask(receiver, sender) is answer


def test_a_definition_of_a_document_can_be_asked_of() -> None:
    document = {"$defs": {"A": TEXT, "B": {"enum": ["a"]}}}
    assert covers((make_document(document), "#/$defs/A"), (make_document(document), "#/$defs/B"))
