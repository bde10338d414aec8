"""Lint rules of contracts: one function each, listed in one tuple."""

from __future__ import annotations

from typing import Final

from pi_contracts.contracts.findings import Severity

from .bounds import find_unbounded_arrays, find_unbounded_maps, find_unbounded_strings
from .declarations import (
    find_dead_ends,
    find_missing_descriptions,
    find_unused_definitions,
    find_unused_errors,
)
from .examples import find_missing_fixtures
from .lint import Rule
from .naming import find_mangled_names, find_mixed_names
from .objects import find_nullable_optionals, find_open_objects
from .unions import find_untold_unions, find_wrong_discriminators

__all__ = ("RULES",)

RULES: Final = (
    Rule("open-object", Severity.WARNING, find_open_objects),
    Rule("nullable-optional", Severity.WARNING, find_nullable_optionals),
    Rule("missing-description", Severity.WARNING, find_missing_descriptions),
    Rule("unused-error", Severity.WARNING, find_unused_errors),
    Rule("unused-definition", Severity.WARNING, find_unused_definitions),
    Rule("missing-discriminator", Severity.WARNING, find_untold_unions),
    Rule("wrong-discriminator", Severity.WARNING, find_wrong_discriminators),
    Rule("unbounded-string", Severity.WARNING, find_unbounded_strings),
    Rule("unbounded-array", Severity.WARNING, find_unbounded_arrays),
    Rule("unbounded-map", Severity.WARNING, find_unbounded_maps),
    Rule("mixed-names", Severity.WARNING, find_mixed_names),
    Rule("mangled-name", Severity.WARNING, find_mangled_names),
    Rule("deprecated-without-use", Severity.WARNING, find_dead_ends),
    Rule("missing-fixture", Severity.WARNING, find_missing_fixtures),
)
