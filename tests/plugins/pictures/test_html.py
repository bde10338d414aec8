from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.plugins.facets import CallSite, Declaration, Report, ReportFile
from pi_contracts.plugins.manifest import read_manifest
from pi_contracts.plugins.pictures.html import render_html
from pi_contracts.plugins.pictures.scene import make_scene
from pi_contracts.plugins.plan import Plan, make_plan, read_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    Facets = Callable[[str], ReportFile]
    Show = Callable[..., Any]

MANIFEST = (
    Path(__file__).resolve().parents[3] / "plugins" / "library" / "coding-agent.manifest.json"
)

# Texts that meet, and boxes that a text of another element stands on.
OVERLAPS = """(() => {
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5;
  const read = (selector) => [...document.querySelectorAll(selector)].map((one) =>
    ({ name: one.textContent, owner: one.parentNode, place: one.getBoundingClientRect() }));
  const texts = read("svg text").filter((one) => one.name);
  const boxes = read("svg .box > rect");
  const found = [];
  texts.forEach((one, i) => {
    const others = [...texts.slice(i + 1), ...boxes.filter((b) => !b.owner.contains(one.owner))];
    for (const other of others) {
      if (meet(one.place, other.place)) found.push([one.name, other.name]);
    }
  });
  boxes.forEach((one, i) => {
    for (const other of boxes.slice(i + 1)) {
      if (meet(one.place, other.place)) found.push(["two boxes"]);
    }
  });
  return found;
})()"""

# Lines that pass through a box that they do not end at.
CROSSED = """(() => {
  const found = [];
  const boxes = [...document.querySelectorAll("svg .box > rect")].map((rect) => rect.getBBox());
  const holds = (b, { x, y }) =>
    x > b.x + 2 && x < b.x + b.width - 2 && y > b.y + 1 && y < b.y + b.height - 1;
  for (const shaft of document.querySelectorAll("svg .shaft")) {
    const length = shaft.getTotalLength();
    for (let at = 8; at < length - 8; at += 24) {
      const point = shaft.getPointAtLength(at);
      if (boxes.some((box) => holds(box, point))) {
        found.push(shaft.parentNode.dataset.key);
        break;
      }
    }
  }
  return found;
})()"""


def draw(plan: Plan, title: str = "app.manifest.json") -> str:
    return render_html(make_scene(plan, plan.findings), title)


def declare(scope: str, service: str, line: int, mode: Any = "singleton") -> Declaration:
    return Declaration(scope, service, mode, at=CallSite(f"src/{scope}.py", line))


def make_broken() -> Plan:
    """Return a plan with a ring, a gap, and a mismatch."""
    git, index = (declare("session", name, line) for name, line in (("git", 5), ("index", 7)))
    reports = [
        Report("@pi/git", "session", [declare("session", "index", 4)], [git]),
        Report("@pi/index", "session", [declare("session", "git", 6)], [index]),
        Report("@pi/git", "tui", [declare("session", "git", 8, "keyed")], []),
        Report(
            "@pi/ask", "tui", [declare("session", "gone", 9), declare("session", "index", 10)], []
        ),
    ]
    return make_plan(None, [ReportFile(reports)])


def make_large(seed: int, count: int) -> Plan:
    """Return a plan of *count* plugins, most of them with facets in several hosts."""
    chance = random.Random(seed)
    reports: list[Report] = []
    provided: list[Declaration] = []
    for number in range(count):
        known = chance.sample(provided, min(len(provided), chance.randrange(3)))
        own = Declaration("session", f"service-{number}", "singleton")
        reports.append(Report(f"@acme/plugin-{number}", "session", known, [own]))
        if number < 20:
            provided.append(own)
        for kind in ("tui", "web"):
            if chance.random() < 0.9:
                needs = [own, *chance.sample(provided, min(len(provided), chance.randrange(2)))]
                distinct = list(dict.fromkeys(needs))
                reports.append(Report(f"@acme/plugin-{number}", kind, distinct, []))
    reports.append(Report("@acme/late", "server", [Declaration("app", "gone", "keyed")], []))
    return make_plan(None, [ReportFile(reports)])


