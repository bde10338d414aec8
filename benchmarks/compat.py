"""Measure the comparison of the shipped contracts, and of large schemas with one edit.

The yardstick of the contracts is the time of reading both generations, of which one
holds 20 edits that need no search for a rare value; each figure is the best of several
runs. Each large schema is asked about in both directions, once, in time of the processor.

Run: python benchmarks/compat.py
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from large_schemas import LARGE
from machine import describe
from pi_contracts.contracts.compat.compare import compare
from pi_contracts.contracts.compat.decide import Decider
from pi_contracts.contracts.compat.flat import make_document
from pi_contracts.contracts.compat.report import make_findings
from pi_contracts.contracts.read import read

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARY = Path(__file__).resolve().parents[1] / "contracts" / "library"
RUNS = 5
MOST = 10.0
"""How many times the reading a comparison may cost."""
MOST_SECONDS = 2.0
"""What one question may take."""

EDITS: tuple[tuple[str, str, str, Any], ...] = (
    ("description changed", "models", "/description", "Other words."),
    ("limit loosened", "models", "/$defs/ProviderId/maxLength", 400),
    ("limit tightened", "models", "/$defs/ModelId/maxLength", 100),
    ("version raised", "models", "/service/version", 2),
    ("member added", "models", "/members/reset", {"kind": "method"}),
    ("parameter added", "models", "/members/select/params/note", {"type": "string"}),
    ("definition unused", "chat", "/$defs/Unused", {"type": "integer"}),
    ("limit added", "chat", "/$defs/OperationId/pattern", "^[a-z0-9-]+$"),
    ("optional member added", "chat", "/$defs/EntryPage/properties/total", {"type": "integer"}),
    ("scopes widened", "accounts", "/service/scopes", ["server", "session"]),
    ("member replaced", "accounts", "/$defs/Account/properties/provider", {"type": "integer"}),
    ("enum loosened", "git", "/$defs/ChangeKind", {"type": "string"}),
    ("discriminator removed", "git", "/members/events/discriminator", "kind"),
    ("limit changed", "git", "/$defs/BranchName/maxLength", 10),
    ("error data removed", "index", "/errors/invalid_root", {"description": "No such root."}),
    ("result changed", "index-job", "/members/wait/result", {"type": "string"}),
    ("state changed", "index-job", "/$defs/FileCount/minimum", 1),
    ("method removed", "diff-review", "/members/submit", None),
    ("array bounded", "diff-review", "/members/activity/value", {"type": "array", "maxItems": 3}),
    ("mode changed", "session-directory", "/service/mode", "keyed"),
)


def apply_edits(folder: Path) -> None:
    """Write the edited copy of the library to *folder*."""
    documents = {file.name: json.loads(file.read_text("utf-8")) for file in LIBRARY.glob("*.json")}
    for _, service, pointer, value in EDITS:
        *above, last = pointer.split("/")[1:]
        place = documents[f"{service}.contract.json"]
        for token in above:
            place = place[token]
        if value is None:
            del place[last]
        else:
            place[last] = value
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document, indent=2), "utf-8")


def measure(run: Callable[[], object]) -> float:
    """Return the seconds of the best of several runs."""
    best = float("inf")
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def ask(sender: Any, receiver: Any) -> tuple[str, float]:
    """Return the verdict on two schemas, and what it took."""
    decider = Decider(
        {"urn:sender": make_document(sender), "urn:receiver": make_document(receiver)}
    )
    start = time.thread_time()
    verdict = decider.decide("urn:sender#", "urn:receiver#")
    return verdict.kind.value, time.thread_time() - start


def measure_large() -> float:
    """Print a line for each large schema; return what the slowest question took."""
    slowest = 0.0
    print(f"\n{'one edit of':44}{'narrow to wide':>26}{'wide to narrow':>26}")
    for name, make in LARGE.items():
        narrow, wide = make()
        (forth, forth_time), (back, back_time) = ask(narrow, wide), ask(wide, narrow)
        print(f"{name:44}{forth:>20}{forth_time:6.2f}{back:>20}{back_time:6.2f}")
        slowest = max(slowest, forth_time, back_time)
    print(f"slowest: {slowest:.2f} s (at most {MOST_SECONDS:g})")
    return slowest


def main() -> int:
    """Print the figures; return 1 if a bar is missed."""
    print(describe())
    with tempfile.TemporaryDirectory() as folder:
        apply_edits(Path(folder))
        old, new = read([LIBRARY]), read([Path(folder)])
        reading = measure(lambda: (read([LIBRARY]), read([Path(folder)])))
        findings = make_findings(compare(old, new))
        comparing = measure(lambda: make_findings(compare(old, new)))
        same = measure(lambda: compare(old, old))
    ratio = comparing / reading
    print(f"reading both:             {reading * 1000:7.1f} ms")
    print(f"comparing, nothing new:   {same * 1000:7.1f} ms")
    print(f"comparing, {len(EDITS)} edits:      {comparing * 1000:7.1f} ms")
    print(f"ratio: {ratio:.2f} (at most {MOST:g}); {len(findings)} findings")
    return ratio > MOST or measure_large() > MOST_SECONDS


if __name__ == "__main__":
    sys.exit(main())
