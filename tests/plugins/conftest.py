"""Assemblies in short: one facet a line, ``plugin:kind; requires; provides``.

Services are ``scope/id``, keyed ones with a star, and stand side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.plugins.facets import Declaration, Report, ReportFile

if TYPE_CHECKING:
    from collections.abc import Callable


def parse_facets(text: str) -> ReportFile:
    reports: list[Report] = []
    for line in filter(str.strip, text.splitlines()):
        name, requires, provides = line.split(";")
        plugin, _, kind = name.strip().rpartition(":")
        report = Report(plugin, kind, parse_services(requires), parse_services(provides))
        reports.append(report)
    return ReportFile(reports)


def parse_services(text: str) -> list[Declaration]:
    parts = (part.partition("/") for part in text.split())
    return [
        Declaration(scope, name.removesuffix("*"), "keyed" if name.endswith("*") else "singleton")
        for scope, _, name in parts
    ]


@pytest.fixture
def facets() -> Callable[[str], ReportFile]:
    """Make reports of facets written in short."""
    return parse_facets
