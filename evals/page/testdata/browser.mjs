// Looks at reports in Chromium: node browser.mjs CHROMIUM TOOLS DIR LINK LINK. TOOLS has playwright-core; DIR has
// example.html and large.html. FORAY_SHOTS, a folder, gets screenshots.
import { args, browser, check, end, nodes, open, shot, text } from "../../../internal/browsertest/harness.mjs";

const [dir, hostile, failed] = args;

/** Opens a report, lets act look at it, and holds it to silence: no errors, no requests. */
async function look(name, file, hash, options, act) {
  const page = await open(file, options, (url) => url.split("#")[0] === `file://${dir}/${file}`);
  await page.addInitScript(() => {
    globalThis.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((e) => { globalThis.shift += e.hadRecentInput ? 0 : e.value; }))
      .observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(`file://${dir}/${file}${hash}`);
  await page.waitForSelector("html[data-ready]");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))); // it is drawn
  // not after act: what follows a key later than 500 ms, on a busy machine, counts as a shift without one
  await check(`${name}: layout shift`, () => page.evaluate(() => globalThis.shift), (v) => v < 0.1); // "good" in Web Vitals
  await act(page);
  await shot(page, name);
  await check(`${name}: noise`, page.noise, []);
  await page.context().close();
}

const focus = (page) => page.evaluate(() => document.activeElement.id);
const outcomes = (page) => page.locator("#grid-rows .c0").allTextContents();

await look("overview", "example.html", "", {}, async (page) => {
  await check("title", () => page.title(), "Results of retention");
  await check("count", () => text(page, "#f-count"), "72 trials");
  await check("subjects", () => page.locator(".summary tbody tr").count(), 3);
  await check("interval", () => page.locator(".rate svg").first().getAttribute("aria-label"), "41.7 %, interval 24 % to 61 %");
  await check("dots", () => page.locator(".scatter .dot").count(), 3);
  await check("histograms", () => page.locator(".histogram").count(), 9);
  await page.selectOption("#f-outcome", "differs");
  await check("filter differs", () => text(page, "#f-count"), "72 trials"); // subjects of the example disagree on each
  await page.selectOption("#f-outcome", "passed");
  await check("filter passed", () => text(page, "#f-count"), "33 of 72 trials");
  await check("all passed", async () => (await outcomes(page)).every((o) => o === "passed"), true);
  await page.selectOption("#f-outcome", "");
  await page.selectOption("#f-tag", "late");
  await check("filter tag", () => text(page, "#f-count"), "36 of 72 trials");
  await page.fill("#f-text", "doubles PAUSE");
  await check("search and tag", () => text(page, "#f-count"), "0 of 72 trials");
  await page.click("#filters button[type=reset]");
  await page.fill("#f-text", "doubles PAUSE");
  await check("search", () => text(page, "#f-count"), "12 of 72 trials");
  await page.click("#filters button[type=reset]");
  await page.waitForFunction(() => document.getElementById("f-count").textContent === "72 trials");
  await page.click(".chip >> text=harness 2");
  await check("chip", () => text(page, "#f-count"), "2 of 72 trials");
  await check("chip rows", () => outcomes(page), ["failed: harness", "failed: harness"]);
  await page.click("#filters button[type=reset]");
  await page.click("#grid-head >> text=Tokens");
  const tokens = async () => (await page.locator("#grid-rows .c5").allTextContents()).map((s) => Number(s.replaceAll(",", "")));
  await check("sorted up", tokens, (v) => v.every((x, i) => i === 0 || v[i - 1] <= x));
  await page.click("#grid-head >> text=Tokens");
  await check("sorted down", tokens, (v) => v.length > 5 && v.every((x, i) => i === 0 || v[i - 1] >= x));
  await check("aria-sort", () => page.locator("#grid-head [aria-sort=descending]").textContent(), "Tokens↓");
});

await look("keys", "example.html", "", {}, async (page) => {
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("k");
  await check("chosen", () => page.locator("#grid").getAttribute("aria-activedescendant"), "row-1");
  await check("focus", () => focus(page), "grid");
  const task = await text(page, "#row-1 .c1 b");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#trial-title");
  await check("opened", () => text(page, "#trial-title"), (t) => t.startsWith(task));
  await check("address", () => new URL(page.url()).hash, (h) => h.startsWith("#trial=read%2F0"));
  await check("focus in trial", () => focus(page), "trial-title");
  await page.keyboard.press("2");
  await check("tab", () => page.locator("[role=tab][aria-selected=true]").textContent(), (t) => t.startsWith("Requests"));
  const first = await text(page, ".window .facts");
  await page.keyboard.press("ArrowLeft");
  await check("request before", () => text(page, ".window .facts"), (t) => t !== first);
  const title = await text(page, "#trial-title");
  await page.keyboard.press("j");
  await page.waitForFunction((t) => document.getElementById("trial-title").textContent !== t, title);
  await page.keyboard.press("Escape");
  await check("closed", () => page.locator("#trial").isVisible(), false);
  await check("focus back", () => focus(page), "grid");
  await check("chosen after", () => page.locator("#grid").getAttribute("aria-activedescendant"), "row-2");
  await page.keyboard.press("/");
  await check("search", () => focus(page), "f-text");
  await page.keyboard.type("jk?");
  await check("typed", () => page.inputValue("#f-text"), "jk?");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await check("keys shown", () => page.locator("#keys").isVisible(), true);
  await page.keyboard.press("Escape");
  await check("keys closed", () => page.locator("#keys").isVisible(), false);
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  await check("focus is visible", outline, "solid");
});

