from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pi_contracts.codegen.layout import lay_out
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.names import digest
from pi_contracts.contracts.read import read

if TYPE_CHECKING:
    from pathlib import Path

    from pi_contracts.codegen.layout import Layout
    from pi_contracts.contracts.catalogue import Catalogue


def read_files(folder: Path, files: dict[str, object]) -> Catalogue:
    for path, value in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), encoding="utf-8")
    return read([folder]).catalogue


def name_modules(catalogue: Catalogue, layout: Layout) -> dict[str, str]:
    return {
        document.path: ".".join(layout.module_of(uri).name)
        for uri, document in catalogue.documents.items()
    }


@pytest.mark.parametrize(
    ("paths", "modules"),
    [
        (["queue-v1.schema.json"], ["queue_v1"]),
        (["sub/queue-v1.schema.json"], ["sub.queue_v1"]),
        (["My Folder/3d.schema.json"], ["my_folder.n3d"]),
        (["class.schema.json"], ["class_"]),
        (
            ["a_b.schema.json", "a-b.schema.json"],
            ["a_b", f"a_b_{digest('a-b.schema.json')}"],
        ),
        (
            ["A-B.schema.json", "a-b.schema.json"],
            [f"a_b_{digest('A-B.schema.json')}", f"a_b_{digest('a-b.schema.json')}"],
        ),
        (
            ["a/x.schema.json", "a.schema.json"],
            ["a.x", f"a_{digest('a.schema.json')}"],
        ),
        (
            ["a-b/x.schema.json", "a_b/x.schema.json"],
            [f"a_b_{digest('a-b')}.x", "a_b.x"],
        ),
    ],
    ids=str,
)
def test_a_path_names_a_module(tmp_path: Path, paths: list[str], modules: list[str]) -> None:
    catalogue = read_files(tmp_path, {path: {"type": "object"} for path in paths})
    assert name_modules(catalogue, lay_out(catalogue)) == dict(zip(paths, modules, strict=True))


def test_files_in_a_ring_share_a_private_module(tmp_path: Path) -> None:
    catalogue = read_files(
        tmp_path,
        {
            "account.schema.json": {"properties": {"card": {"$ref": "issuing/card.schema.json"}}},
            "issuing/card.schema.json": {
                "properties": {"owner": {"$ref": "../account.schema.json"}}
            },
            "plain.schema.json": {"$ref": "account.schema.json"},
        },
    )
    layout = lay_out(catalogue)
    uris = {document.path: uri for uri, document in catalogue.documents.items()}
    ring = layout.modules[-1]
    assert (ring.name, ring.private) == (("_account_ring",), True)
    assert ring.documents == (uris["account.schema.json"], uris["issuing/card.schema.json"])
    assert layout.home_of(uris["issuing/card.schema.json"]) == ring
    assert layout.module_of(uris["issuing/card.schema.json"]).name == ("issuing", "card")
    plain = uris["plain.schema.json"]
    assert layout.home_of(plain) == layout.module_of(plain)


def test_a_ring_below_a_folder_stays_there(tmp_path: Path) -> None:
    catalogue = read_files(
        tmp_path,
        {
            "sub/a.schema.json": {"properties": {"b": {"$ref": "b.schema.json"}}},
            "sub/b.schema.json": {"properties": {"a": {"$ref": "a.schema.json"}}},
        },
    )
    assert lay_out(catalogue).modules[-1].name == ("sub", "_a_ring")


def test_what_references_lead_to_is_known(tmp_path: Path) -> None:
    catalogue = read_files(
        tmp_path,
        {"a.schema.json": {"$defs": {"X": {}}, "properties": {"x": {"$ref": "#/$defs/X"}}}},
    )
    (uri,) = catalogue.documents
    layout = lay_out(catalogue)
    assert layout.targets == {Location(uri, "/$defs/X")}


def test_a_document_that_is_not_generated_has_no_home(tmp_path: Path) -> None:
    catalogue = read_files(
        tmp_path, {"a.schema.json": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}
    )
    layout = lay_out(catalogue)
    others = [uri for uri, document in catalogue.documents.items() if not document.generated]
    assert others
    assert {layout.home_of(uri) for uri in others} == {None}
