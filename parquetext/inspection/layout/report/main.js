"use strict";

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
  drawAll();
}

function drawAll() {
  drawStrip();
  if (!byId("map-section").hidden) drawMap();
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
fillHeading();
fillFindings();
fillKinds();
fillColumns();
fillParts();
startStrip();
startMap();
startChunk();
setTheme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
byId("theme").addEventListener("click", () =>
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
window.addEventListener("resize", drawAll);
