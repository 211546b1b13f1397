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
  await act(page);
  await shot(page, name);
  check(`${name}: noise`, page.noise, []);
  check(`${name}: layout shift`, await page.evaluate(() => globalThis.shift), (v) => v < 0.02);
  await page.context().close();
}

const focus = (page) => page.evaluate(() => document.activeElement.id);
const outcomes = (page) => page.locator("#grid-rows .c0").allTextContents();

await look("overview", "example.html", "", {}, async (page) => {
  check("title", await page.title(), "Results of retention");
  check("count", await text(page, "#f-count"), "72 trials");
  check("subjects", await page.locator(".summary tbody tr").count(), 3);
  check("interval", await page.locator(".rate svg").first().getAttribute("aria-label"), "41.7 %, interval 24 % to 61 %");
  check("dots", await page.locator(".scatter .dot").count(), 3);
  check("histograms", await page.locator(".histogram").count(), 9);
  await page.selectOption("#f-outcome", "differs");
  check("filter differs", await text(page, "#f-count"), "72 trials"); // subjects of the example disagree on each
  await page.selectOption("#f-outcome", "passed");
  check("filter passed", await text(page, "#f-count"), "33 of 72 trials");
  check("all passed", (await outcomes(page)).every((o) => o === "passed"), true);
  await page.selectOption("#f-outcome", "");
  await page.selectOption("#f-tag", "late");
  check("filter tag", await text(page, "#f-count"), "36 of 72 trials");
  await page.fill("#f-text", "doubles PAUSE");
  check("search and tag", await text(page, "#f-count"), "0 of 72 trials");
  await page.click("#filters button[type=reset]");
  await page.fill("#f-text", "doubles PAUSE");
  check("search", await text(page, "#f-count"), "12 of 72 trials");
  await page.click("#filters button[type=reset]");
  await page.waitForFunction(() => document.getElementById("f-count").textContent === "72 trials");
  await page.click(".chip >> text=harness 2");
  check("chip", await text(page, "#f-count"), "2 of 72 trials");
  check("chip rows", await outcomes(page), ["failed: harness", "failed: harness"]);
  await page.click("#filters button[type=reset]");
  await page.click("#grid-head >> text=Tokens");
  const tokens = async () => (await page.locator("#grid-rows .c5").allTextContents()).map((s) => Number(s.replaceAll(",", "")));
  check("sorted up", await tokens(), (v) => v.every((x, i) => i === 0 || v[i - 1] <= x));
  await page.click("#grid-head >> text=Tokens");
  check("sorted down", await tokens(), (v) => v.length > 5 && v.every((x, i) => i === 0 || v[i - 1] >= x));
  check("aria-sort", await page.locator("#grid-head [aria-sort=descending]").textContent(), "Tokens↓");
});

await look("keys", "example.html", "", {}, async (page) => {
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("k");
  check("chosen", await page.locator("#grid").getAttribute("aria-activedescendant"), "row-1");
  check("focus", await focus(page), "grid");
  const task = await text(page, "#row-1 .c1 b");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#trial-title");
  check("opened", await text(page, "#trial-title"), (t) => t.startsWith(task));
  check("address", new URL(page.url()).hash, (h) => h.startsWith("#trial=read%2F0"));
  check("focus in trial", await focus(page), "trial-title");
  await page.keyboard.press("2");
  check("tab", await page.locator("[role=tab][aria-selected=true]").textContent(), (t) => t.startsWith("Requests"));
  const first = await text(page, ".window .facts");
  await page.keyboard.press("ArrowLeft");
  check("request before", await text(page, ".window .facts"), (t) => t !== first);
  const title = await text(page, "#trial-title");
  await page.keyboard.press("j");
  await page.waitForFunction((t) => document.getElementById("trial-title").textContent !== t, title);
  await page.keyboard.press("Escape");
  check("closed", await page.locator("#trial").isVisible(), false);
  check("focus back", await focus(page), "grid");
  check("chosen after", await page.locator("#grid").getAttribute("aria-activedescendant"), "row-2");
  await page.keyboard.press("/");
  check("search", await focus(page), "f-text");
  await page.keyboard.type("jk?");
  check("typed", await page.inputValue("#f-text"), "jk?");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  check("keys shown", await page.locator("#keys").isVisible(), true);
  await page.keyboard.press("Escape");
  check("keys closed", await page.locator("#keys").isVisible(), false);
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  check("focus is visible", outline, "solid");
});

