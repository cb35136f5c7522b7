"use strict";
// The heat map: columns down, row groups across. Only what is in sight is drawn, however many chunks there are.

const NAMES_WIDTH = 190, HEAD_HEIGHT = 20, HEIGHTS = [2, 5, 9, 14, 18, 26], NAMED_HEIGHT = 14;
const OVERSCAN = 1;

/** What cells are coloured by: a number for each chunk (NaN where it is not known), and how it is told. */
const MEASURES = {
  bytes: { title: "Bytes", value: (at) => chunks.bytes[at], told: inBytes, shape: Math.log1p },
  encoding: { title: "Encoding", names: data.encodings, value: (at) => chunks.encoding[at] },
  codec: { title: "Codec", names: data.codecs, value: (at) => chunks.codec[at] },
  ratio: {
    title: "Compression",
    value: (at) => (chunks.bytes[at] && chunks.uncompressed[at] ? (chunks.uncompressed[at] - 1) / chunks.bytes[at] : NaN),
    told: (ratio) => `${ratio.toFixed(2)} ×`,
    shape: (ratio) => Math.log(Math.max(ratio, 1e-3)),
  },
  nulls: {
    title: "Nulls",
    value: (at) => (chunks.nulls[at] && chunks.values[at] > 1 ? (chunks.nulls[at] - 1) / (chunks.values[at] - 1) : NaN),
    told: (share) => `${(100 * share).toFixed(1)} %`,
    shape: (share) => share,
    from: 0,
    to: 1,
  },
};
const CATEGORIES = ["values", "levels", "indexes", "headers", "footer", "dictionary", "extension", "bloom", "unused"];

const map = { measure: "bytes", order: [], size: 4, row: 0, column: 0, at: new Map(), ranges: {} };

function chunkAt(column, rowGroup) {
  return map.at.get(rowGroup * columnNames.length + column) ?? -1;
}

function indexChunks() {
  for (let at = 0; at < data.chunks.length; at++) {
    if (chunks.column[at]) map.at.set(chunks.rowGroup[at] * columnNames.length + chunks.column[at] - 1, at);
  }
}

function rangeOf(measure) {
  if (!map.ranges[measure]) {
    const { value, from, to } = MEASURES[measure];
    let [least, most] = [Infinity, -Infinity];
    for (let at = 0; at < data.chunks.length; at++) {
      const found = value(at);
      if (found < least) least = found;
      if (found > most) most = found;
    }
    map.ranges[measure] = [from ?? least, to ?? most];
  }
  return map.ranges[measure];
}

function mixed(low, high, share) {
  const parts = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const [from, to] = [parts(low), parts(high)];
  return `rgb(${from.map((part, at) => Math.round(part + (to[at] - part) * share)).join(" ")})`;
}

/** Gives the colour of a chunk, by the measure that is chosen. */
function painter() {
  const measure = MEASURES[map.measure], none = colour("none");
  if (measure.names) {
    const colours = CATEGORIES.map(colour);
    return (at) => (measure.value(at) ? colours[(measure.value(at) - 1) % colours.length] : none);
  }
  const [least, most] = rangeOf(map.measure).map(measure.shape);
  const ramp = Array.from({ length: 64 }, (_, at) => mixed(colour("low"), colour("high"), at / 63));
  return (at) => {
    const value = measure.value(at);
    if (!(value >= 0)) return none;
    const share = most > least ? (measure.shape(value) - least) / (most - least) : 1;
    return ramp[Math.max(0, Math.min(63, Math.round(63 * share)))];
  };
}

function sizes() {
  const box = byId("map"), height = HEIGHTS[map.size];
  const names = Math.min(NAMES_WIDTH, Math.round(box.clientWidth * 0.32));
  const fitting = (box.clientWidth - names) / Math.max(1, data.rowGroups);
  const width = Math.max(height < 8 ? height : 8, Math.min(fitting, 160));
  return { names, height, width, all: names + width * data.rowGroups, tall: HEAD_HEIGHT + height * map.order.length };
}

