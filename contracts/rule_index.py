"""What each rule means, in one sentence; the rules of a plan say it themselves."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ambiguous-ref": "A reference may mean two places.",
        "changed-file": "A generated file is not what the contracts give now.",
        "compat-breaking": "A change breaks consumers or providers of the other generation.",
        "compat-moved": "A contract has moved to another file, and its service is the same.",
        "compat-undecided": "Whether a change breaks was neither proved nor refuted.",
        "compat-undeclared": "A change breaks by members that no contract names.",
        "compat-unnamed-error": "An error code is known to one generation alone.",
        "duplicate-anchor": "Two schemas of one resource have the same anchor.",
        "duplicate-id": "Two documents, schemas or services have the same identifier.",
        "duplicate-key": "A key stands twice in one object of a JSON text.",
        "extra-file": "A file in the generated package belongs to no contract.",
        "fixture-accepted": "A fixture that must be refused is accepted by its schema.",
        "fixture-refused": "A fixture that must be accepted is refused by its schema.",
        "hand-edited": "A file that gen would write holds somebody's work.",
        "impossible-schema": "A ring of references makes a schema that no value fits.",
        "invalid-configuration": "The settings hold something that is not understood.",
        "invalid-json": "A file is no JSON.",
        "invalid-keyword": "A keyword has a value that it does not take.",
        "invalid-manifest": "A manifest is not what its schema says.",
        "invalid-report": "A facet report is not what its schema says.",
        "lone-surrogate": "A string of a JSON text holds half of a surrogate pair.",
        "missing-file": "A file that the contracts give has not been generated.",
        "name-collision": "Two names of a contract become one name in Python.",
        "no-members": "A contract has no members.",
        "nothing-found": "A path leads to no contract and no schema.",
        "too-deep": "Arrays and objects of a JSON text nest too deeply.",
        "too-large": "A file is larger than what is read.",
        "uncompilable-schema": "The validator does not take a schema.",
        "unknown-keyword": "A keyword is not known where it stands.",
        "unknown-type": "A schema names a type that JSON does not have.",
        "unmatched-fixture": "A fixture belongs to no contract and no schema.",
        "unreadable-file": "A file cannot be read.",
        "unresolved-ref": "A reference leads nowhere.",
        "unused-acceptance": "An acceptance accepts nothing, or nothing any more.",
        "unwritable-output": "An output could not be written.",
        "version-not-raised": "A service breaks old consumers under its old version.",
    }
)
