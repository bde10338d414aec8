from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.documents import Document, find_inputs, get_role, get_stem
from pi_contracts.contracts.drafts import Dialect, Draft
from pi_contracts.contracts.source import parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = [
    "a/x.schema.json",
    "a/sub/y.contract.json",
    "a/fixtures/x.valid.schema.json",
    "a/.hidden/z.schema.json",
    "a/plain.json",
    "b/x.schema.json",
    "b/a/x.schema.json",
    "b/z.schema.json",
]
# Of each list of paths, the file and the path that its module is named by.
MEANT: list[tuple[list[str], dict[str, str]]] = [
    ([], {}),
    (["nowhere"], {}),
    (["a"], {"a/sub/y.contract.json": "sub/y.contract.json", "a/x.schema.json": "x.schema.json"}),
    (["a/plain.json"], {"a/plain.json": "plain.json"}),
    (
        ["a/plain.json", "b/z.schema.json"],
        {"a/plain.json": "a/plain.json", "b/z.schema.json": "b/z.schema.json"},
    ),
    (
        ["a/sub", "a"],
        {"a/sub/y.contract.json": "sub/y.contract.json", "a/x.schema.json": "x.schema.json"},
    ),
    (
        ["a/x.schema.json", "a/sub"],
        {
            "a/x.schema.json": "x.schema.json",
            "a/sub/y.contract.json": "y.contract.json",
        },
    ),
    (
        ["a", "b"],
        {
            "a/sub/y.contract.json": "sub/y.contract.json",
            "a/x.schema.json": "a/x.schema.json",
            "b/a/x.schema.json": "b/a/x.schema.json",
            "b/x.schema.json": "b/x.schema.json",
            "b/z.schema.json": "z.schema.json",
        },
    ),
]


@pytest.mark.parametrize(("paths", "meant"), MEANT, ids=lambda one: ",".join(one)[:30])
def test_paths_mean_files_each_once_and_named_apart(
    write: Callable[[dict[str, Any]], Path], paths: list[str], meant: dict[str, str]
) -> None:
    folder = write(dict.fromkeys(FILES, ""))
    expected = sorted((path, folder / file) for file, path in meant.items())
    for order in (paths, paths[::-1], paths * 2):
        found = find_inputs([folder / path for path in order])
        assert [(one.path, one.file) for one in found] == expected


def test_a_link_is_named_as_the_user_names_it(write: Callable[[dict[str, Any]], Path]) -> None:
    folder = write({"real/x.schema.json": ""})
    (folder / "links").mkdir()
    (folder / "links" / "y.schema.json").symlink_to("../real/x.schema.json")
    (folder / "links" / "ring").symlink_to(".")
    assert [one.path for one in find_inputs([folder / "links"])] == ["y.schema.json"]


def test_relative_paths_begin_at_the_working_directory(
    write: Callable[[dict[str, Any]], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write({"x.schema.json": ""})
    monkeypatch.chdir(folder)
    (one,) = find_inputs([Path()])
    assert one.file == folder / "x.schema.json"


def test_folders_that_cannot_be_listed_are_told_of(
    write: Callable[[dict[str, Any]], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> Any:
        raise PermissionError(13, "Permission denied", path)

    folder = write({"x.schema.json": ""})
    monkeypatch.setattr(os, "scandir", refuse)
    told: list[OSError] = []
    assert find_inputs([folder], told.append) == ()
    assert [problem.filename for problem in told] == [str(folder)]


STEMS = [
    ("a/models.contract.json", "models"),
    ("queue-v1.schema.json", "queue-v1"),
    ("plain.json", "plain"),
    (".schema.json", ".schema"),
    (".json", ".json"),
    ("text", "text"),
]
ROLES: list[tuple[str, Any, bool, str]] = [
    ("x.contract.json", {}, False, "contract"),
    ("x.schema.json", {"service": {}}, False, "schema"),
    ("x.json", {"service": {}}, True, "contract"),
    ("x.json", {"members": {}}, True, "contract"),
    ("x.json", {"$defs": {}}, True, "schema"),
    ("x.json", True, True, "schema"),
]


@pytest.mark.parametrize(("path", "stem"), STEMS)
def test_the_stem_is_the_name_without_what_says_what_it_is(path: str, stem: str) -> None:
    assert get_stem(path) == stem


@pytest.mark.parametrize(("path", "value", "in_dialect", "role"), ROLES)
def test_a_contract_is_told_by_its_name_or_by_what_it_says(
    path: str,
    value: object,
    in_dialect: bool,  # noqa: FBT001 # a column of the table
    role: str,
) -> None:
    assert get_role(path, value, in_dialect=in_dialect) == role


def test_the_value_of_a_document_is_that_of_its_source() -> None:
    source = parse_source('{"a": 1}', "x")
    document = Document("u", "u", "x", source, Dialect(Draft.DRAFT202012), "schema")
    assert document.value == {"a": 1}
