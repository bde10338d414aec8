"""A set of files is replaced as a whole, wherever something fails."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.codegen.staging import (
    OutputError,
    is_leftover,
    remove_empty_folders,
    remove_leftovers,
    replace_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable

JOURNAL = ("lock", b"journal")
BEFORE = {
    "a": b"old a",
    "b": b"old b",
    "sub/c": b"old c",
    "lock": b"old lock",
    "file": b"in the way",
}
WRITES = {"a": b"new a", "sub/d": b"new d", "new/deep/e": b"new e", "file/f": b"f", "lock": b"new"}
AFTER = {
    "a": b"new a",
    "file/f": b"f",
    "lock": b"new",
    "new/deep/e": b"new e",
    "sub/d": b"new d",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "out"
    for path, data in BEFORE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


def look(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def replace_all(root: Path) -> None:
    replace_files(root, WRITES, ["b", "sub/c"], aside=["file"], journal=JOURNAL)


def test_files_are_written_and_deleted_and_nothing_else_is_left(root: Path) -> None:
    replace_all(root)
    assert look(root) == AFTER


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    replace_files(tmp_path / "x" / "y", {"a": b"a"}, [], journal=("lock", b"l"))
    assert look(tmp_path) == {"x/y/a": b"a", "x/y/lock": b"l"}


def test_the_mode_of_a_file_stays(root: Path) -> None:
    (root / "a").chmod(0o444)
    replace_all(root)
    assert (root / "a").stat().st_mode & 0o777 == 0o444


def test_a_link_is_replaced_and_what_it_leads_to_stays(root: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (root / "a").unlink()
    (root / "a").symlink_to(tmp_path / "theirs")
    replace_all(root)
    assert look(root) == AFTER
    assert not (root / "a").is_symlink()
    assert (tmp_path / "theirs").read_bytes() == b"theirs"


STEPS: list[tuple[Any, str, int]] = [
    (os, "open", 6),
    (os, "fsync", 6),
    (os, "link", 0),
    (Path, "mkdir", 3),
    (Path, "replace", 9),
    (Path, "chmod", 3),
]


def fail_at(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, count: int, error: BaseException
) -> Callable[[], int]:
    """Let one call of a function fail, the one with that number; return how to count calls."""
    original = getattr(owner, name)
    calls = 0

    def step(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == count:
            raise error
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, step)
    return lambda: calls


@pytest.mark.parametrize(("owner", "name", "steps"), STEPS, ids=[name for _, name, _ in STEPS])
def test_whichever_step_fails_everything_is_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, steps: int
) -> None:
    count, failed = 0, 0
    while True:
        count += 1
        with monkeypatch.context() as patch:
            calls = fail_at(patch, owner, name, count, OSError(28, "No space left", "x"))
            message = try_to_replace(root)
        if not message:
            break
        failed += 1
        assert message == "cannot write 'x': No space left; nothing was changed"
        assert look(root) == BEFORE
        assert not (root / "new").exists()
    assert look(root) == AFTER
    # A link that cannot be made is a copy.
    assert failed == steps
    assert calls() >= failed


def try_to_replace(root: Path) -> str:
    try:
        replace_all(root)
    except OutputError as error:
        return str(error)
    return ""


def test_an_interrupt_undoes_everything_and_goes_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, Path, "replace", 4, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        replace_all(root)
    assert look(root) == BEFORE


def test_what_cannot_be_restored_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Path.replace
    calls = 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise OSError(5, "Input/output error", str(self))
        return original(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OutputError, match=r"Input/output error; and not restored after it: '.*'"):
        replace_all(root)


def test_before_the_first_rename_the_journal_is_in_place(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bytes, bool]] = []
    original = Path.replace

    def replace(self: Path, target: Path) -> Path:
        result = original(self, target)
        seen.append(((root / "lock").read_bytes(), (root / "a").read_bytes() == b"new a"))
        return result

    monkeypatch.setattr(Path, "replace", replace)
    replace_files(root, {"a": b"new a", "lock": b"new"}, ["b"], journal=JOURNAL)
    assert seen == [(b"journal", False), (b"journal", True), (b"journal", True), (b"new", True)]


def test_a_file_that_goes_leaves_before_one_comes_that_may_be_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    original = Path.replace

    def replace(self: Path, target: Path) -> Path:
        order.extend(one.name for one in (self, Path(target)) if one.name in {"a", "A", "b"})
        return original(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    replace_files(root, {"A": b"new"}, ["a", "b"], journal=JOURNAL)
    assert order == ["a", "A", "b"]


def test_where_links_do_not_exist_a_copy_serves(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    replace_all(root)
    assert look(root) == AFTER


def test_an_old_file_that_will_not_go_is_a_leftover_and_no_failure(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, **_: Any) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        replace_all(root)
    assert {
        path: data for path, data in look(root).items() if not is_leftover(Path(path).name)
    } == AFTER
    for folder in (root, root / "sub"):
        remove_leftovers(folder)
    assert look(root) == AFTER


def test_leftovers_of_a_folder_that_is_not_there_are_none(tmp_path: Path) -> None:
    remove_leftovers(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_folders_that_hold_nothing_any_more_go(tmp_path: Path) -> None:
    for path in ("a/b/c/__pycache__", "a/d", "e/__pycache__"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "a/b/c/__pycache__/x.pyc").write_bytes(b"")
    (tmp_path / "e/mine.txt").write_bytes(b"")
    remove_empty_folders(tmp_path, ["a/b/c", "a/d", "e", "", "gone"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e"]


def test_a_folder_that_will_not_go_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a/b").mkdir(parents=True)

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("shutil.rmtree", refuse)
    remove_empty_folders(tmp_path, ["a/b"])
    assert (tmp_path / "a/b").is_dir()
