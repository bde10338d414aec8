"""The index of rules: one page for each, with examples that are tests.

A page is Markdown: the rule, one sentence, which commands report it and how much it
weighs, why it is a rule, and a bad and a good example.
"""

from __future__ import annotations

import functools
import re
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from .change_codes import CHANGE_CODES
from .findings import quote, to_document
from .json_values import find_nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FOLDER: Final = "explanations"
_REPORTED: Final = re.compile(r"^Reported by (.+) as an? (\w+)(; off by default)?\.$", re.MULTILINE)


class Page(NamedTuple):
    """What there is to say of one rule."""

    rule: str
    summary: str
    """One sentence."""
    commands: tuple[str, ...]
    """Those that report it."""
    severity: str
    """What it weighs when nothing is configured; parts of it may weigh less."""
    is_on: bool
    text: str
    """The whole page, in Markdown."""


@functools.cache
def list_pages() -> Mapping[str, Page]:
    """Return the page of each rule, by its id, in alphabetical order."""
    folder = resources.files("pi_contracts.contracts") / _FOLDER
    pages = [parse_page(file.read_text("utf-8")) for file in folder.iterdir()]
    return MappingProxyType({page.rule: page for page in sorted(pages)})


def parse_page(text: str) -> Page:
    """Return what a page says.

    Raises:
        ValueError: It does not say who reports the rule.
    """
    title, _, rest = text.partition("\n\n")
    reported = _REPORTED.search(text)
    if reported is None:
        raise ValueError(f"{title}: the page does not say who reports the rule")
    return Page(
        rule=title.removeprefix("# "),
        summary=rest.partition("\n")[0],
        commands=tuple(re.findall("`([a-z]+)`", reported[1])),
        severity=reported[2],
        is_on=reported[3] is None,
        text=text,
    )


class UnknownRuleError(ValueError):
    """There is neither a rule nor a code of a change with this name."""

    def __init__(self, name: str) -> None:
        near = find_near(name)
        hint = f"did you mean {quote(near)}?" if near else "pi-contracts explain lists them"
        super().__init__(f"there is no rule {quote(name)}; {hint}")


def render(name: str | None, style: str) -> str:
    """Return what is to be said of a rule or of the code of a change; of all if none is named.

    Raises:
        UnknownRuleError: There is no such rule, nor a code.
    """
    pages = list_pages()
    code = None if name in pages else CHANGE_CODES.get(name or "")
    if name is None:
        return render_pages(pages.values()) if style == "json" else render_list()
    if name not in pages and code is None:
        raise UnknownRuleError(name)
    page = pages[code.rule if code else name]
    if code is not None:
        said = f"`{code.code}` is a code of findings of `compat`: {code.meaning}\n\n"
        page = page._replace(text=said + page.text)
    return render_pages([page]) if style == "json" else page.text


def describe_rules() -> dict[str, str]:
    """Return one sentence for each rule, by its id."""
    return {rule: page.summary for rule, page in list_pages().items()}


def find_near(rule: str) -> str | None:
    """Return the rule, or the code of a change, that was probably meant."""
    return find_nearest(rule, list_pages()) or find_nearest(rule, CHANGE_CODES)


def render_pages(pages: Iterable[Page]) -> str:
    """Return pages as the report of a command in JSON."""
    rules = [{**page._asdict(), "on": page.is_on} for page in pages]
    for rule in rules:
        del rule["is_on"]
    document = to_document("explain", (), {"rules": rules})
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def render_list() -> str:
    """Return all rules with their sentences, by the commands that report them."""
    pages = list_pages().values()
    width = max(len(page.rule) for page in pages)
    weight = max(len(_weigh(page)) for page in pages)
    parts: list[str] = []
    for command in dict.fromkeys(page.commands for page in sorted(pages, key=_rank)):
        lines = [
            f"  {page.rule:<{width}}  {_weigh(page):<{weight}}  {page.summary}"
            for page in pages
            if page.commands == command
        ]
        parts.append("\n".join([", ".join(command), *lines]))
    return "\n\n".join(parts) + "\n"


def render_table() -> str:
    """Return all rules as tables in Markdown, with links to their pages."""
    pages = list_pages().values()
    parts: list[str] = []
    for commands in dict.fromkeys(page.commands for page in sorted(pages, key=_rank)):
        rows = [
            f"| [{page.rule}](../contracts/{_FOLDER}/{page.rule}.md) | {_weigh(page)} "
            f"| {page.summary} |"
            for page in pages
            if page.commands == commands
        ]
        named = ", ".join(f"`{command}`" for command in commands)
        parts.append("\n".join([f"## {named}", "", "| rule | weight | |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _weigh(page: Page) -> str:
    return page.severity if page.is_on else f"{page.severity}, off"


_COMMANDS: Final = ("check", "gen", "compat", "plan", "new")


def _rank(page: Page) -> tuple[int, int, str]:
    """Order groups: what most commands report first."""
    return -len(page.commands), _COMMANDS.index(page.commands[0]), page.rule
