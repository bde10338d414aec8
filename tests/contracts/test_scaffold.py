from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pi_contracts.contracts.fixtures import check_fixtures
from pi_contracts.contracts.read import read
from pi_contracts.contracts.scaffold import (
    InvalidNameError,
    find_dialect_file,
    make_scaffold,
    say_next_steps,
)
from pi_contracts.runtime.wording import find_violation


@pytest.mark.parametrize(
    "name",
    ["todo", "todo-list", "a.b", "@pi", "x", "3d", "class", "entry", "two words", "ünï", "N" * 100],
)
def test_the_contract_and_its_fixtures_have_no_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    scaffold = make_scaffold(name)
    assert scaffold.write() == ()
    assert scaffold.contract == Path(f"{name}.contract.json")
    reading = read([scaffold.contract])
    assert reading.findings == ()
    assert check_fixtures(reading, [scaffold.contract], find_violation).findings == ()
    assert len(list(Path("fixtures").iterdir())) == len(scaffold.files) - 1


def test_it_has_one_of_each_thing() -> None:
    scaffold = make_scaffold("todo")
    contract = json.loads(scaffold.files[scaffold.contract])
    assert {member["kind"] for member in contract["members"].values()} == {"state", "method"}
    assert contract["errors"]
    assert contract["$defs"]
    verdicts = {file.name.split(".")[-2] for file in scaffold.files} - {"contract"}
    assert verdicts == {"valid", "invalid"}


@pytest.mark.parametrize(
    ("name", "contract"),
    [
        ("todo.contract.json", "todo.contract.json"),
        ("a/b/todo", "a/b/todo.contract.json"),
        ("./todo", "todo.contract.json"),
    ],
)
def test_a_folder_and_the_suffix_may_be_given(name: str, contract: str) -> None:
    assert make_scaffold(name).contract == Path(contract)


def test_an_absolute_folder_may_be_given(tmp_path: Path) -> None:
    scaffold = make_scaffold(str(tmp_path / "new" / "todo"))
    assert scaffold.write() == ()
    assert (tmp_path / "new" / "todo.contract.json").is_file()
    assert make_scaffold("/todo").contract == Path("/todo.contract.json")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "it is empty"),
        ("a/", "it is empty"),
        (".contract.json", "it is empty"),
        ("..", "it begins with"),
        (".hidden", "it begins with"),
        ("$ours", "it begins with"),
        ("end.", "it begins with . or $, or ends with . or a space"),
        ("a:b", "it holds a character"),
        ("a\nb", "it holds a character"),
        ("x\0/y", "it holds a character"),
        ("ü" * 51, "it is longer than 100 bytes"),
    ],
    ids=ascii,
)
def test_a_name_that_files_cannot_have_is_refused(name: str, problem: str) -> None:
    with pytest.raises(InvalidNameError, match=re.escape(problem)) as caught:
        make_scaffold(name)
    assert str(caught.value).isprintable()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    scaffold = make_scaffold(str(tmp_path / "todo"))
    (tmp_path / "todo.contract.json").write_text("mine")
    (finding,) = scaffold.write()
    assert finding.rule == "unwritable-output"
    assert finding.message == "the file is there already"
    assert [file.name for file in tmp_path.iterdir()] == ["todo.contract.json"]


def test_a_fixture_that_is_there_stands_in_the_way_too(tmp_path: Path) -> None:
    scaffold = make_scaffold(str(tmp_path / "todo"))
    fixture = next(file for file in scaffold.files if file.parent.name == "fixtures")
    fixture.parent.mkdir()
    fixture.symlink_to("nowhere")
    (finding,) = scaffold.write()
    assert finding.path == fixture.as_posix()
    assert not scaffold.contract.exists()


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "fixtures").write_text("a file where a folder belongs")
    (finding,) = make_scaffold(str(tmp_path / "todo")).write()
    assert finding.rule == "unwritable-output"
    assert finding.message.startswith("the file cannot be written: ")
    assert [file.name for file in tmp_path.iterdir()] == ["fixtures"]


def test_the_next_steps_name_the_files_and_the_schema_of_the_dialect() -> None:
    steps = say_next_steps(make_scaffold("contracts/todo"))
    assert "Wrote contracts/todo.contract.json and 14 fixtures in contracts/fixtures." in steps
    assert "pi-contracts gen contracts --out services" in steps
    settings = json.loads(steps[steps.index("\n{") :])
    (association,) = settings["json.schemas"]
    assert association["url"] == "urn:pi-contracts:dialect:1"
    assert association["schema"] == {"$ref": find_dialect_file().as_uri()}
    assert json.loads(find_dialect_file().read_bytes())["$id"] == association["url"]
