"use strict";
// What stands above and below the heat map: facts, findings, bytes by kind, columns, and parts without pages.

const MOST_ROWS = 200;

function fillHeading() {
  byId("path").textContent = data.path;
  const facts = [`${count.format(data.size)} bytes`];
  if (data.columns.length) facts.push(counted(data.rowGroups, "row group"), counted(data.columns.length, "column"));
  facts.push(counted(data.chunks.length, "chunk"), counted(data.pageCount, "page"), `footer: ${data.form}`);
  byId("facts").textContent = facts.join(" · ");
}

function fillFindings() {
  byId("findings").hidden = !data.findings.length;
  byId("findings-list").append(
    ...data.findings.map((finding) =>
      element("li", { text: (finding.is_note ? "note: " : "") + finding.text, class: finding.is_note ? "" : "bad" })),
  );
}

function fillKinds() {
  const groups = data.groups
    .map((group) => {
      const kinds = data.kinds.filter((kind) => kind.group === group.name);
      return { ...group, kinds, bytes: kinds.reduce((sum, kind) => sum + kind.bytes, 0) };
    })
    .filter((group) => group.bytes);
  const told = groups.map((group) => `${group.title} ${inPercent(group.bytes, data.size)}`);
  const parts = groups.map((group, at) => ({ group: group.name, bytes: group.bytes, title: told[at] }));
  fillStack(byId("stack"), parts, `All bytes: ${told.join(", ")}`);
  const body = element("tbody");
  const row = (kind, label, bytes, number, group) =>
    element("tr", { class: kind }, element("td", {}, ...(group ? [dot(group)] : []), label),
      element("td", { text: count.format(bytes) }), element("td", { text: inPercent(bytes, data.size) }),
      element("td", { text: number }));
  for (const group of groups) {
    const number = group.kinds.reduce((sum, kind) => sum + kind.parts, 0);
    body.append(row("group", capitalised(group.title), group.bytes, count.format(number), group.name));
    if (group.kinds.length === 1) continue;
    for (const kind of group.kinds) body.append(row("kind", kind.title, kind.bytes, count.format(kind.parts)));
  }
  byId("kinds").append(headRow("What", "Bytes", "Share", "Parts"), body);
  const button = byId("all-kinds");
  button.addEventListener("click", () => {
    const isOpen = byId("kinds").classList.toggle("open");
    button.setAttribute("aria-expanded", String(isOpen));
    button.textContent = isOpen ? "Only groups" : "Every kind";
  });
}

function drawStrip() {
  const strip = byId("strip"), cells = data.strip, ratio = window.devicePixelRatio || 1;
  strip.width = strip.clientWidth * ratio;
  strip.height = strip.clientHeight * ratio;
  const pen = strip.getContext("2d");
  const colours = data.groups.map((group) => colour(group.name));
  for (let at = 0; at < cells.length; at++) {
    const left = Math.floor((at * strip.width) / cells.length);
    pen.fillStyle = colours[parseInt(cells[at], 36)];
    pen.fillRect(left, 0, Math.ceil(((at + 1) * strip.width) / cells.length) - left, strip.height);
  }
}

function startStrip() {
  const strip = byId("strip"), told = byId("strip-told");
  strip.setAttribute("aria-label", "The file from its first byte to its last, coloured by what most bytes there are");
  strip.addEventListener("pointermove", (event) => {
    const at = Math.floor((event.offsetX / strip.clientWidth) * data.strip.length);
    if (at < 0 || at >= data.strip.length) return;
    const [begin, end] = [at, at + 1].map((edge) => Math.floor((edge * data.size) / data.strip.length));
    told.textContent = `${count.format(begin)} to ${count.format(end)}: mostly ${data.groups[parseInt(data.strip[at], 36)].title}`;
  });
  strip.addEventListener("pointerleave", () => { told.textContent = ""; });
}

function fillColumns() {
  byId("columns-section").hidden = !data.columns.length;
  const groups = data.groups.filter((group) => data.columns.some((column) => column[group.name]));
  const sorted = [...data.columns].sort((a, b) => b.total - a.total).slice(0, MOST_ROWS);
  const number = (bytes = 0) => element("td", { text: count.format(bytes), class: bytes ? "" : "zero" });
  const body = element("tbody", {}, ...sorted.map((column) =>
    element("tr", {}, element("td", { class: "name", text: column.path, title: column.path }),
      element("td", { class: "left", text: column.type }), ...groups.map((group) => number(column[group.name])),
      number(column.total), element("td", { text: inPercent(column.total, data.size) }))));
  byId("columns").append(headRow("Column", "Type", ...groups.map((group) => capitalised(group.title)), "All", "Share"), body);
  byId("columns").querySelectorAll("th")[1].className = "left";
  const more = data.columns.length - sorted.length;
  byId("columns-more").textContent = more > 0 ? `${counted(more, "smaller column")} not listed.` : "";
}

function fillParts() {
  const body = element("tbody", {}, ...data.parts.map((part) =>
    element("tr", {}, element("td", {}, dot(part.group), capitalised(part.title)),
      element("td", { class: "left name", text: part.name, title: part.name }),
      element("td", { text: count.format(part.offset) }), element("td", { text: count.format(part.parts) }),
      element("td", { text: count.format(part.bytes) }))));
  byId("parts").append(headRow("What", "Name", "First at", "Parts", "Bytes"), body);
  byId("parts").querySelectorAll("th")[1].className = "left";
}
