"use strict";

// Where everything stands. Hosts are lanes side by side; within a lane, facets stand in
// columns, each to the right of those it waits for. A line goes from the right side of one
// box to the left side of another and, through columns in between, on a track of its own,
// so that no line crosses a box and no label.

const SIZES = {
  row: 19, track: 9, boxGap: 16, trackGap: 5, boxPad: 12, port: 9, least: 34,
  routes: 44, lanePad: 14, head: 58, labelPad: 20, margin: 24, widest: 230, straightness: 6,
};

/**
 * Lays out boxes and lines.
 *
 * A box has `key`, `lane` (a number), `rank` (boxes of one lane depend on lower ranks only),
 * `title`, `corner`, a short text, and `ports`: the labels on its right side, each with `key` and `text`. A line has
 * `key`, `from` and `port` (a box's key and one of its ports) and `to` (a box's key); the box
 * it comes from stands left of the one it goes to.
 *
 * Returns the boxes and lanes with places, of each line its points, and the whole size.
 */
function layOut(lanes, boxes, lines, measure) {
  const columns = makeColumns(lanes, boxes, lines, measure);
  const chains = lines.map((line) => makeChain(line, columns));
  for (const column of columns.list) column.items.sort((a, b) => a.rank - b.rank);
  orderItems(columns.list);
  sortPorts(columns);
  placeColumns(columns);
  placeItems(columns.list);
  return finish(lanes, columns, chains);
}

function makeColumns(lanes, boxes, lines, measure) {
  const list = [];
  const byKey = new Map();
  const levels = findLevels(boxes, lines);
  for (const lane of lanes) {
    const own = boxes.filter((box) => box.lane === lane.number);
    const depth = Math.max(0, ...own.map((box) => levels.get(box.key) + 1));
    for (let level = 0; level < depth; level++) {
      const column = { index: list.length, lane, items: [], width: 0, labels: 0 };
      for (const box of own.filter((one) => levels.get(one.key) === level)) {
        const item = makeBox(box, column, measure);
        column.items.push(item);
        byKey.set(box.key, item);
      }
      list.push(column);
    }
  }
  const arriving = new Map();
  for (const line of lines) arriving.set(line.to, (arriving.get(line.to) || 0) + 1);
  for (const [key, item] of byKey) {
    const ports = Math.max(item.box.ports.length * SIZES.row, (arriving.get(key) || 0) * SIZES.port);
    item.height = Math.max(SIZES.least, ports + SIZES.boxPad);
  }
  return { list, byKey };
}

/** Returns how many boxes of its own lane stand left of each box. */
function findLevels(boxes, lines) {
  const byKey = new Map(boxes.map((box) => [box.key, box]));
  const before = new Map(boxes.map((box) => [box.key, []]));
  for (const line of lines) {
    if (byKey.get(line.from).lane === byKey.get(line.to).lane) before.get(line.to).push(line.from);
  }
  const levels = new Map();
  for (const box of [...boxes].sort((a, b) => a.rank - b.rank)) {
    levels.set(box.key, Math.max(0, ...before.get(box.key).map((key) => levels.get(key) + 1)));
  }
  return levels;
}

function makeBox(box, column, measure) {
  const title = cut(box.title, measure, "title", SIZES.widest);
  const ports = box.ports.map((port) => ({
    ...port, shown: cut(port.text, measure, port.isBad ? "bad" : "label", SIZES.widest),
  }));
  column.width = Math.max(column.width, measure(title, "title") + 35 + 7 * box.corner.length);
  for (const port of ports) {
    column.labels = Math.max(column.labels, measure(port.shown, port.isBad ? "bad" : "label") + SIZES.labelPad);
  }
  return { box, title, ports, column, rank: box.rank, left: [], right: [], height: 0, y: 0 };
}

/** Shortens a text in its middle until it is no wider than allowed. */
function cut(text, measure, style, widest) {
  if (measure(text, style) <= widest) return text;
  const letters = [...text];
  let low = 1;
  let high = letters.length;
  const shorten = (kept) => {
    const half = Math.ceil(kept / 2);
    return `${letters.slice(0, half).join("")}…${letters.slice(letters.length - (kept - half)).join("")}`;
  };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (measure(shorten(middle), style) <= widest) low = middle;
    else high = middle;
  }
  return shorten(low);
}