await look("trial", "example.html", failed, {}, async (page) => {
  check("verdicts", await page.locator(".verdicts li").allTextContents(), (v) => v.length === 2 && v[0].startsWith("failed contains part3") && v[0].includes("does not contain"));
  check("prompt", await text(page, ".talk pre"), "Name the function that doubles the pause.");
  check("bars", await page.locator(".plot rect.s0").count(), 29);
  check("compactions", await page.locator(".plot line.compacted").count(), 9);
  await page.fill(".finder input", "check53(x162");
  check("found", await text(page, ".finder output"), (t) => /^[1-9]\d* of 29 requests, marked below: \d+–\d+/.test(t));
  await page.keyboard.press("Escape");
  check("no more found", [await text(page, ".finder output"), await page.locator(".found").count()], ["", 0]);
  await page.keyboard.press("3");
  check("evictions", await page.locator(".compaction").count(), 9);
  check("evicted", await page.locator(".evictions tbody tr").first().textContent(), (t) => t.startsWith("evicted read_file") && t.endsWith("L2"));
  await page.click("text=see request 7, which followed");
  check("followed", await text(page, ".window .facts"), (t) => t.startsWith("Request 7 of 29 · step 7") && t.includes("5 units evicted"));
  check("difference", await text(page, ".requests > .facts"), (t) => t.includes("10 gone") && t.includes("new"));
  check("gone", await page.locator(".message.gone").count(), 10);
  check("digest", await page.locator(".message.new summary").first().textContent(), (t) => t.includes("runtime"));
  await page.check(".requests input[type=checkbox]");
  check("all messages", await page.locator(".requests .message:not(.gone)").count(), (n) => n >= 5);
  await page.keyboard.press("1");
  await page.fill(".timeline input[type=search]", "part7");
  check("events", await text(page, ".timeline .switches output"), (t) => /^\d+ of 155 events$/.test(t));
});

await look("hostile", "example.html", hostile, {}, async (page) => {
  check("title", await page.title(), "Results of retention");
  check("answer", await page.locator(".talk pre").nth(1).textContent(), (t) => t.includes("</script><script>document.title='broken'</script>") && t.includes("⟨U+202E⟩gnp.exe⟨U+202C⟩ zero⟨U+200B⟩width ⟨U+2028⟩"));
  check("images", await page.locator("img").count(), 0);
});

await look("no-such-trial", "example.html", "#trial=none/of/1", {}, async (page) => {
  check("said", await text(page, "#trial .note"), "This page has no trial none/of/1.");
  await page.keyboard.press("Escape");
  check("table", await page.locator("#grid").isVisible(), true);
});

for (const colorScheme of ["light", "dark"]) {
  await look(colorScheme, "example.html", "", { colorScheme }, async (page) => {
    const light = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)");
    check("follows the system", await light(), colorScheme === "light");
    await page.click("#theme");
    check("light by switch", await light(), true);
    await page.click("#theme");
    check("dark by switch", await light(), false);
    await page.reload();
    await page.waitForSelector("html[data-ready]");
    check("kept", await light(), false);
    await page.click("#theme");
    check("as the system again", await light(), colorScheme === "light");
  });
}

for (const [name, hash] of [["narrow", ""], ["narrow-trial", failed]]) {
  await look(name, "example.html", hash, { viewport: { width: 420, height: 900 } }, async (page) => {
    check("width", await page.evaluate(() => document.documentElement.scrollWidth), (w) => w <= 420);
  });
}

await look("large", "large.html", "", {}, async (page) => {
  check("rows", await text(page, "#f-count"), "20,001 trials");
  check("nodes", await nodes(page), (n) => n < 2000);
  await page.focus("#grid");
  await page.keyboard.press("End");
  check("last row", await page.locator("#row-20000").count(), 1);
  check("nodes at the end", await nodes(page), (n) => n < 2000);
  await page.evaluate(() => { location.hash = "#trial=long/a/1"; });
  await page.waitForSelector("#trial-title");
  check("events", await text(page, ".timeline .switches output"), (t) => Number(t.replace(/\D/g, "")) > 100_000);
  check("nodes of a trial", await nodes(page), (n) => n < 4000);
  for (const share of [0.3, 0.7, 1]) {
    await page.locator(".events").evaluate((box, s) => { box.scrollTop = s * box.scrollHeight; }, share);
    await page.waitForFunction((s) => Number(document.querySelector(".event").id.slice(6)) > s * 95_000 - 100, share);
    check(`nodes at ${share}`, await nodes(page), (n) => n < 4000);
  }
  await page.locator(".events").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  check("arrows", await page.locator(".event[aria-selected=true]").getAttribute("id"), "event-1");
  await page.fill(".timeline input[type=search]", "warning 77777 of");
  check("one event", await page.locator(".event").count(), 1);
  check("window", await page.locator(".plot rect.s0").count(), 151);
  await page.keyboard.press("Escape");
  await page.keyboard.press("2");
  check("nodes with a request", await nodes(page), (n) => n < 4000);
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
  check("a foreign script", ran, "refused");
}

await end();
