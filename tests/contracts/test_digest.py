from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.bundle import Arguments
from pi_contracts.contracts.digest import (
    encode_canonically,
    get_digest,
    get_payloads,
    make_contract_bundle,
)
from pi_contracts.contracts.json_values import is_object
from pi_contracts.contracts.model import Location

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.read import Reading

    ReadFiles = Callable[[dict[str, Any]], Reading]

CONTRACT: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "s", "mode": "keyed", "key": {"minLength": 1}, "scopes": ["a", "b"]},
    "members": {
        "go": {
            "kind": "method",
            "params": {"p": {"$ref": "#/$defs/P"}, "q": {"$ref": "common.schema.json#/$defs/Q"}},
            "result": {"$ref": "common.schema.json#/$defs/Q"},
            "errors": ["gone", "lost"],
        },
        "start": {"kind": "method", "returns": "job"},
        "now": {"kind": "state", "value": {"$ref": "#/$defs/P"}},
        "log": {
            "kind": "events",
            "payload": {"const": {"$ref": "#/data"}},
            "discriminator": "t",
        },
    },
    "errors": {"gone": {"data": {"type": ["null", "string"]}}, "lost": {}},
    "$defs": {"P": {"type": "object", "required": ["x", "y"], "properties": {"x": True}}},
}
JOB: dict[str, Any] = {
    "$schema": "urn:pi-contracts:dialect:1",
    "service": {"id": "job", "mode": "reference"},
    "members": {"now": {"kind": "state", "value": {}}},
}
COMMON: dict[str, Any] = {"$defs": {"Q": {"maximum": 1.5}}}


def digest(
    read_files: ReadFiles, value: Any, *, path: str = "s.contract.json", common: Any = COMMON
) -> str:
    folder = path.rpartition("/")[0]
    prefix = f"{folder}/" if folder else ""
    files = {path: value, f"{prefix}common.schema.json": common, "job.contract.json": JOB}
    reading = read_files(files)
    assert reading.is_sound, reading.findings
    (contract,) = (one for one in reading.catalogue.contracts.values() if one.service_id == "s")
    return get_digest(contract, make_contract_bundle(reading.catalogue, contract))


def reverse(value: Any) -> Any:
    if is_object(value):
        return {key: reverse(item) for key, item in reversed(value.items())}
    return value


def change(old: str, new: str) -> Any:
    text = json.dumps(CONTRACT)
    assert old in text
    return json.loads(text.replace(old, new))


SAME: dict[str, Any] = {
    "keys in another order": reverse(CONTRACT),
    "descriptions": {
        **change('"kind": "state"', '"kind": "state", "description": "Now."'),
        "title": "S",
        "deprecated": True,
        "errors": {"gone": {"description": "Gone.", **CONTRACT["errors"]["gone"]}, "lost": {}},
    },
    "an unused definition": {**CONTRACT, "$defs": {**CONTRACT["$defs"], "Z": {"minimum": 1}}},
    "a definition of another name": {
        **change('"#/$defs/P"', '"#/$defs/Other"'),
        "$defs": {"Other": CONTRACT["$defs"]["P"]},
    },
    "names of a set in another order": change('["x", "y"]', '["y", "x"]'),
    "a number in another spelling": change('"minLength": 1', '"minLength": 1.0'),
    "scopes in another order": change('["a", "b"]', '["b", "a"]'),
    "errors in another order": change('["gone", "lost"]', '["lost", "gone"]'),
    "an identifier": {**CONTRACT, "$id": "s.contract.json"},
}
OTHER: dict[str, Any] = {
    "another service": change('"id": "s"', '"id": "s", "version": 2'),
    "another scope": change('["a", "b"]', '["a"]'),
    "another key": change('"minLength": 1', '"minLength": 2'),
    "another definition": change('["x", "y"]', '["x"]'),
    "another error": change('["gone", "lost"]', '["gone"]'),
    "another error's data": change('["null", "string"]', '["null"]'),
    "another discriminator": change('"discriminator": "t"', '"discriminator": "u"'),
    "another constant": change('{"const": {"$ref": "#/data"}}', '{"const": {"$ref": "#"}}'),
    "an optional parameter": change('"errors": ["gone"', '"optional": ["p"], "errors": ["gone"'),
    "another name on the wire": change('"p": {', '"r": {'),
    "formats that count": {**CONTRACT, "formats": "assert"},
    "a member less": {
        **CONTRACT,
        "members": {key: one for key, one in CONTRACT["members"].items() if key != "now"},
    },
}


@pytest.mark.parametrize("name", SAME)
def test_what_does_not_reach_the_wire_does_not_change_a_digest(
    name: str, read_files: ReadFiles
) -> None:
    assert digest(read_files, SAME[name]) == digest(read_files, CONTRACT)


