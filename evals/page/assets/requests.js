
/** The indexes of the messages of request n. */
function messagesOf(session, n) {
  const r = session.requests[n];
  if (!r.keep) return r.rest;
  if (!r.all) {
    const chain = [];
    for (let m = n; session.requests[m].keep && !session.requests[m].all; m = session.requests[m].base - 1) chain.push(m);
    for (const m of chain.reverse()) {
      const q = session.requests[m];
      q.all = messagesOf(session, q.base - 1).slice(0, q.keep).concat(q.rest);
    }
  }
  return r.all;
}

/** Shows requests message by message, with the differences to the one before. */
function requestView(session, pick) {
  const node = el("div", { class: "requests" });
  let all = false;
  let shown = -1;
  function select(i) {
    shown = i;
    const p = session.window[i];
    const nav = el("div", { class: "switches" },
      el("button", { type: "button", text: "‹ previous", disabled: i === 0, onclick: () => pick(i - 1) }),
      el("b", { text: `Request ${i + 1} of ${session.window.length}` }),
      el("button", { type: "button", text: "next ›", disabled: i === session.window.length - 1, onclick: () => pick(i + 1) }),
      el("label", {}, el("input", { type: "checkbox", checked: all, onchange: (e) => { all = e.target.checked; select(shown); } }), " show unchanged messages too"));
    if (!p.request) {
      node.replaceChildren(nav, el("p", { class: "note", text: "The messages of this request are not in the page; its size is in the chart. See what this trial leaves out." }));
      return;
    }
    node.replaceChildren(nav, ...body(p));
  }
  function body(p) {
    const n = p.request - 1;
    const r = session.requests[n];
    const base = r.base ? session.requests[r.base - 1] : null;
    const counts = { new: 0, back: 0, shortened: 0, changed: 0, same: r.keep || 0 };
    const back = r.back || [];
    const lines = back.reduce((sum, n) => sum + Math.max(n, 0), 0);
    const states = r.rest.map((m, k) => {
      const state = back[k] === -1 ? "back" : stateOf(r.was[k], m);
      counts[state]++;
      return state;
    });
    const gone = r.gone || [];
    const compared = base ? `Compared with request ${base.point}: ` : "The first request shown: ";
    const parts = [[counts.new, "new"], [counts.back, "back"], [gone.length, "gone"], [counts.shortened, "shortened"], [counts.changed, "changed"], [counts.same, "unchanged"]];
    const out = [el("p", { class: "facts" }, compared, ...parts.filter(([c]) => c).flatMap(([c, name]) =>
      [el("span", { class: `badge ${name}`, text: `${num(c)} ${name}` }), " "]), lines ? backBadge(lines) : "", r.settings ? ` ${r.settings}` : "")];
    out.push(fixed("system prompt", r.system, base && base.system), fixed("tools", r.tools, base && base.tools));
    if (gone.length) {
      const c = p.compaction ? session.compactions[p.compaction - 1] : null;
      out.push(el("h4", { text: c ? `Gone since then: compaction by ${c.steps.join(", ")}` : "Gone since then" }),
        ...gone.map((m) => card(m, "gone", 0)), el("h4", { text: "What was sent" }));
    }
    const messages = messagesOf(session, n);
    let run = [];
    const flush = () => { if (run.length) out.push(unchanged(run)); run = []; };
    messages.forEach((m, k) => {
      const state = k < (r.keep || 0) ? "same" : states[k - (r.keep || 0)];
      if (state === "same") { run.push([m, k]); return; }
      flush();
      const of = k - (r.keep || 0);
      out.push(card(m, state, k + 1, r.was[of], counts.new + counts.back + counts.shortened + counts.changed <= 12, back[of]));
    });
    flush();
    return out;
  }
  const stateOf = (was, now) => was === now ? "same" : was < 0 ? "new"
    : session.messages[now].tokens < session.messages[was].tokens ? "shortened" : "changed";
  function fixed(name, text, before) {
    if (!text) return "";
    const state = before === null ? "new" : before === text ? "unchanged" : "changed";
    return lazy(el("summary", {}, el("span", { class: `badge ${state}`, text: state }), el("b", { text: ` ${name}` })),
      () => [textBox(session.texts[text - 1])], `message ${state}`, false);
  }
  function unchanged(run) {
    const cards = () => run.map(([m, k]) => card(m, "unchanged", k + 1));
    if (all) return el("div", {}, ...cards());
    return lazy(el("summary", { text: `${plural(run.length, "message")} unchanged` }), cards, "run", false);
  }
  function backBadge(lines) {
    return el("span", { class: "badge back", title: "an earlier request held them, and the one before did not", text: `${plural(lines, "line")} back` });
  }
  function card(m, state, number, was, open, back) {
    const msg = session.messages[m];
    const text = msg.text ? session.texts[msg.text - 1] : "";
    const who = msg.origin === "record" ? "runtime" : msg.origin === "prompt" ? "prompt" : msg.role;
    const calls = (msg.calls || []).map((c) => `${c.name} ${c.args ? session.texts[c.args - 1] : ""}`);
    const size = (m) => num(m.tokens * (session.requests[session.window[shown].request - 1].ratio || 1));
    const old = was >= 0 ? session.messages[was] : null;
    return lazy(el("summary", {}, el("span", { class: "n dim", text: number ? `${number} ` : "" }), el("span", { class: `badge ${state}`, text: state }), back > 0 ? backBadge(back) : "",
      el("b", { text: ` ${who}${msg.name ? ` ${msg.name}` : ""}${msg.failed ? " (failed)" : ""} ` }),
      el("span", { class: "dim", text: (old ? `${size(old)} → ` : "") + `${size(msg)} tokens ` }),
      el("span", { class: "what", text: (calls.join("; ") || text).slice(0, 160) })),
    () => [
      ...calls.map((c) => textBox(c)), text || !calls.length ? textBox(text) : "",
      msg.data ? el("p", { class: "dim", text: `${plural(msg.data, "byte")} of data for the provider` }) : "",
      old && old.text !== msg.text ? lazy(el("summary", { text: "as it was before" }), () => [textBox(old.text ? session.texts[old.text - 1] : "")], "", false) : "",
    ], `message ${state}`, open);
  }
  return { node, select };
}

/** A disclosure whose content is made when it is opened. */
function lazy(summary, make, name, open) {
  const d = el("details", { class: name }, summary);
  const once = () => { if (d.open && !d.made) { d.made = true; d.append(...make().filter(Boolean)); } };
  d.addEventListener("toggle", once);
  if (open) { d.open = true; once(); }
  return d;
}
