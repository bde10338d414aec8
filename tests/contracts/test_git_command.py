from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.git_command import Git, GitError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tmp_path / "repository")], check=True)
    return tmp_path / "repository"


def test_a_folder_without_a_repository_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitError, match="is in no git repository"):
        Git(tmp_path)


def test_a_machine_without_git_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="the git command cannot be run"):
        Git(tmp_path)


def test_a_repository_of_another_user_is_told(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    with pytest.raises(GitError, match="belongs to another user") as told:
        Git(repository)
    assert "safe.directory" in told.value.fix


def test_a_repository_without_a_work_tree_is_told(repository: Path) -> None:
    with pytest.raises(GitError, match=r"\.git is in a git repository without a work tree"):
        Git(repository / ".git")


def test_what_a_hook_of_git_is_told_does_not_count(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "a").mkdir()
    monkeypatch.setenv("GIT_DIR", ".git")
    assert Git(repository / "a").root == repository
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert Git(tmp_path).root == tmp_path


def test_objects_are_found_by_names_that_are_no_options(repository: Path) -> None:
    git = Git(repository)
    assert git.find_object("--all") is None
    assert git.find_object("HEAD") is None
    assert git.ask("rev-parse", "--is-bare-repository") == b"false\n"
    with pytest.raises(GitError, match="holds a null character"):
        git.find_object("a\0b")
