from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.source import parse_source
from pi_contracts.plugins.shapes import find_mistakes

if TYPE_CHECKING:
    from pi_contracts.plugins.shapes import Kind

NEED = {"scope": "app", "service": "x", "mode": "keyed"}
FACET = {"entry": "x", "requires": [NEED]}


def in_manifest(facet: object) -> dict[str, Any]:
    return {"manifest": 1, "plugins": [{"id": "a", "facets": {"at": facet}}]}


def in_need(**members: object) -> dict[str, Any]:
    return in_manifest({**FACET, "requires": [{**NEED, **members}]})


@pytest.mark.parametrize(
    ("kind", "value", "pointer", "message"),
    [
        (
            "manifest",
            {"manifest": "1", "plugins": []},
            "/manifest",
            "expected version 1, a number, found a string",
        ),
        (
            "manifest",
            {"manifest": 2, "plugins": []},
            "/manifest",
            "expected version 1 of the format, found another",
        ),
        ("manifest", [], "", "expected an object, found an array"),
        ("manifest", {**in_manifest(FACET), "x": 1}, "/x", 'unknown field "x" of a manifest'),
        (
            "manifest",
            in_manifest({**FACET, "enter": 1}),
            "/plugins/0/facets/at/enter",
            'unknown field "enter" of a facet; did you mean "entry"?',
        ),
        (
            "manifest",
            in_need(Mode=1),
            "/plugins/0/facets/at/requires/0/Mode",
            'unknown field "Mode" of a declaration; did you mean "mode"?',
        ),
        (
            "manifest",
            in_need(contract={"versio": 1}),
            "/plugins/0/facets/at/requires/0/contract/versio",
            'unknown field "versio" of a contract; did you mean "version"?',
        ),
        (
            "manifest",
            in_need(at={"path": "x", "line": 1, "a/~": 1}),
            "/plugins/0/facets/at/requires/0/at/a~1~0",
            'unknown field "a/~" of a call site',
        ),
        (
            "manifest",
            in_need(at={"path": "x", "line": 0}),
            "/plugins/0/facets/at/requires/0/at/line",
            "expected a whole number of at least 1, found a smaller one",
        ),
        (
            "manifest",
            {"manifest": 1, "plugins": [{"id": "a", "name": 1}]},
            "/plugins/0/name",
            'unknown field "name" of a plugin',
        ),
        (
            "facet-report",
            {"facets": [], "\n": 1},
            "/\n",
            'unknown field "\\n" of a list of reports',
        ),
        (
            "facet-report",
            [{"pluginId": "a", "facet": "t", "x": 1}],
            "/0/x",
            'unknown field "x" of a report',
        ),
    ],
)
def test_a_mistake_names_the_part_that_it_is_in(
    kind: Kind, value: object, pointer: str, message: str
) -> None:
    mistakes = find_mistakes(parse_source(json.dumps(value), "m.json"), kind)
    (finding,) = mistakes.findings
    assert finding.pointer == pointer
    assert finding.message.partition(": ")[2] == message
    assert finding.fix
    assert finding.message.isprintable()


def test_all_mistakes_come_with_their_paths() -> None:
    source = parse_source('{"manifest": 1, "plugins": [{"id": 1, "x": 2}, 3]}', "m.json")
    assert set(find_mistakes(source, "manifest").paths) == {
        ("plugins", 0, "id"),
        ("plugins", 0, "x"),
        ("plugins", 1),
    }
