"use strict";

// What happens on the page: choosing, hovering, filtering, folding, and the panel that
// tells why and where.

(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const byId = (id) => document.getElementById(id);
  const [svg, stage, filter, details, notes, summary] =
    ["picture", "stage", "filter", "details", "notes", "summary"].map(byId);
  const MANY = 500;
  const READABLE = 0.7;
  const state = { text: "", folded: new Set(), before: null, chosen: null, zoom: 1 };
  let view = null;
  let elements = null;

  const wanted = scene.boxes.map(() => []);
  const needed = scene.boxes.map(() => []);
  scene.arrows.forEach((arrow, index) => {
    wanted[arrow.consumer].push(index);
    if (arrow.provider !== null) needed[arrow.provider].push(index);
  });

  function add(parent, tag, text = "", className = "") {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (className) element.className = className;
    parent.append(element);
    return element;
  }

  function count(number, noun) {
    return `${number} ${noun}${number === 1 ? "" : "s"}`;
  }

  // Which facets are shown

  function findShown() {
    const text = state.text.trim().toLowerCase();
    const all = new Set(scene.boxes.keys());
    if (!text) return { shown: all, matched: all };
    const has = (part) => part.toLowerCase().includes(text);
    const matched = new Set([...all].filter((index) => {
      const box = scene.boxes[index];
      return has(box.plugin) || has(box.name) || box.provides.some((one) => has(one.service))
        || wanted[index].some((arrow) => has(scene.arrows[arrow].service));
    }));
    const shown = new Set(matched);
    for (const { consumer, provider } of scene.arrows) {
      if (provider === null) continue;
      if (matched.has(consumer)) shown.add(provider);
      if (matched.has(provider)) shown.add(consumer);
    }
    return { shown, matched };
  }

  /** Filters; what a filter finds is not folded, and without it hosts are folded as before. */
  function search(text) {
    const [was, is] = [state.text, text].map((one) => Boolean(one.trim()));
    if (is && !was) [state.before, state.folded] = [state.folded, new Set()];
    if (was && !is) state.folded = state.before;
    state.text = text;
    redraw();
  }

  function redraw() {
    const { shown, matched } = findShown();
    const focused = svg.contains(document.activeElement) ? document.activeElement.dataset : null;
    svg.replaceChildren();
    view = new View(scene, shown, state.folded);
    const probe = makeMeasure(svg);
    elements = drawView(svg, view, probe, state.zoom);
    summarize(matched);
    emphasize();
    restoreFocus(focused);
  }

  function restoreFocus(focused) {
    makeReachable(elements.boxes.keys().next().value);
    if (!focused) return;
    const again = focused.host !== undefined
      ? elements.folds.find((fold) => fold.dataset.host === focused.host)
      : elements.boxes.get(focused.key);
    if (again) again.focus({ preventScroll: true });
  }

  function summarize(matched) {
    const levels = ["error", "warning", "note"].map((level) =>
      [level, scene.notes.filter((note) => note.severity === level).length]).filter(([, number]) => number);
    const facets = matched.size === scene.boxes.length
      ? count(scene.boxes.length, "facet") : `${matched.size} of ${count(scene.boxes.length, "facet")}`;
    const found = levels.map(([level, number]) => count(number, level)).join(", ") || "no findings";
    summary.textContent = `${facets} in ${count(scene.hosts.length, "host kind")}, ${found}`;
  }

  // What is emphasized

  function relate(chosen) {
    if (!chosen) return null;
    if (chosen.kind === "box") {
      return { arrows: [...wanted[chosen.index], ...needed[chosen.index]], boxes: [chosen.index] };
    }
    if (chosen.kind === "arrow") return { arrows: [chosen.index], boxes: [] };
    const { boxes } = scene.notes[chosen.index];
    const arrows = [...scene.arrows.keys()].filter((index) => scene.arrows[index].findings.includes(chosen.index));
    return { arrows, boxes };
  }

  function emphasize(hovered = null) {
    const related = relate(hovered || state.chosen);
    svg.classList.toggle("focused", Boolean(related));
    for (const group of [elements.boxes, elements.lines, elements.ports]) {
      for (const element of group.values()) element.classList.remove("on", "chosen");
    }
    for (const element of elements.boxes.values()) element.setAttribute("aria-pressed", "false");
    if (!related) return;
    const boxes = new Set(related.boxes);
    for (const index of related.arrows) {
      const arrow = scene.arrows[index];
      boxes.add(arrow.consumer);
      if (arrow.provider !== null) boxes.add(arrow.provider);
      const shown = view.arrows[index];
      if (!shown) continue;
      elements.ports.get(`${shown.box} ${shown.port}`).classList.add("on");
      if (shown.line) elements.lines.get(shown.line).classList.add("on");
    }
    for (const index of boxes) elements.boxes.get(view.keys[index])?.classList.add("on");
    const { chosen } = state;
    if (chosen?.kind === "box") {
      const element = elements.boxes.get(view.keys[chosen.index]);
      element?.classList.add("chosen");
      element?.setAttribute("aria-pressed", "true");
    }
  }

  // The panel

  function choose(chosen, isShown = true) {
    state.chosen = chosen;
    details.replaceChildren();
    details.hidden = !chosen;
    if (chosen) ({ box: tellBox, arrow: tellArrow, note: tellNote })[chosen.kind](chosen.index);
    emphasize();
    if (chosen && isShown) reveal(relate(chosen).boxes[0] ?? scene.arrows[chosen.index].consumer);
    if (chosen) details.parentElement.scrollTop = 0;
  }

  function reveal(index) {
    const box = elements.layout.boxes.find((one) => one.key === view.keys[index]);
    if (!box) return;
    if (state.zoom < READABLE) setZoom(READABLE);
    const { zoom } = state;
    const [x, y] = [(box.x + box.width / 2) * zoom, (box.y + box.height / 2) * zoom];
    const isIn = x > stage.scrollLeft && x < stage.scrollLeft + stage.clientWidth
      && y > stage.scrollTop && y < stage.scrollTop + stage.clientHeight;
    if (!isIn) stage.scrollTo({ left: x - stage.clientWidth / 2, top: y - stage.clientHeight / 2 });
  }

  function link(parent, text, chosen) {
    const button = add(parent, "button", text, "plain");
    button.type = "button";
    button.addEventListener("click", () => choose(chosen));
    return button;
  }

  function addSite(parent, at) {
    add(parent, "span", at ? `at ${at}` : "its place is not known", "site");
  }

  function listArrows(title, indexes, say) {
    if (!indexes.length) return;
    add(details, "h3", title);
    const list = add(details, "ul");
    for (const index of indexes) {
      const item = add(list, "li");
      link(item, say(scene.arrows[index]), { kind: "arrow", index });
      addSite(item, scene.arrows[index].at);
    }
  }

  function tellBox(index) {
    const box = scene.boxes[index];
    add(details, "h2", `${box.plugin}:${scene.hosts[box.host]}`);
    const steps = scene.boxes.filter((one) => one.step).length;
    add(details, "p", box.step ? `Starts as number ${box.step} of ${steps}.` : "Nothing is known of it.", "meta");
    for (const one of box.findings) addNote(details, one);
    const of = (arrow) => (arrow.provider === null ? "nobody" : scene.boxes[arrow.provider].name);
    listArrows("Requires", wanted[index], (one) => `${name(one.service, one.mode)} of ${of(one)}`);
    tellProvided(index);
    tellEnds("Holds up", findWaiting(index));
  }

  function tellProvided(index) {
    const { provides } = scene.boxes[index];
    if (!provides.length) return;
    add(details, "h3", "Provides");
    const list = add(details, "ul");
    for (const one of provides) {
      const item = add(list, "li");
      add(item, "span", name(one.service, one.mode));
      addSite(item, one.at);
      const arrows = needed[index].filter((arrow) => scene.arrows[arrow].service === one.service);
      if (!arrows.length) add(item, "span", "nobody requires it", "meta");
      for (const arrow of arrows) {
        link(add(item, "div"), `to ${scene.boxes[scene.arrows[arrow].consumer].name}`, { kind: "arrow", index: arrow });
      }
    }
  }

  /** Returns everyone who waits for a facet, the nearest first. */
  function findWaiting(start) {
    const seen = new Set([start]);
    for (const index of seen) {
      for (const arrow of needed[index]) seen.add(scene.arrows[arrow].consumer);
    }
    seen.delete(start);
    return [...seen];
  }

  function tellEnds(title, indexes) {
    if (!indexes.length) return;
    add(details, "h3", `${title} ${count(indexes.length, "facet")}`);
    const list = add(details, "p", "", "meta");
    const shown = indexes.slice(0, 12);
    shown.forEach((index, position) => {
      if (position) list.append(", ");
      link(list, scene.boxes[index].name, { kind: "box", index });
    });
    if (indexes.length > shown.length) list.append(`, and ${indexes.length - shown.length} more`);
  }

  function tellArrow(index) {
    const arrow = scene.arrows[index];
    add(details, "h2", name(arrow.service, arrow.mode));
    const said = add(details, "p");
    link(said, scene.boxes[arrow.consumer].name, { kind: "box", index: arrow.consumer });
    said.append(` requires it as ${arrow.mode} of `);
    if (arrow.provider === null) said.append("nobody.");
    else link(said, scene.boxes[arrow.provider].name, { kind: "box", index: arrow.provider });
    add(details, "h3", "Required");
    addSite(details, arrow.at);
    const provided = arrow.provider === null ? null
      : scene.boxes[arrow.provider].provides.find((one) => one.service === arrow.service);
    if (provided) {
      add(details, "h3", `Provided as ${provided.mode}`);
      addSite(details, provided.at);
    }
    for (const one of arrow.findings) addNote(details, one);
    tellEnds("Holds up", [arrow.consumer, ...findWaiting(arrow.consumer)]);
  }

  function tellNote(index) {
    const note = scene.notes[index];
    add(details, "h2", note.rule);
    add(details, "p", note.message, "message");
    if (note.place) addSite(details, note.place);
    if (note.way) add(details, "pre", note.way.replace(/\n$/, ""), "way");
    if (note.fix) add(add(details, "p", "", "meta"), "span", `Help: ${note.fix}.`);
    const arrows = relate({ kind: "note", index }).arrows;
    listArrows("Where", arrows, (arrow) => sayArrow(scene, arrow));
    tellEnds("About", note.boxes);
  }

  function addNote(parent, index) {
    const note = scene.notes[index];
    const card = add(parent, "button", "", `note ${note.severity}`);
    card.type = "button";
    card.dataset.note = index;
    add(card, "b", `${note.severity}: ${note.rule}`);
    add(card, "span", note.message, "said");
    if (note.place) add(card, "span", note.place, "site");
    if (note.fix) add(card, "span", `Help: ${note.fix}`, "fix");
    card.addEventListener("click", () => choose({ kind: "note", index }));
  }

  function listNotes() {
    add(notes, "h2", scene.notes.length ? count(scene.notes.length, "finding") : "Findings");
    if (!scene.notes.length) add(notes, "p", "No problems found.", "all-good");
    scene.notes.forEach((_, index) => addNote(notes, index));
  }

  // Pointer and keyboard

  function findTarget(event) {
    const element = event.target.closest("[data-facet], [data-arrow], [data-host], [data-key]");
    if (!element) return null;
    const { facet, arrow, host, key } = element.dataset;
    if (facet !== undefined) return { kind: "box", index: Number(facet) };
    if (arrow !== undefined) return { kind: "arrow", index: Number(arrow) };
    return { kind: "host", index: Number(host ?? key.slice("host-".length)) };
  }

  function act(target) {
    if (target?.kind === "host") fold(target.index);
    else choose(target, false);
  }

  function fold(host) {
    if (!state.folded.delete(host)) state.folded.add(host);
    redraw();
  }

  function makeReachable(key) {
    for (const element of elements.boxes.values()) element.setAttribute("tabindex", -1);
    elements.boxes.get(key)?.setAttribute("tabindex", 0);
  }

  /** Moves the focus to the nearest box in a direction. */
  function move(key, [dx, dy]) {
    const { boxes } = elements.layout;
    const here = boxes.find((box) => box.key === key);
    let nearest = null;
    for (const box of boxes) {
      const [x, y] = [box.x - here.x, box.y + box.height / 2 - here.y - here.height / 2];
      const along = dx ? x * dx : y * dy;
      const isAhead = dx ? along > 0 : along > 0 && box.x === here.x;
      const distance = along + 3 * Math.abs(dx ? y : x);
      if (isAhead && (!nearest || distance < nearest.distance)) nearest = { box, distance };
    }
    if (!nearest) return;
    makeReachable(nearest.box.key);
    elements.boxes.get(nearest.box.key).focus();
  }

  const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  svg.addEventListener("click", (event) => {
    const target = findTarget(event);
    if (target?.kind === "box") makeReachable(`facet-${target.index}`);
    act(target);
  });
  svg.addEventListener("keydown", (event) => {
    const element = event.target.closest("[role=button]");
    if (!element) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act(findTarget(event));
    } else if (MOVES[event.key] && element.dataset.key) {
      event.preventDefault();
      move(element.dataset.key, MOVES[event.key]);
    }
  });
  svg.addEventListener("pointerover", (event) => {
    const target = findTarget(event);
    emphasize(target?.kind === "host" ? null : target);
  });
  svg.addEventListener("pointerleave", () => emphasize());
  svg.addEventListener("focusin", (event) => {
    const target = findTarget(event);
    if (target?.kind === "box" && event.target.matches(":focus-visible")) emphasize(target);
  });
  svg.addEventListener("focusout", () => emphasize());
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== filter) {
      event.preventDefault();
      filter.focus();
    } else if (event.key === "Escape") {
      filter.value = "";
      if (state.text) search("");
      choose(null);
    }
  });

  let timer = 0;
  filter.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      search(filter.value);
      stage.scrollTo(0, 0);
    }, 100);
  });

  function setZoom(zoom) {
    state.zoom = Math.min(2, Math.max(0.1, zoom));
    resize(svg, elements.layout, state.zoom);
  }

  function fit() {
    const { width, height } = elements.layout;
    setZoom(Math.min(1, (stage.clientWidth - 4) / width, (stage.clientHeight - 4) / height));
  }

  byId("smaller").addEventListener("click", () => setZoom(state.zoom / 1.25));
  byId("larger").addEventListener("click", () => setZoom(state.zoom * 1.25));
  byId("fit").addEventListener("click", fit);

  // More than anyone can see is first shown folded, and drawn when it is asked for.
  if (scene.boxes.length > MANY) state.folded = new Set(scene.hosts.keys());
  listNotes();
  redraw();
  setZoom(Math.max(READABLE, Math.min(1, (stage.clientWidth - 4) / elements.layout.width)));
  reveal(scene.notes.find((note) => note.boxes.length)?.boxes[0] ?? 0);
})();