def test_the_page_of_the_coding_agent_shows_every_facet_and_service(show: Show) -> None:
    manifest, _ = read_manifest(MANIFEST)
    assert manifest is not None
    plan = read_plan(str(MANIFEST))
    page = show(draw(plan))
    assert page.list_complaints() == []
    names = page.run("[...document.querySelectorAll('.box')].map((e) => e.ariaLabel)")
    assert sorted(names) == sorted(str(facet).partition("/")[2] for facet in plan.order)
    labels = page.run("[...document.querySelectorAll('.port text')].map((e) => e.textContent)")
    services = {
        f"{entry.scope}/{entry.service}{'*' if entry.mode == 'keyed' else ''}"
        for facet in plan.facets
        for entry in facet.provides
    }
    assert services <= set(labels)
    assert page.run(OVERLAPS) == []
    assert page.run(CROSSED) == []
    assert (
        page.run("summary.textContent") == f"{len(plan.order)} facets in 4 host kinds, no findings"
    )


def test_findings_are_seen_in_place_and_in_a_list(show: Show) -> None:
    page = show(draw(make_broken()))
    cards = page.run("[...document.querySelectorAll('#notes .note')].map((e) => e.innerText)")
    assert len(cards) == 3
    assert any('"session/gone", which no facet provides' in card for card in cards)
    assert all("Help: " in card for card in cards)
    faulty = page.run("[...document.querySelectorAll('.box.error')].map((e) => e.ariaLabel)")
    assert sorted(faulty) == [
        "ask:tui, 1 finding",
        "git:session, 2 findings",
        "git:tui, 1 finding",
        "index:session, 1 finding",
    ]
    is_seen = "(e) => e.getBoundingClientRect().width > 5 && e.checkVisibility()"
    assert page.run(f"[...document.querySelectorAll('.badge, .note')].every({is_seen})")
    gap = page.run("[...document.querySelectorAll('.port.bad text')].map((e) => e.textContent)")
    assert "session/gone ← nobody" in gap
    assert page.run("document.querySelectorAll('.arrow.bad').length") == 3
    assert page.run(OVERLAPS) == []


def test_a_click_on_a_facet_shows_why_and_the_call_sites(show: Show) -> None:
    page = show(draw(make_broken()))
    assert page.run("details.hidden")
    page.click("[aria-label^='ask:tui']")
    told = page.run("details.innerText")
    assert told.startswith("@pi/ask:tui\n")
    assert "session/gone of nobody\nat src/session.py:9" in told
    assert "session/index of index:session\nat src/session.py:10" in told
    assert "error: missing-provider" in told
    page.click("[aria-label^='index:session']")
    told = page.run("details.innerText")
    assert "session/index\nat src/session.py:7\nto git:session\nto ask:tui" in told
    assert "Holds up 3 facets\n\ngit:session, ask:tui, git:tui" in told


def test_a_click_on_an_arrow_shows_why_and_the_call_site(show: Show) -> None:
    page = show(draw(make_plan(None, [ReportFile(
        [
            Report("own", "session", [], [declare("session", "x", 3)]),
            Report("ask", "tui", [declare("session", "x", 12)], [declare("local", "y", 13)]),
            Report("top", "tui", [declare("local", "y", 14)], []),
        ]
    )])))  # fmt: skip
    page.click(".arrow .hit")
    told = page.run("details.innerText")
    assert told.startswith("session/x\n")
    assert "ask:tui requires it as singleton of own:session" in told
    assert "Required\nat src/session.py:12" in told
    assert "Provided as singleton\nat src/session.py:3" in told
    assert "Holds up 2 facets\n\nask:tui, top:tui" in told


def test_a_click_on_a_finding_shows_the_way_and_what_it_is_about(show: Show) -> None:
    page = show(draw(make_broken()))
    number = page.run(
        "[...notes.querySelectorAll('.note')].findIndex((e) => /cycle/.test(e.innerText))"
    )
    page.click(f"#notes .note:nth-of-type({number + 1})")
    told = page.run("details.innerText")
    assert told.startswith("dependency-cycle\n")
    assert "git:session" in page.run("details.querySelector('.way').textContent")
    assert "git:session requires session/index of index:session\nat src/session.py:4" in told
    emphasized = page.run("[...document.querySelectorAll('.box.on')].map((e) => e.ariaLabel)")
    assert sorted(emphasized) == ["git:session, 2 findings", "index:session, 1 finding"]
    assert page.run("getComputedStyle(document.querySelector('.box:not(.on)')).opacity") != "1"


def make_ring(count: int) -> Plan:
    """Return a plan of facets that all wait for each other."""
    own = [Declaration("app", f"s{i}", "singleton") for i in range(count)]
    return make_plan(
        None,
        [
            ReportFile(
                [Report(f"r{i}", "main", [own[(i + 1) % count]], [own[i]]) for i in range(count)]
            )
        ],
    )