function drawMap() {
  const box = byId("map"), canvas = byId("cells"), ratio = window.devicePixelRatio || 1;
  const { names, height, width, all, tall } = sizes();
  const room = byId("room"), most = Math.round(window.innerHeight * 0.66);
  const shown = Math.min(tall, most);
  Object.assign(canvas.style, { width: `${box.clientWidth}px`, height: `${shown}px` });
  Object.assign(room.style, { width: `${all}px`, height: `${Math.max(0, tall - shown)}px` });
  canvas.width = box.clientWidth * ratio;
  canvas.height = shown * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.font = `${Math.min(12, height - 1)}px system-ui, sans-serif`;
  pen.textBaseline = "middle";
  const [x, y] = [box.scrollLeft, box.scrollTop];
  const paint = painter(), gap = Math.min(height, width) >= 8 ? 1 : 0;
  const firstRow = Math.max(0, Math.floor((y - HEAD_HEIGHT) / height));
  const lastRow = Math.min(map.order.length - 1, Math.ceil((y + shown) / height) + OVERSCAN);
  const firstGroup = Math.floor(x / width);
  const lastGroup = Math.min(data.rowGroups - 1, Math.ceil((x + box.clientWidth) / width) + OVERSCAN);
  const top = (row) => HEAD_HEIGHT + row * height - y;
  const left = (group) => names + group * width - x;
  for (let row = firstRow; row <= lastRow; row++) {
    for (let group = firstGroup; group <= lastGroup; group++) {
      const at = chunkAt(map.order[row], group);
      if (at < 0) continue;
      pen.fillStyle = paint(at);
      pen.fillRect(left(group), top(row), width - gap, height - gap);
    }
  }
  drawEdges(pen, { names, height, width, shown, firstRow, lastRow, firstGroup, lastGroup, top, left });
}

function drawEdges(pen, place) {
  const { names, height, width, shown, firstRow, lastRow, firstGroup, lastGroup, top, left } = place;
  const box = byId("map");
  if (map.order.length && (document.activeElement === box || !byId("chunk").hidden)) {
    pen.strokeStyle = colour("focus");
    pen.lineWidth = 2;
    pen.strokeRect(left(map.column) - 1, top(map.row) - 1, Math.max(width, 4) + 1, Math.max(height, 4) + 1);
  }
  pen.fillStyle = colour("card");
  pen.fillRect(0, 0, names - 4, shown);
  pen.fillRect(0, 0, box.clientWidth, HEAD_HEIGHT - 1);
  pen.fillStyle = colour("soft");
  const step = Math.max(1, Math.ceil(44 / width));
  pen.font = "11px system-ui, sans-serif";
  for (let group = Math.ceil(firstGroup / step) * step; group <= lastGroup; group += step) {
    if (left(group) >= names) pen.fillText(String(group), left(group) + 1, HEAD_HEIGHT / 2);
  }
  pen.fillText("row group", 8, HEAD_HEIGHT / 2);
  if (height < NAMED_HEIGHT) return;
  pen.fillStyle = colour("ink");
  pen.font = `${Math.min(12.5, height - 1)}px system-ui, sans-serif`;
  for (let row = firstRow; row <= lastRow; row++) {
    const middle = top(row) + height / 2;
    if (middle > HEAD_HEIGHT) pen.fillText(shortened(pen, columnNames[map.order[row]], names - 18), 8, middle);
  }
}

function shortened(pen, name, width) {
  if (pen.measureText(name).width <= width) return name;
  let [least, most] = [0, name.length];
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (pen.measureText(`${name.slice(0, middle)}…`).width <= width) least = middle;
    else most = middle - 1;
  }
  return `${name.slice(0, least)}…`;
}

function tellCell() {
  if (!map.order.length) {
    byId("told").textContent = "No column has that in its name.";
    return;
  }
  const column = map.order[map.row], at = chunkAt(column, map.column);
  const place = `${columnNames[column]}, row group ${map.column}`;
  byId("told").textContent = at < 0 ? `${place}: no chunk` : `${place}: ${toldChunk(at).join(" · ")}`;
}

function toldChunk(at) {
  const told = [inBytes(chunks.bytes[at]), counted(chunks.pages[at], "page")];
  for (const name of ["encoding", "codec", "ratio", "nulls"]) {
    const { value, names, told: say, title } = MEASURES[name], found = value(at);
    if (names ? found : found >= 0) told.push(names ? names[found - 1] : `${title.toLowerCase()} ${say(found)}`);
  }
  return told;
}

