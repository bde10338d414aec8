"""Services in the neutral shape of the shared cases, as contract files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pi_contracts.contracts.read import Reading, read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def make_contract(shape: dict[str, Any]) -> dict[str, Any]:
    """Return the contract file of a service."""
    members: dict[str, Any] = {}
    for name, method in shape["methods"].items():
        properties = method["arguments"].get("properties", {})
        required = method["arguments"].get("required", ())
        members[name] = {
            "kind": "method",
            "params": properties,
            "optional": [one for one in properties if one not in required],
            "result": method["result"],
        }
    for name, payload in shape["events"].items():
        members[name] = {"kind": "events", "payload": payload}
    if shape["state"] is not None:
        members["state"] = {"kind": "state", "value": shape["state"]}
    service = {"id": shape["id"], "mode": shape["mode"]}
    if "key" in shape:
        service["key"] = shape["key"]
    return {
        "$schema": "urn:pi-contracts:dialect:1",
        "service": service,
        "members": members,
        **({"$defs": shape["$defs"]} if "$defs" in shape else {}),
    }


def write(folder: Path, contracts: Iterable[dict[str, Any]]) -> Reading:
    """Write contracts, each named by its service, and read them."""
    folder.mkdir(parents=True, exist_ok=True)
    for contract in contracts:
        file = folder / f"{contract['service']['id']}.contract.json"
        file.write_text(json.dumps(contract), "utf-8")
    return read([folder], base=folder.parent)