/** Gives a line an item in each column that it passes; lines of one port share their tracks. */
function makeChain(line, columns) {
  const start = columns.byKey.get(line.from);
  const end = columns.byKey.get(line.to);
  const port = start.ports.find((one) => one.key === line.port);
  const chain = [{ item: start, port }];
  let previous = start;
  for (let index = start.column.index + 1; index < end.column.index; index++) {
    port.tracks = port.tracks || new Map();
    let track = port.tracks.get(index);
    if (!track) {
      track = {
        column: columns.list[index], rank: start.rank, left: [], right: [], height: SIZES.track, y: 0,
      };
      columns.list[index].items.push(track);
      port.tracks.set(index, track);
      join(previous, previous === start ? port : null, track);
    }
    chain.push({ item: track });
    previous = track;
  }
  join(previous, previous === start ? port : null, end);
  chain.push({ item: end });
  return { line, chain };
}

function join(left, port, right) {
  left.right.push({ other: right, own: port, port: null });
  right.left.push({ other: left, own: null, port });
}

/** Where in its item, from 0 to 1, a line leaves to the right. */
function portShare(item, port) {
  return port ? (item.ports.indexOf(port) + 0.5) / item.ports.length : 0.5;
}

/** Sorts the items of each column by the middle of what they are joined to, to and fro. */
function orderItems(list) {
  const number = (column) => column.items.forEach((item, index) => { item.order = index; });
  list.forEach(number);
  const sweep = (column, side) => {
    for (const item of column.items) {
      const near = item[side];
      item.wish = near.length
        ? near.reduce((sum, one) => sum + one.other.order + portShare(one.other, one.port), 0) / near.length
        : item.order;
    }
    column.items.sort((a, b) => a.wish - b.wish || a.rank - b.rank);
    number(column);
  };
  let best = null;
  for (let round = 0; round < 12; round++) {
    if (round % 2) for (let i = list.length - 2; i >= 0; i--) sweep(list[i], "right");
    else for (let i = 1; i < list.length; i++) sweep(list[i], "left");
    const crossings = countCrossings(list);
    if (!best || crossings < best.crossings) {
      best = { crossings, orders: list.map((column) => [...column.items]) };
    }
  }
  if (best) list.forEach((column, index) => { column.items = best.orders[index]; number(column); });
}

/** Puts the ports of each box in the order of what they lead to; those without lines come last. */
function sortPorts(columns) {
  for (const item of columns.byKey.values()) {
    for (const port of item.ports) {
      const ends = item.right.filter((one) => one.own === port).map((one) => one.other.order);
      port.wish = ends.length ? ends.reduce((sum, end) => sum + end, 0) / ends.length : Infinity;
    }
    item.ports.sort((a, b) => (a.wish === b.wish ? 0 : a.wish - b.wish));
  }
}

/** Counts how often lines between neighbouring columns cross. */
function countCrossings(list) {
  let total = 0;
  for (const column of list) {
    const ends = [];
    for (const item of column.items) {
      for (const { other } of [...item.right].sort((a, b) => a.other.order - b.other.order)) {
        ends.push(other.order);
      }
    }
    const seen = new Array(ends.length ? Math.max(...ends) + 2 : 1).fill(0);
    let count = 0;
    for (const end of ends) {
      let notAbove = 0;
      for (let i = end + 1; i > 0; i -= i & -i) notAbove += seen[i] || 0;
      total += count - notAbove;
      for (let i = end + 1; i < seen.length; i += i & -i) seen[i] += 1;
      count += 1;
    }
  }
  return total;
}

function placeColumns(columns) {
  let x = SIZES.margin;
  columns.list.forEach((column, index) => {
    const previous = columns.list[index - 1];
    if (previous) {
      x += previous.width + previous.labels + SIZES.routes;
      if (previous.lane !== column.lane) x += 2 * SIZES.lanePad;
    } else {
      x += SIZES.lanePad;
    }
    column.width = Math.max(column.width, 64);
    column.x = x;
  });
}

/** Brings joined items to one height as far as their order and the gaps between them allow. */
function placeItems(list) {
  for (const column of list) {
    let y = 0;
    column.items.forEach((item, index) => {
      y += index ? gapBetween(column.items[index - 1], item) : 0;
      item.offset = y;
      item.y = y;
      y += item.height;
    });
  }
  for (let round = 0; round < 24; round++) {
    const forth = round % 2 === 0;
    const order = forth ? list : [...list].reverse();
    for (const column of order) settle(column, forth ? "left" : "right");
  }
  for (const column of list) settle(column, "both");
  closeGaps(list.flatMap((column) => column.items));
}