function fillScale() {
  const measure = MEASURES[map.measure], scale = byId("scale");
  if (measure.names) {
    scale.replaceChildren(...measure.names.map((name, at) => element("span", {}, dot(CATEGORIES[at % CATEGORIES.length]), name)));
    return;
  }
  const [least, most] = rangeOf(map.measure);
  const ends = Number.isFinite(least) && Number.isFinite(most) ? [least, most].map(measure.told) : ["not known", ""];
  scale.replaceChildren(element("span", { text: ends[0] }), element("span", { class: "ramp" }), element("span", { text: ends[1] }));
}

function orderColumns() {
  const wanted = byId("filter").value.toLowerCase(), order = byId("order").value;
  map.order = columnNames.map((_, column) => column).filter((column) => columnNames[column].toLowerCase().includes(wanted));
  if (order === "bytes") map.order.sort((a, b) => data.columns[b].total - data.columns[a].total);
  if (order === "name") map.order.sort((a, b) => (columnNames[a] < columnNames[b] ? -1 : columnNames[a] > columnNames[b] ? 1 : 0));
  map.row = Math.max(0, Math.min(map.row, map.order.length - 1));
  drawMap();
  tellCell();
}

function moveTo(row, column) {
  map.row = Math.max(0, Math.min(row, map.order.length - 1));
  map.column = Math.max(0, Math.min(column, data.rowGroups - 1));
  const box = byId("map"), { names, height, width } = sizes();
  const [top, left] = [HEAD_HEIGHT + map.row * height, names + map.column * width];
  if (top - HEAD_HEIGHT < box.scrollTop) box.scrollTop = top - HEAD_HEIGHT;
  if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
  if (left - names < box.scrollLeft) box.scrollLeft = left - names;
  if (left + width > box.scrollLeft + box.clientWidth) box.scrollLeft = left + width - box.clientWidth;
  drawMap();
  tellCell();
}

function cellUnder(event) {
  const box = byId("map"), { names, height, width } = sizes(), edges = box.getBoundingClientRect();
  const row = Math.floor((event.clientY - edges.top - box.clientTop + box.scrollTop - HEAD_HEIGHT) / height);
  const column = Math.floor((event.clientX - edges.left - box.clientLeft + box.scrollLeft - names) / width);
  return row >= 0 && row < map.order.length && column < data.rowGroups ? [row, Math.max(0, column)] : null;
}

const KEYS = {
  ArrowUp: () => moveTo(map.row - 1, map.column),
  ArrowDown: () => moveTo(map.row + 1, map.column),
  ArrowLeft: () => moveTo(map.row, map.column - 1),
  ArrowRight: () => moveTo(map.row, map.column + 1),
  PageUp: () => moveTo(map.row - 20, map.column),
  PageDown: () => moveTo(map.row + 20, map.column),
  Home: () => moveTo(0, 0),
  End: () => moveTo(map.order.length - 1, data.rowGroups - 1),
  Enter: () => openChunk(),
  "+": () => resize(1),
  "-": () => resize(-1),
};

function resize(step) {
  map.size = Math.max(0, Math.min(HEIGHTS.length - 1, map.size + step));
  byId("smaller").disabled = map.size === 0;
  byId("larger").disabled = map.size === HEIGHTS.length - 1;
  moveTo(map.row, map.column);
}

function choose(measure) {
  map.measure = measure;
  for (const button of byId("measures").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.measure === measure));
  }
  fillScale();
  drawMap();
}

function startMap() {
  byId("map-section").hidden = !data.chunks.length || !columnNames.length;
  if (byId("map-section").hidden) return;
  indexChunks();
  const box = byId("map");
  byId("measures").append(...Object.entries(MEASURES).map(([name, { title }]) => {
    const button = element("button", { type: "button", text: title, "data-measure": name });
    button.addEventListener("click", () => choose(name));
    return button;
  }));
  box.addEventListener("scroll", drawMap, { passive: true });
  box.addEventListener("focus", drawMap);
  box.addEventListener("blur", drawMap);
  box.addEventListener("pointermove", (event) => {
    const under = cellUnder(event);
    if (under && document.activeElement !== box) [map.row, map.column] = under;
    if (under) tellCell();
  });
  box.addEventListener("click", (event) => {
    const under = cellUnder(event);
    if (!under) return;
    moveTo(...under);
    openChunk();
  });
  box.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  byId("filter").addEventListener("input", orderColumns);
  byId("order").addEventListener("change", orderColumns);
  byId("smaller").addEventListener("click", () => resize(-1));
  byId("larger").addEventListener("click", () => resize(1));
  map.size = columnNames.length > 60 ? 3 : 4;
  orderColumns();
  choose("bytes");
}
