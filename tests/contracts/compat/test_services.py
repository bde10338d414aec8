from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from compat_services import write
from pi_contracts.contracts.compat.compare import compare
from pi_contracts.contracts.compat.services import make_fingerprint
from pi_contracts.contracts.compat.verdicts import Direction

if TYPE_CHECKING:
    from pathlib import Path

    from pi_contracts.contracts.compat.services import ServiceReport

OLD, NEW = Direction
YES, NO = "compatible", "breaking"
TEXT, NUMBER = {"type": "string"}, {"type": "number"}

BASE: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {
        "id": "lamp",
        "mode": "keyed",
        "key": TEXT,
        "scopes": ["session", "server"],
        "version": 3,
    },
    "members": {
        "on": {
            "kind": "method",
            "params": {"level": NUMBER},
            "result": NUMBER,
            "errors": ["broken"],
        },
        "off": {"kind": "method"},
        "open": {"kind": "method", "returns": "job"},
        "level": {"kind": "state", "value": {"$ref": "#/$defs/Level"}},
        "dimmed": {
            "kind": "events",
            "payload": {
                "type": "object",
                "properties": {"type": {"enum": ["up", "down"]}, "by": NUMBER},
                "required": ["type", "by"],
            },
            "discriminator": "type",
        },
    },
    "errors": {"broken": {"description": "No light.", "data": TEXT}},
    "$defs": {"Level": {"type": "integer", "minimum": 0}},
}
JOBS = [
    {
        "$schema": "urn:pi-contracts:dialect:1",
        "service": {"id": name, "mode": "reference"},
        "members": {"done": {"kind": "state", "value": value}},
    }
    for name, value in (("job", NUMBER), ("narrow-job", {"type": "integer"}), ("same-job", NUMBER))
]
ABSENT = object()

ROWS: list[tuple[str, str, Any, str, str]] = [
    ("nothing changed", "/description", "Light.", YES, YES),
    (
        "mode changed",
        "/service",
        {"id": "lamp", "mode": "singleton", "scopes": ["session", "server"]},
        NO,
        NO,
    ),
    ("keys narrowed", "/service/key", {**TEXT, "maxLength": 9}, NO, YES),
    ("keys no longer described", "/service/key", ABSENT, YES, YES),
    ("scopes narrowed", "/service/scopes", ["session"], NO, YES),
    ("scopes widened", "/service/scopes", ["session", "server", "tui"], YES, NO),
    ("scopes changed", "/service/scopes", ["tui"], NO, NO),
    ("scopes opened", "/service/scopes", ABSENT, YES, NO),
    ("member removed", "/members/off", ABSENT, NO, YES),
    ("member added", "/members/blink", {"kind": "method"}, YES, NO),
    ("kind changed", "/members/off", {"kind": "state", "value": TEXT}, NO, NO),
    (
        "optional parameter added",
        "/members/on",
        {
            **BASE["members"]["on"],
            "params": {"level": NUMBER, "fade": NUMBER},
            "optional": ["fade"],
        },
        YES,
        NO,
    ),
    ("required parameter added", "/members/on/params", {"level": NUMBER, "fade": NUMBER}, NO, NO),
    ("parameter removed", "/members/on/params", {}, NO, NO),
    ("parameters in another order and the same", "/members/on/params", {"level": NUMBER}, YES, YES),
    ("result added", "/members/off/result", TEXT, YES, NO),
    ("result removed", "/members/on/result", ABSENT, NO, YES),
    ("result widened", "/members/on/result", {}, NO, YES),
    (
        "result became a reference",
        "/members/on",
        {"kind": "method", "params": {"level": NUMBER}, "returns": "job", "errors": ["broken"]},
        NO,
        NO,
    ),
    ("reference to the same", "/members/open/returns", "same-job", YES, YES),
    ("reference to another", "/members/open/returns", "narrow-job", YES, NO),
    ("reference became nothing", "/members/open", {"kind": "method"}, NO, YES),
    ("error code added", "/members/off/errors", ["broken"], YES, YES),
    ("error code removed", "/members/on/errors", [], YES, YES),
    ("error data widened", "/errors/broken/data", {}, NO, YES),
    ("error data removed", "/errors/broken/data", ABSENT, NO, YES),
    (
        "error data added to a new code",
        "/errors/other",
        {"description": "Other.", "data": TEXT},
        YES,
        YES,
    ),
    ("discriminator changed", "/members/dimmed/discriminator", "by", NO, NO),
    ("discriminator removed", "/members/dimmed/discriminator", ABSENT, NO, NO),
    (
        "event tag added",
        "/members/dimmed/payload/properties/type/enum",
        ["up", "down", "off"],
        NO,
        YES,
    ),
    ("definition of a state narrowed", "/$defs/Level/minimum", 1, YES, NO),
]


