from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.contracts.findings import Finding, Severity
from pi_contracts.contracts.read import MAX_SCHEMA_DEPTH, Reading, read
from pi_contracts.contracts.source import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[dict[str, Any]], Path]
    ReadFiles = Callable[[dict[str, Any]], Reading]

ROOT = Path(__file__).resolve().parents[2]
WIRE = (ROOT / ".." / "shared" / "data" / "wire-catalog").resolve()
CONTRACT: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "models", "mode": "singleton"},
    "members": {"refresh": {"kind": "method"}},
}
# Of each mistake: the file, and the rule, line, column, pointer and a part of the message.
MISTAKES: dict[str, tuple[str | bytes, tuple[str, int, int, str, str]]] = {
    "malformed JSON": ('{\n "type": \n}', ("invalid-json", 3, 1, "", "expected a value")),
    "a key twice": ('{"a": 1,\n "a": 2}', ("duplicate-key", 2, 2, "/a", '"a" stands twice')),
    "an unknown keyword": (
        '{"items": {\n  "propertes": {}}}',
        ("unknown-keyword", 2, 3, "/items/propertes", 'did you mean "properties"?'),
    ),
    "a reference to nothing": (
        '{"$defs": {"Model": {}},\n "$ref": "#/$defs/Modle"}',
        ("unresolved-ref", 2, 10, "/$ref", 'did you mean "Model"?'),
    ),
    "a reference to no file": (
        '{\n "$ref": "nowhere.json"}',
        ("unresolved-ref", 2, 10, "/$ref", "no file given"),
    ),
    "an identifier twice": (
        '{"$defs": {"a": {"$id": "x"},\n "b": {"$id": "x"}}}',
        ("duplicate-id", 2, 15, "/$defs/b/$id", 'the identifier "x" is taken'),
    ),
    "an anchor twice": (
        '{"$defs": {"a": {"$anchor": "x"},\n "b": {"$dynamicAnchor": "x"}}}',
        ("duplicate-anchor", 2, 26, "/$defs/b/$dynamicAnchor", 'the anchor "x" is taken'),
    ),
    "a type with a typo": (
        '{\n "type": "strnig"}',
        ("unknown-type", 2, 10, "/type", 'did you mean "string"?'),
    ),
    "a lone surrogate": (
        '{"properties": {\n"\\ud800": {}}}',
        ("lone-surrogate", 2, 1, "/properties/\\ud800", "U+D800"),
    ),
    "a ring": (
        '{"$defs": {\n"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}}',
        ("impossible-schema", 2, 6, "/$defs/a", "#/$defs/a -> #/$defs/b -> #/$defs/b/allOf/0"),
    ),
    "a value of the wrong kind": (
        '{\n"minLength": "3"}',
        ("invalid-keyword", 2, 14, "/minLength", "a whole number from 0, found a string"),
    ),
    "another draft": (
        '{"$schema": "http://json-schema.org/draft-03/schema#"}',
        ("invalid-keyword", 1, 13, "/$schema", "draft-03"),
    ),
    "no schema": ("[]", ("invalid-keyword", 1, 1, "", "holds no schema")),
    "bytes that are no text": (b'{"a": "\xff"}', ("invalid-json", 1, 8, "", "not UTF-8")),
    "too many levels": (
        '{"not":' * 10_000 + "{}" + "}" * 10_000,
        ("too-deep", 1, 1681, "", f"{MAX_SCHEMA_DEPTH} levels"),
    ),
    "too many bytes": (" " * 20_000_000, ("too-large", 1, 1, "", "20000000 bytes")),
}


def tell(reading: Reading) -> list[tuple[str, str | None]]:
    return [(finding.rule, finding.path) for finding in reading.findings]


def place(finding: Finding) -> tuple[str, int | None, int | None, str | None]:
    return finding.rule, finding.line, finding.column, finding.pointer


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_once_with_its_place(name: str, read_files: ReadFiles) -> None:
    text, (rule, line, column, pointer, message) = MISTAKES[name]
    (finding,) = read_files({"a.schema.json": text}).findings
    assert place(finding) == (rule, line, column, pointer)
    assert finding.path == "a.schema.json"
    assert message in finding.message


