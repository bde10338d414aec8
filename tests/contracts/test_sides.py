from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pi_contracts.contracts.sides import InvalidSideError, Side, parse_sides, read_side

C = Path("contracts")


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("old", "new", Side((Path("old"),)), Side((Path("new"),))),
        ("old", None, Side((Path("old"),)), Side((C,))),
        ("git:v1", None, Side((C,), "v1", is_implied=True), Side((C,))),
        ("git:v1", "new", Side((Path("new"),), "v1", is_implied=True), Side((Path("new"),))),
        ("git:v1:a/b", "new", Side((Path("a/b"),), "v1"), Side((Path("new"),))),
        ("git:v1", "git:v2:a", Side((Path("a"),), "v1", is_implied=True), Side((Path("a"),), "v2")),
        (
            "git:v1",
            "git:v2",
            Side((C,), "v1", is_implied=True),
            Side((C,), "v2", is_implied=True),
        ),
        (
            "git:v1:a",
            "git:v2",
            Side((Path("a"),), "v1"),
            Side((C,), "v2", is_implied=True),
        ),
        (
            "git:HEAD@{10:00}:a:b",
            "c",
            Side((Path("a:b"),), "HEAD@{10:00}"),
            Side((Path("c"),)),
        ),
        ("git:a/b~3:", None, Side((C,), "a/b~3", is_implied=True), Side((C,))),
    ],
    ids=str,
)
def test_what_one_side_leaves_out_the_other_or_the_settings_say(
    old: str, new: str | None, before: Side, after: Side
) -> None:
    assert parse_sides(old, new, [C]) == (before, after)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("old", None, "name NEW, or set contracts"),
        ("git:v1", None, "name NEW, or set contracts"),
        ("git:v1", "git:v2", "name the path of NEW, as git:REF:PATH, or set contracts"),
    ],
)
def test_a_side_that_nothing_names_is_refused(old: str, new: str | None, message: str) -> None:
    with pytest.raises(InvalidSideError, match=message):
        parse_sides(old, new, [])


def test_without_settings_a_path_of_one_side_is_that_of_the_other() -> None:
    one, other = Side((Path("a"),)), Side((Path("a"),), "v2", is_implied=True)
    assert parse_sides("a", "git:v2", []) == (one, other)
    assert parse_sides("git:v1:a", "git:v2", []) == (one._replace(revision="v1"), other)


@pytest.mark.parametrize("text", ["git:", "git::contracts"])
def test_a_revision_has_a_name(text: str) -> None:
    with pytest.raises(InvalidSideError, match="names no revision"):
        parse_sides(text, None, [C])


@pytest.mark.parametrize(
    ("side", "name"),
    [
        (Side((Path("a"), Path("b"))), "a b"),
        (Side((Path("a"),), "v1"), "git:v1:a"),
        (Side((Path("a"),), "v1", is_implied=True), "git:v1"),
    ],
    ids=str,
)
def test_a_side_is_named_as_it_was_written(side: Side, name: str) -> None:
    assert side.name == name


def git(*arguments: str) -> None:
    identity = {
        f"GIT_{role}_{part}": "someone@example.test"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], env=environment, check=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet", "--initial-branch=main")
    return tmp_path


def write(name: str, value: Any) -> None:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value))


def commit() -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message=one")


def test_a_revision_is_read_with_what_its_files_refer_to_by_prefix(repository: Path) -> None:
    write("contracts/a.schema.json", {"$ref": "https://x.test/b.schema.json"})
    write("vendor/b.schema.json", {"type": "string"})
    commit()
    write("vendor/b.schema.json", {"type": "strin"})
    reading = read_side(Side((C,), "HEAD"), {"https://x.test/": repository / "vendor"})
    assert reading.findings == ()
    paths = [one.source.path for one in reading.catalogue.documents.values()]
    assert paths == ["git:HEAD:contracts/a.schema.json", "git:HEAD:vendor/b.schema.json"]