/** Moves up what stands below a strip that is empty in all columns, and begins at 0. */
function closeGaps(items) {
  items.sort((a, b) => a.y - b.y);
  let shift = items.length ? items[0].y : 0;
  let bottom = shift;
  for (const item of items) {
    shift += Math.max(0, item.y - bottom - SIZES.boxGap);
    bottom = Math.max(bottom, item.y + item.height);
    item.y -= shift;
  }
}

function gapBetween(above, below) {
  return above.box && below.box ? SIZES.boxGap : above.box || below.box ? 11 : SIZES.trackGap;
}

/** Moves the items of a column, in their order, as near to what they wish as they can be. */
function settle(column, side) {
  const blocks = [];
  for (const item of column.items) {
    const near = side === "both" ? [...item.left, ...item.right] : item[side];
    const wish = near.length
      ? near.reduce((sum, one) => sum + meet(item, one), 0) / near.length
      : item.y;
    const weight = item.box ? 1 : SIZES.straightness;
    blocks.push({ sum: weight * (wish - item.offset), weight, count: 1 });
    while (blocks.length > 1 && mean(blocks.at(-2)) > mean(blocks.at(-1))) {
      const last = blocks.pop();
      for (const key of ["sum", "weight", "count"]) blocks.at(-1)[key] += last[key];
    }
  }
  let index = 0;
  for (const block of blocks) {
    for (let i = 0; i < block.count; i++, index++) {
      column.items[index].y = column.items[index].offset + mean(block);
    }
  }
}

function mean(block) {
  return block.sum / block.weight;
}

/** Returns the top at which an item and one that it is joined to are level. */
function meet(item, { other, own, port }) {
  return other.y + other.height * portShare(other, port) - item.height * portShare(item, own);
}

function finish(lanes, columns, chains) {
  const bottom = Math.max(SIZES.least, ...columns.list.flatMap((c) => c.items.map((i) => i.y + i.height)));
  const top = SIZES.margin + SIZES.head;
  const boxes = [...columns.byKey.values()].map((item) => ({
    ...item.box, shown: item.title, x: item.column.x, y: item.y + top,
    width: item.column.width, height: item.height,
    ports: item.ports.map((port) => ({
      ...port, x: item.column.x + item.column.width, y: item.y + top + item.height * portShare(item, port),
    })),
  }));
  const bands = lanes.flatMap((lane) => {
    const own = columns.list.filter((column) => column.lane === lane);
    if (!own.length) return [];
    const last = own.at(-1);
    const x = own[0].x - SIZES.lanePad;
    return [{ ...lane, x, y: SIZES.margin, width: last.x + last.width + last.labels + SIZES.lanePad - x, height: bottom + SIZES.head + SIZES.lanePad }];
  });
  const right = Math.max(0, ...bands.map((band) => band.x + band.width));
  return {
    boxes, lanes: bands, lines: routeLines(chains, top),
    width: right + SIZES.margin, height: bottom + top + SIZES.lanePad + SIZES.margin,
  };
}

/** Gives each line its points: from its port, through its tracks, to its place at the end. */
function routeLines(chains, top) {
  const arriving = new Map();
  for (const one of chains) {
    const { item } = one.chain.at(-1);
    const before = one.chain.at(-2);
    one.source = before.item.y + before.item.height * portShare(before.item, before.port);
    if (!arriving.has(item)) arriving.set(item, []);
    arriving.get(item).push(one);
  }
  for (const [item, group] of arriving) {
    group.sort((a, b) => a.source - b.source);
    const step = Math.min(SIZES.row, (item.height - SIZES.boxPad) / group.length);
    group.forEach((one, index) => {
      one.end = item.y + item.height / 2 + (index - (group.length - 1) / 2) * step;
    });
  }
  return chains.map(({ line, chain, end }) => {
    const points = [];
    chain.forEach(({ item, port }, index) => {
      const { x, width, labels } = item.column;
      if (index === chain.length - 1) {
        points.push([x, end + top]);
        return;
      }
      const y = item.y + item.height * portShare(item, port) + top;
      points.push([index ? x : x + width, y], [x + width + labels, y]);
    });
    return { ...line, points };
  });
}
