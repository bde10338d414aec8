from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.plugins.facets import Declaration, Report
from pi_contracts.plugins.manifest import Manifest, parse_manifest, read_manifest
from pi_contracts.plugins.plan import make_plan
from pi_contracts.plugins.shapes import make_validator

if TYPE_CHECKING:
    from pathlib import Path


def dump(value: object) -> bytes:
    return json.dumps(value).encode()


def make(*plugins: object) -> bytes:
    return dump({"manifest": 1, "plugins": plugins})


def read_valid(text: bytes) -> Manifest:
    manifest, faults = parse_manifest(text, "m.json")
    assert faults == ()
    assert manifest is not None
    return manifest


def test_a_manifest_keeps_plugins_facets_and_inline_reports_in_order() -> None:
    need = {"scope": "app", "service": "x", "mode": "keyed"}
    manifest = read_valid(
        make(
            {"id": "b", "version": "1.0.0", "facets": {"tui": "b:tui"}, "grants": [1]},
            {"id": "a", "facets": {"w/b": {"entry": "a:web", "requires": [need], "order": 3}}},
            {"id": "c", "facets": {"tui": {"entry": "c:tui"}}},
            {"id": "d"},
        )
    )
    assert [plugin.id for plugin in manifest.plugins] == ["b", "a", "c", "d"]
    (inline,) = manifest.iter_inline_reports()
    assert inline.report == Report("a", "w/b", [Declaration("app", "x", "keyed")], [], 3)
    assert inline.pointer == "/plugins/1/facets/w~1b"


@pytest.mark.parametrize(
    "extra", [{"grants": {"any": 1}}, {"$schema": "urn:pi-contracts:manifest:1"}, {"manifest": 1.0}]
)
def test_reserved_and_editor_fields_are_accepted(extra: dict[str, object]) -> None:
    assert read_valid(dump({"manifest": 1, "plugins": [], **extra})).plugins == ()


FAULTS = [
    (b"{", 1, 2, "invalid-json", "malformed JSON"),
    (b'{"manifest":1,"manifest":1,"plugins":[]}', 1, 15, "duplicate-key", '"manifest" stands'),
    (b"[]", 1, 1, "invalid-manifest", "at the root: expected an object, found an array"),
    (b'{"manifest":2,"plugins":[]}', 1, 13, "invalid-manifest", "expected version 1"),
    (b'{"manifest":"1","plugins":[]}', 1, 13, "invalid-manifest", "expected version 1"),
    (b'{"plugins":[]}', 1, 1, "invalid-manifest", 'the field "manifest" is missing'),
    (b'{"manifest":1}', 1, 1, "invalid-manifest", 'the field "plugins" is missing'),
    (b'{"manifest":1,"plugins":{}}', 1, 25, "invalid-manifest", "expected an array, found an obj"),
]


@pytest.mark.parametrize(("text", "line", "column", "rule", "message"), FAULTS)
def test_of_text_that_is_no_manifest_nothing_is_judged(
    text: bytes, line: int, column: int, rule: str, message: str
) -> None:
    manifest, (fault,) = parse_manifest(text, "m.json")
    assert manifest is None
    assert (fault.rule, fault.path, fault.line, fault.column) == (rule, "m.json", line, column)
    assert message in fault.message


MISTAKES = b"""{"manifest": 1, "colour": 3, "plugins": [
 {"id": "", "version": 4},
 {"id": "a", "facets": {"tui": {"entry": "a:b", "require": []},
                        "session": {"entry": "", "order": "1",
                                    "provides": [{"scope": "s", "service": "x", "mode": "one"}]},
                        "web": {"requires": []}, "cli": "a:cli"}},
 {"id": "b", "facets": {"": "x"}},
 7,
 {"id": "c", "facets": {"tui": 5}}
]}"""