def test_a_prefix_that_leads_out_of_the_repository_is_read_where_it_is(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    del repository
    vendor = tmp_path_factory.mktemp("vendor")
    (vendor / "b.schema.json").write_text('{"type": "string"}')
    write("contracts/a.schema.json", {"$ref": "https://x.test/b.schema.json"})
    commit()
    reading = read_side(Side((C,), "HEAD"), {"https://x.test/": vendor})
    assert reading.findings == ()
    first, second = (one.source.path for one in reading.catalogue.documents.values())
    assert first == "git:HEAD:contracts/a.schema.json"
    assert second.endswith("/b.schema.json")
    assert not second.startswith("git:")


def test_findings_in_a_revision_name_it(repository: Path) -> None:
    del repository
    write("contracts/a.schema.json", {"$id": "x:a", "type": "strin"})
    write("contracts/b.schema.json", {"$id": "x:a"})
    commit()
    findings = read_side(Side((C,), "HEAD")).findings
    assert {one.path for one in findings} == {
        "git:HEAD:contracts/a.schema.json",
        "git:HEAD:contracts/b.schema.json",
    }


@pytest.mark.parametrize(
    ("side", "message"),
    [
        (Side((C,), "v9"), 'git knows no revision "v9"'),
        (Side((Path("nowhere"),), "HEAD"), 'the revision "HEAD" has no nowhere'),
        (Side((Path(),), "a\nb"), 'git knows no revision "a\\nb"'),
    ],
    ids=["revision", "path", "line end"],
)
def test_what_is_not_there_is_told(repository: Path, side: Side, message: str) -> None:
    del repository
    write("contracts/a.schema.json", {})
    commit()
    reading = read_side(side)
    (finding,) = reading.findings
    assert (finding.rule, finding.message) == ("unreadable-file", message)
    assert finding.fix
    assert not reading.is_sound


def test_a_path_that_only_the_other_side_has_named_may_be_missing(repository: Path) -> None:
    del repository
    write("readme.json", {})
    commit()
    reading = read_side(Side((C,), "HEAD", is_implied=True))
    assert (reading.findings, dict(reading.catalogue.documents)) == ((), {})


def test_a_folder_of_a_revision_without_json_has_nothing(repository: Path) -> None:
    del repository
    C.mkdir()
    (C / "readme.txt").write_text("soon")
    commit()
    reading = read_side(Side((C,), "HEAD"))
    assert (reading.findings, dict(reading.catalogue.documents)) == ((), {})


def test_a_side_without_a_revision_is_read_as_it_is(repository: Path) -> None:
    del repository
    write("contracts/a.schema.json", {})
    reading = read_side(Side((C,)))
    assert [one.source.path for one in reading.catalogue.documents.values()] == [
        "contracts/a.schema.json"
    ]


def test_what_a_revision_cannot_give_is_a_warning(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    write("contracts/a.schema.json", {})
    (C / "b.schema.json").symlink_to(outside / "b.schema.json")
    (C / "notes.json").symlink_to(outside / "notes.json")
    git("init", "--quiet", str(outside))
    git("-C", str(outside), "commit", "--quiet", "--allow-empty", "--message=one")
    git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(outside),
        "contracts/p",
    )
    commit()
    findings = read_side(Side((C,), "HEAD")).findings
    assert [(one.rule, one.severity, one.path) for one in findings] == [
        ("unreadable-file", "warning", "git:HEAD:contracts/b.schema.json"),
        ("unreadable-file", "warning", "git:HEAD:contracts/p"),
    ]
    (finding,) = read_side(Side((C / "p",), "HEAD")).findings
    assert (finding.severity, finding.message) == (
        "error",
        "contracts/p is a submodule, whose files are in another repository",
    )
    digest = finding.fix.split(":")[2] if finding.fix else ""
    assert read_side(Side((C / "p",), digest)).is_sound
    del repository


def test_a_repository_is_that_of_the_path_where_none_is_here(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write("contracts/a.schema.json", {})
    commit()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    assert len(read_side(Side((repository / C,), "HEAD")).catalogue.documents) == 1
    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message=one")
    assert len(read_side(Side((repository / C,), "HEAD")).catalogue.documents) == 1
