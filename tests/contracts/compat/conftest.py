"""What tests of compatibility share: questions about two schemas, and random schemas."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from pi_contracts.contracts.compat.decide import Verdict, decide
from pi_contracts.contracts.compat.flat import FlatSchema, make_document

if TYPE_CHECKING:
    from collections.abc import Callable

# the modules beside this one that make schemas, edits and contracts
sys.path.insert(0, str(Path(__file__).parent))


def judge(sender: Any, receiver: Any) -> Verdict:
    """Decide, and check the witness with validators that share nothing with the decision."""
    verdict = decide(FlatSchema(make_document(sender)), FlatSchema(make_document(receiver)))
    if verdict.has_witness:
        assert jsonschema_rs.Draft202012Validator(sender).is_valid(verdict.witness)
        assert not jsonschema_rs.Draft202012Validator(receiver).is_valid(verdict.witness)
    return verdict


@pytest.fixture
def ask() -> Callable[[Any, Any], str]:
    """Return the kind of the verdict on a sender's and a receiver's schema."""
    return lambda sender, receiver: judge(sender, receiver).kind.value


@pytest.fixture
def ask_both() -> Callable[[Any, Any], tuple[str, str]]:
    """Return the kinds of the verdicts on two schemas, either being the sender's."""
    return lambda one, other: (judge(one, other).kind.value, judge(other, one).kind.value)
