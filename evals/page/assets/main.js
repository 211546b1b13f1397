
const narrow = matchMedia("(max-width: 760px)");
const index = await unpack(byId("index").textContent);
const rows = index.rows;
rows.forEach((r) => {
  r.key = `${r.task}/${index.subjects[r.subject]}/${r.trial}`;
  r.search = [r.task, index.subjects[r.subject], r.prompt, r.why, ...(r.tags || [])].join(" ").toLowerCase();
});
const columns = [
  ["Outcome", (r) => (r.passed ? "1" : `0${r.class}`)], ["Task", (r) => r.task], ["Subject", (r) => r.subject], ["Trial", (r) => r.trial],
  ["Score", (r) => r.score], ["Tokens", (r) => r.tokens], ["Cost", (r) => r.cost || 0], ["Steps", (r) => r.steps],
  ["Seconds", (r) => r.seconds], ["Why it failed", (r) => r.why || ""],
];
/** Whether the subjects disagree on a trial: some passed it, others did not. */
const differs = (r) => outcomes.get(`${r.task}/${r.trial}`).size > 1;
const outcomes = new Map();
rows.forEach((r) => { const k = `${r.task}/${r.trial}`; outcomes.set(k, (outcomes.get(k) || new Set()).add(r.passed)); });
const state = { rows, chosen: -1, sort: 0, down: false, opened: null, scroll: 0, turn: 0 };
const grid = byId("grid");
const filters = ["text", "subject", "outcome", "class", "tag"].map((name) => byId(`f-${name}`));
const list = virtualList(byId("grid-rows"), { height: () => (narrow.matches ? 70 : 32), row: gridRow });

function gridRow(i) {
  const r = state.rows[i];
  const cell = (name, ...content) => el("div", { role: "gridcell", class: name }, ...content);
  return el("div", { role: "row", class: `row${i === state.chosen ? " chosen" : ""}`, id: `row-${i}`, "aria-rowindex": i + 2,
    "aria-selected": i === state.chosen ? "true" : "false", onclick: () => { choose(i); open(i); } },
  cell("c0", status(r)), cell("c1", el("b", { text: r.task }), " ", el("span", { class: "dim", text: r.prompt || "" })),
  cell("c2", el("span", { class: "letter", text: index.letters[r.subject] }), ` ${index.subjects[r.subject]}`),
  cell("c3 n", String(r.trial)), cell("c4 n", score(r.score)), cell("c5 n", num(r.tokens)), cell("c6 n", money(r.cost)),
  cell("c7 n", String(r.steps)), cell("c8 n", seconds(r.seconds)), el("div", { role: "gridcell", class: "c9", title: r.why || null, text: r.why || "" }));
}

function drawHead() {
  byId("grid-head").replaceChildren(...columns.map(([name], i) => el("div", { role: "columnheader", class: `c${i}`,
    "aria-sort": state.sort !== i ? "none" : state.down ? "descending" : "ascending" },
  el("button", { type: "button", onclick: () => { state.down = state.sort === i && !state.down; state.sort = i; drawHead(); filter(); byId("grid-head").children[i].firstChild.focus(); } },
    name, el("span", { "aria-hidden": "true", class: "arrow", text: state.sort !== i ? "" : state.down ? "↓" : "↑" })))));
}

