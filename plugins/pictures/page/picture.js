"use strict";

// The picture itself: which boxes and lines there are to lay out, and their elements. What
// happens on a click belongs to page.js.

const SVG = "http://www.w3.org/2000/svg";
const CROWDED = 60;

function draw(parent, name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

/** Returns a function that tells how wide a text is as a title, a label or a bad label. */
function makeMeasure(svg) {
  const known = { title: new Map(), label: new Map(), bad: new Map() };
  const probes = {
    title: draw(draw(svg, "g", { class: "box" }), "text", { class: "title" }),
    label: draw(draw(svg, "g", { class: "port" }), "text"),
    bad: draw(draw(svg, "g", { class: "port bad" }), "text"),
  };
  return (text, style) => {
    let width = known[style].get(text);
    if (width === undefined) {
      probes[style].textContent = text;
      width = probes[style].getComputedTextLength();
      known[style].set(text, width);
    }
    return width;
  };
}

/** What is shown of a scene: some facets, some hosts folded to one box each. */
class View {
  constructor(scene, shown, folded) {
    this.scene = scene;
    this.required = new Set(scene.arrows.map((arrow) => `${arrow.provider} ${arrow.service}`));
    this.boxes = new Map();
    this.lines = new Map();
    this.keys = scene.boxes.map((box, index) => {
      if (!shown.has(index)) return null;
      return folded.has(box.host) ? `host-${box.host}` : `facet-${index}`;
    });
    this.keys.forEach((key, index) => key && this.addBox(key, index));
    this.arrows = scene.arrows.map((arrow, index) => this.addArrow(arrow, index));
  }

  addBox(key, index) {
    const facet = this.scene.boxes[index];
    let box = this.boxes.get(key);
    if (!box) {
      const isFolded = key.startsWith("host-");
      box = { key, lane: facet.host, rank: facet.step || this.scene.boxes.length + 1, title: facet.label, corner: "", isFolded, facets: [], ports: [] };
      this.boxes.set(key, box);
    }
    box.facets.push(index);
    if (box.isFolded) {
      box.title = `${box.facets.length} facet${box.facets.length === 1 ? "" : "s"}`;
      return;
    }
    box.corner = facet.step ? String(facet.step) : "?";
    for (const { service, mode } of facet.provides) {
      this.addPort(box, service, name(service, mode)).isIdle = !this.required.has(`${index} ${service}`);
    }
  }

  addPort(box, key, text) {
    let port = box.ports.find((one) => one.key === key);
    if (!port) {
      port = { key, text, arrows: [], isBad: false, isGap: false, isIdle: false };
      box.ports.push(port);
    }
    return port;
  }

  /** Returns the key of the line or the port that shows an arrow; null if nothing does. */
  addArrow(arrow, index) {
    const consumer = this.boxes.get(this.keys[arrow.consumer]);
    if (!consumer) return null;
    const text = name(arrow.service, arrow.mode);
    if (arrow.provider === null) {
      if (consumer.isFolded) return null;
      const gap = this.addPort(consumer, `gap ${arrow.service}`, `${text} ← nobody`);
      Object.assign(gap, { isBad: true, isGap: true });
      gap.arrows.push(index);
      return { box: consumer.key, port: gap.key };
    }
    const provider = this.boxes.get(this.keys[arrow.provider]);
    if (!provider) return null;
    const isOwn = provider === consumer;
    const isForth = isOwn || isLeftOf(provider, consumer);
    if (isOwn && provider.isFolded) return null;
    const [left, right] = isForth ? [provider, consumer] : [consumer, provider];
    const port = isForth
      ? this.addPort(left, arrow.service, text)
      : this.addPort(left, `back ${arrow.service}`, `← ${text}`);
    port.arrows.push(index);
    port.isBad ||= arrow.findings.length > 0;
    if (isOwn) return { box: left.key, port: port.key };
    const key = `${left.key} ${port.key} ${right.key}`;
    const line = this.lines.get(key) || { key, from: left.key, port: port.key, to: right.key, isForth, arrows: [], isBad: false };
    line.arrows.push(index);
    line.isBad ||= arrow.findings.length > 0;
    this.lines.set(key, line);
    return { box: left.key, port: port.key, line: key };
  }
}

function isLeftOf(one, other) {
  return one.lane === other.lane ? one.rank < other.rank : one.lane < other.lane;
}

function name(service, mode) {
  return mode === "keyed" ? `${service}*` : service;
}

/** Draws a view and returns its elements by key. */
function drawView(svg, view, measure, zoom) {
  const { scene } = view;
  const lanes = scene.hosts.map((title, number) => ({ number, title }));
  const layout = layOut(lanes, [...view.boxes.values()], [...view.lines.values()], measure);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
  svg.setAttribute("class", view.lines.size > CROWDED ? "crowded" : "");
  const elements = { layout, boxes: new Map(), lines: new Map(), ports: new Map(), folds: [] };
  for (const lane of layout.lanes) elements.folds.push(drawLane(svg, lane, view));
  for (const line of layout.lines) elements.lines.set(line.key, drawLine(svg, line, scene));
  for (const box of layout.boxes) {
    for (const port of box.ports) elements.ports.set(`${box.key} ${port.key}`, drawPort(svg, port));
  }
  for (const box of layout.boxes) elements.boxes.set(box.key, drawBox(svg, box, scene));
  resize(svg, layout, zoom);
  return elements;
}

function resize(svg, layout, zoom) {
  svg.setAttribute("width", Math.ceil(layout.width * zoom));
  svg.setAttribute("height", Math.ceil(layout.height * zoom));
}

function drawLane(svg, lane, view) {
  const group = draw(svg, "g", { class: `lane lane-${lane.number % 6}` });
  draw(group, "rect", { x: lane.x, y: lane.y, width: lane.width, height: lane.height, rx: 12 });
  draw(group, "text", { class: "name", x: lane.x + 16, y: lane.y + 24 }, lane.title);
  const all = view.scene.boxes.filter((box) => box.host === lane.number).length;
  const isFolded = view.boxes.has(`host-${lane.number}`);
  const what = isFolded ? "unfold" : "fold";
  const button = draw(group, "g", {
    class: "fold", role: "button", tabindex: 0, "data-host": lane.number,
    "aria-label": `${what} host kind ${lane.title}`, "aria-expanded": String(!isFolded),
  });
  draw(button, "text", { x: lane.x + 16, y: lane.y + 42 }, `${what} ${all} facet${all === 1 ? "" : "s"}`);
  return button;
}

function drawLine(svg, line, scene) {
  const group = draw(svg, "g", {
    class: `arrow${line.isBad ? " bad" : ""}`, "data-arrow": line.arrows[0], "data-key": line.key,
  });
  const d = makePath(line.points);
  const label = line.arrows.map((index) => sayArrow(scene, scene.arrows[index])).join("\n");
  draw(group, "title", {}, label);
  draw(group, "path", { class: "shaft", d });
  draw(group, "path", { class: "hit", d });
  const [x, y] = line.isForth ? line.points.at(-1) : line.points[0];
  const way = line.isForth ? -1 : 1;
  draw(group, "path", { class: "tip", d: `M${x} ${y}l${8 * way} -4.5v9z` });
  return group;
}

function makePath(points) {
  let d = `M${points[0].join(" ")}`;
  for (let i = 1; i < points.length; i++) {
    const [x, y] = points[i];
    const [before, from] = points[i - 1];
    if (Math.abs(y - from) < 0.5) {
      d += `L${x} ${y}`;
    } else {
      const middle = (before + x) / 2;
      d += `C${middle} ${from} ${middle} ${y} ${x} ${y}`;
    }
  }
  return d;
}

function drawPort(svg, port) {
  const state = port.isBad ? " bad" : port.arrows.length ? " used" : "";
  const group = draw(svg, "g", { class: `port${state}` });
  if (port.arrows.length) group.dataset.arrow = port.arrows[0];
  draw(group, "title", {}, port.isIdle ? `${port.text}: nobody requires it` : port.text);
  draw(group, "circle", { cx: port.x, cy: port.y, r: 3.2 });
  draw(group, "text", { x: port.x + 9, y: port.y - 4 }, port.shown);
  if (port.isGap) draw(group, "path", { d: `M${port.x + 4} ${port.y}h18m-4 -4l8 8m0 -8l-8 8` });
  return group;
}

function drawBox(svg, box, scene) {
  const found = new Set(box.facets.flatMap((index) => scene.boxes[index].findings));
  const levels = [...found].map((index) => scene.notes[index].severity);
  const level = levels.includes("error") ? " error" : levels.includes("warning") ? " warning" : "";
  const facet = scene.boxes[box.facets[0]];
  const host = scene.hosts[box.lane];
  const what = box.isFolded ? `${box.title} of host kind ${host}, folded` : facet.name;
  const also = levels.length ? `, ${levels.length} finding${levels.length === 1 ? "" : "s"}` : "";
  const group = draw(svg, "g", {
    class: `box${box.isFolded ? " folded" : facet.step ? "" : " unknown"}${level}`, role: "button", tabindex: -1,
    "data-key": box.key, "aria-label": `${what}${also}`, "aria-pressed": "false",
  });
  if (!box.isFolded) group.dataset.facet = box.facets[0];
  draw(group, "title", {}, box.isFolded ? what : `${facet.plugin}:${host}`);
  draw(group, "rect", { x: box.x, y: box.y, width: box.width, height: box.height });
  const middle = box.y + box.height / 2 + 4.5;
  draw(group, "text", { class: "title", x: box.x + 12, y: middle }, box.shown);
  if (!box.isFolded) {
    draw(group, "text", { class: "step", x: box.x + box.width - 9, y: middle, "text-anchor": "end" }, box.corner);
  }
  if (levels.length && level) {
    const badge = draw(group, "g", { class: "badge" });
    draw(badge, "circle", { cx: box.x + 2, cy: box.y + 2, r: 8.5 });
    draw(badge, "text", { x: box.x + 2, y: box.y + 6 }, String(levels.length));
  }
  return group;
}

function sayArrow(scene, arrow) {
  const consumer = scene.boxes[arrow.consumer].name;
  const provider = arrow.provider === null ? "nobody" : scene.boxes[arrow.provider].name;
  return `${consumer} requires ${name(arrow.service, arrow.mode)} of ${provider}`;
}
