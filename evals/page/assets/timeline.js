
/** What the kinds of events are called, and by which switch they are shown. */
const kinds = {
  started: ["run", "start"], done: ["run", "end"], returned: ["run", "returned"], stepped: ["steps", "step"],
  request: ["requests", "request"], text: ["texts", "says"], reasoning: ["texts", "thinks"], message: ["texts", "message"],
  joined: ["texts", "message"], tool_started: ["calls", "call"], tool_ended: ["calls", "result"], noted: ["notes", "note"],
  compacted: ["window", "compact"], edited: ["window", "edited"], summarized: ["window", "summary"],
  warned: ["problems", "warning"], retried: ["problems", "retry"],
};

/**
 * Shows the events of a session as a virtual list with the chosen event beside it.
 * pick(i) is called with the index of a point when the chosen event is a request.
 */
function timeline(session, pick) {
  const groups = [...new Set(session.events.map((e) => (kinds[e.kind] || ["run"])[0]))];
  const off = new Set();
  let events = session.events;
  let chosen = -1;
  let due = null; // the point to choose when the list is shown
  const several = session.agents.length > 1;
  const box = el("div", { class: "events", role: "listbox", tabindex: "0", "aria-label": "Events of the run" });
  const detail = el("div", { class: "detail", "aria-live": "polite" });
  const search = el("input", { type: "search", placeholder: "search events", "aria-label": "Search the events", oninput: filter });
  const shown = el("output");
  const list = virtualList(box, { height: () => 26, row });
  function row(i) {
    const e = events[i];
    const [group, name] = kinds[e.kind] || ["run", e.kind];
    return el("div", { class: `event g-${group}${e.failed ? " bad" : ""}`, role: "option", id: `event-${i}`,
      "aria-selected": i === chosen ? "true" : "false", "aria-posinset": i + 1, "aria-setsize": events.length, onclick: () => choose(i) },
      el("span", { class: "ms", text: (e.ms / 1000).toFixed(3) }), el("span", { class: "step", text: e.step || "" }),
      el("span", { class: "kind", text: e.failed && name === "result" ? "failed" : name }),
      el("span", { class: "what", text: (several ? `${session.agents[e.agent || 0].name}: ` : "") + e.head }));
  }
  function choose(i, quiet) {
    if (!events[i]) return;
    chosen = i;
    box.setAttribute("aria-activedescendant", `event-${i}`);
    list.show(i);
    const e = events[i];
    const c = e.compaction ? session.compactions[e.compaction - 1] : null;
    detail.replaceChildren(
      el("h4", { text: `${(kinds[e.kind] || ["", e.kind])[1]} at ${(e.ms / 1000).toFixed(3)} s${e.step ? `, step ${e.step}` : ""}` }),
      el("p", { text: e.head }), e.text ? textBox(session.texts[e.text - 1]) : "",
      c ? evictions(session, c) : "");
    if (e.point && !quiet) pick(e.point - 1);
  }
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const was = events[chosen];
    events = session.events.filter((e) => !off.has((kinds[e.kind] || ["run"])[0]) &&
      words.every((w) => e.head.toLowerCase().includes(w) || (e.text && session.texts[e.text - 1].toLowerCase().includes(w))));
    chosen = events.indexOf(was);
    shown.textContent = events.length === session.events.length ? plural(events.length, "event")
      : `${num(events.length)} of ${plural(session.events.length, "event")}`;
    list.set(events.length);
  }
  box.addEventListener("keydown", (e) => {
    const page = Math.floor(box.clientHeight / 26);
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + page, PageUp: chosen - page, Home: 0, End: events.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    choose(Math.max(0, Math.min(events.length - 1, to)));
  });
  const switches = groups.map((g) => el("label", {}, el("input", { type: "checkbox", checked: true,
    onchange: (e) => { e.target.checked ? off.delete(g) : off.add(g); filter(); } }), ` ${g}`));
  const failed = session.events.filter((e) => e.failed).length;
  const problem = failed ? el("button", { type: "button", text: `previous of ${plural(failed, "problem")}`, onclick: () => {
    const before = (n) => events.findLastIndex((e, i) => e.failed && i < n);
    const i = before(chosen < 0 ? events.length : chosen);
    choose(i >= 0 ? i : before(events.length));
  } }) : "";
  const node = el("div", { class: "timeline" }, el("div", { class: "switches" }, search, ...switches, problem, shown),
    el("div", { class: "split" }, box, detail));
  filter();
  choose(events.length - 1, true);
  return {
    node,
    redraw() {
      if (due !== null) this.select(due);
      list.draw();
      if (chosen >= 0) list.show(chosen);
    },
    /** Chooses the event of a request. While the list is hidden that waits: asking for its size lays out the page. */
    select(i) {
      due = node.closest("[hidden]") ? i : null;
      if (due === null) choose(events.findIndex((e) => e.point === i + 1), true);
    },
  };
}

/** Shows what a compaction did. */
function evictions(session, c) {
  const cell = (text, attrs) => el("td", attrs, text);
  return el("div", { class: "evictions" },
    el("p", {}, `${num(c.before)} → ${num(c.after)} tokens of the whole request` +
      (c.removed ? ` · ${num(c.removed)} tokens of results left the view` : "") +
      (c.reread ? ` · reading them again costs about ${num(c.reread)} tokens` : "") +
      (c.invalidated ? ` · ${num(c.invalidated)} tokens of the provider's cache are of no more use` : "") +
      (c.thrash ? " · the third compaction within six turns" : "")),
    el("ul", {}, ...c.why.map((w, i) => el("li", {}, w === c.steps[i] ? "" : `${w} `, el("span", { class: "badge", text: c.steps[i] })))),
    c.units && c.units.length ? el("div", { class: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["What", "Unit", "Tokens", "By"].map((h) => el("th", { scope: "col", text: h })))),
      el("tbody", {}, ...c.units.slice(0, 500).map((u) => el("tr", {},
        cell(el("details", {}, el("summary", {}, el("span", { class: `badge ${u.how}`, text: u.how }), ` ${u.head}`),
          u.text ? textBox(session.texts[u.text - 1]) : "")), cell(u.step ? String(u.step) : ""),
        cell(u.how === "evicted" ? num(u.before) : `${num(u.before)} → ${num(u.after)}`, { class: "n" }), cell(u.cause)))))) : "",
    c.units && c.units.length > 500 ? el("p", { class: "dim", text: `${num(c.units.length - 500)} more units.` }) : "");
}
