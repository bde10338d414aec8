from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.codegen.generate import generate
from pi_contracts.plugins import tour

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pi_contracts.contracts.catalogue import Catalogue

GENERATE = partial(generate, types="typed-dict")


def take(make: Any = GENERATE) -> str:
    lines: list[str] = []
    tour.give_tour(make, lines.append)
    return "\n".join(lines)


def test_the_tour_tells_of_each_step_in_order() -> None:
    text = take()
    headings = [
        "1. Contracts in, typed Python out",
        "2. The fixtures of the library, judged by the generated code",
        "3. A provider and a consumer that meet through generated code alone",
        "4. The plan of a whole application, before anything starts",
        "5. The same application without the plugin that offers models",
        "6. A contract with two slips of the pen",
    ]
    places = [text.index(heading) for heading in headings]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "fact",
    [
        "11 service contracts",
        "async def select(self, model: ModelRef, ctx: rt.Context) -> None:",
        'the consumer\'s state now says "high"',
        "raised UnknownModel: no provider offers this model",
        'at /refresh/status: expected one of "idle", "refreshing", "done", "warning"',
        "[missing-provider]",
        'did you mean "integer"?',
    ],
)
def test_the_tour_shows_what_really_came_of_it(fact: str) -> None:
    assert fact in take()


def test_the_tour_leaves_nothing_behind() -> None:
    before = set(sys.modules)
    take()
    assert not [name for name in set(sys.modules) - before if "tour" in name]


def test_code_that_judges_wrongly_ends_the_tour() -> None:
    def generate_wrongly(catalogue: Catalogue) -> Mapping[str, str]:
        files = GENERATE(catalogue)
        path = "diff_review_manager.py"
        return {**files, path: files[path].replace('"type": "integer"', '"type": "string"')}

    with pytest.raises(tour.SurpriseError, match="is judged as its name says"):
        take(generate_wrongly)


def test_a_module_without_a_token_ends_the_tour() -> None:
    def generate_wrongly(catalogue: Catalogue) -> Mapping[str, str]:
        files = GENERATE(catalogue)
        return {**files, "accounts.py": '__all__ = ("X",)\nX = 1\n'}

    with pytest.raises(tour.SurpriseError, match="exports a token"):
        take(generate_wrongly)


def test_a_provider_whose_error_does_not_arrive_ends_the_tour() -> None:
    def generate_wrongly(catalogue: Catalogue) -> Mapping[str, str]:
        files = GENERATE(catalogue)
        call = "return await self._link.call(_SELECT, params, ctx)"
        assert call in files["models.py"]
        return {**files, "models.py": files["models.py"].replace(call, "return None")}

    with pytest.raises(tour.SurpriseError, match="the provider's error reaches the consumer"):
        take(generate_wrongly)
