"""Violations of a schema, none of which may tell the secret."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pi_contracts.runtime.errors import ContractViolation
from pi_contracts.runtime.schemas import Schemas

MODERN = "https://json-schema.org/draft/2020-12/schema"
SECRET = "s3cret-value"


def refuse(schema: object, value: object, **more: Any) -> ContractViolation:
    """Return the violation of *value*, whose place in the schema is ``#/$defs/root``."""
    text = json.dumps({"$schema": MODERN, "$defs": {"root": schema, **more.pop("defs", {})}})
    with pytest.raises(ContractViolation) as caught:
        Schemas(text, **more).validator("#/$defs/root").validate(value)
    assert SECRET not in str(caught.value)
    return caught.value