def test_a_finding_of_many_words_leaves_room_for_what_follows(show: Show) -> None:
    page = show(draw(make_ring(50)))
    assert page.list_complaints() == []
    assert page.run("document.querySelector('#notes .note').clientHeight") < 300
    page.click("#notes .note")
    assert page.run("details.querySelector('.message').textContent").count(" requires ") == 50
    assert page.run("details.querySelector('.way').getBoundingClientRect().top") < 400
    assert page.run("document.querySelectorAll('.arrow.on').length") == 50


def test_what_is_chosen_in_the_panel_can_be_read_in_the_picture(show: Show) -> None:
    page = show(draw(make_large(2, 75)))
    page.click("#fit")
    height = "document.querySelector('.box.error .title').getBoundingClientRect().height"
    assert page.run(height) < 6
    page.click("#notes .note")
    assert page.run(height) > 8
    assert page.run("stage.getBoundingClientRect().right > document.querySelector('.box.error')"
                    ".getBoundingClientRect().right")  # fmt: skip


def test_a_printed_page_shows_the_whole_picture_and_all_findings(show: Show) -> None:
    page = show(draw(make_ring(50)), width=1000, height=700)
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert page.run("picture.getBoundingClientRect().width") <= 1000
        assert not page.run("filter.checkVisibility()")
        assert page.run("getComputedStyle(document.querySelector('.said')).display") == "block"
        assert page.run("getComputedStyle(document.querySelector('main')).display") == "block"
    finally:
        page.call("Emulation.setEmulatedMedia", media="")


def test_everything_can_be_done_with_the_keyboard(show: Show) -> None:
    page = show(draw(make_broken()))
    focused = "document.activeElement.ariaLabel ?? document.activeElement.id"
    page.press("/", 191, "/")
    assert page.run(focused) == "filter"
    for _ in range(12):
        page.press("Tab", 9)
        if page.run("document.activeElement.classList.contains('box')"):
            break
    assert page.run(focused) == "git:session, 2 findings"
    page.press("ArrowRight", 39)
    assert page.run(focused) == "index:session, 1 finding"
    page.press("ArrowLeft", 37)
    assert page.run(focused) == "git:session, 2 findings"
    page.press("ArrowRight", 39)
    page.press("ArrowRight", 39)
    page.press("ArrowDown", 40)
    page.press("ArrowUp", 38)
    page.press("Enter", 13, "\r")
    chosen = page.run("document.querySelector('.box.chosen').ariaLabel")
    assert chosen == page.run(focused)
    assert page.run("document.querySelector('.box.chosen').ariaPressed") == "true"
    assert page.run("details.innerText").startswith("@pi/")
    page.press("Escape", 27)
    assert page.run("details.hidden")
    assert page.run("document.querySelector('.box.chosen')") is None


def test_a_filter_leaves_what_matches_and_its_partners(show: Show) -> None:
    page = show(draw(make_large(1, 30)))
    page.click("#filter")
    page.type("plugin-29:tui")
    page.run("new Promise((done) => setTimeout(done, 300))")
    assert page.run("summary.textContent").startswith("1 of ")
    shown = page.run("[...document.querySelectorAll('.box')].map((e) => e.ariaLabel)")
    assert "plugin-29:tui" in shown
    assert "plugin-29:session" in shown
    assert len(shown) < 6
    page.press("Escape", 27)
    assert page.run("document.querySelectorAll('.box').length") > 60
    assert page.run("filter.value") == ""


def test_a_host_folds_to_one_box_and_unfolds(show: Show) -> None:
    page = show(draw(make_broken()))
    page.click(".fold[data-host='1']")
    assert page.run("[...document.querySelectorAll('.box')].map((e) => e.ariaLabel)")[-1] == (
        "2 facets of host kind tui, folded, 2 findings"
    )
    assert page.run("document.activeElement.ariaExpanded") == "false"
    page.press("Enter", 13, "\r")
    assert page.run("document.querySelectorAll('.box').length") == 4
    page.click(".fold[data-host='0']")
    page.click(".box.folded")
    assert page.run("document.querySelectorAll('.box').length") == 4


def test_two_hundred_facets_have_places_of_their_own(show: Show) -> None:
    plan = make_large(2, 75)
    assert len(plan.order) >= 200
    page = show(draw(plan))
    assert page.list_complaints() == []
    assert page.run("document.querySelectorAll('.box').length") == len(plan.order)
    assert page.run(OVERLAPS) == []
    assert page.run(CROSSED) == []
    page.click("#fit")
    assert page.run("picture.clientHeight <= stage.clientHeight")
    page.click("#larger")
    page.click("[data-facet='1']")
    emphasized = page.run("document.querySelectorAll('.arrow.on').length")
    assert 0 < emphasized < page.run("document.querySelectorAll('.arrow').length") / 4
    dimmed = "getComputedStyle(document.querySelector('.arrow:not(.on)')).opacity"
    assert float(page.run(dimmed)) < 0.3


