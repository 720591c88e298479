import axe from 'axe-core';
import { chromium } from 'playwright-core';

export const PHONE = { width: 390, height: 844 };

/** Debian's Chromium, without a window. */
export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/** A page for one test, that remembers what the browser complained of. That an address does not answer is no complaint of the page's own. */
export async function open(t, browser, address, options = {}) {
  const context = await browser.newContext({ colorScheme: 'light', viewport: { width: 1280, height: 900 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource') && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(`${error}`));
  await page.goto(`${address}`);
  await page.waitForFunction(() => document.body.dataset.link === 'live' && document.getElementById('what').textContent !== '');
  return page;
}

/** What axe-core finds wrong, a line each. */
export async function violations(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`));
}

/** How many pixels of the page are beside what is seen of it. */
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

export const text = (page, selector) => page.locator(selector).textContent();

/** Waits until an element says something. */
export const says = (page, selector, pattern, timeout = 20_000) =>
  page.waitForFunction(([selector, source]) => new RegExp(source).test(document.querySelector(selector)?.textContent ?? ''), [selector, pattern.source], { timeout });

/** Waits until the worker has told so many more times how it goes. */
export const frames = (page, count) =>
  page.evaluate(
    (count) =>
      new Promise((resolve) => {
        const source = new EventSource('status/events');
        source.addEventListener('change', () => {
          if (--count > 0) return;
          source.close();
          resolve();
        });
      }),
    count,
  );
