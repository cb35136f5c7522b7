"use strict";
// What the page was given, and small tools that all parts of it share.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const count = new Intl.NumberFormat("en-US");

/** Varints in base64, as one array of numbers. */
function unpacked(text, length) {
  const bytes = atob(text), numbers = new Float64Array(length);
  for (let at = 0, index = 0; index < length; index++) {
    let value = 0, factor = 1, byte;
    do {
      byte = bytes.charCodeAt(at++);
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte & 128);
    numbers[index] = value;
  }
  return numbers;
}

function unpackedColumns(table) {
  const columns = {};
  for (const [name, text] of Object.entries(table.columns)) columns[name] = unpacked(text, table.length);
  return columns;
}

/** An element with a class and a text, never with markup: names in a file are anybody's. */
function element(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name === "text") made.textContent = value;
    else if (name === "class") made.className = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function inBytes(number) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (Math.abs(number) >= 1024 && unit < units.length - 1) {
    number /= 1024;
    unit++;
  }
  return unit ? `${number.toFixed(1)} ${units[unit]}` : `${count.format(number)} B`;
}

function inPercent(part, whole) {
  if (!whole) return "";
  const share = (100 * part) / whole;
  return share > 0 && share < 0.1 ? "< 0.1 %" : `${share.toFixed(1)} %`;
}

function counted(number, noun) {
  return `${count.format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

const capitalised = (text) => text[0].toUpperCase() + text.slice(1);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const groupTitle = Object.fromEntries(data.groups.map((group) => [group.name, group.title]));

function dot(group) {
  const made = element("span", { class: "dot" });
  made.style.background = `var(--${group})`;
  return made;
}

/** A bar of parts (group, bytes, title), as wide as they are large. */
function fillStack(stack, parts, label) {
  stack.replaceChildren(
    ...parts.filter((part) => part.bytes > 0).map((part) => {
      const made = element("span", { title: part.title });
      made.style.background = `var(--${part.group})`;
      made.style.flexGrow = part.bytes;
      made.style.flexBasis = "0";
      return made;
    }),
  );
  stack.setAttribute("aria-label", label);
}

function headRow(...names) {
  return element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { text: name, scope: "col" }))));
}

const chunks = unpackedColumns(data.chunks);
const pages = unpackedColumns(data.pages);
const columnNames = data.columns.map((column) => column.path);
const firstPages = new Float64Array(data.chunks.length + 1);
for (let chunk = 0; chunk < data.chunks.length; chunk++) firstPages[chunk + 1] = firstPages[chunk] + chunks.pages[chunk];
