from __future__ import annotations

import re

from pi_contracts.contracts.rules import RULES


def test_every_rule_stands_once_and_its_function_says_what_it_yields() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    for rule in RULES:
        function = getattr(rule.find, "func", rule.find)
        assert re.match(r"Yield [^\n]+\.$", (function.__doc__ or "").splitlines()[0])
