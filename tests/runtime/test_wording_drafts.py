"""Keywords that only older drafts have are worded as well."""

from __future__ import annotations

import json

import pytest
from pi_contracts.runtime.errors import ContractViolation
from pi_contracts.runtime.schemas import Schemas

SEVEN = "http://json-schema.org/draft-07/schema#"
FOUR = "http://json-schema.org/draft-04/schema#"

OLD: dict[str, tuple[str, object, object, str, str]] = {
    "additionalItems": (
        SEVEN,
        {"items": [{}], "additionalItems": False},
        [1, 2],
        "expected at most 1 items, found an array of 2 items",
        "additionalItems",
    ),
    "dependencies": (
        SEVEN,
        {"dependencies": {"a": ["b"]}},
        {"a": 1},
        'expected the property "b", found an object without it',
        "dependencies",
    ),
    "contentEncoding": (
        SEVEN,
        {"contentEncoding": "base64"},
        "~~~",
        'expected a string in "base64", found one that is not',
        "contentEncoding",
    ),
    "contentMediaType": (
        SEVEN,
        {"contentMediaType": "application/json"},
        "{",
        'expected a text of "application/json", found one that is not',
        "contentMediaType",
    ),
    "exclusiveMaximum of draft 4": (
        FOUR,
        {"maximum": 3, "exclusiveMaximum": True},
        3,
        "expected a number below 3, found one that is not",
        "exclusiveMaximum",
    ),
}


@pytest.mark.parametrize(("draft", "schema", "value", "sentence", "keyword"), OLD.values(), ids=OLD)
def test_keywords_of_older_drafts_have_their_sentences(
    draft: str, schema: object, value: object, sentence: str, keyword: str
) -> None:
    schemas = Schemas(json.dumps({"$schema": draft, "$defs": {"root": schema}}))
    with pytest.raises(ContractViolation) as caught:
        schemas.validator("#/$defs/root").validate(value)
    assert str(caught.value) == sentence
    assert caught.value.keyword == keyword
