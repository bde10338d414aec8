"""UNSET is one falsy value that is never JSON."""

from __future__ import annotations

import copy
import pickle

import pytest
from pi_contracts.runtime.errors import ContractViolation
from pi_contracts.runtime.schemas import Schemas
from pi_contracts.runtime.unset import UNSET, Unset


def test_there_is_one_of_its_type() -> None:
    assert isinstance(UNSET, Unset)
    assert list(Unset) == [UNSET]
    assert copy.deepcopy(UNSET) is UNSET
    assert pickle.loads(pickle.dumps(UNSET)) is UNSET


def test_it_is_falsy_and_shows_its_name() -> None:
    assert not UNSET
    assert repr(UNSET) == "UNSET"


@pytest.mark.parametrize("schema", ["{}", '{"type": "string"}', '{"const": "UNSET"}'])
def test_no_schema_takes_it_for_a_value(schema: str) -> None:
    validator = Schemas(f'{{"$defs": {{"x": {schema}}}}}').validator("#/$defs/x")
    assert not validator.is_valid(UNSET)
    with pytest.raises(ContractViolation):
        validator.validate(UNSET)
