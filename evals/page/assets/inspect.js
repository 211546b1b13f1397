
// The page of one run. The token comes in the fragment of the address, which no server sees, and stays in this tab.
const key = `token ${location.pathname}`;
const given = /^#token=(.+)$/.exec(location.hash);
if (given) {
  try { sessionStorage.setItem(key, decodeURIComponent(given[1])); } catch { /* not kept */ }
  history.replaceState(null, "", location.pathname);
}
let token = "";
try { token = given ? decodeURIComponent(given[1]) : ""; } catch { /* no token */ }
try { token = token || sessionStorage.getItem(key) || ""; } catch { /* not kept */ }

const ask = (path, signal) => fetch(path, { signal, cache: "no-store", headers: token ? { Authorization: `Bearer ${token}` } : {} });
const live = byId("live");
let shown = null;
let drawn = false;

/** Asks for JSON; an answer that is none is an error with its words. */
async function json(path) {
  const answer = await ask(path);
  if (!answer.ok) throw new Error(answer.status === 401 ? "The token is missing or wrong: open the address that foray inspect printed." : await answer.text());
  return answer.json();
}

function say(state, text) {
  live.textContent = text;
  live.className = `badge ${state}`;
}

/** Reads the run and shows it, at the request and the tab where the reader was. */
async function refresh() {
  const run = await json("session");
  const at = shown ? shown.state() : null;
  const data = run.data, session = data.session;
  const focused = document.activeElement && document.activeElement.id;
  const seat = session.agents[0] || {};
  byId("summary").textContent = [seat.model, seat.profile, plural(session.window.length, "request"), plural((data.usage.input || 0) + (data.usage.output || 0), "token"),
    run.priced ? money(run.cost) : "", data.stop ? `ended: ${data.stop}` : ""].filter(Boolean).join(" · ");
  const node = el("div", {}, talk(data));
  shown = withSession(run, data, session, node, [["cost", "Tokens and cost", costs(run)], ["policies", "Other policies", policies()]]);
  const top = scrollY;
  byId("trial").replaceChildren(shown.node);
  if (at) shown.restore(at);
  if (focused && byId(focused)) byId(focused).focus({ preventScroll: true });
  scrollTo(0, top);
  shown.shown();
  drawn = true;
  document.documentElement.dataset.ready = "";
  document.documentElement.dataset.requests = session.window.length;
}

function sums(title, noun, list, run) {
  if (!list.length) return el("p", { class: "dim", text: `No call names a ${noun}.` });
  const heads = [title, "Calls", "Failed", "Received", "Shown", "Sent again", ...(run.priced ? ["Cost of one reading"] : [])];
  const most = Math.max(...list.map((s) => s.shown), 1);
  return el("div", { class: "scroll" }, el("table", { class: "sums" },
    el("thead", {}, el("tr", {}, ...heads.map((h, i) => el("th", { scope: "col", class: i ? "n" : "", text: h })))),
    el("tbody", {}, ...list.slice(0, 200).map((s) => el("tr", {}, el("th", { scope: "row" }, s.name,
      svg("svg", { class: "share", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { class: "s5", height: 4, width: (100 * s.shown) / most }))),
    ...[s.calls, s.failed, s.received, s.shown, s.carried].map((n) => el("td", { class: "n", text: num(n) })),
    run.priced ? el("td", { class: "n", text: money(s.cost) }) : "")))),
  list.length > 200 ? el("p", { class: "dim", text: `${num(list.length - 200)} more.` }) : "");
}

function costs(run) {
  return el("div", {}, el("h3", { text: "By tool" }), sums("Tool", "tool", run.tools, run), el("h3", { text: "By file" }), sums("File", "file", run.files, run),
    el("p", { class: "dim", text: "In tokens (estimated). Received: as the tools returned it. Shown: as it entered the window. Sent again: shown, once for each later request, as if nothing was evicted." }));
}

/** The run under other policies, which is played when a reader asks for it. */
function policies() {
  const out = el("div");
  const button = el("button", { type: "button", id: "play", text: "Play the run through other policies", onclick: play });
  async function play() {
    button.disabled = true;
    out.replaceChildren(el("p", { class: "dim", role: "status", text: "Playing…" }));
    try { out.replaceChildren(beside(await json("policies"))); } catch (e) { out.replaceChildren(el("p", { class: "note bad", role: "alert", text: e.message })); }
    button.disabled = false;
  }
  return el("div", {}, el("p", {}, button), out, el("p", { class: "dim", text: "Under another policy the model might have done something else: this compares policies and predicts no answer." }));
}

function beside(side) {
  const rows = [
    ["Requests sent", (c) => num(c.requests)], ["Compactions", (c) => num(c.compactions)], ["Largest request", (c) => `${num(c.max_tokens)} tokens`],
    ["Tokens sent", (c) => num(c.sent)], ["Requests that lack something", (c) => num((c.losses || []).length)],
    ["Identifiers seen that actions need", (c) => `${(100 * c.visible_recall).toFixed(1)} %`], ["Requests over the budget", (c) => `${(100 * c.over_budget).toFixed(1)} %`],
  ];
  return el("div", {}, el("div", { class: "scroll" }, el("table", { class: "beside" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }), ...side.columns.map((c) => el("th", { scope: "col", class: "n", text: `${c.policy} at ${num(c.budget)}` })))),
    el("tbody", {}, ...rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row", text: name }),
      ...side.columns.map((c) => el("td", { class: "n", text: c.irreducible ? "does not fit" : value(c) }))))))),
  ...side.columns.filter((c) => (c.losses || []).length).map((c) => lazy(el("summary", { text: `What ${c.policy} would have lost (${num(c.losses.length)})` }),
    () => c.losses.slice(0, 100).map((l) => el("p", {}, el("b", { text: `request ${l.request} ` }), el("code", { text: l.action }), `: ${(l.missing || []).join(", ")}`)), "", false)));
}

/** Follows the events of the run until it ends; tries again while the server is away. */
async function follow() {
  for (let wait = 500; ; wait = Math.min(wait * 2, 10000)) {
    try {
      const answer = await ask("events");
      if (!answer.ok) throw new Error(String(answer.status));
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ;) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        const events = parts.map((p) => /^event: (.*)$/m.exec(p)?.[1]).filter(Boolean);
        if (!events.length) continue;
        wait = 500;
        await refresh();
        if (events.includes("ended")) { say("passed", "finished"); return; }
        say("new", "live");
      }
    } catch { /* the server is away */ }
    say("changed", drawn ? "not connected: shows what came" : "not connected");
    await new Promise((r) => setTimeout(r, wait));
  }
}

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || byId("keys").open) return;
  const typing = e.target.matches("input[type=search], select");
  if (e.key === "Escape" && typing) { e.target.blur(); return; }
  if (typing) return;
  if (e.key === "?") { e.preventDefault(); byId("keys").showModal(); return; }
  if (!shown) return;
  if (e.key === "/") { e.preventDefault(); shown.key("1"); document.querySelector(".timeline input[type=search]")?.focus(); return; }
  if (!e.target.matches("input[type=range]") && shown.key(e.key)) e.preventDefault();
});

try { await refresh(); follow(); } catch (e) {
  say("failed", "failed");
  byId("summary").textContent = "";
  byId("trial").replaceChildren(el("p", { class: "note bad", role: "alert", text: e.message }));
}
