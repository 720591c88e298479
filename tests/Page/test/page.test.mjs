import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { after, before, test } from 'node:test';
import { Running } from '../../ServiceBusBroker/test/running.mjs';
import { frames, launch, open, overflow, PHONE, says, text, violations } from './browser.mjs';
import { Wire } from './wire.mjs';
import { portToComeBackTo, Worker } from './worker.mjs';

const LOCK = 4_000;
const SCREENSHOTS = process.env.SCREENSHOTS ?? new URL('../../../artifacts/page', import.meta.url).pathname;
const HOSTILE = [`<img src=x onerror="window.hacked=1">`, `</script><script>window.hacked=1</script>`, `javascript:window.hacked=1//&quot;\u202e`, '\r\nevent: whole\ndata: {}'];
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

let broker;
let worker;
let browser;
let sender;

before(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  broker = await Running.start();
  await broker.control('PUT', 'queues/orders', { lockDuration: LOCK, maxDeliveryCount: 1000 });
  sender = broker.client().createSender('orders');
  worker = await Worker.start({ ...settings(), ASPNETCORE_HTTP_PORTS: await portToComeBackTo() });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await worker?.kill();
  await broker?.stop();
});

// Handlers that wait for longer than any test takes.
const settings = () => ({
  Worker__Broker: 'ServiceBus',
  Worker__Handler: 'Demo',
  ConnectionStrings__ServiceBus: broker.connectionString(),
  Worker__Admission: 'Fixed',
  Worker__MaxConcurrency: '60',
  Worker__DrainTimeout: '4s',
  Worker__Demo__Produce: '0',
  Worker__Demo__Turns: '1000',
  Worker__Demo__CpuMilliseconds: '0',
  Worker__Demo__IoMilliseconds: '1000',
});

const messages = (ids, rest = {}) => ids.map((messageId) => ({ messageId, body: 'the payload', ...rest }));

const send = (ids, rest) => sender.sendMessages(messages(ids, rest));

/** A worker with a queue of its own, renewed so early in their locks that no lease is lost, or comes into danger, while a busy machine is late. */
async function startCalm(t, queue, ids) {
  await broker.control('PUT', `queues/${queue}`, { lockDuration: 20_000 });
  await broker.client().createSender(queue).sendMessages(messages(ids));
  const calm = await Worker.start({ ...settings(), Worker__Queue: queue, Worker__Lease__RenewAfter: '0.1' });
  t.after(() => calm.kill());
  return calm;
}

/** The first event of the worker's, as if it ran on another host. */
async function firstFrame(host) {
  const stop = new AbortController();
  const { body } = await fetch(new URL('status/events', worker.address), { signal: stop.signal });
  let told = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    told += part;
    if (told.includes('event: whole') && told.endsWith('\n\n')) break;
  }

  stop.abort();
  return told.replace(/"host":"[^"]*"/, () => `"host":${JSON.stringify(host)}`);
}

const row = (page, id) => page.locator('.lease', { has: page.locator('.id', { hasText: id }) });

const isHeld = (page, id) => row(page, id).first().waitFor();

/** A browser scrolls in many small steps, and what comes into sight, or leaves it, changes. */
const isAtItsEnd = (page) =>
  page.waitForFunction(() => {
    const frame = document.getElementById('rows-frame');
    const isThere = frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 1;
    return isThere && document.querySelector('.lease:last-child .bar i').getAnimations().length > 0;
  });

/** Sees that no bar moves for a while. A bar that is told to stop may still finish the frame that it is in. */
async function standsStill(page) {
  await page.evaluate(() => Promise.all(document.getAnimations().map((bar) => bar.ready)));
  const [before, after] = await page.evaluate(async () => {
    const positions = () => [...document.querySelectorAll('.bar i')].map((bar) => new DOMMatrix(getComputedStyle(bar).transform).a);
    const before = positions();
    for (let i = 0; i < 30; i++) await new Promise(requestAnimationFrame);
    return [before, positions()];
  });
  assert.deepEqual(after, before);
}

