// What the scripts that look at pages share: node SCRIPT CHROMIUM TOOLS ARGS…. TOOLS has playwright-core. FORAY_SHOTS, a
// folder, gets screenshots.
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";

const [executablePath, tools, ...rest] = process.argv.slice(2);
const { chromium } = createRequire(`${tools}/`)("playwright-core");
export const args = rest;
export const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const shots = process.env.FORAY_SHOTS;
if (shots) mkdirSync(shots, { recursive: true });
let bad = 0;

/**
 * Prints whether a value is as wanted: equal, or so that a function of it holds. A function gives the value and is asked
 * again for up to 10 seconds, because a page may be drawn after the key that changes it.
 */
export async function check(name, got, want) {
  const holds = (v) => (typeof want === "function" ? want(v) : JSON.stringify(v) === JSON.stringify(want));
  const read = typeof got === "function" ? got : () => got;
  const end = Date.now() + (read === got ? 10_000 : 0);
  let value = await read();
  while (!holds(value) && Date.now() < end) {
    await new Promise((r) => setTimeout(r, 50));
    value = await read();
  }
  const ok = holds(value);
  if (!ok) bad++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name}: ${JSON.stringify(value)}${ok || typeof want === "function" ? "" : `, want ${JSON.stringify(want)}`}`);
}

export const text = (page, selector) => page.locator(selector).first().textContent();
export const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);
export const shot = async (page, name) => { if (shots) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true }); };

/** Opens a page and lists in its noise what it logs and asks for; allowed says what it may ask for. */
export async function open(address, options, allowed) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.noise = [];
  page.on("console", (m) => page.noise.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => page.noise.push(e.stack));
  page.on("request", (r) => { if (!allowed(r.url())) page.noise.push(`request ${r.url().slice(0, 80)}`); });
  return page;
}

/** Ends the script: it fails if a check did. */
export async function end() {
  await browser.close();
  process.exit(bad ? 1 : 0);
}
