"""Ask other tools the questions of compatibility that ours is asked, and count the answers.

A question is whether a receiver accepts every value of a sender; what is right is told by
the shared cases. Each peer answers in a process of its own, which is ended after ten
seconds, and in the interpreter that has it: this one, or one of those given.

Run: python benchmarks/compat_peers.py [PYTHON ...]
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import selectors
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

HERE = Path(__file__).resolve()
CASES = HERE.parents[2] / "shared" / "cases"
SERVICES = HERE.parents[1] / "tests" / "contracts" / "compat"
"""Where the module is that writes the services of the cases as contracts."""
SECONDS = 10.0
"""How long one question may take."""
OUTCOMES = ("right", "missed", "false alarm", "undecided", "failed", "left out")


class Question(NamedTuple):
    """One direction of one change."""

    name: str
    is_safe: bool
    flows: tuple[tuple[Any, Any], ...]
    """Sender and receiver of each flow; empty where schemas alone do not show the change."""
    services: tuple[list[Any], list[Any]] | None = None
    """The services of the two generations."""
    direction: str = "old-consumer"


class Answer(NamedTuple):
    """What a peer says of one flow."""

    is_safe: bool | None
    """None where the peer says that it does not know."""
    has_witness: bool = False


class Peer(NamedTuple):
    """One tool, as its documentation says to use it."""

    distribution: str
    ask: Callable[[Any, Any], Answer]
    spell: Callable[[Any], Any] = lambda schema: schema
    """Says a schema in the draft that the tool knows, or raises InexpressibleError."""


# Questions


def make_questions() -> Iterator[Question]:
    """Yield every question of the shared cases, both directions of each."""
    for name, old, new, forth, back in json.loads((CASES / "containment-pairs.json").read_bytes()):
        yield Question(f"{name}, forth", forth, ((old, new),))
        yield Question(f"{name}, back", back, ((new, old),))
    for case in json.loads((CASES / "breaking.json").read_bytes()):
        old, new, position = (case["input"][key] for key in ("old", "new", "position"))
        services = None
        if position == "service":
            services = ([old], [new]) if "id" in old else (old, new)
            flows = find_flows(*services)
        else:
            flows = ((old, new) if position == "argument" else (new, old),)
        for direction, verdict in (("old-consumer", "verdict"), ("new-consumer", "reverse")):
            is_safe = case["expect"][verdict] == "compatible"
            yield Question(f"{case['id']}, {direction}", is_safe, flows, services, direction)
            flows = tuple(pair[::-1] for pair in flows)


def find_flows(old: list[Any], new: list[Any]) -> tuple[tuple[Any, Any], ...]:
    """Return what flows to and from old consumers, nothing if more than schemas changed."""
    if [outline(one) for one in old] != [outline(one) for one in new]:
        return ()
    flows: list[tuple[Any, Any]] = []
    for before, after in zip(old, new, strict=True):
        for name in before["methods"]:
            arguments, results = (
                [{**one["methods"][name][role], "$defs": one.get("$defs", {})} for one in ends]
                for role, ends in (("arguments", (before, after)), ("result", (after, before)))
            )
            flows += [(arguments[0], arguments[1]), (results[0], results[1])]
    return tuple(flows)


def outline(service: dict[str, Any]) -> tuple[object, ...]:
    """Return what no schema of a service says."""
    return service["id"], service["mode"], sorted(service["methods"]), sorted(service["events"])


# Peers, each imported only in the process that asks it


def ask_ours(sender: Any, receiver: Any) -> Answer:
    """Ask what `pi-contracts compat --position argument` asks."""
    flat = importlib.import_module("pi_contracts.contracts.compat.flat")
    flows = importlib.import_module("pi_contracts.contracts.compat.flows")
    ends = (flat.FlatSchema(flat.make_document(one)) for one in (sender, receiver))
    report = flows.compare_schemas(*ends, flows.Position.ARGUMENT)
    kind = report.verdicts["old-consumer"]
    breaks = (one for one in report.breaks if one.direction == "old-consumer")
    witness = any(one.has_witness for one in breaks)
    return Answer(None if kind == "undecided" else kind == "compatible", witness)


def ask_ours_of_services(old: list[Any], new: list[Any], direction: str) -> Answer:
    """Ask what `pi-contracts compat OLD NEW` asks, files written and read."""
    sys.path.append(str(SERVICES))
    shapes = importlib.import_module("compat_services")
    compare = importlib.import_module("pi_contracts.contracts.compat.compare").compare
    with tempfile.TemporaryDirectory() as folder:
        readings = [
            shapes.write(Path(folder) / name, map(shapes.make_contract, services))
            for name, services in (("old", old), ("new", new))
        ]
        kind = compare(*readings).verdicts[direction]
    return Answer(None if kind == "undecided" else kind == "compatible")


def ask_canonical(sender: Any, receiver: Any) -> Answer:
    """Ask whether the receiver's canonical form covers the sender's."""
    rs = importlib.import_module("jsonschema_rs")
    wanted, given = (
        rs.canonicalize(one, draft=rs.Draft202012, offline=True) for one in (receiver, sender)
    )
    answers = {"yes": True, "no": False}
    return Answer(answers.get(wanted.covers(given).value))


def ask_jsoncompat(sender: Any, receiver: Any) -> Answer:
    """Ask in the role that leaves no value out: what is written anew, and an older reader."""
    jsoncompat = importlib.import_module("jsoncompat")
    old, new = json.dumps(receiver), json.dumps(sender)
    result = jsoncompat.analyze_compat(old, new, "serializer")
    answers = {"compatible": True, "incompatible": False}
    return Answer(answers.get(result["status"]), "counterexample" in result)


def ask_jsonsubschema(sender: Any, receiver: Any) -> Answer:
    """Ask whether the sender is a subschema; in the fork the question has another name."""
    module = importlib.import_module("jsonsubschema")
    is_subschema = getattr(module, "isSubschema", None) or module.is_subschema
    return Answer(bool(is_subschema(sender, receiver)))


def ask_schema_diff(sender: Any, receiver: Any) -> Answer:
    """Ask for breaking changes of a request, the sender being what it was before."""
    diff = importlib.import_module("schema_diff.openapi.diff")
    result = diff.diff_openapi(*map(make_openapi, (sender, receiver)))
    return Answer(not result.has_breaking_changes())


def make_openapi(schema: Any) -> dict[str, Any]:
    """Return a description with one operation, which takes what the schema says."""
    schema = json.loads(json.dumps(schema).replace("#/$defs/", "#/components/schemas/"))
    definitions: Any = {} if isinstance(schema, bool) else schema.pop("$defs", {})
    body: Any = {"required": True, "content": {"application/json": {"schema": schema}}}
    operation: Any = {"requestBody": body, "responses": {"204": {"description": "Done."}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "One operation", "version": "1"},
        "paths": {"/it": {"post": operation}},
        "components": {"schemas": definitions},
    }


def spell_draft_4(schema: Any) -> Any:
    """Say a schema of 2020-12 in draft 4.

    Raises:
        InexpressibleError: Draft 4 has no words for it.
    """
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    drafts = importlib.import_module("pi_contracts.contracts.drafts")
    flat = importlib.import_module("pi_contracts.contracts.compat.flat")
    return flat.rewrite(schema, drafts.Draft.DRAFT202012, spell_keywords)


def spell_keywords(schema: dict[str, Any]) -> dict[str, Any]:
    """Say the keywords of one schema in draft 4; what is below it is said already."""
    if beyond := NOT_IN_DRAFT_4 & schema.keys():
        raise InexpressibleError(beyond)
    spelled = dict(schema)
    for name, older in OLDER_NAMES.items():
        if name in schema:
            spelled[older] = spelled.pop(name)
    if "prefixItems" in schema:
        if "items" in schema:
            spelled["additionalItems"] = schema["items"]
        spelled["items"] = spelled.pop("prefixItems")
    if "const" in schema:
        spelled["enum"] = [spelled.pop("const")]
    parts: list[dict[str, Any]] = []
    for bound, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if strict in schema:
            part = {bound: spelled.pop(strict), strict: True}
            if bound in schema:  # which is strict or not, as one
                parts.append(part)
            else:
                spelled.update(part)
    if "$ref" in schema:
        part = {"$ref": spelled.pop("$ref").replace("#/$defs/", "#/definitions/")}
        if not spelled:
            return part
        parts.append(part)  # since nothing counts that stands beside it
    return {**spelled, "allOf": [*spelled.get("allOf", ()), *parts]} if parts else spelled


class InexpressibleError(Exception):
    """What is asked has no words in the draft that a peer knows."""


NOT_IN_DRAFT_4 = {
    *("if", "then", "else", "contains", "minContains", "maxContains", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "dependentSchemas"),
}
OLDER_NAMES = {"$defs": "definitions", "dependentRequired": "dependencies"}


OURS = "pi-contracts"
PEERS = (
    Peer(OURS, ask_ours),
    Peer("jsonschema-rs", ask_canonical),
    Peer("jsoncompat", ask_jsoncompat),
    Peer("jsonsubschema", ask_jsonsubschema, spell_draft_4),
    Peer("ghga-jsonsubschema", ask_jsonsubschema, spell_draft_4),
    Peer("api-schema-diff", ask_schema_diff),
)


# The process that asks one peer: a line of JSON for each question, and one for each answer


def serve(distribution: str) -> None:
    """Answer what comes on standard input until it ends."""
    peer = next(one for one in PEERS if one.distribution == distribution)
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return
    peer.ask({"type": "string", "maxLength": 3}, {"type": "string"})  # imports what it needs
    print(json.dumps({"version": version}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(peer, json.loads(line))), flush=True)


def answer(peer: Peer, question: dict[str, Any]) -> dict[str, Any]:
    """Return what the peer says, how long it took, and whether a witness was shown."""
    start = time.perf_counter()
    try:
        if peer.distribution == OURS and question["services"]:
            old, new = question["services"]
            answers = [ask_ours_of_services(old, new, question["direction"])]
        else:
            answers = [peer.ask(sender, receiver) for sender, receiver in question["flows"]]
    except Exception as error:  # noqa: BLE001  # a peer may raise anything
        return {"fault": f"{type(error).__name__}: {error}"[:200]}
    seconds = time.perf_counter() - start
    says = {one.is_safe for one in answers}
    return {
        "is_safe": False if False in says else None if None in says else True,
        "seconds": seconds,
        "has_witness": any(one.has_witness for one in answers),
    }


# The process that counts


class Worker:
    """A process that asks one peer, started anew after it had to be ended."""

    def __init__(self, python: str, distribution: str) -> None:
        self._command = (python, str(HERE), "--serve", distribution)
        self._start()

    def _start(self) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True)
        hello = self._read(60.0)
        self.version = None if hello is None else hello["version"]

    def _read(self, seconds: float) -> dict[str, Any] | None:
        stream: Any = self._process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            line = stream.readline() if selector.select(seconds) else ""
        return json.loads(line) if line else None

    def ask(self, question: Question) -> dict[str, Any]:
        """Return the answer; a fault if the process takes too long or ends."""
        stream: Any = self._process.stdin
        stream.write(json.dumps(question._asdict()) + "\n")
        stream.flush()
        if reply := self._read(SECONDS):
            return reply
        self.close()
        self._start()
        return {"fault": f"no answer in {SECONDS:g} s, or a crash"}

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def find_worker(pythons: Iterable[str], distribution: str) -> Worker | None:
    """Return a process of the first interpreter that has the peer."""
    for python in pythons:
        worker = Worker(python, distribution)
        if worker.version:
            return worker
        worker.close()
    return None


def judge(worker: Worker, peer: Peer, question: Question) -> dict[str, Any]:
    """Return the answer of a peer, with its outcome."""
    if not question.flows and peer.distribution != OURS:
        return {"outcome": "left out"}
    try:
        flows = tuple((peer.spell(one), peer.spell(other)) for one, other in question.flows)
    except InexpressibleError:
        return {"outcome": "left out"}
    reply = worker.ask(question._replace(flows=flows))
    if "fault" in reply:
        outcome = "failed"
    elif reply["is_safe"] is None:
        outcome = "undecided"
    elif reply["is_safe"] is question.is_safe:
        outcome = "right"
    else:
        outcome = "missed" if reply["is_safe"] else "false alarm"
    return {**reply, "outcome": outcome}


def report(label: str, replies: list[dict[str, Any]]) -> Counter[str]:
    """Print the row of a peer, and return its outcomes."""
    counts = Counter(str(reply["outcome"]) for reply in replies)
    witnesses = sum(reply.get("has_witness", False) for reply in replies)
    times = [reply["seconds"] * 1000 for reply in replies if "seconds" in reply] or [0.0]
    row = "".join(f"{number:>13}" for number in (*(counts[one] for one in OUTCOMES), witnesses))
    print(f"{label:26}{row}{statistics.median(times):>13.2f}{max(times):>13.1f}")
    return counts


def main() -> int:
    """Print a row for each peer, with -v also its faults; return 1 if ours was wrong."""
    if not CASES.is_dir():
        print(f"the shared cases are not at {CASES}")
        return 0
    pythons = [sys.executable, *(one for one in sys.argv[1:] if one != "-v")]
    questions = list(make_questions())
    print(f"{len(questions)} questions, at most {SECONDS:g} s each")
    columns = (*OUTCOMES, "witnesses", "median ms", "most ms")
    print(" " * 26 + "".join(f"{one:>13}" for one in columns))
    wrong = 0
    for peer in PEERS:
        worker = find_worker(pythons, peer.distribution)
        if worker is None:
            print(f"{peer.distribution:26}not installed")
            wrong += peer.distribution == OURS
            continue
        replies = [judge(worker, peer, question) for question in questions]
        worker.close()
        counts = report(f"{peer.distribution} {worker.version}", replies)
        if peer.distribution == OURS:
            wrong = counts["missed"] + counts["false alarm"]
        for question, reply in zip(questions, replies, strict=True):
            if "-v" in sys.argv and reply["outcome"] not in {"right", "left out"}:
                print(f"    {reply['outcome']:12}{question.name} {reply.get('fault', '')}")
    return int(wrong > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        sys.exit(main())
