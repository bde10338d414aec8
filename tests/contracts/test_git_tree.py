from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.git_command import GitError
from pi_contracts.contracts.git_tree import GitTree

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *arguments: str) -> None:
    identity = {
        f"GIT_{role}_{part}": "someone@example.test"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "a/b").mkdir(parents=True)
    (root / "a/x.json").write_bytes(b'{"a": 1}\r\n')
    (root / "a/b/y z.json").write_bytes(b"")
    (root / "a/readme.txt").write_text("no JSON")
    (root / "c.json").write_text("{}\n")
    (root / "a/link.json").symlink_to("x.json")
    (root / "a/away.json").symlink_to("../../secret.json")
    (root / ".gitattributes").write_text("*.json text eol=lf export-ignore\n")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=one")
    git(root, "tag", "v1")
    (root / "a/x.json").write_text("changed")
    return root


def export(tree: GitTree, folder: Path, *paths: str) -> dict[str, bytes]:
    tree.export(paths, folder)
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_json_files_come_out_as_the_commit_has_them(repository: Path, tmp_path: Path) -> None:
    found = export(GitTree("v1", repository), tmp_path / "out", "a")
    assert found == {
        "a/b/y z.json": b"",
        "a/link.json": b'{"a": 1}\n',  # stored with the line ends that its attributes say
        "a/x.json": b'{"a": 1}\n',
    }


def test_a_file_alone_and_the_whole_can_be_had(repository: Path, tmp_path: Path) -> None:
    tree = GitTree("main", repository / "a")
    assert export(tree, tmp_path / "one", "c.json") == {"c.json": b"{}\n"}
    assert set(export(tree, tmp_path / "all", "", "a")) == {
        "a/b/y z.json",
        "a/link.json",
        "a/x.json",
        "c.json",
    }


PLACES = [
    ("", ""),
    ("a", "a"),
    ("a/x.json", "a/x.json"),
    ("a/link.json", "a/x.json"),
    ("folder", "a"),
    ("folder/b/y z.json", "a/b/y z.json"),
    ("a/top/c.json", "c.json"),
    ("a/top", ""),
    ("a/away.json", None),
    ("nowhere", None),
    ("a/x.json/below", None),
    ("round", None),
    ("loose", None),
    ("root", None),
    ("chain", "a"),
]


@pytest.mark.parametrize(("path", "place"), PLACES)
def test_a_path_leads_where_the_links_of_the_commit_lead(
    repository: Path, path: str, place: str | None
) -> None:
    links = {"folder": "a", "a/top": "..", "round": "round", "loose": "gone", "root": "/etc"}
    for name, target in {**links, "chain": "folder"}.items():
        (repository / name).symlink_to(target)
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message=links")
    (repository / "folder").unlink()
    assert GitTree("HEAD", repository).find(path) == place


def test_links_lead_to_files_outside_of_what_is_asked_for(repository: Path, tmp_path: Path) -> None:
    (repository / "a/outer.json").symlink_to("../c.json")
    (repository / "a/folder.json").symlink_to("b")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message=links")
    tree = GitTree("HEAD", repository)
    assert tree.export(["a"], tmp_path / "out") == ("a/away.json", "a/folder.json")
    assert (tmp_path / "out/a/outer.json").read_bytes() == b"{}\n"


@pytest.fixture
def submodule(repository: Path, tmp_path: Path) -> Path:
    part = tmp_path / "part"
    part.mkdir()
    git(part, "init", "--quiet", "--initial-branch=main")
    (part / "d.json").write_text("{}")
    git(part, "add", "--all")
    git(part, "commit", "--quiet", "--message=part")
    allowed = ("-c", "protocol.file.allow=always")
    git(repository, *allowed, "submodule", "--quiet", "add", str(part), "a/part")
    git(repository, "commit", "--quiet", "--message=submodule")
    return repository / "a/part"


def test_a_submodule_is_left_out_and_one_that_is_meant_is_told(
    submodule: Path, repository: Path, tmp_path: Path
) -> None:
    tree = GitTree("HEAD", repository)
    assert tree.export(["a"], tmp_path / "out") == ("a/away.json", "a/part")
    assert not (tmp_path / "out/a/part").exists()
    for path in ("a/part", "a/part/d.json"):
        with pytest.raises(GitError, match="a/part is a submodule") as told:
            tree.find(path)
        revision, _, place = told.value.fix.rpartition("git:")[2].partition(":")
        assert place == path
        assert GitTree(revision, submodule).find("d.json") == "d.json"


def test_where_two_branches_have_parted_is_a_revision(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "feature/x")
    git(repository, "commit", "--quiet", "--all", "--message=two")
    git(repository, "checkout", "--quiet", "main")
    (repository / "a/late.json").write_text("{}")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message=three")
    for revision in ("feature/x...", "...feature/x", "main...feature/x", "feature/x...main"):
        assert GitTree(revision, repository).find("a/late.json") is None
    assert GitTree("main...", repository).find("a/late.json")


REFUSED = [
    ("main...nowhere", 'git knows no revision "nowhere"'),
    ("main..HEAD", '"main..HEAD" is a range, and a side is one revision'),
    ("main...other", '"main" and "other" have no commit in common here'),
]


@pytest.mark.parametrize(("revision", "message"), REFUSED)
def test_a_range_and_branches_that_share_nothing_are_told(
    repository: Path, revision: str, message: str
) -> None:
    git(repository, "checkout", "--quiet", "--orphan", "other")
    git(repository, "commit", "--quiet", "--all", "--message=other")
    with pytest.raises(GitError, match=message) as told:
        GitTree(revision, repository)
    assert told.value.fix


def test_paths_are_located_in_the_repository(repository: Path, tmp_path: Path) -> None:
    tree = GitTree("HEAD", repository / "not/there/yet")
    assert tree.locate(repository) == ""
    assert tree.locate(repository / "a/../a/b") == "a/b"
    assert tree.locate(tmp_path) is None
    # a link out of the repository is in it by its name, one into it by what it leads to
    (repository / "out").symlink_to(tmp_path)
    (tmp_path / "into").symlink_to(repository / "a")
    assert tree.locate(repository / "out") == "out"
    assert tree.locate(tmp_path / "into/x.json") == "a/x.json"


@pytest.mark.parametrize("revision", ["v2", "", "--all", "HEAD:c.json", "a\0b", "v1^{tag}"])
def test_a_revision_that_is_not_there_is_told(repository: Path, revision: str) -> None:
    with pytest.raises(GitError) as told:
        GitTree(revision, repository)
    assert told.value.fix


def test_a_file_that_a_partial_checkout_lacks_is_told(repository: Path, tmp_path: Path) -> None:
    tree = GitTree("HEAD", repository)
    for file in (repository / ".git/objects").rglob("*"):
        if file.is_file() and file.stat().st_size < 40:
            file.unlink()
    with pytest.raises(GitError, match="is not in this checkout"):
        tree.export(["a", "c.json"], tmp_path)
