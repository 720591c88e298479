// How busy a browser's main thread is while it shows a worker's page: node measure.mjs ADDRESS LEASES SECONDS ROUNDS
// Once the page shows that many leases it tells, as a line of JSON for each round, which part of the time the thread worked.

import { setTimeout as pause } from 'node:timers/promises';
import { launch } from './test/browser.mjs';

const [address, leases, seconds, rounds] = process.argv.slice(2);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
await page.goto(address);
await page.waitForFunction((leases) => document.querySelectorAll('.lease').length >= leases, Number(leases));

const client = await page.context().newCDPSession(page);
await client.send('Performance.enable', { timeDomain: 'timeTicks' });
const look = async () => Object.fromEntries((await client.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
for (let round = 0; round < rounds; round++) {
  const before = await look();
  await pause(seconds * 1000);
  const now = await look();
  const share = (name) => (now[name] - before[name]) / (now.Timestamp - before.Timestamp);
  console.log(JSON.stringify({ busy: share('TaskDuration'), script: share('ScriptDuration'), style: share('RecalcStyleDuration'), layout: share('LayoutDuration'), leases: await page.locator('.lease').count() }));
}

await browser.close();
