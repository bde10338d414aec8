from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.read import Reading

    ReadFiles = Callable[[dict[str, Any]], Reading]

D4 = "http://json-schema.org/draft-04/schema#"


def contract(service: str, *, mode: str = "singleton", returns: str | None = None) -> Any:
    member = {"kind": "method", **({"returns": returns} if returns else {})}
    return {
        "$schema": "urn:pi-contracts:dialect:1",
        "service": {"id": service, "mode": mode},
        "members": {"start": member},
    }


# Of each set of files: the rule, path, pointer and message of the one finding.
DISAGREEMENTS: dict[str, tuple[dict[str, Any], tuple[str, str, str, str]]] = {
    "one identifier for two files": (
        {"a.json": {"$id": "http://x/y"}, "b.json": {"$id": "http://x/y"}},
        ("duplicate-id", "b.json", "/$id", 'the identifier "http://x/y" is taken: a.json has it'),
    ),
    "an identifier of draft 4": (
        {"a.json": {"$schema": D4, "definitions": {"b": {"id": "x"}, "c": {"id": "x"}}}},
        (
            "duplicate-id",
            "a.json",
            "/definitions/c/id",
            'the identifier "x" is taken: a.json#/definitions/b has it',
        ),
    ),
    "an empty identifier": (
        {"a.json": {"$defs": {"b": {"$id": ""}}, "$id": "http://x/y"}},
        ("duplicate-id", "a.json", "/$defs/b/$id", 'the identifier "" is taken: a.json has it'),
    ),
    "one anchor for two schemas": (
        {"a.json": {"$defs": {"b": {"$anchor": "x"}, "c": {"$anchor": "x"}}}},
        (
            "duplicate-anchor",
            "a.json",
            "/$defs/c/$anchor",
            'the anchor "x" is taken: a.json#/$defs/b has it',
        ),
    ),
    "an anchor of draft 4": (
        {"a.json": {"$schema": D4, "definitions": {"b": {"id": "#x"}, "c": {"id": "#x"}}}},
        (
            "duplicate-anchor",
            "a.json",
            "/definitions/c/id",
            'the anchor "x" is taken: a.json#/definitions/b has it',
        ),
    ),
    "an identifier and a path": (
        {
            "a.json": {"$id": "http://x/a", "properties": {"p": {"$ref": "b.json"}}},
            "b.json": {},
            "c.json": {"$id": "http://x/b.json"},
        },
        (
            "ambiguous-ref",
            "a.json",
            "/properties/p/$ref",
            '"b.json" may mean two things: the identifier leads to c.json, the path to b.json',
        ),
    ),
    "an identifier that is another file's path": (
        {"a.json": {"$id": "b.json"}, "b.json": {}, "c.json": {"$ref": "b.json"}},
        (
            "ambiguous-ref",
            "c.json",
            "/$ref",
            '"b.json" may mean two things: the identifier leads to a.json, the path to b.json',
        ),
    ),
    "one service in two contracts": (
        {"a.contract.json": contract("s"), "b.contract.json": contract("s")},
        (
            "duplicate-id",
            "b.contract.json",
            "/service/id",
            'the service id "s" is taken: a.contract.json has it',
        ),
    ),
    "a service that nobody has": (
        {"a.contract.json": contract("job-list", returns="job-lits")},
        (
            "unresolved-ref",
            "a.contract.json",
            "/members/start/returns",
            (
                '"returns" names the service "job-lits", and no contract given has this id;'
                ' did you mean "job-list"?'
            ),
        ),
    ),
    "a service that is not returned": (
        {"a.contract.json": contract("s", returns="s")},
        (
            "unresolved-ref",
            "a.contract.json",
            "/members/start/returns",
            (
                '"returns" names the service "s" of mode singleton;'
                " only services of mode reference are returned"
            ),
        ),
    ),
}


@pytest.mark.parametrize("name", DISAGREEMENTS)
def test_what_does_not_agree_is_told_where_it_stands(
    name: str, write: Callable[[dict[str, Any]], Any]
) -> None:
    from pi_contracts.contracts.read import read

    files, (rule, path, pointer, message) = DISAGREEMENTS[name]
    folder = write(files)
    (finding,) = read([folder / file for file in files], base=folder).findings
    assert (finding.rule, finding.path, finding.pointer) == (rule, path, pointer)
    assert finding.message == message
    assert finding.fix is not None


def test_a_service_of_mode_reference_may_be_returned(read_files: ReadFiles) -> None:
    files = {
        "a.contract.json": contract("s", returns="job"),
        "b.contract.json": contract("job", mode="reference"),
    }
    assert read_files(files).findings == ()


def test_no_message_and_no_fingerprint_depends_on_the_machine(
    read_files: ReadFiles, tmp_path: Any
) -> None:
    files = {
        "a.schema.json": {"$id": ""},
        "b.schema.json": {"$defs": {"c": {"$id": "a.schema.json"}}},
    }
    findings = read_files(files).findings
    assert all(str(tmp_path) not in str(finding) for finding in findings)
