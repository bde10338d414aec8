"""Every way in which a folder can differ from what `gen` would write has its own word."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from pi_contracts.codegen.comparison import Comparison, compare, make_findings
from pi_contracts.codegen.lock import LOCK_NAME, Lock, hash_file, render_lock
from pi_contracts.codegen.staging import OutputError
from pi_contracts.contracts.findings import Severity

if TYPE_CHECKING:
    from pathlib import Path


def make_files(**texts: str) -> dict[str, str]:
    """Return files with a lock; `a__b` stands for `a/b.py`."""
    files = {f"{name.replace('__', '/')}.py": text for name, text in texts.items()}
    return {**files, LOCK_NAME: make_lock_text(files)}


def make_lock_text(files: dict[str, str], generator: str = "1") -> str:
    hashes = {path: hash_file(text.encode()) for path, text in files.items()}
    return render_lock(Lock(generator, {"types": "typed-dict"}, {}, hashes))


def put(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())


def tell(comparison: Comparison) -> list[tuple[str, str, str]]:
    return [(one.rule, one.path, one.reason) for one in comparison.differences]


def test_a_folder_that_is_not_there_lacks_everything(tmp_path: Path) -> None:
    comparison = compare(tmp_path / "out", make_files(a="x\n", b__c="y\n"))
    assert tell(comparison) == [
        ("missing-file", "a.py", "is missing"),
        ("missing-file", "b/c.py", "is missing"),
    ]
    assert {one.fix for one in comparison.missing} == {"run: pi-contracts gen"}


def test_a_folder_that_is_up_to_date_has_no_difference(tmp_path: Path) -> None:
    files = make_files(a="x\n", b__c="y\n")
    put(tmp_path, files)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("mine")
    assert tell(compare(tmp_path, files)) == []


def test_a_generated_file_that_is_outdated_is_changed(tmp_path: Path) -> None:
    put(tmp_path, make_files(a="one\ntwo\nthree\n"))
    (difference,) = compare(tmp_path, make_files(a="one\n2\nthree\n")).differences
    assert (difference.rule, difference.reason) == ("changed-file", "is out of date")
    assert difference.line == 2
    assert difference.diff == (
        "--- a.py\n+++ a.py (generated)\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    )


def test_a_file_that_was_edited_is_hand_edited(tmp_path: Path) -> None:
    files = make_files(a="x\n")
    put(tmp_path, files)
    (tmp_path / "a.py").write_bytes(b"mine\x1b[31m")
    (difference,) = compare(tmp_path, files).edited
    assert difference.reason == "was edited since it was generated"
    assert "--force" in difference.fix
    assert "-mine\\u001b[31m (no line end)" in difference.diff


def test_a_file_that_the_lock_does_not_list_is_somebodys_work(tmp_path: Path) -> None:
    put(tmp_path, {"a.py": "mine\n"})
    (difference,) = compare(tmp_path, make_files(a="x\n")).edited
    assert difference.reason == "is not known to be generated (the lock does not list it)"


def test_a_file_that_holds_what_it_should_is_right_whoever_wrote_it(tmp_path: Path) -> None:
    put(tmp_path, {"a.py": "x\n"})
    assert tell(compare(tmp_path, make_files(a="x\n"))) == [
        ("missing-file", LOCK_NAME, "is missing")
    ]


def test_a_generated_file_that_is_no_longer_generated_is_extra(tmp_path: Path) -> None:
    put(tmp_path, make_files(a="x\n", b="y\n", c="z\n"))
    (tmp_path / "b.py").write_text("mine")
    (tmp_path / "c.py").unlink()
    put(tmp_path, {"d/__init__.py": "", "d/e.py": "", "f.pyi": "", "g/h.py": ""})
    comparison = compare(tmp_path, make_files(a="x\n"))
    assert tell(comparison) == [
        (
            "hand-edited",
            "b.py",
            "was generated from what is no longer there, and was edited since",
        ),
        ("extra-file", "d/__init__.py", "is in the generated package, and gen has not written it"),
        ("extra-file", "d/e.py", "is in the generated package, and gen has not written it"),
        ("extra-file", "f.pyi", "is in the generated package, and gen has not written it"),
    ]
    assert [one.path for one in comparison.unlisted] == ["d/__init__.py", "d/e.py", "f.pyi"]


def test_a_stale_file_is_extra_and_will_be_deleted(tmp_path: Path) -> None:
    put(tmp_path, make_files(a="x\n", b="y\n"))
    comparison = compare(tmp_path, make_files(a="x\n"))
    assert [one.path for one in comparison.stale] == ["b.py"]
    assert tell(comparison) == [
        ("extra-file", "b.py", "was generated from what is no longer there")
    ]


def test_line_ends_of_a_checkout_are_no_difference(tmp_path: Path) -> None:
    files = make_files(a="x\ny\n")
    put(tmp_path, {path: text.replace("\n", "\r\n") for path, text in files.items()})
    comparison = compare(tmp_path, files)
    assert tell(comparison) == []
    assert comparison.respelled == ("a.py",)


def test_the_version_of_the_generator_does_not_count(tmp_path: Path) -> None:
    files = make_files(a="x\n")
    put(tmp_path, {**files, LOCK_NAME: make_lock_text({"a.py": "x\n"}, generator="2")})
    assert tell(compare(tmp_path, files)) == []


def test_a_lock_that_differs_in_anything_else_is_changed(tmp_path: Path) -> None:
    files = make_files(a="x\n")
    put(tmp_path, files)
    value = json.loads(files[LOCK_NAME])
    other = json.dumps({**value, "options": {"types": "pydantic"}}, indent=2) + "\n"
    (difference,) = compare(tmp_path, {**files, LOCK_NAME: other}).changed
    assert (difference.path, difference.line) == (LOCK_NAME, 5)
    assert '+    "types": "pydantic"' in difference.diff


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"<<<<<<< HEAD\n", "it is not JSON"), (b"\xff", "it is not UTF-8")],
)
def test_a_lock_that_cannot_be_used_says_why(tmp_path: Path, content: bytes, problem: str) -> None:
    files = make_files(a="x\n")
    put(tmp_path, {"a.py": "x\n"})
    (tmp_path / LOCK_NAME).write_bytes(content)
    assert tell(compare(tmp_path, files)) == [
        ("hand-edited", LOCK_NAME, f"cannot be used: {problem}")
    ]
    (tmp_path / "a.py").write_text("y\n")
    assert tell(compare(tmp_path, files)) == [
        (
            "hand-edited",
            "a.py",
            f"is not known to be generated (the lock cannot be used: {problem})",
        )
    ]


def test_links_folders_and_devices_are_not_written_over(tmp_path: Path) -> None:
    root, other = tmp_path / "out", tmp_path / "other"
    put(other, {"a.py": "mine\n", "same.py": "x\n"})
    (root / "b.py").mkdir(parents=True)
    (root / "a.py").symlink_to(other / "a.py")
    (root / "c").write_text("a file")
    (root / "d").symlink_to(other)
    (root / "same.py").symlink_to(other / "same.py")
    os.mkfifo(root / "e.py")
    files = make_files(a="x\n", b="x\n", c__x="x\n", c__y="x\n", d__x="x\n", e="x\n", same="x\n")
    assert tell(compare(root, files)) == [
        ("hand-edited", "a.py", "is a symbolic link, which gen does not write through"),
        ("hand-edited", "b.py", "is a folder where a file belongs"),
        ("hand-edited", "c", "is a file where a folder belongs"),
        ("hand-edited", "d", "is a symbolic link, which gen does not write through"),
        ("hand-edited", "e.py", "is not a regular file"),
    ]


def test_what_was_generated_and_lies_behind_a_link_now_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path, make_files(a="x\n", b="y\n"))
    (tmp_path / "b.py").rename(tmp_path / "c.txt")
    (tmp_path / "b.py").symlink_to(tmp_path / "c.txt")
    assert tell(compare(tmp_path, make_files(a="x\n"))) == [
        ("changed-file", LOCK_NAME, "is out of date")
    ]


def test_a_file_in_the_place_of_the_folder_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputError, match=r"cannot write into '.*out': it is not a folder"):
        compare(tmp_path / "out", make_files(a="x\n"))


@pytest.mark.parametrize("place", ["file", "folder"])
def test_what_cannot_be_read_is_an_output_error(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = make_files(a="x\n")
    put(tmp_path, files)

    def refuse(path: object, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    if place == "file":
        monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    else:
        monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(OutputError, match=r"^cannot read '.*': Permission denied$"):
        compare(tmp_path, files)


@pytest.mark.parametrize(
    ("folder", "path"),
    [("gen", "gen/a.py"), ("gen/", "gen/a.py"), (".", "a.py"), ("", "a.py")],
)
def test_a_finding_names_the_file_and_carries_the_diff(
    tmp_path: Path, folder: str, path: str
) -> None:
    put(tmp_path, make_files(a="one\ntwo\n"))
    differences = compare(tmp_path, make_files(a="one\n2\n")).differences
    (finding,) = make_findings(differences, folder)
    assert (finding.rule, finding.severity) == ("changed-file", Severity.ERROR)
    assert finding.message == f"'{path}' is out of date"
    assert (finding.path, finding.line, finding.subject.document) == (path, 2, path)
    assert finding.fix == "run: pi-contracts gen"
    assert [one.message.splitlines()[-2:] for one in finding.related] == [["-two", "+2"]]


def test_a_finding_about_a_missing_file_has_no_diff(tmp_path: Path) -> None:
    differences = compare(tmp_path, make_files(a="x\n")).differences
    (finding,) = make_findings(differences, "gen", severity=Severity.WARNING)
    assert (finding.severity, finding.related, finding.line) == (Severity.WARNING, (), None)
