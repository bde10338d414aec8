from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.git_tree import GitError, GitTree

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


def test_the_tree_knows_what_it_has(repository: Path) -> None:
    tree = GitTree("HEAD", repository)
    assert tree.has("")
    assert tree.has("a")
    assert tree.has("a/x.json")
    assert not tree.has("nowhere")


def test_paths_are_located_in_the_repository(repository: Path, tmp_path: Path) -> None:
    tree = GitTree("HEAD", repository / "not/there/yet")
    assert tree.locate(repository) == ""
    assert tree.locate(repository / "a/../a/b") == "a/b"
    assert tree.locate(tmp_path) is None


@pytest.mark.parametrize("revision", ["v2", "", "--all", "HEAD:c.json", "a\0b", "v1^{tag}"])
def test_a_revision_that_is_not_there_is_told(repository: Path, revision: str) -> None:
    with pytest.raises(GitError) as told:
        GitTree(revision, repository)
    assert told.value.fix


def test_a_folder_without_a_repository_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitError, match="is in no git repository"):
        GitTree("HEAD", tmp_path)


def test_a_machine_without_git_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="the git command cannot be run"):
        GitTree("HEAD", tmp_path)


def test_a_file_that_a_partial_checkout_lacks_is_told(repository: Path, tmp_path: Path) -> None:
    tree = GitTree("HEAD", repository)
    for file in (repository / ".git/objects").rglob("*"):
        if file.is_file() and file.stat().st_size < 40:
            file.unlink()
    with pytest.raises(GitError, match="is not in this checkout"):
        tree.export(["a", "c.json"], tmp_path)
