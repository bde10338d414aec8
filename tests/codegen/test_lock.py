"""The lock says what was generated, and only a lock that says it well is believed."""

from __future__ import annotations

import json
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from pi_contracts.codegen.lock import (
    InvalidLockError,
    Lock,
    get_version,
    hash_file,
    make_lock,
    parse_lock,
    render_lock,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pi_contracts.contracts.catalogue import Catalogue

HASH = "sha256:" + "0" * 64
OTHER = "sha256:" + "1" * 64
TEXT: dict[str, Any] = {
    "lock": 1,
    "generator": "1",
    "options": {"types": "typed-dict"},
    "sources": {"a.schema.json": HASH},
    "files": {"a.py": HASH},
}


def is_valid(value: object) -> bool:
    schema = files("pi_contracts.contracts").joinpath("meta/lock.schema.json").read_text("utf-8")
    return jsonschema_rs.validator_for(json.loads(schema)).is_valid(value)


def test_a_lock_names_generator_options_sources_and_files(
    read_files: Callable[[Mapping[str, Any]], Catalogue],
) -> None:
    catalogue = read_files({"b.schema.json": {}, "a.schema.json": True})
    lock = make_lock(catalogue, {"b.py": "x\n", "a.py": ""}, {"types": "pydantic"})
    assert lock.generator == get_version() == version("pi-contracts")
    assert lock.options == {"types": "pydantic"}
    assert lock.sources == {"a.schema.json": hash_file(b"true"), "b.schema.json": hash_file(b"{}")}
    assert lock.files == {"b.py": hash_file(b"x\n"), "a.py": hash_file(b"")}


def test_a_source_is_known_by_its_value_and_not_by_its_spelling(
    read_files: Callable[[Mapping[str, Any]], Catalogue],
) -> None:
    first = read_files({"a.schema.json": {"minimum": 1, "title": "é"}})
    ((path, digest),) = make_lock(first, {}, {}).sources.items()
    assert path == "a.schema.json"
    assert digest == hash_file(b'{"minimum":1,"title":"\\u00e9"}')


def test_each_file_has_a_line_and_lines_are_sorted() -> None:
    lock = Lock("1", {}, {"b": HASH, "a": HASH}, {"b.py": HASH, "a/c.py": HASH, "B.py": HASH})
    lines = render_lock(lock).splitlines()
    assert [line.split('"')[1] for line in lines if HASH in line] == [
        "a",
        "b",
        "B.py",
        "a/c.py",
        "b.py",
    ]


@pytest.mark.parametrize("pending", [{}, {"a.py": OTHER}])
def test_a_lock_that_is_rendered_and_parsed_is_the_same_and_fits_its_schema(
    pending: dict[str, str],
) -> None:
    lock = Lock("1", {"types": "pydantic"}, {"a.schema.json": HASH}, {"a.py": HASH}, pending)
    text = render_lock(lock)
    assert parse_lock(text) == lock
    assert is_valid(json.loads(text))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"lock": 2}, "its format is not 1, the one that this version knows"),
        ({"generator": None}, "it does not name its generator"),
        ({"options": []}, "'options' is not an object"),
        ({"sources": {"a": 1}}, "'sources' holds something that is not a text"),
        ({"files": {"a.py": "md5:0"}}, "the hash of 'a.py' is not one of sha256"),
        ({"files": {"../a.py": HASH}}, "'../a.py' is not a path below its folder"),
        ({"files": {"/etc/passwd": HASH}}, "'/etc/passwd' is not a path below its folder"),
        ({"files": {"a//b": HASH}}, "'a//b' is not a path below its folder"),
        ({"files": {"a/.": HASH}}, "'a/.' is not a path below its folder"),
        ({"files": {"C:x": HASH}}, "'C:x' is not a path below its folder"),
        ({"files": {"a\\b": HASH}}, "'a\\\\b' is not a path below its folder"),
        ({"files": {"": HASH}}, "'' is not a path below its folder"),
        ({"pending": {"..": HASH}}, "'..' is not a path below its folder"),
    ],
)
def test_a_lock_that_says_something_else_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidLockError) as caught:
        parse_lock(json.dumps({**TEXT, **change}))
    assert str(caught.value) == problem
    assert not is_valid({**TEXT, **change})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<<<<<<< HEAD\n{}", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "it is not an object"),
    ],
)
def test_what_is_no_object_is_no_lock(text: str, problem: str) -> None:
    with pytest.raises(InvalidLockError, match=problem):
        parse_lock(text)


def test_a_lock_owns_what_hashes_as_it_says_whatever_its_line_ends() -> None:
    lock = Lock("1", {}, {}, {"a.py": hash_file(b"x\n")}, {"a.py": hash_file(b"y\n")})
    assert lock.owns("a.py", b"x\r\n")
    assert lock.owns("a.py", b"y\n")
    assert not lock.owns("a.py", b"z\n")
    assert not lock.owns("b.py", b"x\n")
    assert lock.lists("a.py")
    assert not lock.lists("b.py")


def test_a_file_of_a_replacement_under_way_is_listed() -> None:
    assert Lock("1", {}, {}, {}, {"b.py": HASH}).lists("b.py")