test('leases run down and jump back when they are renewed', async (t) => {
  await send(Array.from({ length: 30 }, (_, i) => `order-${10_001 + i}`));
  const page = await open(t, browser, worker.address);
  await isHeld(page, 'order-10030');

  const { looks, falls, jumps } = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const bar = document.querySelector('.lease .bar i');
        const share = () => new DOMMatrix(getComputedStyle(bar).transform).a;
        let [last, looks, falls, jumps] = [share(), 0, 0, 0];
        const look = () => {
          const now = share();
          looks++;
          if (now < last) falls++;
          if (now > last + 0.2) jumps++;
          last = now;
          if (jumps < 2 || falls < 2) requestAnimationFrame(look);
          else resolve({ looks, falls, jumps });
        };
        look();
      }),
  );

  // However few pictures a busy machine draws, the bar is lower in almost each of them.
  assert.ok(2 * falls > looks - jumps, `${falls} steps down and ${jumps} jumps back in ${looks} pictures`);
  assert.match(await row(page, 'order-10001').textContent(), /order-10001\s*orders\s*\d\.\d s\s*(awaiting|running|waiting)(, (late|ending))?\s*\d+ s\s*1\s*0/);
  assert.ok(!(await page.content()).includes('the payload'));
  assert.deepEqual(page.complaints, []);
});

test('a line that is used again shows its next lease at once', async (t) => {
  const page = await open(t, browser, worker.address);
  await isHeld(page, 'order-10001');
  await page.fill('#find', 'order-10001');
  await page.waitForFunction(() => document.querySelectorAll('.lease').length === 1);

  await page.fill('#find', 'order-10002');

  await page.waitForFunction(() => {
    const [line, ...others] = document.querySelectorAll('.lease');
    return others.length === 0 && line.querySelector('.id').textContent === 'order-10002' && line.querySelector('.bar i').getAnimations().length > 0;
  });
});

test('what senders write is text and never markup', async (t) => {
  await send(HOSTILE.map((id) => id.slice(0, 120)));
  const page = await open(t, browser, worker.address);
  for (const id of HOSTILE) await page.waitForFunction((id) => [...document.querySelectorAll('.id')].some((shown) => shown.textContent === id), id);

  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('main img, main script').count(), 0);
  assert.equal((await fetch(worker.address)).headers.get('content-security-policy').includes('unsafe'), false);
  assert.deepEqual(page.complaints, []);
});

for (const [name, options] of [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: PHONE, deviceScaleFactor: 2 }],
]) {
  test(`everybody can use it: ${name}`, async (t) => {
    const page = await open(t, browser, worker.address, options);
    await isHeld(page, 'order-10001');
    await page.locator('summary').click();
    assert.deepEqual(await violations(page), []);
    await page.locator('summary').click();

    const width = await overflow(page);
    assert.ok(width <= 0, `${width} pixels do not fit`);
    assert.deepEqual(page.complaints, []);
    });
}

test('which worker is shown is told, whatever it is called', async (t) => {
  const page = await open(t, browser, worker.address);
  assert.ok((await text(page, '#what')).includes(` · on ${hostname()} · `));

  const name = `<b>${'long-'.repeat(12)}</b>`;
  const context = await browser.newContext({ viewport: PHONE });
  t.after(() => context.close());
  const phone = await context.newPage();
  await phone.route('**/status/events', async (route) => route.fulfill({ contentType: 'text/event-stream', body: await firstFrame(name) }));
  await phone.goto(`${worker.address}`);
  await says(phone, '#what', /long-long/);
  assert.ok((await text(phone, '#what')).includes(` · on ${name} · `));
  const width = await overflow(phone);
  assert.ok(width <= 0, `${width} pixels do not fit`);
  await phone.screenshot({ path: `${SCREENSHOTS}/status-long-name.png` });
});

test('where colours are forced, danger is seen by shapes and words', async (t) => {
  const page = await open(t, browser, worker.address, { forcedColors: 'active' });
  await isHeld(page, 'order-10001');
  const looks = await page.evaluate(() => {
    const line = document.querySelector('.lease');
    const [bar, fill] = [line.querySelector('.bar'), line.querySelector('.bar i')].map((part) => getComputedStyle(part).backgroundColor);
    const edges = [0, 1, 2, 3].map((danger) => {
      line.dataset.danger = danger;
      const { borderLeftStyle, borderLeftColor } = getComputedStyle(line);
      return `${borderLeftStyle} ${borderLeftColor}`;
    });
    return { bar, fill, edges };
  });

  assert.notEqual(looks.fill, looks.bar);
  assert.equal(new Set(looks.edges).size, 4);
});