def test_every_mistake_is_told_in_one_run_with_its_place() -> None:
    manifest, faults = parse_manifest(MISTAKES, "m.json")
    assert [(f.line, f.column, f.pointer, f.message.partition(": ")[2]) for f in faults] == [
        (1, 17, "/colour", 'unknown field "colour" of a manifest'),
        (2, 9, "/plugins/0/id", "expected a string of at least 1 character, found an empty one"),
        (2, 24, "/plugins/0/version", "expected a string, found a number"),
        (
            3,
            49,
            "/plugins/1/facets/tui/require",
            'unknown field "require" of a facet; did you mean "requires"?',
        ),
        (
            4,
            46,
            "/plugins/1/facets/session/entry",
            "expected a string of at least 1 character, found an empty one",
        ),
        (4, 59, "/plugins/1/facets/session/order", "expected a number, found a string"),
        (
            5,
            89,
            "/plugins/1/facets/session/provides/0/mode",
            'expected "singleton" or "keyed", found a string',
        ),
        (6, 32, "/plugins/1/facets/web", 'the field "entry" is missing'),
        (7, 25, "/plugins/2/facets/", "a facet's kind is empty"),
        (8, 2, "/plugins/3", "expected an object, found a number"),
        (9, 32, "/plugins/4/facets/tui", "expected a string or an object, found a number"),
    ]
    assert all(fault.fix for fault in faults)
    assert manifest is not None
    assert [plugin.id for plugin in manifest.plugins] == ["a", "c"]
    assert manifest.is_partial
    assert manifest.unread == {("a", "tui"), ("a", "session"), ("a", "web"), ("c", "tui")}
    assert manifest.get_pointer(1) == "/plugins/4"


def test_a_mistake_hides_what_it_may_cause() -> None:
    """A misspelled `provides` is not told as missing providers too."""
    need = {"scope": "session", "service": "x", "mode": "keyed"}
    manifest, faults = parse_manifest(
        make(
            {"id": "a", "facets": {"tui": {"entry": "a:f", "requires": [need]}}},
            {"id": "b", "facets": {"session": {"entry": "b:f", "provide": [need]}}},
        ),
        "m.json",
    )
    assert [f.rule for f in make_plan(manifest, findings=faults).findings] == ["invalid-manifest"]


def test_ids_with_control_characters_are_accepted_and_escaped_in_messages() -> None:
    manifest = read_valid(
        make({"id": "a\nb\u001b", "facets": {"tui": "x"}}, {"id": "a\nb\u001b", "facets": {}})
    )
    messages = [finding.message for finding in make_plan(manifest).findings]
    assert 'the manifest lists plugin "a\\nb\\u001b" twice' in messages[1]
    assert all(message.isprintable() for message in messages)


def test_a_manifest_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(make({"id": "a"}))
    manifest, faults = read_manifest(path)
    assert (manifest is not None, faults) == (True, ())
    nothing, (fault,) = read_manifest(tmp_path, "folder")
    assert nothing is None
    assert (fault.rule, fault.path) == ("invalid-manifest", "folder")
    assert fault.message == "the manifest cannot be read: Is a directory"


names = st.sampled_from(["", "a", "b"])
need = st.fixed_dictionaries(
    {"scope": names, "service": names, "mode": st.sampled_from(["keyed", "one"])}
)
facet = names | st.fixed_dictionaries(
    {},
    optional={
        "entry": names,
        "requires": st.lists(need, max_size=2),
        "provides": st.none(),
        "order": st.sampled_from([1, 2.5, False]),
        "grants": st.none(),
        "other": st.none(),
    },
)
plugin = st.fixed_dictionaries(
    {"id": names},
    optional={
        "version": names | st.integers(),
        "facets": st.none() | st.dictionaries(names, facet, max_size=2),
        "grants": st.integers(),
    },
)


@given(st.lists(plugin, max_size=2), st.sampled_from([1, 1.0, 2, True]))
def test_reader_and_published_schema_agree(plugins: list[Any], version: object) -> None:
    document = {"manifest": version, "plugins": plugins}
    _, faults = parse_manifest(dump(document), "m.json")
    assert (not faults) is make_validator("manifest").is_valid(document)