@pytest.mark.parametrize("name", OTHER)
def test_what_reaches_the_wire_changes_a_digest(name: str, read_files: ReadFiles) -> None:
    assert digest(read_files, OTHER[name]) != digest(read_files, CONTRACT)


def test_the_names_and_places_of_files_do_not_change_a_digest(
    read_files: ReadFiles, tmp_path: Any
) -> None:
    first = digest(read_files, CONTRACT)
    assert first.startswith("sha256:")
    for file in tmp_path.iterdir():
        file.unlink()
    assert digest(read_files, CONTRACT, path="sub/renamed.contract.json") == first


def test_another_file_that_a_contract_reaches_changes_a_digest(read_files: ReadFiles) -> None:
    first = digest(read_files, CONTRACT)
    other = digest(read_files, CONTRACT, common={"$defs": {"Q": {"maximum": 2.5}}})
    assert first != other


def test_every_payload_has_a_name_in_the_bundle(read_files: ReadFiles) -> None:
    files = {"s.contract.json": CONTRACT, "common.schema.json": COMMON, "job.contract.json": JOB}
    reading = read_files(files)
    contract = next(one for one in reading.catalogue.contracts.values() if one.service_id == "s")
    root = Location(contract.document, "")
    params = root / "members" / "go" / "params"
    assert get_payloads(contract) == {
        "$key": root / "service" / "key",
        "go.params": Arguments({"p": params / "p", "q": params / "q"}, ("p", "q")),
        "go.result": root / "members" / "go" / "result",
        "start.params": Arguments({}, ()),
        "now.value": root / "members" / "now" / "value",
        "log.payload": root / "members" / "log" / "payload",
        "gone.data": root / "errors" / "gone" / "data",
    }
    made = make_contract_bundle(reading.catalogue, contract)
    assert made.pointers["now.value"] == "#/$defs/P"
    assert made.pointers["go.result"] == "#/$defs/common.Q"


def test_a_contract_may_have_few_payloads(read_files: ReadFiles) -> None:
    (contract,) = read_files({"job.contract.json": JOB}).catalogue.contracts.values()
    assert list(get_payloads(contract)) == ["now.value"]


# Of RFC 8785, appendix B, by their bits; integers of ours are another matter.
DOUBLES = {
    0x0000000000000000: "0",
    0x8000000000000000: "0",
    0x0000000000000001: "5e-324",
    0x8000000000000001: "-5e-324",
    0x7FEFFFFFFFFFFFFF: "1.7976931348623157e+308",
    0xFFEFFFFFFFFFFFFF: "-1.7976931348623157e+308",
    0x4340000000000000: "9007199254740992",
    0xC340000000000000: "-9007199254740992",
    0x4430000000000000: "295147905179352830000",
    0x44B52D02C7E14AF5: "9.999999999999997e+22",
    0x44B52D02C7E14AF6: "1e+23",
    0x44B52D02C7E14AF7: "1.0000000000000001e+23",
    0x444B1AE4D6E2EF4E: "999999999999999700000",
    0x444B1AE4D6E2EF4F: "999999999999999900000",
    0x444B1AE4D6E2EF50: "1e+21",
    0x3EB0C6F7A0B5ED8C: "9.999999999999997e-7",
    0x3EB0C6F7A0B5ED8D: "0.000001",
    0x41B3DE4355555553: "333333333.3333332",
    0x41B3DE4355555557: "333333333.33333343",
    0xBECBF647612F3696: "-0.0000033333333333333333",
    0x43143FF3C1CB0959: "1424953923781206.2",
}
CANONICAL: list[tuple[Any, str]] = [
    (10**25, "10000000000000000000000000"),
    (1.0, "1"),
    (-1.5, "-1.5"),
    ([True, None, "é\n\u2028"], '[true,null,"é\\n\u2028"]'),
    ({"b": 1, "a": {}, "": []}, '{"":[],"a":{},"b":1}'),
    ({"\ufb33": 1, "😀": 2, "€": 3}, '{"€":3,"😀":2,"\ufb33":1}'),
]


@pytest.mark.parametrize("bits", DOUBLES, ids=hex)
def test_doubles_are_spelled_as_the_specification_says(bits: int) -> None:
    (value,) = struct.unpack(">d", bits.to_bytes(8, "big"))
    assert encode_canonically(value) == DOUBLES[bits].encode()


@pytest.mark.parametrize(("value", "text"), CANONICAL)
def test_json_has_one_spelling(value: Any, text: str) -> None:
    assert encode_canonically(value).decode() == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_spelled_double_is_read_as_it_was(value: float) -> None:
    assert float(encode_canonically(value)) == value