test('a lease tells whose it is where there are several queues', async (t) => {
  const alone = await open(t, browser, worker.address);
  await isHeld(alone, 'order-10001');
  assert.equal(await alone.locator('.queue-name:visible').count(), 0);

  const several = await Worker.start({
    Worker__Queues__parcels__Demo__Produce: '10',
    Worker__Queues__letters__Demo__Produce: '10',
    Worker__Demo__Turns: '1000',
    Worker__Demo__CpuMilliseconds: '0',
    Worker__Demo__IoMilliseconds: '1000',
  });
  t.after(() => several.kill());
  for (const options of [{}, { viewport: PHONE }]) {
    const page = await open(t, browser, several.address, options);
    for (const queue of ['letters', 'parcels']) await page.locator('.lease .queue-name', { hasText: queue }).first().waitFor();
    assert.equal(await page.title(), `letters, parcels · ${hostname()} · Holdfast`);
    assert.deepEqual(await violations(page), []);
    const width = await overflow(page);
    assert.ok(width <= 0, `${width} pixels do not fit`);
  }
});

test('however many queues there are, the leases are in sight', async (t) => {
  const many = await Worker.start({
    ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`Worker__Queues__queue${i + 1}__Demo__Produce`, '1'])),
    Worker__Demo__CpuMilliseconds: '0',
  });
  t.after(() => many.kill());
  for (const options of [{}, { viewport: PHONE }]) {
    const page = await open(t, browser, many.address, options);
    await page.locator('.lease').first().waitFor();
    assert.equal(await page.title(), `50 queues · ${hostname()} · Holdfast`);
    const { y } = await page.locator('#leases').boundingBox();
    assert.ok(y < page.viewportSize().height, `They begin at ${y}`);
    assert.deepEqual(await violations(page), []);
    const width = await overflow(page);
    assert.ok(width <= 0, `${width} pixels do not fit`);
    assert.deepEqual(page.complaints, []);
  }
});

test('among many queues the troubled one stands first, one is found by its name, and a long name takes no more room than two lines', async (t) => {
  const longName = 'parcels-'.repeat(24);
  const many = await Worker.start({
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`Worker__Queues__queue${i + 1}__Demo__Produce`, '1'])),
    Worker__Queues__queue2__Queue: longName,
    Worker__Queues__troubled__Handler: 'Http',
    Worker__Queues__troubled__Http__Url: 'http://127.0.0.1:9/',
    Worker__Queues__troubled__Demo__Produce: '20',
    Worker__Queues__troubled__Breaker__FailureRatio: '0.5',
    Worker__Queues__troubled__Breaker__MinimumHandled: '1',
    Worker__Queues__troubled__Breaker__Pause: '00:05:00',
    Worker__Demo__Turns: '1000',
    Worker__Demo__CpuMilliseconds: '0',
    Worker__Demo__IoMilliseconds: '1000',
  });
  t.after(() => many.kill());
  const page = await open(t, browser, many.address);
  const card = (name) => page.locator('.queue').filter({ has: page.getByRole('heading', { name, exact: true }) });
  await card('troubled').locator('.admission.warn').waitFor();
  const first = await page.locator('#queues').evaluate((frame) => {
    const places = [...frame.children].map((one) => ({ name: one.querySelector('h2').textContent, box: one.getBoundingClientRect() }));
    return places.sort((a, b) => a.box.y - b.box.y || a.box.x - b.box.x)[0].name;
  });
  assert.equal(first, 'troubled');

  const long = card(longName).locator('h2');
  assert.equal(await long.getAttribute('title'), longName);
  const { height, line } = await long.evaluate((name) => ({ height: name.clientHeight, line: parseFloat(getComputedStyle(name).lineHeight) }));
  assert.ok(height < 2.5 * line, `It is ${height} high, and a line ${line}`);

  await page.fill('#find', 'queue13');
  await says(page, '#leases-count', /, [1-9]\d* found/);
  assert.deepEqual([...new Set(await page.locator('.lease:visible .queue-name').allTextContents())], ['queue13']);
  await page.screenshot({ path: `${SCREENSHOTS}/many.png` });
  assert.deepEqual(page.complaints, []);
});

