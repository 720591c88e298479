// Queues, lanes, misses and settings: what changes once a second at most.

import { isHeldUp } from './verdict.mjs';
import { age, count, FEW, duration, moment, rate, reason, some, title, when } from './words.mjs';

const at = (id) => document.getElementById(id);
const cards = new Map();
const lanes = new Map();
let missesShown = null;
let missesShownOn = '';

export function showWorker({ host, broker, handler, version, startedAt, settings }, engine) {
  const queues = title(engine.queues.map((queue) => queue.queue));
  put(at('what'), `${queues} from ${broker} · on ${host} · handled by ${handler} · version ${version} · since ${moment(startedAt)}`);
  document.title = `${queues} · ${host} · Holdfast`;
  at('leases').dataset.queues = engine.queues.length === 1 ? 'one' : 'several';
  lay(engine.queues.length);
  forgetOthers(engine.queues.map((queue) => queue.queue));
  at('settings').replaceChildren(...settings.map(({ name, value }) => tableRow(name, value)));
}

export function showEngine(engine) {
  for (const queue of engine.queues) showQueue(queue, engine);
  for (const lane of engine.lanes) showLane(lane);
  put(at('threads'), `${some(engine.threads, 'thread')} may run at once; ${count(engine.threadsBlocked)} blocked. The lease loop last came round ${duration(engine.leaseLoopSilence)} ago.`);
}

export function showMisses(misses) {
  // What was of today is of yesterday after midnight.
  const today = new Date().toDateString();
  if (misses === missesShown && today === missesShownOn) return;
  [missesShown, missesShownOn] = [misses, today];
  at('no-misses').hidden = misses.length > 0;
  at('misses').hidden = misses.length === 0;
  at('misses').replaceChildren(
    ...misses.map((miss) => {
      const item = document.createElement('li');
      add(item, 'strong', `${when(miss.at)} `);
      add(item, 'code', miss.messageId).dir = 'auto';
      add(item, 'div', reason(miss.reason), 'bad');
      add(item, 'div', `${miss.queue}, delivery ${miss.deliveryCount}, held for ${age(miss.held)}`, 'soft');
      if (miss.traceId) {
        const trace = add(item, 'div', 'trace ', 'soft');
        add(trace, 'code', miss.traceId);
      }

      return item;
    }),
  );
}

// Written in place, so that what a person marks there, or a screen reader reads, stays.
function showLane({ lane, queued, wait, busy }) {
  if (!lanes.has(lane)) {
    const row = tableRow(lane, '', '', '');
    at('lanes').append(row);
    lanes.set(lane, row.querySelectorAll('td'));
  }

  const texts = [count(queued), wait === Infinity ? 'over 1 s' : duration(wait), count(busy)];
  lanes.get(lane).forEach((cell, i) => put(cell, texts[i]));
}

function showQueue(queue, engine) {
  const { card, figures } = cardOf(queue.queue);
  const admission = admissionOf(queue, engine);
  const words = card.querySelector('.admission');
  put(words, admission.text);
  words.className = `admission ${admission.mood}`;
  card.querySelector('.slots span').style.transform = `scaleX(${Math.min(1, queue.slotsUsed / Math.max(1, queue.slotsLimit))})`;
  figure(figures, 'Taken', `${rate(queue.in)}/s`);
  figure(figures, 'Settled', `${rate(queue.out)}/s`);
  figure(figures, 'Slots used', `${count(queue.slotsUsed)} of ${count(queue.slotsLimit)}`);
  figure(figures, 'Leases held', count(queue.leasesHeld));
  figure(figures, 'Leases missed', count(queue.misses), queue.misses > 0 ? 'bad' : 'good');
  figure(figures, 'Least margin ever', duration(queue.leastMargin));
  figure(figures, 'Completed', count(queue.completed));
  figure(figures, 'Given back', count(queue.abandoned + queue.delayed));
  figure(figures, 'Dead letters', count(queue.deadLettered), queue.deadLettered > 0 ? 'warn' : '');
}

/** Whether more is taken, and if not, why. */
export function admissionOf(queue, engine) {
  if (engine.state !== 'Running') return { mood: 'warn', text: `Takes nothing: the worker is ${engine.state.toLowerCase()}.` };
  if (queue.problem) return { mood: 'bad', text: `Takes nothing: ${queue.problem}` };
  if (!queue.isConnected) return { mood: 'bad', text: 'Takes nothing: the broker is not connected.' };
  if (queue.holding) return { mood: isHeldUp(queue) ? 'warn' : 'soft', text: `Connected. Takes nothing more: ${queue.holding}.` };
  const room = queue.slotsLimit - queue.slotsUsed;
  if (room <= 0) return { mood: 'soft', text: 'Connected. Takes nothing more until a slot is free: all that the machine carries, or the settings allow, are in use.' };
  return { mood: 'soft', text: `Connected. Takes messages: room for ${count(room)} more.` };
}

function cardOf(queue) {
  if (!cards.has(queue)) {
    const card = at('queue').content.firstElementChild.cloneNode(true);
    const name = card.querySelector('h2');
    put(name, queue);
    name.title = queue;
    at('queues').append(card);
    cards.set(queue, { card, figures: { list: card.querySelector('dl'), values: new Map() } });
  }

  return cards.get(queue);
}

// Many cards are small ones side by side, in a frame that leaves the leases in sight. What scrolls must be within a keyboard's reach.
function lay(queues) {
  const isMany = queues > FEW;
  at('queues').dataset.many = isMany;
  if (isMany) at('queues').setAttribute('tabindex', 0);
  else at('queues').removeAttribute('tabindex');
}

// A worker that was started anew may have other queues.
function forgetOthers(queues) {
  for (const [queue, { card }] of cards) {
    if (queues.includes(queue)) continue;
    card.remove();
    cards.delete(queue);
  }
}

function figure({ list, values }, name, value, mood = '') {
  if (!values.has(name)) {
    const pair = add(list, 'div', '');
    add(pair, 'dt', name);
    values.set(name, add(pair, 'dd', ''));
  }

  const element = values.get(name);
  put(element, value);
  element.className = mood;
}

function tableRow(name, ...values) {
  const row = document.createElement('tr');
  add(row, 'th', name).scope = 'row';
  for (const value of values) add(row, 'td', value);
  return row;
}

function add(parent, name, text, className = '') {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  parent.append(element);
  return element;
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
