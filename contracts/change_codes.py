"""Change codes: what the short names in brackets mean that `compat` ends its findings with."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from .drafts import ANNOTATIONS, KEYWORDS, Draft

if TYPE_CHECKING:
    from collections.abc import Mapping


class ChangeCode(NamedTuple):
    """One kind of change, as findings of compat name it."""

    code: str
    meaning: str
    """One sentence."""
    rule: str
    """The rule whose findings usually have it."""


_BREAKING: Final = "compat-breaking"
_LINES: Final[Mapping[str, str]] = {
    "compat-breaking": """
service-added: The newer generation has a service that the older one has not.
service-removed: The newer generation no longer has the service.
mode-changed: The mode of the service is another one.
scopes-narrowed: The service may no longer be provided in every scope of before.
scopes-widened: The service may be provided in scopes where it was not before.
member-added: A member of the service is new, or a member of an object.
member-removed: A member of the service is gone, or a member of an object is refused now.
kind-changed: A member of the service is of another kind.
discriminator-changed: The property that tells events apart is another one.
result-added: A method returns something, and returned nothing before.
result-removed: A method returns nothing any more.
result-changed: A method returns a value where it returned a reference, or the reverse.
reference-changed: A method returns a reference to another service.
error-data-added: An error has data, and had none before.
error-data-removed: An error has no data any more.
branch-added: The newer schema has a branch of anyOf or oneOf that the older one has not.
branch-removed: A branch of anyOf or oneOf is gone.
branches-overlap: A value fits more than one branch of oneOf, which refuses it for that.
const-changed: The constant is another one.
contained-item-added: An array must contain something that it need not contain before.
contained-item-removed: An array need no longer contain something.
dependency-added: A member needs another one beside it.
dependency-removed: A member no longer needs another one beside it.
enum-dropped: Values are no longer listed, so that any may come.
enum-introduced: Values are listed, where any was accepted before.
enum-value-added: A value is listed that was not before.
enum-value-removed: A value is no longer listed.
exclusion-added: Something is excluded by not.
exclusion-removed: Something is no longer excluded by not.
item-added: An array may have an item that it could not have before.
item-removed: An array may no longer have an item that it could have before.
limit-added: There is a limit where there was none.
limit-loosened: A limit accepts what it refused before.
limit-removed: There is no limit any more.
limit-tightened: A limit refuses what it accepted before.
multiple-loosened: Numbers need no longer be multiples of what they were.
multiple-tightened: Numbers must be multiples of more than before.
name-rule-added: The names of members must keep to a rule.
name-rule-removed: The names of members need no longer keep to a rule.
null-added: Null may come, which could not before.
null-removed: Null is no longer accepted.
object-closed: Members that are not named are no longer accepted.
object-opened: Members that are not named may come, which could not before.
required-added: A member must be there that could be left out before.
required-removed: A member may be left out that had to be there before.
type-changed: The type is another one.
type-narrowed: Whole numbers alone are accepted, where fractions were before.
type-widened: Fractions may come, where whole numbers alone could before.
uniqueness-added: Items of an array may no longer be equal.
uniqueness-removed: Items of an array may be equal.
""",
    "compat-undecided": """
not-decided: Whether the receiver takes all that the sender may send is not known.
""",
    "compat-unnamed-error": """
error-added: A method raises an error that it did not raise before.
error-removed: A method no longer raises an error.
""",
}


def hyphenate(keyword: str) -> str:
    """Return a keyword as codes spell it: ``min-items`` for ``minItems``."""
    return re.sub("[A-Z]", lambda match: f"-{match[0].lower()}", keyword)


def _list_keyword_codes() -> dict[str, ChangeCode]:
    """Return the codes of changes that are named after the keyword that refuses."""
    found: dict[str, ChangeCode] = {}
    for keyword in sorted(KEYWORDS[Draft.DRAFT202012].keys() - ANNOTATIONS):
        if keyword[0] == "$":
            continue
        for end, meaning in (
            ("added", f"The newer schema refuses by {keyword} what the older one accepts."),
            ("changed", f"The two schemas have another {keyword}."),
            ("removed", f"The older schema refuses by {keyword} what the newer one accepts."),
        ):
            code = f"{hyphenate(keyword)}-{end}"
            found[code] = ChangeCode(code, meaning, _BREAKING)
    return found


CHANGE_CODES: Final[Mapping[str, ChangeCode]] = MappingProxyType(
    {
        **_list_keyword_codes(),
        **{
            code: ChangeCode(code, meaning, rule)
            for rule, lines in _LINES.items()
            for code, meaning in (line.split(": ") for line in lines.split("\n") if line)
        },
    }
)
"""What there is to say of each code."""