test('the keyboard reaches everything, and the page holds still when it is told to', async (t) => {
  const ids = Array.from({ length: 30 }, (_, i) => `quiet-${10_001 + i}`);
  const calm = await startCalm(t, 'quiet', ids);
  const page = await open(t, browser, calm.address);
  await isHeld(page, 'quiet-10030');
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
  const tab = async () => {
    await page.keyboard.press('Tab');
    return focused();
  };

  assert.equal(await tab(), 'A');
  await page.keyboard.press('Enter');
  assert.equal(await focused(), 'leases');
  assert.equal(await tab(), 'find');
  await page.keyboard.type('10007');
  await says(page, '#leases-count', /, 1 found/);
  assert.deepEqual(await page.locator('.lease .id').allTextContents(), ['quiet-10007']);
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  assert.equal(await tab(), 'rows-frame');
  await page.keyboard.press('End');
  await isAtItsEnd(page);
  assert.equal(await tab(), 'SUMMARY');
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'Worker__MaxConcurrency' }).waitFor();

  await page.locator('#pause').focus();
  await page.keyboard.press('Space');
  assert.equal(await page.locator('#pause').getAttribute('aria-pressed'), 'true');
  const still = await page.locator('#rows').innerHTML();
  const positions = () => page.evaluate(() => [...document.querySelectorAll('.bar i')].map((bar) => new DOMMatrix(getComputedStyle(bar).transform).a));
  // A bar that is told to stop may still finish the frame that it is in.
  await page.evaluate(() => Promise.all(document.getAnimations().map((bar) => bar.ready)));
  const stillBars = await positions();
  await frames(page, 8);
  assert.equal(await page.locator('#rows').innerHTML(), still);
  assert.deepEqual(await positions(), stillBars);

  await page.fill('#find', '10007');
  await says(page, '#leases-count', /, 1 found/);
  await standsStill(page);
  await page.fill('#find', '');

  await page.locator('#pause').focus();
  await page.keyboard.press('Space');
  await page.waitForFunction((still) => document.getElementById('rows').innerHTML !== still, still);
  assert.deepEqual(page.complaints, []);
});

test('a figure that changes is written where it stands', async (t) => {
  const page = await open(t, browser, worker.address);
  const cell = await page.locator('#lanes td').first().elementHandle();
  await frames(page, 12);

  assert.ok(await cell.evaluate((cell) => cell.isConnected));
});

test('a page that is paused shows what was, whatever is looked for and comes into sight meanwhile', async (t) => {
  const page = await open(t, browser, worker.address);
  await isHeld(page, 'order-10030');
  await page.locator('#pause').click();
  const told = await text(page, '#leases-count');
  const ids = await page.locator('.lease .id').allTextContents();

  await send(['late-1']);
  const other = await open(t, browser, worker.address);
  await isHeld(other, 'late-1');
  await frames(other, 4 * (LOCK / 1000));
  await page.fill('#find', 'late-1');
  await says(page, '#leases-count', /, 0 found$/);
  await page.fill('#find', 'order-10030');
  await says(page, '#leases-count', /, 1 found$/);
  await says(page, '#found', /^1 found$/);
  assert.deepEqual(await page.locator('.lease:visible .id').allTextContents(), ['order-10030']);
  await standsStill(page);
  await page.fill('#find', '');

  await says(page, '#leases-count', new RegExp(`^${told}$`));
  assert.deepEqual(await page.locator('.lease .id').allTextContents(), ids);

  // A lease that was renewed meanwhile would have more left, at the time that is shown, than it ever has.
  await page.locator('#rows-frame').press('End');
  await isAtItsEnd(page);
  const left = await page.evaluate(() => [...document.querySelectorAll('.left')].map(({ textContent }) => parseFloat(textContent)));
  assert.ok(Math.max(...left) <= LOCK / 1000, `${left}`);
  await page.locator('#pause').click();
  await isHeld(page, 'late-1');
  assert.deepEqual(page.complaints, []);
});

test('who wants no motion gets none, and still sees the figures', async (t) => {
  const page = await open(t, browser, worker.address, { reducedMotion: 'reduce' });
  await isHeld(page, 'order-10001');
  const bar = () => page.evaluate(() => document.querySelector('.bar i').style.transform);
  const first = await bar();
  await page.waitForFunction((first) => document.querySelector('.bar i').style.transform !== first, first);

  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});

test('nothing is read aloud while nothing new matters', async (t) => {
  const calm = await startCalm(t, 'calm', ['calm-1', 'calm-2', 'calm-3']);
  const page = await open(t, browser, calm.address);
  await isHeld(page, 'calm-3');
  await says(page, '#headline', /^All leases are safe$/);
  await says(page, '#news', /All leases are safe/);
  await page.evaluate(() => {
    window.told = 0;
    new MutationObserver(() => window.told++).observe(document.getElementById('news'), { childList: true, characterData: true, subtree: true });
  });
  await frames(page, 12);

  assert.equal(await page.evaluate(() => window.told), 0);
});

