// Looks at the page of a run in Chromium: node browser.mjs CHROMIUM TOOLS LIVE LONG CONTROL SHOWN. TOOLS has playwright-core;
// LIVE is a run of 12 readings, each of which waits for a request to CONTROL/next; CONTROL/stop ends its server. LONG is
// a finished run of 2,000. FORAY_SHOTS, a folder, gets screenshots; FORAY_PICTURES those of SHOWN for the documentation.
import { args, check, end, nodes, open as openPage, shot, text } from "../../../../../internal/browsertest/harness.mjs";

const [live, long, control, shown] = args;

async function open(address, options) {
  const { origin } = new URL(address);
  const page = await openPage(address, options, (url) => new URL(url).origin === origin && !url.includes("token="));
  await page.goto(address);
  return page;
}

const ready = (page) => page.waitForSelector("html[data-ready]");
const requests = (page, n) => page.waitForFunction((n) => Number(document.documentElement.dataset.requests) >= n, n);
const badge = (page, want) => page.waitForFunction((w) => document.getElementById("live").textContent === w, want);
const tab = (page) => text(page, "[role=tab][aria-selected=true]");
const next = async (n = 1) => { for (let i = 0; i < n; i++) await fetch(`${control}/next`); };

const page = await open(live);
await ready(page);
await badge(page, "live");
await check("address", () => new URL(page.url()).hash, "");
await check("one request", () => page.locator(".plot rect.s0").count(), 1);
await next(4);
await requests(page, 5);
await check("follows", () => text(page, ".window .facts"), (t) => t.startsWith("Request 5 of 5"));
await page.keyboard.press("2");
await page.keyboard.press("g");
await check("first request", () => text(page, ".window .facts"), (t) => t.startsWith("Request 1 of 5"));
await next(3);
await requests(page, 8);
await check("stays", async () => [await text(page, ".window .facts"), await tab(page)], ([facts, name]) => facts.startsWith("Request 1 of 8") && name.startsWith("Requests"));
await page.keyboard.press("ArrowRight");
await check("next request", () => text(page, ".window .facts"), (t) => t.startsWith("Request 2 of 8"));
await page.keyboard.press("G");
await check("last request", () => text(page, ".window .facts"), (t) => t.startsWith("Request 8 of 8"));
await page.keyboard.press("5");
await check("cost", () => page.locator("#part-cost tbody tr").first().locator("td").allTextContents(), (c) => c[0] === "7" && c[1] === "1");
await check("files", () => page.locator("#part-cost table").nth(1).locator("tbody tr").count(), 7);
await page.keyboard.press("?");
await check("keys", () => page.locator("#keys").isVisible(), true);
await page.keyboard.press("Escape");

const second = await open(live);
await ready(second);
await check("a second page", () => second.locator(".plot rect.s0").count(), 8);
await page.keyboard.press("6");
await page.click("#play");
await page.waitForSelector(".beside");
await check("policies", () => page.locator(".beside thead th").allTextContents(), ["", "lean at 4,000", "none at 4,000"]);
await next(5);
for (const p of [page, second]) {
  await badge(p, "finished");
  await check("finished", () => p.locator(".plot rect.s0").count(), 13);
  await check("question", () => p.locator(".talk pre").first().textContent(), "Read everything.");
  await check("prompt", () => p.locator(".talk summary").allTextContents(), ["as it was sent, with what came with it"]);
  await check("answer", () => p.locator(".talk pre").nth(1).textContent(), (t) => t.startsWith("Done.") && t.includes("⟨U+202E⟩gnp.exe⟨U+202C⟩ zero⟨U+200B⟩width"));
  await check("images", () => p.locator("img").count(), 0);
}
await page.keyboard.press("3");
await check("evictions", () => page.locator(".compaction").count(), (n) => n >= 3);
await page.keyboard.press("1");
await page.keyboard.press("/");
await page.keyboard.type("part3");
await check("timeline", () => text(page, ".timeline .switches output"), (t) => /^[1-9]\d* of \d+ events$/.test(t));
await shot(page, "inspect");
await page.reload();
await ready(page);
await check("after a reload", () => page.locator(".plot rect.s0").count(), 13);
await page.setViewportSize({ width: 420, height: 900 });
await check("narrow", () => page.evaluate(() => document.documentElement.scrollWidth), (w) => w <= 420);
await shot(page, "inspect-narrow");
await check("noise", [...page.noise, ...second.noise], []);

const dark = await open(live, { colorScheme: "dark" });
await ready(dark);
await dark.keyboard.press("2");
await shot(dark, "inspect-dark");

const wrong = await open(`${live.split("#")[0]}#token=wrong`);
await wrong.waitForSelector(".note.bad");
await check("a wrong token", () => text(wrong, ".note.bad"), "The token is missing or wrong: open the address that foray inspect printed.");

for (const colorScheme of process.env.FORAY_PICTURES ? ["light", "dark"] : []) {
  const p = await open(shown, { colorScheme, viewport: { width: 1100, height: 720 } });
  await ready(p);
  await p.keyboard.press("2");
  for (let i = 0; i < 7; i++) await p.keyboard.press("ArrowLeft");
  await p.screenshot({ path: `${process.env.FORAY_PICTURES}/inspect-${colorScheme}.png` });
}

const large = await open(long);
const began = Date.now();
await ready(large);
console.log(`2,000 steps are shown after ${Date.now() - began} ms`);
await check("2,000 steps", () => large.evaluate(() => document.documentElement.dataset.requests), "2001");
await check("nodes", () => nodes(large), (n) => n < 40_000);
await large.keyboard.press("2");
await large.keyboard.press("g");
const slow = await large.evaluate(async () => {
  const times = [];
  for (let i = 0; i < 40; i++) {
    const began = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    document.body.offsetHeight; // laid out
    times.push(performance.now() - began);
    await new Promise((r) => requestAnimationFrame(r));
  }
  return times.sort((a, b) => a - b);
});
console.log(`a key at 2,000 steps takes ${slow[20].toFixed(1)} ms, at most ${slow[39].toFixed(1)} ms`);
await check("at request 41", () => text(large, ".window .facts"), (t) => t.startsWith("Request 41 of 2001"));
await check("nothing is back", () => large.locator(".requests .badge.back").count(), 0);
await large.keyboard.press("G");
await check("back", () => large.locator(".requests .badge.back").allTextContents(), (t) => t[0] === "1 back" && t.includes("back"));
for (const back of ["g", ...Array(40).fill("ArrowRight")]) await large.keyboard.press(back);
await large.keyboard.press("1");
await check("the timeline follows", () => text(large, ".event[aria-selected=true]"), (t) => /^[\d.]+41request/.test(t.trim()));
await check("noise", large.noise, []);

const waits = await open(live);
await badge(waits, "finished");
await fetch(`${control}/stop`);
await check("after the server", () => text(waits, "#live"), "finished");
await waits.keyboard.press("2");
await check("still there", () => text(waits, ".window .facts"), (t) => t.startsWith("Request 13 of 13"));
await end();
