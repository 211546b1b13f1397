// Looks at answers in Chromium: node browser.mjs CHROMIUM TOOLS DIR. TOOLS has playwright-core; DIR has plain.html and
// hostile.html. FORAY_SHOTS, a folder, gets screenshots.
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";

const [executablePath, tools, dir] = process.argv.slice(2);
const { chromium } = createRequire(`${tools}/`)("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const shots = process.env.FORAY_SHOTS;
if (shots) mkdirSync(shots, { recursive: true });
let bad = 0;

function check(name, got, want) {
  const ok = typeof want === "function" ? want(got) : JSON.stringify(got) === JSON.stringify(want);
  if (!ok) bad++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name}: ${JSON.stringify(got)}`);
}

for (const name of ["plain", "hostile"]) {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 }, colorScheme: name === "plain" ? "light" : "dark" });
  const noise = [];
  page.on("console", (m) => noise.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => noise.push(e.stack));
  page.on("request", (r) => { if (!r.url().startsWith(`file://${dir}/${name}.html`)) noise.push(`request ${r.url()}`); });
  await page.goto(`file://${dir}/${name}.html`);
  check(`${name}: boxes`, await page.locator(".packages rect").count(), 3);
  check(`${name}: arrows`, await page.locator(".calls .arrow").count(), 3);
  await page.evaluate(() => document.querySelectorAll("details[open]").forEach((d) => { d.open = false; }));
  await page.locator(".cited a").first().click();
  await page.waitForSelector("details[open]", { timeout: 5000 }).catch(() => {});
  check(`${name}: opened`, await page.locator("details[open]").count(), 1);
  check(`${name}: seen`, await page.locator("details[open] pre").isVisible(), true);
  if (shots) await page.screenshot({ path: `${shots}/answer-${name}.png`, fullPage: true });
  await page.setViewportSize({ width: 400, height: 800 });
  check(`${name}: narrow`, await page.evaluate(() => document.documentElement.scrollWidth), (w) => w <= 400);
  check(`${name}: noise`, noise, []);
}
await browser.close();
process.exit(bad ? 1 : 0);