test('a renewal that is never answered shows as danger, then as a miss with its trace, and the message is seen to come again', async (t) => {
  await send(['order-20001'], { applicationProperties: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } });
  const page = await open(t, browser, worker.address, { colorScheme: 'dark' });
  await isHeld(page, 'order-20001');
  await broker.fault({ operation: 'renew-lock', effect: 'silent' });

  await says(page, '#headline', /in danger/);
  await page.screenshot({ path: `${SCREENSHOTS}/status-dark.png` });
  const dangers = await page.evaluate(() => [...document.querySelectorAll('.lease')].map((lease) => Number(lease.dataset.danger)));
  assert.deepEqual(dangers, dangers.toSorted((one, other) => other - one));
  assert.deepEqual(await violations(page), []);
  await says(page, '#misses', /order-20001/);
  await broker.control('DELETE', 'faults');

  const miss = page.locator('#misses li', { hasText: 'order-20001' }).first();
  assert.match(await miss.textContent(), new RegExp(`order-20001expired: no renewal came back in time.*trace ${TRACE}`));
  await says(page, '#headline', /A lease was missed/);
  await row(page, 'order-20001').filter({ hasText: /of delivery \d/ }).waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(page.complaints, []);
});

test('a viewer too many is told why he sees nothing, and those who take nothing hold up nobody', async (t) => {
  const page = await open(t, browser, worker.address);
  const idle = new AbortController();
  t.after(() => idle.abort());
  const watch = () => fetch(new URL('status/events', worker.address), { signal: idle.signal });
  const others = await Promise.all(Array.from({ length: 15 }, watch));
  assert.deepEqual(new Set(others.map((other) => other.status)), new Set([200]));

  const refused = await watch();
  assert.equal(refused.status, 503);
  const late = await browser.newPage();
  t.after(() => late.close());
  await late.goto(`${worker.address}`);
  await says(late, '#headline', /does not show this page now/);
  assert.match(await text(late, '#detail'), /^16 pages watch this worker already/);

  await says(page, '#headline', /lease/);
  const before = await text(page, '#rows');
  await page.waitForFunction((before) => document.getElementById('rows').textContent !== before, before);
  idle.abort();
  await says(late, '#headline', /lease/, 30_000);
});

test('the page of a worker that comes back shows what that one holds, and stands still until then', async (t) => {
  for (const queue of ['letters', 'parcels']) {
    await broker.control('PUT', `queues/${queue}`, { lockDuration: LOCK, maxDeliveryCount: 1000 });
    await broker.client().createSender(queue).sendMessages([1, 2, 3].map((number) => ({ messageId: `${queue}-${number}`, body: '' })));
  }
  const start = (queue, port) => Worker.start({ ...settings(), Worker__Queue: queue, ASPNETCORE_HTTP_PORTS: port });
  const first = await start('letters', await portToComeBackTo());
  t.after(() => first.kill());
  const page = await open(t, browser, first.address);
  await isHeld(page, 'letters-3');

  await first.kill();
  await page.waitForFunction(() => document.body.dataset.link === 'lost');
  await page.fill('#find', 'letters-2');
  await says(page, '#leases-count', /, 1 found/);
  await standsStill(page);
  await page.fill('#find', '');

  // It counts its leases from 1 on, as the one before it.
  const second = await start('parcels', first.address.port);
  t.after(() => second.kill());
  await page.waitForFunction(() => [...document.querySelectorAll('.lease .id')].map(({ textContent }) => textContent).sort().join(' ') === 'parcels-1 parcels-2 parcels-3');
  assert.deepEqual(page.complaints, []);
});

test('a connection that died unheard is given up for another', async (t) => {
  const wire = await Wire.to(worker.address);
  t.after(() => wire.close());
  const page = await open(t, browser, wire.address);

  wire.forget('GET /status/events');

  await says(page, '#headline', /^No news from the worker$/);
  await page.waitForFunction(() => document.body.dataset.link === 'live');
});