await look("trial", "example.html", failed, {}, async (page) => {
  await check("verdicts", () => page.locator(".verdicts li").allTextContents(), (v) => v.length === 2 && v[0].startsWith("failed contains part3") && v[0].includes("does not contain"));
  await check("prompt", () => text(page, ".talk pre"), "Name the function that doubles the pause.");
  await check("bars", () => page.locator(".plot rect.s0").count(), 29);
  await check("compactions", () => page.locator(".plot line.compacted").count(), 9);
  await page.fill(".finder input", "check53(x162");
  await check("found", () => text(page, ".finder output"), (t) => /^[1-9]\d* of 29 requests, marked below: \d+–\d+/.test(t));
  await page.keyboard.press("Escape");
  await check("no more found", async () => [await text(page, ".finder output"), await page.locator(".found").count()], ["", 0]);
  await page.keyboard.press("3");
  await check("evictions", () => page.locator(".compaction").count(), 9);
  await check("evicted", () => page.locator(".evictions tbody tr").first().textContent(), (t) => t.startsWith("evicted read_file") && t.endsWith("L2"));
  await page.click("text=see request 7, which followed");
  await check("followed", () => text(page, ".window .facts"), (t) => t.startsWith("Request 7 of 29 · step 7") && t.includes("5 units evicted"));
  await check("difference", () => text(page, ".requests > .facts"), (t) => t.includes("10 gone") && t.includes("new"));
  await check("gone", () => page.locator(".message.gone").count(), 10);
  await check("digest", () => page.locator(".message.new summary").first().textContent(), (t) => t.includes("runtime"));
  await page.check(".requests input[type=checkbox]");
  await check("all messages", () => page.locator(".requests .message:not(.gone)").count(), (n) => n >= 5);
  await page.keyboard.press("1");
  await page.fill(".timeline input[type=search]", "part7");
  await check("events", () => text(page, ".timeline .switches output"), (t) => /^\d+ of 155 events$/.test(t));
});

await look("hostile", "example.html", hostile, {}, async (page) => {
  await check("title", () => page.title(), "Results of retention");
  await check("answer", () => page.locator(".talk pre").nth(1).textContent(), (t) => t.includes("</script><script>document.title='broken'</script>") && t.includes("⟨U+202E⟩gnp.exe⟨U+202C⟩ zero⟨U+200B⟩width ⟨U+2028⟩"));
  await check("images", () => page.locator("img").count(), 0);
});

await look("no-such-trial", "example.html", "#trial=none/of/1", {}, async (page) => {
  await check("said", () => text(page, "#trial .note"), "This page has no trial none/of/1.");
  await page.keyboard.press("Escape");
  await check("table", () => page.locator("#grid").isVisible(), true);
});

for (const colorScheme of ["light", "dark"]) {
  await look(colorScheme, "example.html", "", { colorScheme }, async (page) => {
    const light = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)");
    await check("follows the system", light, colorScheme === "light");
    await page.click("#theme");
    await check("light by switch", light, true);
    await page.click("#theme");
    await check("dark by switch", light, false);
    await check("kept", async () => { // again: Chromium writes what a page stores after a while
      await page.reload();
      await page.waitForSelector("html[data-ready]");
      return page.locator("html").getAttribute("data-theme");
    }, "dark");
    await page.click("#theme");
    await check("as the system again", light, colorScheme === "light");
  });
}

for (const [name, hash] of [["narrow", ""], ["narrow-trial", failed]]) {
  await look(name, "example.html", hash, { viewport: { width: 420, height: 900 } }, async (page) => {
    await check("width", () => page.evaluate(() => document.documentElement.scrollWidth), (w) => w <= 420);
    await check("summary", () => page.evaluate(() =>
      Math.max(0, ...[...document.querySelectorAll(".summary *")].map((e) => e.getBoundingClientRect().right))), (w) => w <= 420);
  });
}

await look("large", "large.html", "", {}, async (page) => {
  await check("rows", () => text(page, "#f-count"), "20,001 trials");
  await check("nodes", () => nodes(page), (n) => n < 2000);
  await page.focus("#grid");
  await page.keyboard.press("End");
  await check("last row", () => page.locator("#row-20000").count(), 1);
  await check("nodes at the end", () => nodes(page), (n) => n < 2000);
  await page.evaluate(() => { location.hash = "#trial=long/a/1"; });
  await page.waitForSelector("#trial-title");
  await check("events", () => text(page, ".timeline .switches output"), (t) => Number(t.replace(/\D/g, "")) > 100_000);
  await check("nodes of a trial", () => nodes(page), (n) => n < 4000);
  for (const share of [0.3, 0.7, 1]) {
    await page.locator(".events").evaluate((box, s) => { box.scrollTop = s * box.scrollHeight; }, share);
    await page.waitForFunction((s) => Number(document.querySelector(".event").id.slice(6)) > s * 95_000 - 100, share);
    await check(`nodes at ${share}`, () => nodes(page), (n) => n < 4000);
  }
  await page.locator(".events").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await check("arrows", () => page.locator(".event[aria-selected=true]").getAttribute("id"), "event-1");
  await page.fill(".timeline input[type=search]", "warning 77777 of");
  await check("one event", () => page.locator(".event").count(), 1);
  await check("window", () => page.locator(".plot rect.s0").count(), 151);
  await page.keyboard.press("Escape");
  await page.keyboard.press("2");
  await check("nodes with a request", () => nodes(page), (n) => n < 4000);
});

{
  const page = await browser.newPage();
  await page.goto(`file://${dir}/example.html`);
  await page.waitForSelector("html[data-ready]");
  const ran = await page.evaluate(async () => {
    const s = document.createElement("script");
    try { s.textContent = "globalThis.broken = true"; } catch { return "refused"; }
    document.body.append(s);
    return globalThis.broken || "not run";
  });
  await check("a foreign script", ran, "refused");
}

await end();
