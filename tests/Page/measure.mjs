// How busy a browser's main thread is while it shows a worker's page: node measure.mjs ADDRESS LEASES SECONDS
// Tells on standard output, as JSON, once the page shows that many leases; ends when its input ends, and the page stays open until then.

import { chromium } from 'playwright-core';

const [address, leases, seconds] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
await page.goto(address);
await page.waitForFunction((leases) => document.querySelectorAll('.lease').length >= leases, Number(leases));

const client = await page.context().newCDPSession(page);
await client.send('Performance.enable', { timeDomain: 'timeTicks' });
const metrics = async () => Object.fromEntries((await client.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
const before = await metrics();
const drawn = await page.evaluate(
  (seconds) =>
    new Promise((resolve) => {
      let frames = 0;
      const end = performance.now() + seconds * 1000;
      const count = (now) => (now < end ? requestAnimationFrame(count) : resolve(frames), frames++);
      requestAnimationFrame(count);
    }),
  process.env.FRAMES ? Number(seconds) : 0,
);
if (!process.env.FRAMES) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const now = await metrics();
const share = (name) => (now[name] - before[name]) / (now.Timestamp - before.Timestamp);
console.log(JSON.stringify({ busy: share('TaskDuration'), script: share('ScriptDuration'), layout: share('LayoutDuration'), style: share('RecalcStyleDuration'), frames: drawn / seconds, leases: await page.locator('.lease').count() }));

process.stdin.on('end', () => browser.close()).resume();