test('a page whose scripts do not come says what helps, and one whose scripts come is not in the way with it', async (t) => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.route('**/status/words.mjs', (route) => route.fulfill({ status: 503 }));
  await page.goto(`${worker.address}`);
  const heights = await page.evaluate(() => {
    const help = document.querySelector('#detail > *');
    const [wait] = help.getAnimations();
    return [0, 1_900, 2_100].map((moment) => {
      wait.currentTime = moment;
      return help.getBoundingClientRect().height;
    });
  });
  assert.deepEqual(heights.map((height) => height > 0), [false, false, true]);
  await page.screenshot({ path: `${SCREENSHOTS}/status-no-script.png` });
  assert.match(await text(page, '#detail'), /Reload the page/);

  // Even before it hears of the worker.
  await page.unroute('**/status/words.mjs');
  await page.route('**/status/events', () => {});
  await page.reload();
  await says(page, '#detail', /^$/);
  assert.equal(await text(page, '#headline'), 'Connecting');
});

test('a page of another worker than the one that it hears is loaded anew, and once at most', async (t) => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  const shown = () => page.evaluate(() => [document.documentElement.dataset.edition, document.body.dataset.link].join(' '));
  let loads = 0;
  let old = 1;
  await page.route(`${worker.address}`, async (route) => {
    const answer = await route.fetch();
    const body = await answer.text();
    loads++;
    await route.fulfill({ response: answer, body: old-- > 0 ? body.replace(/data-edition="\w+"/, 'data-edition="old"') : body });
  });

  await page.goto(`${worker.address}`);
  await page.waitForFunction(() => document.documentElement.dataset.edition !== 'old' && document.body.dataset.link === 'live');
  assert.equal(loads, 2);

  // From here on it is given the old one whenever it asks.
  old = Infinity;
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  while (loads < 4) await page.waitForEvent('load');
  await page.waitForFunction(() => document.body.dataset.link === 'live');
  await frames(page, 8);
  assert.equal(loads, 4);
  assert.equal(await shown(), 'old live');
});

test('a page that was opened where nobody sees it falls asleep', async (t) => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.addInitScript(() => Object.defineProperty(document, 'hidden', { get: () => true }));
  await page.clock.install();
  await page.goto(`${worker.address}`);
  await page.waitForFunction(() => document.body.dataset.link === 'live');

  await page.clock.fastForward(31_000);

  assert.equal(await page.evaluate(() => document.body.dataset.link), 'asleep');
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('main')).filter), 'grayscale(1)');
  assert.match(await text(page, '#detail'), /^What you see is how it was at \d/);
});

test('a worker that stops is seen stopping, then disconnected, and seen again when it is back', async (t) => {
  const page = await open(t, browser, worker.address);
  await isHeld(page, 'order-10001');
  const stopped = worker.stop();
  await says(page, '#headline', /^Stopping$/);
  await says(page, '#headline', /^Disconnected$/);
  assert.match(await text(page, '#detail'), /^The worker has stopped/);
  assert.equal(await stopped, 0);
  await says(page, '#news', /Disconnected/);
  assert.deepEqual(await violations(page), []);

  worker = await Worker.start({ ...settings(), ASPNETCORE_HTTP_PORTS: worker.address.port });
  await page.waitForFunction(() => document.body.dataset.link === 'live');
  await isHeld(page, 'order-10001');
  await says(page, '#headline', /^All leases are safe$/);

  await worker.kill();
  await says(page, '#headline', /^Disconnected$/);
  assert.match(await text(page, '#detail'), /^The worker does not answer/);
  assert.deepEqual(page.complaints, []);
});

test('pictures for the documents', async (t) => {
  worker = await Worker.start({
    Worker__Admission: 'Fixed',
    Worker__MaxConcurrency: '24',
    Worker__InMemory__LockDuration: '10s',
    Worker__Demo__Turns: '8',
    Worker__Demo__CpuMilliseconds: '25',
    Worker__Demo__IoMilliseconds: '600',
    Worker__Demo__Produce: '5',
  });
  const light = await open(t, browser, worker.address);
  await light.waitForFunction(() => /over the last minutes: .* least \d/.test(document.getElementById('margin').getAttribute('aria-label')));
  await says(light, '.queue dl', /Completed[1-9]\d/, 60_000);
  await light.screenshot({ path: `${SCREENSHOTS}/status-light.png` });
  const phone = await open(t, browser, worker.address, { viewport: PHONE, deviceScaleFactor: 1.5 });
  await frames(phone, 8);
  await phone.screenshot({ path: `${SCREENSHOTS}/status-phone.png` });
  assert.deepEqual([...light.complaints, ...phone.complaints], []);
});