def change(base: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(base)
    *above, last = pointer.split("/")[1:]
    place = changed
    for token in above:
        place = place[token]
    if value is ABSENT:
        del place[last]
    else:
        place[last] = value
    return changed


def report(folder: Path, old: dict[str, Any], new: dict[str, Any]) -> ServiceReport:
    readings = [write(folder / name, [one, *JOBS]) for name, one in (("old", old), ("new", new))]
    assert [
        finding for reading in readings for finding in reading.findings if reading.is_sound is False
    ] == []
    (service,) = (one for one in compare(*readings).services if one.service == "lamp")
    return service


@pytest.mark.parametrize(
    ("pointer", "value", "old", "new"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_every_change_of_a_service_has_its_verdicts(
    tmp_path: Path, pointer: str, value: Any, old: str, new: str
) -> None:
    service = report(tmp_path, BASE, change(BASE, pointer, value))
    verdicts = {
        one: kind.replace("breaking-undeclared", NO) for one, kind in service.verdicts.items()
    }
    assert verdicts == {OLD: old, NEW: new}


def test_error_codes_are_told_to_those_who_cannot_name_them(tmp_path: Path) -> None:
    silent = change(BASE, "/members/on/errors", [])
    added = report(tmp_path, silent, change(BASE, "/members/on/errors", ["broken"]))
    assert [(one.rule, one.direction, one.is_warning) for one in added.changes] == [
        ("error-added", OLD, True)
    ]
    assert added.changes[0].text == 'the error "broken" of the member "on" is new'
    removed = report(tmp_path, BASE, silent)
    assert [(one.rule, one.direction, one.is_warning) for one in removed.changes] == [
        ("error-removed", NEW, True)
    ]
    assert 'the error "broken" of the member "on" is gone' in removed.changes[0].text


def test_a_code_that_another_method_lists_can_be_named_by_both_generations(tmp_path: Path) -> None:
    both = change(BASE, "/members/off/errors", ["broken"])
    moved = change(both, "/members/on/errors", [])
    for old, new in ((BASE, both), (both, BASE), (BASE, moved)):
        assert report(tmp_path, old, new).changes == []


def test_a_member_has_the_verdicts_of_its_own_changes(tmp_path: Path) -> None:
    service = report(tmp_path, BASE, change(BASE, "/members/on/result", {}))
    assert service.get_member_verdicts("on") == {OLD: NO, NEW: YES}
    assert service.get_member_verdicts("off") == {OLD: YES, NEW: YES}
    assert service.flows["on.params"].verdicts == {OLD: YES, NEW: YES}


def test_a_version_is_needed_where_old_consumers_break_and_it_was_not_raised(
    tmp_path: Path,
) -> None:
    broken = change(BASE, "/members/off", ABSENT)
    assert report(tmp_path / "a", BASE, broken).needs_version
    assert not report(tmp_path / "b", BASE, change(broken, "/service/version", 4)).needs_version
    assert report(tmp_path / "c", BASE, change(broken, "/service/version", 2)).needs_version
    added = change(BASE, "/members/blink", {"kind": "method"})
    assert not report(tmp_path / "d", BASE, added).needs_version


def test_a_fingerprint_survives_unrelated_edits_and_no_others(tmp_path: Path) -> None:
    def fingerprint(folder: str, old: dict[str, Any], new: dict[str, Any]) -> str:
        service = report(tmp_path / folder, old, new)
        (one,) = (
            one for one in service.changes if one.flow == "on.result" and one.direction is OLD
        )
        return make_fingerprint("lamp", one)

    broken = change(BASE, "/members/on/result", {})
    first = fingerprint("a", BASE, broken)
    assert first == fingerprint("b", BASE, change(broken, "/members/off", ABSENT))
    assert first == fingerprint("c", BASE, change(broken, "/$defs/Level/minimum", 1))
    assert first != fingerprint("d", BASE, change(broken, "/members/on/result", {"minimum": 1}))


def test_services_that_return_each_other_are_compared(tmp_path: Path) -> None:
    def make(name: str, other: str, value: Any) -> dict[str, Any]:
        return {
            "$schema": "urn:pi-contracts:dialect:1",
            "service": {"id": name, "mode": "reference"},
            "members": {
                "next": {"kind": "method", "returns": other},
                "value": {"kind": "state", "value": value},
            },
        }

    old = write(tmp_path / "old", [make("a", "b", TEXT), make("b", "a", TEXT)])
    new = write(
        tmp_path / "new", [make("a", "c", TEXT), make("c", "a", TEXT), make("b", "c", NUMBER)]
    )
    verdicts = {one.service: one.verdicts for one in compare(old, new).services}
    assert verdicts["a"] == {OLD: YES, NEW: YES}
    assert verdicts["b"] == {OLD: NO, NEW: NO}
    assert verdicts["c"] == {OLD: YES, NEW: NO}


def test_a_reference_to_what_is_not_there_breaks(tmp_path: Path) -> None:
    old = write(tmp_path / "old", [BASE, *JOBS])
    new = write(tmp_path / "new", [change(BASE, "/members/open/returns", "job-of-others"), *JOBS])
    (lamp,) = (one for one in compare(old, new).services if one.service == "lamp")
    assert lamp.verdicts == {OLD: NO, NEW: NO}
