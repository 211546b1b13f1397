
const mostBars = 240;
const unlimited = 1e8; // tokens: a budget that no run exceeds

/**
 * Draws the window over time: a bar a request, stacked by section, and the budget as a line.
 * pick(i) is called with the index of a point when the reader chooses one.
 */
function windowChart(session, sections, agent, pick) {
  const points = session.window.map((p, i) => ({ ...p, i })).filter((p) => (p.agent || 0) === agent);
  const each = Math.max(1, Math.ceil(points.length / mostBars));
  const bars = [];
  for (let i = 0; i < points.length; i += each) {
    const group = points.slice(i, i + each);
    bars.push({
      p: group.reduce((a, b) => (b.tokens > a.tokens ? b : a)),
      from: group[0].i, to: group.at(-1).i,
      compacted: group.some((p) => p.compaction),
    });
  }
  const top = Math.max(...points.map((p) => Math.max(p.tokens, p.limit < 4 * p.tokens ? p.limit : 0)), 1) * 1.06;
  const wide = 1000, high = 200, width = wide / Math.max(bars.length, 12);
  const y = (tokens) => high - (high * tokens) / top;
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  bars.forEach((b, n) => {
    let sum = 0;
    b.p.sections.forEach((tokens, s) => {
      if (!tokens) return;
      sum += tokens;
      picture.append(svg("rect", { class: `s${s}`, x: n * width + width * 0.08, width: width * 0.84, y: y(sum), height: (high * tokens) / top }));
    });
    if (b.compacted) picture.append(svg("line", { class: "compacted", x1: n * width, x2: n * width, y1: 0, y2: high }));
  });
  picture.append(svg("path", { class: "budget", d: bars.map((b, n) => `M${n * width} ${y(b.p.limit)}h${width}`).join("") }));
  const chosen = svg("rect", { class: "chosen", y: 0, height: high, width });
  picture.append(chosen);
  picture.addEventListener("click", (e) => {
    const box = picture.getBoundingClientRect();
    const n = Math.floor(((e.clientX - box.left) / box.width) * (wide / width));
    if (bars[n]) pick(bars[n].p.i);
  });
  const range = el("input", { type: "range", min: 0, max: points.length - 1, value: 0, "aria-label": "Request",
    oninput: () => pick(points[range.value].i) });
  const marks = svg("g");
  picture.append(marks);
  const found = el("output", { class: "dim" });
  const finder = el("label", { class: "finder" }, "Which requests hold a text? ",
    el("input", { type: "search", placeholder: "a name, a fact, a rule", oninput: (e) => find(e.target.value) }), found);
  /** Marks the bars whose requests hold a text. */
  function find(text) {
    const has = text ? holders(session, text) : new Set();
    marks.replaceChildren(...bars.flatMap((b, n) => points.some((p) => p.i >= b.from && p.i <= b.to && has.has(p.request))
      ? [svg("rect", { class: "found", x: n * width + width * 0.08, width: width * 0.84, y: high - 7, height: 7 })] : []));
    const known = points.filter((p) => p.request);
    const holding = known.filter((p) => has.has(p.request));
    found.textContent = !text ? "" : holding.length ? `${num(holding.length)} of ${plural(known.length, "request")}, marked below: ${ranges(known, holding)}`
      : `none of ${plural(known.length, "request")}`;
  }
  const facts = el("p", { class: "facts", "aria-live": "polite" });
  const amounts = sections.map((_, s) => (points.some((p) => p.sections[s]) ? el("b") : null)); // null: never used
  const legend = el("ul", { class: "legend" }, ...amounts.flatMap((b, s) =>
    b ? [el("li", {}, el("span", { class: `key s${s}` }), `${sections[s]} `, b)] : []));
  function select(i) {
    const at = points.findIndex((p) => p.i === i);
    if (at < 0) return;
    const p = points[at];
    const n = bars.findIndex((b) => i >= b.from && i <= b.to);
    chosen.setAttribute("x", n * width);
    range.value = at;
    const c = p.compaction ? session.compactions[p.compaction - 1] : null;
    const text = `Request ${i + 1} of ${session.window.length} · step ${p.step} · ${num(p.tokens)} ` +
      (p.limit > unlimited ? "tokens, not limited" : `of ${num(p.limit)} tokens (${Math.round((100 * p.tokens) / Math.max(p.limit, 1))} %)`) +
      (c ? ` · compacted before it: ${num(c.before)} → ${num(c.after)} tokens, ${plural(c.evicted || 0, "unit")} evicted` : "");
    facts.textContent = text;
    range.setAttribute("aria-valuetext", text);
    amounts.forEach((b, s) => { if (b) b.textContent = num(p.sections[s]); });
  }
  const node = el("div", { class: "window" },
    el("div", { class: "plot" }, el("span", { class: "high dim", text: `${num(top / 1.06)} tokens` }), picture), range, facts, legend, finder,
    el("p", { class: "dim", text: "One bar a request, in tokens (estimated)." +
      (points.some((p) => p.limit <= unlimited) ? " The dashed line is the budget; a vertical line marks a compaction before the request." : "") +
      (each > 1 ? ` Each bar is the largest of ${each} requests.` : "") }));
  return { node, select, points };
}

/** Writes which of the known points hold something: "3–7, 9". */
function ranges(known, holding) {
  const out = [];
  let last = null;
  known.forEach((p) => {
    if (!holding.includes(p)) last = null;
    else if (last) last[1] = p.i + 1;
    else out.push((last = [p.i + 1, p.i + 1]));
  });
  const more = out.length > 8 ? " …" : "";
  return out.slice(0, 8).map(([a, b]) => (a === b ? a : `${a}–${b}`)).join(", ") + more;
}

/** The numbers of the requests that hold a text, whatever its case. */
function holders(session, text) {
  const want = text.toLowerCase();
  const texts = session.texts.map((t) => t.toLowerCase().includes(want));
  const has = (i) => i > 0 && texts[i - 1];
  const messages = session.messages.map((m) => has(m.text) || (m.calls || []).some((c) => has(c.args)));
  const out = new Set();
  session.requests.forEach((r, n) => {
    if (has(r.system) || messagesOf(session, n).some((m) => messages[m])) out.add(n + 1);
  });
  return out;
}
