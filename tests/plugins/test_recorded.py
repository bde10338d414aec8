from __future__ import annotations

from typing import Any

import msgspec
import pytest
from pi_contracts.plugins.dry_run import Recording
from pi_contracts.plugins.entry_points import Entry
from pi_contracts.plugins.facets import CallSite, Declaration, Locator, Origin
from pi_contracts.plugins.host_process import Ended
from pi_contracts.plugins.outcomes import (
    LOST,
    Fault,
    Frame,
    Job,
    Line,
    Outcome,
    ServiceFacts,
    Spoiled,
    Step,
)
from pi_contracts.plugins.recorded import Run, parse_stack
from pi_contracts.plugins.seal import Seal

SEAL = Seal(b"key")
DEFINED = (Frame("p.py", 4),)


def make_rows(count: int = 3) -> list[tuple[Recording, Job]]:
    origin = Origin(Locator(None), "")
    return [
        (Recording(Entry(f"p{n}", "tui", "m:f", origin)), Job(f"p{n}", "tui", "m", "f"))
        for n in range(count)
    ]


def tell(
    rows: list[tuple[Recording, Job]],
    *lines: Line | bytes | None,
    code: int = 0,
    is_late: bool = False,
) -> Run:
    """Take in lines in their order; None stands for one that was lost."""
    run = Run(rows, ["/plugins"], lambda path: path)
    texts: list[bytes] = []
    number = 0
    for line in lines:
        if isinstance(line, bytes):
            texts.append(line)
            continue
        if line is not None:
            texts += SEAL.write(number, msgspec.json.encode(line)).splitlines()
        number += 1
    run.take(texts, SEAL)
    run.end(Ended(code, b"", "no python", is_late), 5.0)
    return run


def list_kinds(rows: list[tuple[Recording, Job]]) -> list[list[str]]:
    return [[fault.kind for fault in recording.faults] for recording, _ in rows]


def do(index: int, outcome: Outcome | None = None) -> tuple[Line, ...]:
    """Give the lines of one facet."""
    done = outcome or Outcome(index, is_complete=True)
    return Step(index, "import"), Step(index, "setup", DEFINED), done


def test_what_is_told_becomes_reports() -> None:
    rows = make_rows(1)
    declared = Declaration("session", "x", "keyed", at=CallSite("/plugins/p.py", 3))
    facts = {"x": ServiceFacts(("session",))}
    outcome = Outcome(0, (declared,), (), is_complete=True, services=facts, folder="/plugins/p")
    run = tell(rows, *do(0, outcome))
    recording, _ = rows[0]
    assert recording.report is not None
    assert recording.report.requires == [declared]
    assert (recording.services, recording.folder) == (facts, "/plugins/p")
    assert (run.settled, run.is_interrupted, run.is_spoiled) == ({0}, False, False)


def test_a_late_call_adds_a_fault_to_a_facet_that_was_told_before() -> None:
    rows = make_rows(2)
    tell(rows, *do(0), *do(1), Outcome(0, faults=(Fault("late", "x"),)))
    assert list_kinds(rows) == [["late"], []]
    assert rows[0][0].report is not None


_NOTHING: tuple[Line, ...] = ()
_IMPORTING, _SETTING_UP = Step(1, "import"), Step(1, "setup", DEFINED)


@pytest.mark.parametrize(
    ("lines", "code", "is_late", "kinds"),
    list[Any](
        [
            ((*do(0), _IMPORTING), 3, False, [[], ["ended"], []]),
            ((*do(0), _SETTING_UP), -11, False, [[], ["ended"], []]),
            ((*do(0), _SETTING_UP), -9, True, [[], ["hung"], []]),
            ((*do(0), _SETTING_UP, b"Timeout (0:00:05)!"), 1, False, [[], ["hung"], []]),
            ((*do(0), _SETTING_UP), LOST, False, [[], ["noise"], []]),
            (do(0), 7, False, [["ended"], [], []]),
            (_NOTHING, 1, False, [["not-started"], ["not-started"], ["not-started"]]),
            (do(0), 0, False, [[], [], []]),
            (do(0, Outcome(0, is_last=True)), 0, False, [[], [], []]),
        ]
    ),
    ids=[
        "an import ends it",
        "a setup ends it",
        "it tells nothing",
        "its time is up",
        "it cannot tell",
        "between two facets",
        "it never begins",
        "it has told enough",
        "it was changed",
    ],
)
def test_what_ends_a_process_early_is_the_facets_that_was_run(
    lines: tuple[Line | bytes, ...],
    code: int,
    is_late: bool,  # noqa: FBT001 - a column of the table
    kinds: list[list[str]],
) -> None:
    rows = make_rows()
    run = tell(rows, *lines, code=code, is_late=is_late)
    assert list_kinds(rows) == kinds
    assert run.settled
    assert run.is_interrupted is any(kinds)


