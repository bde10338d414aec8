"""The wires that the lab is used over, and what the frames on them must be."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs

WIRES = ("memory", "unix", "tcp", "tls", "stdio", "websocket")

_LIBRARY = Path(__file__).resolve().parents[3] / "contracts" / "library"
FRAME = jsonschema_rs.validator_for(json.loads((_LIBRARY / "wire.schema.json").read_text("utf-8")))
