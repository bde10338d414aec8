"""Writing brings a folder to the generated files, and never takes somebody's work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pi_contracts.codegen.lock import LOCK_NAME, Lock, hash_file, parse_lock, render_lock
from pi_contracts.codegen.output import Written, check_paths, compare, write
from pi_contracts.codegen.staging import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping


def make_files(texts: Mapping[str, str], generator: str = "1") -> dict[str, str]:
    hashes = {path: hash_file(text.encode()) for path, text in texts.items()}
    return {**texts, LOCK_NAME: render_lock(Lock(generator, {}, {}, hashes))}


OLD = make_files({"__init__.py": "old\n", "a.py": "a\n", "b.py": "b\n", "sub/c.py": "c\n"})
NEW = make_files({"__init__.py": "new\n", "a.py": "a\n", "b.py": "B\n", "d/e.py": "e\n"})


def look(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in root.rglob("*")
        if path.is_file() or path.is_symlink()
    }


def test_a_folder_is_brought_to_the_files(tmp_path: Path) -> None:
    root = tmp_path / "not" / "there"
    assert write(root, OLD) == Written(written=tuple(sorted(OLD)))
    assert look(root) == OLD
    assert write(root, NEW) == Written(
        written=(LOCK_NAME, "__init__.py", "b.py", "d/e.py"), deleted=("sub/c.py",)
    )
    assert look(root) == NEW
    assert not (root / "sub").exists()
    assert compare(root, NEW).differences == ()


def test_what_is_up_to_date_is_not_touched(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    before = {path: path.stat().st_ino for path in tmp_path.rglob("*")}
    assert write(tmp_path, OLD) == Written()
    assert {path: path.stat().st_ino for path in tmp_path.rglob("*")} == before


def test_a_new_version_of_the_generator_writes_the_lock_alone(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    newer = make_files({path: OLD[path] for path in OLD if path != LOCK_NAME}, generator="2")
    assert compare(tmp_path, newer).differences == ()
    assert write(tmp_path, newer).written == (LOCK_NAME,)


def test_line_ends_become_those_that_are_generated(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    (tmp_path / "a.py").write_bytes(b"a\r\n")
    assert write(tmp_path, OLD).written == (LOCK_NAME, "a.py")
    assert look(tmp_path) == OLD


def test_where_somebodys_work_is_in_the_way_nothing_is_written(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    (tmp_path / "a.py").write_text("mine\n")
    (tmp_path / "sub/c.py").write_text("mine\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d/e.py").write_text("mine\n")
    before = look(tmp_path)
    written = write(tmp_path, NEW)
    assert [one.path for one in written.refused] == ["a.py", "d/e.py", "sub/c.py"]
    assert (written.written, written.deleted) == ((), ())
    assert look(tmp_path) == before


def test_force_replaces_and_deletes_exactly_what_was_in_the_way(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    (tmp_path / "a.py").write_text("mine\n")
    (tmp_path / "sub/c.py").write_text("mine\n")
    (tmp_path / "sub/own.py").write_text("mine\n")
    (tmp_path / "notes.txt").write_text("mine\n")
    written = write(tmp_path, NEW, force=True)
    assert written.refused == ()
    assert written.deleted == ("sub/c.py",)
    assert look(tmp_path) == {**NEW, "sub/own.py": "mine\n", "notes.txt": "mine\n"}


def test_a_python_file_that_nobody_generated_is_left_and_named(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("mine\n")
    assert [one.path for one in write(tmp_path, OLD).left] == ["own.py"]
    (tmp_path / "a.py").write_text("mine\n")
    assert [one.path for one in write(tmp_path, OLD).left] == ["own.py"]
    assert look(tmp_path)["own.py"] == "mine\n"


def test_force_takes_links_and_files_away_where_folders_belong(tmp_path: Path) -> None:
    root, other = tmp_path / "out", tmp_path / "other"
    other.mkdir()
    (other / "e.py").write_text("theirs\n")
    root.mkdir()
    (root / "d").symlink_to(other)
    (root / "sub").write_text("a file")
    (root / "a.py").symlink_to(other / "e.py")
    files = make_files({"a.py": "a\n", "d/e.py": "e\n", "sub/x/c.py": "c\n"})
    assert [one.path for one in write(root, files).refused] == ["a.py", "d", "sub"]
    write(root, files, force=True)
    assert look(root) == files
    assert look(other) == {"e.py": "theirs\n"}


def test_a_folder_in_the_place_of_a_file_is_never_taken_away(tmp_path: Path) -> None:
    (tmp_path / "a.py").mkdir()
    (tmp_path / "a.py" / "mine.txt").write_text("mine")
    assert [one.path for one in write(tmp_path, OLD).refused] == ["a.py"]
    with pytest.raises(OutputError, match=r"cannot write '.*a\.py': .*; nothing was changed"):
        write(tmp_path, OLD, force=True)
    assert look(tmp_path) == {"a.py/mine.txt": "mine"}


def test_a_lock_with_marks_of_a_merge_is_written_anew_if_all_else_is_right(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    (tmp_path / LOCK_NAME).write_text("<<<<<<< HEAD\n")
    assert write(tmp_path, OLD) == Written(written=(LOCK_NAME,))
    (tmp_path / LOCK_NAME).write_text("<<<<<<< HEAD\n")
    assert [one.path for one in write(tmp_path, NEW).refused] == ["__init__.py", "b.py"]


@pytest.mark.parametrize("survived", range(1, 9))
def test_the_run_after_a_crash_knows_every_file_whatever_has_changed_meanwhile(
    tmp_path: Path, survived: int
) -> None:
    write(tmp_path, OLD)
    child = os.fork()
    if not child:  # pragma: no cover - this process dies as a crash would
        original, calls = Path.replace, 0

        def replace(self: Path, target: Path) -> Path:
            nonlocal calls
            calls += 1
            if calls > survived:
                os._exit(0)
            return original(self, target)

        Path.replace = replace  # type: ignore[method-assign,assignment]
        write(tmp_path, NEW)
        os._exit(0)
    os.waitpid(child, 0)
    third = make_files({"__init__.py": "third\n", "a.py": "A\n", "b.py": "3\n", "d/e.py": "3\n"})
    assert write(tmp_path, third).refused == ()
    assert look(tmp_path) == third
    assert parse_lock(third[LOCK_NAME]).pending == {}


def test_what_a_crash_has_left_is_removed(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    (tmp_path / "sub/.pi-contracts-1-1.tmp").write_text("")
    (tmp_path / ".pi-contracts-1-2.tmp").write_text("")
    write(tmp_path, OLD)
    assert look(tmp_path) == OLD


def test_a_folder_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="not a folder"):
        write(tmp_path / "file", OLD)
    with pytest.raises(OutputError, match=r"cannot write '.*'"):
        write(tmp_path / "file" / "below", OLD)


@pytest.mark.parametrize(
    ("one", "other"), [("a.py", "A.py"), ("é.py", "e\u0301.py"), ("ß/a", "SS/a")]
)
def test_paths_that_one_file_system_takes_for_one_are_refused(one: str, other: str) -> None:
    check_paths([one, "b.py"])
    with pytest.raises(ValueError, match="are one file where case does not count"):
        check_paths([one, other])