def test_more_than_anyone_can_see_is_folded_until_it_is_asked_for(show: Show) -> None:
    plan = make_large(3, 200)
    assert len(plan.order) > 500
    page = show(draw(plan))
    assert page.list_complaints() == []
    folded = page.run("[...document.querySelectorAll('.box.folded')].map((e) => e.ariaLabel)")
    assert len(folded) == page.run("document.querySelectorAll('.box').length") == 4
    page.click("#filter")
    page.type("plugin-150:")
    page.run("new Promise((done) => setTimeout(done, 300))")
    shown = page.run("[...document.querySelectorAll('.box')].map((e) => e.ariaLabel)")
    assert "plugin-150:session" in shown
    page.press("Escape", 27)
    assert page.run("document.querySelectorAll('.box.folded').length") == 4


@pytest.mark.parametrize("seed", range(6))
def test_no_texts_meet_and_no_line_crosses_a_box(show: Show, facets: Facets, seed: int) -> None:
    chance = random.Random(seed)
    lines: list[str] = []
    for number in range(14):
        kind = chance.choice(["server", "session", "tui", "web"])
        needs = " ".join(f"app/s{chance.randrange(16)}" for _ in range(chance.randrange(4)))
        lines.append(f"{'long-' * chance.randrange(9)}p{number}:{kind}; {needs}; app/s{number}")
    page = show(draw(make_plan(None, [facets("\n".join(lines))])))
    assert page.list_complaints() == []
    assert page.run(OVERLAPS) == []
    assert page.run(CROSSED) == []


def test_the_page_has_a_light_and_a_dark_form(show: Show) -> None:
    text = draw(make_broken())
    colour = "getComputedStyle(document.body).backgroundColor"
    light = show(text).run(colour)
    dark = show(text, dark=True).run(colour)
    assert light == "rgb(251, 251, 250)"
    assert dark == "rgb(21, 23, 26)"


HOSTILE = "</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1>\u2028'\"&<!--"


def test_no_name_is_taken_for_anything_but_text(show: Show) -> None:
    entry = Declaration(HOSTILE, HOSTILE, "singleton")
    file = ReportFile([Report(HOSTILE, HOSTILE, [], [entry]), Report("b", "x", [entry], [])])
    page = show(draw(make_plan(None, [file]), HOSTILE))
    assert page.list_complaints() == []
    page.click("[data-facet='0']")
    assert page.run("window.hurt === undefined && !document.querySelector('img')")
    assert "</script><script>" in page.run("details.innerText")


def test_the_policy_lets_nothing_in_that_is_not_of_the_page(show: Show) -> None:
    page = show(draw(make_broken()).replace("</body>", "<script>window.hurt=1</script></body>"))
    assert page.run("window.hurt") is None
    assert page.run("document.querySelectorAll('.box').length") == 4
    assert any("Content Security Policy" in told for told in page.list_complaints())


def test_a_plan_without_facets_is_a_page_too(show: Show) -> None:
    page = show(draw(make_plan()))
    assert page.list_complaints() == []
    assert page.run("summary.textContent") == "0 facets in 0 host kinds, no findings"


def test_a_facet_that_nothing_is_known_of_is_shown_as_that(show: Show, tmp_path: Path) -> None:
    file = tmp_path / "app.manifest.json"
    plugin: dict[str, Any] = {
        "id": "a",
        "facets": {"main": {"entry": "a:b", "provides": []}, "web": "no_such:b"},
    }
    file.write_text(json.dumps({"manifest": 1, "plugins": [plugin]}))
    manifest, _ = read_manifest(file)
    page = show(draw(make_plan(manifest)))
    assert page.run("document.querySelector('.box.unknown').ariaLabel") == "a:web, 1 finding"
    page.click(".box.unknown")
    assert "Nothing is known of it." in page.run("details.innerText")


def test_the_page_needs_nothing_but_itself() -> None:
    text = draw(make_broken())
    assert re.findall(r"""(?:src|href|url|import|@import)\s*[=(]\s*["']?https?:""", text) == []
    assert "connect-src" not in text
    assert "default-src 'none'" in text


def test_the_same_plan_gives_the_same_bytes() -> None:
    assert draw(make_broken()) == draw(make_broken())
