// Looks at answers in Chromium: node browser.mjs CHROMIUM TOOLS DIR. TOOLS has playwright-core; DIR has plain.html and
// hostile.html. FORAY_SHOTS, a folder, gets screenshots; FORAY_PICTURES those of FORAY_ANSWER for the documentation.
import { args, browser, check, end, open, shot } from "../../../../../internal/browsertest/harness.mjs";

const [dir] = args;

for (const name of ["plain", "hostile"]) {
  const file = `file://${dir}/${name}.html`;
  const page = await open(file, { viewport: { width: 1100, height: 800 }, colorScheme: name === "plain" ? "light" : "dark" }, (url) => url.startsWith(file));
  await page.goto(file);
  await check(`${name}: boxes`, () => page.locator(".packages rect").count(), 3);
  await check(`${name}: arrows`, () => page.locator(".calls .arrow").count(), 3);
  await page.evaluate(() => document.querySelectorAll("details[open]").forEach((d) => { d.open = false; }));
  await page.locator(".cited a").first().click();
  await page.waitForSelector("details[open]", { timeout: 5000 }).catch(() => {});
  await check(`${name}: opened`, () => page.locator("details[open]").count(), 1);
  await check(`${name}: seen`, () => page.locator("details[open] pre").isVisible(), true);
  await shot(page, `answer-${name}`);
  await page.setViewportSize({ width: 400, height: 800 });
  await check(`${name}: narrow`, () => page.evaluate(() => document.documentElement.scrollWidth), (w) => w <= 400);
  await check(`${name}: noise`, page.noise, []);
}
for (const colorScheme of process.env.FORAY_PICTURES ? ["light", "dark"] : []) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 1000 }, colorScheme });
  const page = await context.newPage();
  await page.goto(`file://${process.env.FORAY_ANSWER}`);
  await page.screenshot({ path: `${process.env.FORAY_PICTURES}/answer-${colorScheme}.png` });
}
await end();