function filter() {
  const [text, subject, outcome, kind, tag] = filters.map((f) => f.value);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = state.rows[state.chosen];
  const value = columns[state.sort][1];
  state.rows = rows.filter((r) => (!subject || r.subject === Number(subject)) && (!outcome || (outcome === "differs" ? differs(r) : r.passed === (outcome === "passed"))) &&
    (!kind || r.class === kind) && (!tag || (r.tags || []).includes(tag)) && words.every((w) => r.search.includes(w)));
  const order = (a, b) => outcome === "differs" && a.task !== b.task ? (a.task < b.task ? -1 : 1) : (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
  state.rows.sort((a, b) => (state.down ? order(b, a) : order(a, b)));
  grid.setAttribute("aria-rowcount", state.rows.length + 1);
  byId("f-count").textContent = state.rows.length === rows.length ? plural(rows.length, "trial") : `${num(state.rows.length)} of ${plural(rows.length, "trial")}`;
  list.set(state.rows.length);
  choose(state.rows.indexOf(kept));
}

function choose(i) {
  state.chosen = i;
  if (i >= 0) { list.show(i); grid.setAttribute("aria-activedescendant", `row-${i}`); }
  else { list.draw(); grid.removeAttribute("aria-activedescendant"); }
}

const linkOf = (r) => `#trial=${[r.task, index.subjects[r.subject], r.trial].map(encodeURIComponent).join("/")}`;

function open(i) { if (state.rows[i]) location.hash = linkOf(state.rows[i]); }

/** Shows the trial that the address names, or the table. */
async function follow() {
  const turn = ++state.turn;
  const match = /^#trial=(.*)$/s.exec(location.hash);
  let name = match && match[1];
  try { name = name && decodeURIComponent(name); } catch { /* an address typed by hand */ }
  const row = name && rows.find((r) => r.key === name);
  if (!match) { if (location.hash !== "#left") showTable(); return; }
  const page = byId("trial");
  if (!state.opened && byId("trial").hidden) state.scroll = scrollY;
  let data = null;
  if (row && row.block >= 0) {
    if (!page.firstChild) page.replaceChildren(el("p", { class: "dim", text: "Reading the trial…" }));
    data = await unpack(byId(`block-${row.block}`).textContent.split("\n")[row.line]);
    if (turn !== state.turn) return;
  }
  if (!row) {
    page.replaceChildren(el("p", { class: "note", text: `This page has no trial ${name}.` }), el("button", { type: "button", text: "← all trials", onclick: back }));
    state.opened = { key: () => false };
  } else {
    if (!state.rows.includes(row)) { byId("filters").reset(); filter(); }
    const i = state.rows.indexOf(row);
    choose(i);
    state.opened = trialView(index, row, data, { back, place: `${num(i + 1)} of ${plural(state.rows.length, "trial")} in the table`, previous: i > 0 && (() => open(i - 1)), next: i < state.rows.length - 1 && (() => open(i + 1)) });
    page.replaceChildren(state.opened.node);
  }
  byId("overview").hidden = true;
  page.hidden = false;
  scrollTo(0, 0);
  if (state.opened.shown) state.opened.shown();
  (byId("trial-title") || page).focus({ preventScroll: true });
}

function showTable() {
  if (!state.opened) return;
  state.opened = null;
  byId("trial").hidden = true;
  byId("trial").replaceChildren();
  byId("overview").hidden = false;
  scrollTo(0, state.scroll);
  choose(state.chosen);
  grid.focus({ preventScroll: true });
}

function back() { history.pushState(null, "", location.pathname + location.search); state.turn++; showTable(); }

function move(by) {
  const i = Math.max(0, Math.min(state.rows.length - 1, state.chosen + by));
  if (state.opened) { if (i !== state.chosen) open(i); } else { choose(i); grid.focus({ preventScroll: true }); grid.scrollIntoView({ block: "nearest" }); }
}

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || byId("keys").open) return;
  const typing = e.target.matches("input[type=search], select");
  if (e.key === "Escape" && typing) {
    if (e.target.value && e.target.type === "search") {
      e.target.value = "";
      e.target.dispatchEvent(new Event("input", { bubbles: true }));
    }
    e.preventDefault();
    e.target.blur();
    if (!state.opened) grid.focus();
    return;
  }
  if (e.key === "Enter" && e.target === byId("f-text")) { e.preventDefault(); choose(Math.max(state.chosen, 0)); grid.focus(); return; }
  if (typing) return;
  const arrows = e.target === grid;
  const does = {
    j: () => move(1), k: () => move(-1), "?": () => byId("keys").showModal(),
    ArrowDown: arrows && (() => move(1)), ArrowUp: arrows && (() => move(-1)),
    PageDown: arrows && (() => move(10)), PageUp: arrows && (() => move(-10)),
    Home: arrows && (() => move(-rows.length)), End: arrows && (() => move(rows.length)),
    Enter: (arrows || e.target === document.body) && !state.opened && (() => open(state.chosen)),
    Escape: state.opened && back,
    "/": () => { if (state.opened) document.querySelector(".timeline input[type=search]")?.focus(); else { byId("f-text").focus(); byId("f-text").select(); } },
  }[e.key];
  if (does) { e.preventDefault(); does(); return; }
  if (state.opened && !e.target.matches("input[type=range]") && state.opened.key(e.key)) e.preventDefault();
});

const options = (id, values, text = (v) => v) => byId(id).append(...values.map((v) => el("option", { value: v, text: text(v) })));
options("f-subject", index.subjects.map((_, i) => i), (i) => `${index.letters[i]} ${index.subjects[i]}`);
options("f-class", [...new Set(rows.map((r) => r.class).filter(Boolean))].sort());
options("f-tag", [...new Set(rows.flatMap((r) => r.tags || []))].sort());
byId("filters").addEventListener("input", filter);
byId("filters").addEventListener("submit", (e) => e.preventDefault());
byId("filters").addEventListener("reset", () => setTimeout(filter));
for (const chip of document.querySelectorAll(".chip[data-class]")) {
  chip.addEventListener("click", () => {
    byId("f-class").value = chip.dataset.class;
    byId("f-subject").value = chip.dataset.subject;
    filter();
    byId("h-trials").scrollIntoView();
  });
}
narrow.addEventListener("change", () => list.draw());
addEventListener("hashchange", follow);
addEventListener("popstate", () => { if (!location.hash) showTable(); });
drawHead();
filter();
await follow();
delete document.documentElement.dataset.opening;
document.documentElement.dataset.ready = "";
