
/** Shows one trial. go holds what its buttons do: back, previous, next. */
function trialView(index, row, data, go) {
  const session = data ? data.session : null;
  const head = el("div", { class: "trial-head" },
    el("div", { class: "switches" },
      el("button", { type: "button", onclick: go.back, "aria-keyshortcuts": "Escape" }, "← all trials ", el("kbd", { text: "Esc" })),
      el("button", { type: "button", onclick: go.previous, disabled: !go.previous }, "previous ", el("kbd", { text: "k" })),
      el("button", { type: "button", onclick: go.next, disabled: !go.next }, "next ", el("kbd", { text: "j" })), el("span", { class: "dim", text: go.place })),
    el("h2", { tabindex: "-1", id: "trial-title" }, row.task, el("span", { class: "dim", text: ` by ${index.subjects[row.subject]}, trial ${row.trial}` })),
    el("p", { class: "facts" }, status(row), ` score ${score(row.score)} · ` + (row.tokens ? plural(row.tokens, "token") : "no tokens") +
      (data && data.usage.cached ? ` (${num(data.usage.input - data.usage.cached)} read anew)` : "") +
      (row.cost == null ? "" : ` · ${money(row.cost)}`) + ` · ${plural(row.steps, "step")} · ${seconds(row.seconds)}` + (data && data.stop ? ` · ended: ${data.stop}` : "")));
  if (!data) return { node: el("div", {}, head, el("p", { class: "note", text: "The details of this trial are not in this page: see its end." })), key: () => false };
  const node = el("div", {}, head, verdicts(row, data), talk(data));
  if (!session) {
    node.append(calls(data, el("h3", { text: "Calls" })), leftOut(data));
    return { node, key: () => false };
  }
  return withSession(index, data, session, node);
}