def test_the_mistakes_of_all_files_are_told_in_one_run(read_files: ReadFiles) -> None:
    files = {f"{index:02}.schema.json": text for index, (text, _) in enumerate(MISTAKES.values())}
    findings = read_files(files).findings
    assert [place(one) for one in findings] == [told[:4] for _, told in MISTAKES.values()]
    assert [one.path for one in findings] == list(files)


def test_several_mistakes_of_one_file_are_told_in_the_order_of_the_text(
    read_files: ReadFiles,
) -> None:
    text = '{"type": "strnig",\n"minimum": "x",\n"$ref": "#/a",\n"allOf": [],\n"tpye": 1}'
    reading = read_files({"a.schema.json": text})
    assert [(f.rule, f.line) for f in reading.findings] == [
        ("unknown-type", 1),
        ("invalid-keyword", 2),
        ("unresolved-ref", 3),
        ("invalid-keyword", 4),
        ("unknown-keyword", 5),
    ]
    assert not reading.is_sound


CONSEQUENCES = {
    "by path": {"a.schema.json": "{", "b.schema.json": {"$ref": "a.schema.json"}},
    "by identifier": {
        "a.schema.json": '{"$id": "http://x/a", "type": }',
        "b.schema.json": {"$ref": "http://x/a#/$defs/X"},
    },
    "by path below an identifier": {
        "a.schema.json": "{",
        "b.schema.json": {"$id": "http://x/b", "$ref": "a.schema.json"},
    },
    "of a draft that is not served": {
        "a.schema.json": {"$schema": "urn:x", "$id": "http://x/a"},
        "b.schema.json": {"$ref": "http://x/a"},
    },
    "to a meta-schema that did not parse": {
        "a.schema.json": '{"$id": "http://x/meta",}',
        "b.schema.json": {"$schema": "http://x/meta"},
        "c.schema.json": {"$ref": "b.schema.json"},
    },
    "to a service whose contract is broken": {
        "a.contract.json": {**CONTRACT, "service": {"id": "job"}},
        "b.contract.json": {
            **CONTRACT,
            "members": {"start": {"kind": "method", "returns": "job"}},
        },
    },
    "to a service whose file did not parse": {
        "a.contract.json": "{",
        "b.contract.json": {
            **CONTRACT,
            "members": {"start": {"kind": "method", "returns": "job"}},
        },
    },
    "to an identifier that stands twice": {
        "a.schema.json": {"$defs": {"b": {"$id": "x", "$defs": {"c": {"$anchor": "d"}}}}},
        "b.schema.json": {
            "$id": "x",
            "$defs": {"c": {"$anchor": "d"}},
            "properties": {"a": {"$ref": "x"}, "b": {"$ref": "x#d"}},
        },
    },
}


@pytest.mark.parametrize("name", CONSEQUENCES)
def test_a_reference_into_a_file_that_was_not_read_is_no_finding(
    name: str, read_files: ReadFiles
) -> None:
    assert len(read_files(CONSEQUENCES[name]).findings) == 1


def test_paths_that_lead_nowhere_are_told_and_nothing_that_follows(
    write: Write, tmp_path: Path
) -> None:
    write({"b.schema.json": {"$ref": "a.schema.json"}})
    (tmp_path / "link").symlink_to("nowhere")
    paths = [tmp_path / name for name in ("a.schema.json", "link", "x" * 300, "b.schema.json")]
    reading = read(paths, base=tmp_path)
    assert tell(reading) == [
        ("unreadable-file", "a.schema.json"),
        ("unreadable-file", "link"),
        ("unreadable-file", "x" * 300),
    ]
    assert "a link that leads nowhere" in reading.findings[1].message


def test_what_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert tell(read([tmp_path / "pipe"], base=tmp_path)) == [("unreadable-file", "pipe")]


def test_a_folder_without_documents_is_a_warning(tmp_path: Path) -> None:
    reading = read([tmp_path], base=tmp_path)
    assert [(f.rule, f.severity) for f in reading.findings] == [("nothing-found", Severity.WARNING)]
    assert reading.is_sound


