from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.findings import Facet, Finding, Severity, Subject
from pi_contracts.plugins.facets import CallSite, Declaration, Report, ReportFile
from pi_contracts.plugins.pictures.scene import Scene, make_scene
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]


def stage(file: ReportFile) -> Scene:
    plan = make_plan(None, [file])
    return make_scene(plan, plan.findings)


def list_arrows(scene: Scene) -> list[tuple[str, str, str, list[str]]]:
    return [
        (
            "nobody" if arrow.provider is None else scene.boxes[arrow.provider].name,
            arrow.service,
            scene.boxes[arrow.consumer].name,
            [scene.notes[index].rule for index in arrow.findings],
        )
        for arrow in scene.arrows
    ]


def test_facets_stand_in_the_order_of_activation_and_hosts_begin_with_the_services_own(
    facets: Facets,
) -> None:
    scene = stage(facets("@pi/ask:tui; session/x;\n@pi/own:session;; session/x\n@pi/own:server;;"))
    assert scene.hosts == ("server", "session", "tui")
    assert [(box.name, box.label, box.host, box.step) for box in scene.boxes] == [
        ("own:session", "own", 1, 1),
        ("ask:tui", "ask", 2, 2),
        ("own:server", "own", 0, 3),
    ]
    assert list_arrows(scene) == [("own:session", "session/x", "ask:tui", [])]


FAULTS: list[tuple[str, list[tuple[str, str, str, list[str]]]]] = [
    ("a:x; app/gone;", [("nobody", "app/gone", "a:x", ["missing-provider"])]),
    (
        "a:x; local/l;\nb:y;; local/l",
        [("nobody", "local/l", "a:x", ["local-not-reachable"])],
    ),
    (
        "a:x; app/s* app/t;\nb:x;; app/s app/t",
        [("b:x", "app/s", "a:x", ["mode-mismatch"]), ("b:x", "app/t", "a:x", [])],
    ),
    (
        "a:x; app/s app/t;\nb:x;; app/s app/t\nc:x;; app/s",
        [
            ("b:x", "app/s", "a:x", ["duplicate-owner"]),
            ("c:x", "app/s", "a:x", ["duplicate-owner"]),
            ("b:x", "app/t", "a:x", []),
        ],
    ),
    (
        "a:x; app/t app/u; app/s\nb:x; app/s; app/t\nc:x; app/s; app/u",
        [
            ("b:x", "app/t", "a:x", ["dependency-cycle"]),
            ("c:x", "app/u", "a:x", ["dependency-cycle"]),
            ("a:x", "app/s", "b:x", ["dependency-cycle"]),
            ("a:x", "app/s", "c:x", ["dependency-cycle"]),
        ],
    ),
    ("a:session; session/s; session/s", [("a:session", "session/s", "a:session", [])]),
]


@pytest.mark.parametrize(
    ("text", "arrows"),
    FAULTS,
    ids=["missing", "local", "mismatch", "two owners", "two rings", "its own"],
)
def test_findings_stand_on_the_arrows_that_they_are_about(
    facets: Facets, text: str, arrows: list[tuple[str, str, str, list[str]]]
) -> None:
    assert sorted(list_arrows(stage(facets(text)))) == sorted(arrows)


def test_findings_stand_on_the_facets_that_they_are_about(facets: Facets) -> None:
    scene = stage(facets("a:x; app/gone;\nb:tui;; session/s"))
    assert [[scene.notes[i].rule for i in box.findings] for box in scene.boxes] == [
        ["missing-provider"],
        ["scope-not-allowed"],
    ]
    assert [note.boxes for note in scene.notes] == [(0,), (1,)]
    assert scene.notes[0].way == "  a:x\n    app/gone <- nobody\n"


def test_a_facet_that_only_a_finding_names_has_a_box_without_a_step(facets: Facets) -> None:
    plan = make_plan(None, [facets("a:x;;")])
    lost = Finding(
        "no-report", Severity.ERROR, "m", subject=Subject(facets=(Facet("@pi/lost", "y"),))
    )
    scene = make_scene(plan, [lost])
    assert [(box.name, box.step, box.findings) for box in scene.boxes] == [
        ("a:x", 1, ()),
        ("lost:y", 0, (0,)),
    ]
    assert scene.hosts == ("x", "y")


def test_call_sites_and_places_are_told() -> None:
    site = CallSite("src/a\n.py", 7)
    provides = [Declaration("app", "x", "singleton", at=site)]
    requires = [
        Declaration("app", "x", "singleton", at=CallSite("src/b.py", 3)),
        Declaration("app", "gone", "singleton", at=CallSite("src/b.py", 4)),
        Declaration("app", "lost", "singleton"),
    ]
    scene = stage(ReportFile([Report("a", "x", [], provides), Report("b", "x", requires, [])]))
    assert scene.boxes[0].provides[0].at == "src/a\\n.py:7"
    assert [arrow.at for arrow in scene.arrows] == ["src/b.py:3", "src/b.py:4", ""]
    assert [note.place for note in scene.notes] == ["", "src/b.py:4"]


def test_the_same_plan_gives_the_same_scene(facets: Facets) -> None:
    text = "a:x; app/s app/gone; app/t\nb:x; app/t; app/s\nc:y; app/s*;"
    assert stage(facets(text)) == stage(facets(text))