/** Adds the window and the tabs; more are further tabs. */
function withSession(index, data, session, node, more = []) {
  let request = -1;
  const parts = {};
  const line = timeline(session, (i) => pick(i, "timeline"));
  const requests = requestView(session, (i) => pick(i));
  const picture = el("div");
  let chart = null;
  function drawChart(agent) {
    chart = windowChart(session, index.sections, agent, (i) => pick(i));
    picture.replaceChildren(chart.node);
  }
  function pick(i, from) {
    if (i < 0 || i >= session.window.length || i === request) return;
    const agent = session.window[i].agent || 0;
    if (agent !== shownAgent()) { drawChart(agent); if (agents) agents.value = agent; }
    request = i;
    chart.select(i);
    requests.select(i);
    if (from !== "timeline") line.select(i);
  }
  const shownAgent = () => (chart && chart.points.length ? chart.points[0].agent || 0 : 0);
  const withWindow = [...new Set(session.window.map((p) => p.agent || 0))];
  const agents = withWindow.length < 2 ? null : el("select", { "aria-label": "Agent", onchange: (e) => {
    drawChart(Number(e.target.value));
    pick(chart.points[0].i);
  } }, ...withWindow.map((a) => el("option", { value: a, text: session.agents[a].name })));
  const tabs = [
    ["timeline", "Timeline", line.node],
    ["requests", `Requests (${num(session.window.length)})`, requests.node],
    ["evicted", `Evictions (${num(session.compactions.length)})`, evicted(session, (i) => { pick(i); show("requests"); })],
    ["calls", `Calls (${num((data.calls || []).length)})`, calls(data)],
    ...more,
  ];
  let tabbed = "timeline";
  const bar = el("div", { role: "tablist", "aria-label": "Parts of the trial", class: "tabs" });
  for (const [id, name, content] of tabs) {
    const tab = el("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `part-${id}`, onclick: () => show(id), onkeydown: arrows }, name);
    parts[id] = { tab, panel: el("div", { role: "tabpanel", id: `part-${id}`, "aria-labelledby": `tab-${id}`, hidden: true }, content) };
    bar.append(tab);
  }
  function arrows(e) {
    const ids = tabs.map((t) => t[0]);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    e.stopPropagation();
    const to = ids[(ids.findIndex((id) => parts[id].tab === e.target) + step + ids.length) % ids.length];
    show(to);
    parts[to].tab.focus();
  }
  function show(id) {
    tabbed = id;
    for (const [name, p] of Object.entries(parts)) {
      p.panel.hidden = name !== id;
      p.tab.setAttribute("aria-selected", String(name === id));
      p.tab.tabIndex = name === id ? 0 : -1;
    }
    if (id === "timeline") line.redraw();
  }
  if (session.window.length) {
    node.append(el("h3", {}, "Window over time ", agents || ""), picture);
    drawChart(0);
    const own = session.window.findLastIndex((p) => !p.agent); // a sub-agent may have been the last to ask
    pick(own >= 0 ? own : session.window.length - 1, "timeline");
  }
  node.append(bar, ...Object.values(parts).map((p) => p.panel), leftOut(data));
  show("timeline");
  return {
    node,
    shown: () => line.redraw(),
    /** Where the reader is, for restore in a later view of the same run. A reader at the last request follows it. */
    state: () => ({ request: request === session.window.length - 1 ? -1 : request, tab: tabbed }),
    restore(at) {
      if (at.request >= 0) pick(at.request);
      show(at.tab);
    },
    key(key) {
      const near = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (near) pick(request + near);
      else if (key === "g") pick(0);
      else if (key === "G") pick(session.window.length - 1);
      else if (tabs[key - 1]) show(tabs[key - 1][0]);
      else return false;
      return true;
    },
  };
}

const status = (row) => el("span", { class: `badge ${row.passed ? "passed" : "failed"}`, text: row.passed ? "passed" : `failed: ${row.class}` });

/** Why the trial passed or failed: its failure, and the verdicts, those that did not pass first. */
function verdicts(row, data) {
  const list = (data.verdicts || []).toSorted((a, b) => Number(a.passed) - Number(b.passed));
  return el("section", { class: "verdicts", "aria-label": "Verdicts" },
    data.failure ? el("div", { class: "note bad" }, el("b", { text: `${data.failure.class}: ` }), el("span", { class: "pre", text: data.failure.text })) : "",
    list.length ? el("ul", {}, ...list.map((v) => el("li", {},
      el("span", { class: `badge ${v.error ? "failed" : v.passed ? "passed" : "failed"}`, text: v.error ? "could not judge" : v.passed ? "passed" : "failed" }),
      el("b", { text: ` ${v.check} ` }), el("span", { class: "dim", text: `score ${score(v.score)} ` }),
      el("span", { class: "pre", text: v.error || v.why || "" })))) : el("p", { class: "dim", text: row.passed ? "The task has no checks." : "No check judged this trial." }));
}

/** What was said before the prompt: in the requests, or without them, shortened. */
function earlier(data) {
  if (!data.earlier) return "";
  const text = `After ${plural(data.earlier, "earlier message")}`;
  if (!data.before) return el("p", { class: "dim", text: `${text}: see the requests.` });
  const more = data.earlier - data.before.length;
  return lazy(el("summary", { text }), () => [...data.before.map((m) => el("p", {}, el("b", { text: `${m.role}: ` }), m.text)),
    more ? el("p", { class: "dim", text: `and ${num(more)} more` }) : null], "", false);
}

/** The prompt and the answer, side by side. */
function talk(data) {
  return el("div", { class: "talk" },
    el("section", {}, el("h3", { text: "Prompt" }),
      earlier(data),
      textBox(data.question || data.prompt, "The prompt is not known."),
      data.question && data.prompt ? lazy(el("summary", { text: "as it was sent, with what came with it" }), () => [textBox(data.prompt)], "", false) : "",
      data.budget ? el("p", { class: "dim", text: `Budget: ${data.budget}` }) : "",
      data.checks ? lazy(el("summary", { text: `What is checked (${data.checks.length})` }), () => data.checks.map((c) => textBox(c)), "", false) : ""),
    el("section", {}, el("h3", { text: "Answer" }), textBox(data.answer, "There is no answer.")));
}

function calls(data, title) {
  const list = data.calls || [];
  if (!list.length) return el("p", { class: "dim", text: "No tool was called." });
  return el("div", {}, title, el("ol", { class: "calls" }, ...list.map((c) => el("li", { class: c.failed ? "bad" : "" },
    el("b", { text: c.name }), " ", el("code", { text: c.args || "" }), c.failed ? " failed" : ""))));
}

function evicted(session, open) {
  if (!session.compactions.length) return el("p", { class: "dim", text: "Nothing was evicted: every request held the whole conversation, apart from results shortened when they came in." });
  return el("div", {}, ...session.compactions.map((c, i) => lazy(
    el("summary", {}, el("b", { text: `Step ${c.step}: ${num(c.before)} → ${num(c.after)} tokens, ${plural(c.evicted || 0, "unit")} evicted ` }),
      el("span", { class: "badge", text: c.steps.join(", ") })),
    () => [evictions(session, c), c.point ? el("button", { type: "button", text: `see request ${c.point}, which followed`, onclick: () => open(c.point - 1) }) : null],
    "compaction", i === 0)));
}

function leftOut(data) {
  const list = [...(data.left || []), ...((data.session && data.session.left) || [])];
  return el("div", {}, list.length ? el("h3", { text: "What is not in this page" }) : "",
    list.length ? el("ul", {}, ...list.map((text) => el("li", { text }))) : "",
    data.trace ? el("p", { class: "dim", text: `All of it: ${data.trace} in the folder of results.` }) : "");
}
