"""The facets of the coding agent, set up in this process."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
from pathlib import Path
from typing import Any, cast

import pytest
from pi_contracts.plugins.ledger import Ledger
from pi_contracts.plugins.recording import RecordingFacet, make_context
from pi_contracts.runtime import BACKGROUND, ServiceNotImplemented

MANIFEST = Path(__file__).resolve().parents[3] / "plugins/library/coding-agent.manifest.json"
PLUGINS = json.loads(MANIFEST.read_text("utf-8"))["plugins"]
FACETS = [
    pytest.param(plugin["id"], kind, facet, id=f"{plugin['id']}:{kind}")
    for plugin in PLUGINS
    for kind, facet in plugin["facets"].items()
]


def load(entry: str) -> Any:
    module, _, attribute = entry.partition(":")
    return getattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize(("plugin", "kind", "facet"), FACETS)
def test_a_setup_declares_what_the_manifest_says(
    plugin: str, kind: str, facet: dict[str, Any]
) -> None:
    ledger = Ledger(plugin, kind)
    assert load(facet["entry"])(make_context(ledger)) is None
    for member, declared in (("requires", ledger.requires), ("provides", ledger.provides)):
        said = {(d["scope"], d["service"], d["mode"]) for d in facet[member]}
        assert {(d.scope, d.service, d.mode) for d in declared} == said
        assert len(declared) == len(said)


@pytest.mark.parametrize(("plugin", "kind", "facet"), FACETS)
def test_behaviour_that_waits_for_a_host_says_so_when_it_is_called(
    monkeypatch: pytest.MonkeyPatch, plugin: str, kind: str, facet: dict[str, Any]
) -> None:
    """CON-17."""
    provided: list[Any] = []
    provide = RecordingFacet.provide

    def keep(self: Any, service: Any, implementation: Any) -> None:
        provide(self, service, implementation)
        provided.append(implementation)

    monkeypatch.setattr(RecordingFacet, "provide", keep)
    setup = load(facet["entry"])
    setup(make_context(Ledger(plugin, kind)))
    module = importlib.import_module(setup.__module__)
    functions = [
        one
        for name, one in vars(module).items()
        if inspect.isfunction(one) and one.__module__ == module.__name__ and name != "facet"
    ]
    functions += [
        getattr(implementation, name)
        for implementation in provided
        for name, one in inspect.getmembers(
            cast("object", type(implementation)), inspect.iscoroutinefunction
        )
        if not name.startswith("_") and callable(one)
    ]
    for function in functions:
        needed = [
            p
            for p in inspect.signature(function).parameters.values()
            if p.default is inspect.Parameter.empty
        ]
        with pytest.raises(ServiceNotImplemented):
            call(function, [None] * (len(needed) - 1))


def call(function: Any, arguments: list[None]) -> None:
    result = function(*arguments, BACKGROUND)
    if inspect.isawaitable(result):
        asyncio.run(wait(result))


async def wait(result: Any) -> None:
    await result