def test_the_place_of_what_has_none_is_that_of_the_definition() -> None:
    rows = make_rows(1)
    tell(rows, Step(0, "setup", DEFINED), code=3)
    assert rows[0][0].faults == [Fault("ended", "exit code 3", DEFINED)]
    rows = make_rows(1)
    stack = [
        b"Current thread 0x1 (most recent call first):",
        b'  File "/plugins/x.py", line 9 in f',
    ]
    tell(rows, Step(0, "setup", DEFINED), *stack, code=-11)
    assert rows[0][0].faults == [Fault("ended", "SIGSEGV", (Frame("/plugins/x.py", 9),))]


_FORGED = Seal(b"other").write(3, msgspec.json.encode(Outcome(1, is_complete=True))).strip()
_REPLAYED = SEAL.write(0, msgspec.json.encode(Step(0, "import"))).strip()


@pytest.mark.parametrize("noise", [b"x", b'{"type": "outcome"}', _FORGED, _REPLAYED])
def test_what_a_setup_writes_to_the_file_is_not_believed(noise: bytes) -> None:
    rows = make_rows(2)
    begin, *rest = do(0)
    run = tell(rows, begin, noise, noise, *rest, *do(1))
    assert list_kinds(rows) == [["noise"], []]
    assert run.settled == {0, 1}
    assert rows[0][0].report is not None


def test_noise_at_the_end_is_that_of_the_last_facet() -> None:
    rows = make_rows(2)
    tell(rows, *do(0), *do(1), b"x")
    assert list_kinds(rows) == [[], ["noise"]]


@pytest.mark.parametrize(
    "line",
    [
        Outcome(9),
        Outcome(-1),
        Outcome(0, (Declaration("session", "x", "keyed"),)),
    ],
)
def test_a_line_that_cannot_be_meant_is_noise_even_under_the_seal(line: Outcome) -> None:
    rows = make_rows(1)
    tell(rows, Step(0, "import"), line, Step(0, "setup", DEFINED), code=3)
    assert "noise" in list_kinds(rows)[0]


def test_a_sealed_line_that_is_no_json_is_noise() -> None:
    rows = make_rows(1)
    run = Run(rows, [], str)
    run.take(SEAL.write(0, b"{").splitlines(), SEAL)
    run.end(Ended(1, b"", "", is_late=False), 1.0)
    assert list_kinds(rows) == [["not-started"]]


@pytest.mark.parametrize(
    ("lines", "culprit"),
    [
        ((*do(0), Step(1, "import"), None, Outcome(1)), 1),
        ((*do(0), None, None, Step(2, "import")), 1),
        ((None, None, None, Step(1, "import"), Step(1, "setup")), 0),
    ],
)
def test_where_lines_are_lost_the_facet_before_is_to_blame_and_all_else_is_judged_again(
    lines: tuple[Line | None, ...], culprit: int
) -> None:
    rows = make_rows()
    run = tell(rows, *lines)
    assert list_kinds(rows)[culprit] == ["noise"]
    assert culprit in run.settled
    assert 2 not in run.settled
    assert not run.is_spoiled


def test_what_was_told_of_a_library_that_was_changed_does_not_count() -> None:
    rows = make_rows()
    outcome = Outcome(1, faults=(Fault("raised", "x"),), folder="/x")
    run = tell(rows, *do(0), *do(1, outcome), Spoiled(1))
    assert (run.settled, run.is_spoiled) == ({0}, True)
    assert list_kinds(rows) == [[], [], []]
    assert rows[0][0].report is not None
    assert rows[1][0].folder is None


_A, _B = '  File "a.py", line 3 in f', '  File "b.py", line 4 in g'


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([], []),
        ([_A, _B], ["a.py", "b.py"]),
        (
            ["Thread 0x1:", '  File "a.py", line 3 in f', "Thread 0x2:", '  File "b.py", line 1'],
            ["b.py"],
        ),
        (
            [
                "Current thread 0x1:",
                '  File "a.py", line 3',
                "",
                "Thread 0x2:",
                '  File "b.py", line 1',
            ],
            ["a.py"],
        ),
    ],
    ids=["nothing", "one thread", "the oldest of two", "the current one"],
)
def test_the_stack_of_the_thread_that_matters_is_read(lines: list[str], found: list[str]) -> None:
    assert [frame.path for frame in parse_stack(lines)] == found
