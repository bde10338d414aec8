"""How fast generated validation is, beside jsonschema-rs alone and jsonschema.

Run ``python benchmarks/validators.py [CATALOGUE]``. Each fixture of the wire catalogue is
checked by ours and the others in turn; figures are the best of several rounds.
Exits with 1 if a bound is missed.
"""

from __future__ import annotations

import json
import platform
import sys
import timeit
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema
import jsonschema_rs
from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.read import read
from pi_contracts.runtime.generated import Schemas, Validator

if TYPE_CHECKING:
    from collections.abc import Callable

CATALOGUE = Path(__file__).resolve().parents[2] / "shared" / "data" / "wire-catalog"
CLOSED_BOUND = 1.3
OPEN_BOUND = 3.0
JSONSCHEMA_BOUND = 100.0
ROUNDS = 80


class Row(NamedTuple):
    """The times of one document, in seconds a call."""

    name: str
    is_closed: bool
    size: int
    ours: float
    bare: float
    jsonschema: float

    @property
    def ratio(self) -> float:
        """How many times the bare validator ours takes."""
        return self.ours / self.bare


class Subject:
    """One document of the catalogue, as a generated module holds it."""

    def __init__(self, text: str, pointer: str) -> None:
        self.document: dict[str, Any] = {**json.loads(text), "$ref": pointer}
        schemas = Schemas(text)
        self.is_closed = schemas.get_judge(pointer).is_closed
        self._root: Validator[object] = Validator(schemas, pointer)

    def is_valid(self, value: object) -> bool:
        """Do what a generated ``is_valid`` does."""
        return self._root.is_valid(value)


def measure(functions: dict[str, Callable[[Any], object]], value: object) -> dict[str, float]:
    """Return the best time of each function, in turn so that all meet the same weather."""
    best = dict.fromkeys(functions, float("inf"))
    timers = {name: timeit.Timer(partial(f, value)) for name, f in functions.items()}
    # The fastest of several: after an interrupted one, rounds would be of a single cold call.
    single = {name: min(timer.repeat(20, 1)) for name, timer in timers.items()}
    numbers = {name: max(1, int(0.001 / seconds)) for name, seconds in single.items()}
    for _ in range(ROUNDS):
        for name, timer in timers.items():
            best[name] = min(best[name], timer.timeit(numbers[name]) / numbers[name])
    return best


def run(folder: Path) -> list[Row]:
    """Measure each valid fixture of the catalogue in *folder*."""
    reading = read([folder], base=folder)
    rows: list[Row] = []
    for fixture in sorted(folder.glob("fixtures/*.valid.json")):
        name = fixture.name.removesuffix(".valid.json")
        value = json.loads(fixture.read_bytes())
        uri = (folder / f"{name}.schema.json").resolve().as_uri()
        bundle = make_bundle(reading.catalogue, {"root": Location(uri, "")}, uri)
        subject = Subject(json.dumps(bundle.document), bundle.pointers["root"])
        bare = jsonschema_rs.validator_for(subject.document, offline=True)
        python: Any = jsonschema.Draft202012Validator(subject.document)
        functions: dict[str, Callable[[Any], object]] = {
            "ours": subject.is_valid,
            "bare": bare.is_valid,
            "jsonschema": python.is_valid,
        }
        if not all(function(value) for function in functions.values()):
            raise AssertionError(f"{name}: the fixture is not valid")
        best = measure(functions, value)
        size = fixture.stat().st_size
        rows.append(Row(name, subject.is_closed, size, **best))
    return rows


def main() -> int:
    """Print the figures; return 1 if a bound is missed."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CATALOGUE
    if not folder.is_dir():
        print(f"the wire catalogue is not at {folder}")
        return 2
    rows = run(folder.resolve())
    print(f"{platform.machine()}, Python {platform.python_version()}")
    print("document                    kind   bytes   ours us   bare us  x bare  x faster")
    missed = 0
    for row in rows:
        kind = "closed" if row.is_closed else "open"
        faster = row.jsonschema / row.ours
        bound = CLOSED_BOUND if row.is_closed else OPEN_BOUND
        is_missed = row.ratio > bound or faster < JSONSCHEMA_BOUND
        missed += is_missed
        print(
            f"{row.name:24}{kind:>8}{row.size:>8}{row.ours * 1e6:>10.2f}{row.bare * 1e6:>10.2f}"
            f"{row.ratio:>8.2f}{faster:>10.0f}{'  missed' if is_missed else ''}"
        )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
