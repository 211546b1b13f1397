"use strict";
// The page's script is one module of several files; see page.go. It sets texts only, never markup.

/** Makes an element. Attributes: on… are listeners, text is its text, the others are set unless null or false. */
function el(tag, attrs = {}, ...children) {
  return fill(document.createElement(tag), attrs, children);
}

/** Makes an element of SVG. */
function svg(tag, attrs = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attrs, children);
}

function fill(node, attrs, children) {
  for (const [name, value] of Object.entries(attrs)) {
    if (value === null || value === false || value === undefined) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return node;
}

const byId = (id) => document.getElementById(id);
const num = (n) => Math.round(n).toLocaleString("en-US");
const plural = (n, noun) => `${num(n)} ${noun}${n === 1 ? "" : "s"}`;
const money = (v) => (v == null ? "–" : !v ? "$0" : "$" + (v < 0.01 ? String(Number(v.toPrecision(2))) : v.toFixed(2)));
const seconds = (s) => (s >= 100 ? num(s) : s >= 1 ? s.toFixed(1) : s.toFixed(3)) + " s";
const score = (v) => (v === 1 || v === 0 ? String(v) : v.toFixed(2));

/** A block of text that scrolls, or a word for none. JSON can be indented. */
function textBox(text, none = "(empty)") {
  if (!text) return el("p", { class: "dim", text: none });
  const box = el("pre", { class: "text", tabindex: "0", text });
  if (text.length < 120 || !/^[[{][^]*[\]}]\s*$/.test(text)) return box;
  const button = el("button", { type: "button", text: "indent", onclick: () => {
    const indented = button.textContent === "indent";
    try { box.textContent = indented ? JSON.stringify(JSON.parse(text), null, 2) : text; } catch { button.remove(); return; }
    button.textContent = indented ? "as sent" : "indent";
  } });
  return el("div", { class: "textbox" }, box, button);
}

/** Unpacks a line of a block: base64 of compressed JSON. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** The theme: as the system has it, or light or dark. See early.js. */
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
}
setTheme(document.documentElement.dataset.theme || "auto");
byId("theme").addEventListener("click", () => {
  setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % 3]);
  try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch { /* not kept */ }
});
byId("help").addEventListener("click", () => byId("keys").showModal());