def test_files_that_cannot_be_read_are_told(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write({"a.schema.json": {}, "b.schema.json": {"$ref": "a.schema.json"}})
    original = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "a.schema.json":
            raise PermissionError(13, "Permission denied", str(path))
        return original(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    (finding,) = read([folder], base=folder).findings
    assert finding.rule == "unreadable-file"
    assert finding.message == "the file cannot be read: Permission denied"


def test_folders_that_cannot_be_listed_are_told(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write({"b.schema.json": {"$ref": "secret/a.schema.json"}, "secret/a.schema.json": {}})
    original = os.scandir

    def refuse(path: str) -> Any:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return original(path)

    monkeypatch.setattr(os, "scandir", refuse)
    reading = read([folder], base=folder)
    assert tell(reading) == [("unreadable-file", "secret")]


def test_files_of_more_than_the_bound_are_never_read(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write({})
    with (folder / "a.schema.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    monkeypatch.delattr(Path, "read_bytes")
    assert tell(read([folder], base=folder)) == [("too-large", "a.schema.json")]


def test_names_that_are_no_text_are_shown_escaped(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.schema.json")
    (tmp_path / name).write_text("{", "utf-8")
    assert tell(read([tmp_path], base=tmp_path)) == [("invalid-json", "\\udcff.schema.json")]


MAPPED = [
    ("http://x/", "http://x/sub/a.json", True),
    ("http://x", "http://x/sub/a.json", True),
    ("http://x", "http://x/sub/a.json?v=1#/$defs/b", True),
    ("http://x/su", "http://x/sub/a.json", False),
    ("http://x/", "http://x/sub/%61.json", True),
    ("http://x/", "http://x/../a.json", False),
    ("http://x/sub/", "http://x/sub/%2e%2e/secret.json", False),
    ("http://x/", "http://x/missing.json", False),
    ("http://x/", "http://x/" + "y" * 300, False),
    ("http://y/", "http://x/sub/a.json", False),
    ("urn:x:", "urn:x:sub/a.json", True),
]


@pytest.mark.parametrize(("prefix", "reference", "is_found"), MAPPED)
def test_references_below_a_mapped_prefix_are_looked_up_in_its_folder(
    write: Write,
    prefix: str,
    reference: str,
    is_found: bool,  # noqa: FBT001 # a column of the table
) -> None:
    folder = write(
        {
            "here/m.schema.json": {"$ref": reference},
            "there/sub/a.json": {"$defs": {"b": {}}},
            "there/secret.json": {},
        }
    )
    root = folder / "there" / ("sub" if prefix.endswith("/sub/") else "")
    reading = read([folder / "here"], mapped={prefix: root}, base=folder)
    assert reading.is_sound is is_found
    assert len(reading.catalogue.documents) == 1 + is_found


def test_the_longest_of_several_prefixes_wins(write: Write) -> None:
    files = {"m.json": {"$ref": "http://x/a/b.json"}, "one/a/b.json": {}, "two/b.json": {}}
    folder = write(files)
    mapped = {"http://x/": folder / "one", "http://x/a/": folder / "two"}
    reading = read([folder / "m.json"], mapped=mapped, base=folder)
    (target,) = [reference.target for reference in reading.catalogue.get_references()]
    assert target is not None
    assert reading.catalogue.get_path(target) == "two/b.json"


def test_mapped_files_may_refer_on_and_may_be_given_too(write: Write) -> None:
    folder = write(
        {
            "m.schema.json": {"allOf": [{"$ref": "http://x/a.json"}, {"$ref": "http://x/c.json"}]},
            "a.json": {"$ref": "b.json"},
            "b.json": {"$ref": "http://x/m.schema.json#/$defs/z"},
            "c.json": {"$id": "http://other/c", "$ref": "d.json"},
            "d.json": True,
        }
    )
    reading = read([folder / "m.schema.json"], mapped={"http://x/": folder}, base=folder)
    assert [f.message for f in reading.findings] == [
        '"http://x/m.schema.json#/$defs/z" leads nowhere: m.schema.json has no "$defs"',
        '"d.json" leads nowhere: no file given has this name or identifier',
    ]


def test_mapped_files_are_read_once_and_their_mistakes_told_once(write: Write) -> None:
    folder = write(
        {
            "m.schema.json": {"anyOf": [{"$ref": "http://x/a"}, {"$ref": "http://y/a"}]},
            "bad/a": "{",
            "n.schema.json": {"anyOf": [{"$ref": "http://x/l"}, {"$ref": "http://y/l"}]},
            "bad/l": [],
        }
    )
    mapped = {"http://x/": folder / "bad", "http://y/": folder / "bad"}
    reading = read([folder], mapped=mapped, base=folder)
    assert tell(reading) == [("invalid-json", "bad/a"), ("invalid-keyword", "bad/l")]


def test_mapped_files_never_take_the_path_of_another_document(write: Write) -> None:
    folder = write(
        {
            "here/a.schema.json": {"$ref": "http://x/a.schema.json"},
            "there/a.schema.json": {"$ref": "http://y/a.schema.json"},
            "more/there/a.schema.json": {},
        }
    )
    mapped = {"http://x/": folder / "there", "http://y/": folder / "more" / "there"}
    reading = read([folder / "here"], mapped=mapped, base=folder)
    assert [document.path for document in reading.catalogue.documents.values()] == [
        "a.schema.json",
        "more/there/a.schema.json",
        "there/a.schema.json",
    ]


def test_a_meta_schema_may_be_given_or_mapped(write: Write) -> None:
    vocabulary = {"https://json-schema.org/draft/2020-12/vocab/core": True}
    folder = write(
        {
            "a.schema.json": {"$schema": "http://x/meta.json", "minLength": "void"},
            "b.schema.json": {"$schema": "http://x/meta.json"},
            "c.schema.json": {"$schema": "http://x/broken.json"},
            "maps/meta.json": {"$vocabulary": vocabulary},
            "maps/broken.json": "{",
        }
    )
    reading = read([folder], mapped={"http://x/": folder / "maps"}, base=folder)
    assert tell(reading) == [
        ("invalid-keyword", "c.schema.json"),
        ("invalid-json", "maps/broken.json"),
    ]


@pytest.mark.parametrize(
    "uri",
    [
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2020-12/meta/core",
    ],
)
def test_the_schemas_of_json_schema_itself_are_there(uri: str, read_files: ReadFiles) -> None:
    reading = read_files({"a.schema.json": {"anyOf": [{"$ref": uri}, {"$ref": uri + "?"}]}})
    assert [finding.pointer for finding in reading.findings] == ["/anyOf/1/$ref"]


def test_a_schema_of_json_schema_is_one_document_in_any_spelling(read_files: ReadFiles) -> None:
    uri = "//json-schema.org/draft-07/schema"
    value = {"anyOf": [{"$ref": f"http:{uri}#"}, {"$ref": f"https:{uri}"}]}
    reading = read_files({"a.schema.json": value})
    first, second = list(reading.catalogue.get_references())[:2]
    assert first.target == second.target
    assert reading.is_sound


def test_a_schema_of_json_schema_that_does_not_exist_is_not_found(read_files: ReadFiles) -> None:
    reading = read_files({"a.schema.json": {"$ref": "https://json-schema.org/draft/2077/schema"}})
    assert tell(reading) == [("unresolved-ref", "a.schema.json")]


def test_contracts_are_read_into_their_model(read_files: ReadFiles) -> None:
    reading = read_files({"models.contract.json": CONTRACT, "common.schema.json": {}})
    assert reading.findings == ()
    assert [one.service_id for one in reading.catalogue.contracts.values()] == ["models"]


def test_healthy_input_loads_no_authoring_library() -> None:
    program = (
        "import sys; from pathlib import Path; from pi_contracts.contracts.read import read;"
        "assert not read([Path('contracts/library')]).findings;"
        "print(*{'jsonschema', 'referencing', 'jsonschema_specifications'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == "\n"


@pytest.mark.skipif(not WIRE.is_dir(), reason="the shared wire catalogue is not beside us")
def test_real_documents_are_sound() -> None:
    reading = read([WIRE], base=WIRE)
    assert reading.findings == ()
    assert len(reading.catalogue.documents) == 11
