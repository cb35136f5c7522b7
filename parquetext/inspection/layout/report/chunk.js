"use strict";
// One chunk, opened: its facts, its pages as a bar, and each page with its header.

const SHOWN_PAGES = 100;
const shown = { chunk: -1, first: 0 };

function openChunk() {
  const at = chunkAt(map.order[map.row], map.column);
  if (at < 0) return;
  shown.chunk = at;
  shown.first = 0;
  const column = data.columns[chunks.column[at] - 1];
  byId("chunk-title").textContent = `${column.path}, row group ${chunks.rowGroup[at]}`;
  const facts = {
    "Type": column.type,
    "Offset": count.format(chunks.offset[at]),
    "Bytes": count.format(chunks.bytes[at]),
    "Uncompressed": chunks.uncompressed[at] ? count.format(chunks.uncompressed[at] - 1) : "not said",
    "Codec": data.codecs[chunks.codec[at] - 1] ?? "not said",
    "Values": chunks.values[at] ? count.format(chunks.values[at] - 1) : "not said",
    "Nulls": chunks.nulls[at] ? count.format(chunks.nulls[at] - 1) : "not said",
    "Pages": count.format(chunks.pages[at]),
  };
  byId("chunk-facts").replaceChildren(...pairs(facts));
  byId("chunk").hidden = false;
  drawMap();
  fillPages();
  byId("chunk-title").focus({ preventScroll: true });
  byId("chunk").scrollIntoView({ block: "nearest" });
}

function pairs(facts) {
  return Object.entries(facts).map(([name, value]) =>
    element("div", {}, element("dt", { text: name }), element("dd", { text: value })));
}

function closeChunk() {
  byId("chunk").hidden = true;
  byId("map").focus();
}

/** What a page is made of: groups and their bytes. */
function partsOf(page) {
  const [repetition, definition] = [pages.repetition[page], pages.definition[page]].map((size) => Math.max(0, size - 1));
  const type = data.pageTypes[pages.type[page] - 1] ?? "";
  const body = type === "DICTIONARY_PAGE" ? "dictionary" : type.startsWith("DATA_PAGE") ? "values" : "unused";
  return [
    { group: "headers", bytes: pages.header[page], title: "header" },
    { group: "levels", bytes: repetition + definition, title: "levels" },
    { group: body, bytes: pages.compressed[page] - repetition - definition, title: body },
  ];
}

function fillPages() {
  const at = shown.chunk, all = chunks.pages[at], isThere = data.pages.length > 0 || data.pageCount === 0;
  const first = firstPages[at], last = isThere ? Math.min(all, shown.first + SHOWN_PAGES) : 0;
  let offset = chunks.offset[at];
  for (let page = 0; page < shown.first; page++) offset += pages.header[first + page] + pages.compressed[first + page];
  const body = element("tbody"), bar = [];
  for (let number = shown.first; number < last; number++) {
    const page = first + number;
    body.append(pageRow(page, number, offset));
    for (const part of partsOf(page)) bar.push({ ...part, title: `page ${number}, ${part.title}: ${inBytes(part.bytes)}` });
    offset += pages.header[page] + pages.compressed[page];
  }
  fillStack(byId("chunk-bar"), bar, `Pages ${shown.first} to ${last - 1}: headers, levels, values and dictionaries`);
  const head = headRow("Page", "Type", "Encoding", "Offset", "Values", "Header", "Levels", "Body", "Uncompressed");
  const caption = byId("pages").querySelector("caption");
  byId("pages").replaceChildren(caption, head, body);
  for (const index of [1, 2]) head.querySelectorAll("th")[index].className = "left";
  byId("range").textContent = isThere
    ? `${all ? shown.first + 1 : 0} to ${last} of ${counted(all, "page")}`
    : `${counted(data.pageCount, "page")} are too many for this report: use --json`;
  byId("paging").hidden = isThere && all <= SHOWN_PAGES;
  byId("before").disabled = shown.first === 0;
  byId("after").disabled = last >= all || !isThere;
}

function pageRow(page, number, offset) {
  const said = (values) => (values[page] ? count.format(values[page] - 1) : "");
  const levels = pages.definition[page] ? count.format(pages.definition[page] + pages.repetition[page] - 2) : "with values";
  const row = element("tr", { tabindex: "0", "aria-expanded": "false" });
  row.append(
    element("td", { text: count.format(number) }),
    element("td", { class: "left", text: data.pageTypes[pages.type[page] - 1] ?? "" }),
    element("td", { class: "left", text: data.pageEncodings[pages.encoding[page] - 1] ?? "" }),
    element("td", { text: count.format(offset) }), element("td", { text: said(pages.values) }),
    element("td", { text: count.format(pages.header[page]) }), element("td", { text: levels }),
    element("td", { text: count.format(pages.compressed[page]) }), element("td", { text: said(pages.uncompressed) }),
  );
  row.addEventListener("click", () => toggleHeader(row, page, offset));
  row.addEventListener("keydown", (event) => {
    if (event.key === "Enter") toggleHeader(row, page, offset);
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    let next = row[step];
    if (next?.classList.contains("header-row")) next = next[step];
    next?.focus();
  });
  return row;
}

/** Show or hide all that a page's header says. */
function toggleHeader(row, page, offset) {
  const isOpen = row.getAttribute("aria-expanded") === "true";
  row.setAttribute("aria-expanded", String(!isOpen));
  if (isOpen) {
    row.nextElementSibling.remove();
    return;
  }
  const number = (values) => (values[page] ? count.format(values[page] - 1) : "not said");
  const facts = {
    "type": data.pageTypes[pages.type[page] - 1] ?? "unknown",
    "encoding": data.pageEncodings[pages.encoding[page] - 1] ?? "not said",
    "num_values": number(pages.values),
    "num_nulls": number(pages.nulls),
    "num_rows": number(pages.rows),
    "uncompressed_page_size": number(pages.uncompressed),
    "compressed_page_size": count.format(pages.compressed[page]),
    "repetition levels": pages.repetition[page] ? inBytes(pages.repetition[page] - 1) : "compressed with the values",
    "definition levels": pages.definition[page] ? inBytes(pages.definition[page] - 1) : "compressed with the values",
    "crc": pages.crc[page] ? `0x${(pages.crc[page] - 1).toString(16).padStart(8, "0")}` : "none",
    "header": `${counted(pages.header[page], "byte")} at ${count.format(offset)}`,
    "body": `${counted(pages.compressed[page], "byte")} at ${count.format(offset + pages.header[page])}`,
  };
  const list = element("dl", { class: "pairs" }, ...pairs(facts));
  row.after(element("tr", { class: "header-row" }, element("td", { colspan: "9" }, list)));
}

function turnPages(step) {
  shown.first = Math.max(0, shown.first + step * SHOWN_PAGES);
  fillPages();
}

function startChunk() {
  byId("close").addEventListener("click", closeChunk);
  byId("before").addEventListener("click", () => turnPages(-1));
  byId("after").addEventListener("click", () => turnPages(1));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !byId("chunk").hidden) closeChunk();
  });
}
