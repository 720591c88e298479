// What figures look like to a person.

/** As many names as a line can have. */
export const FEW = 4;

export const count = (n) => n.toLocaleString('en');

export const rate = (n) => (n === null ? '–' : n < 100 ? n.toFixed(1) : count(Math.round(n)));

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

/** A figure at an axis, where there is room for a few digits. */
export const figure = (n) => (n < 10_000 ? `${n}` : compact.format(n).replace('K', 'k'));

/** A duration in seconds, as short as it can be said. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 0.0995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** How long ago, where tenths would only flicker. */
export const age = (seconds) => (seconds < 100 ? `${Math.max(0, Math.floor(seconds))} s` : duration(seconds));

export const clock = (instant) => new Date(instant).toLocaleTimeString('en', { hourCycle: 'h23' });

/** A day and a time that nobody can take for another. */
export const moment = (instant) => new Date(instant).toLocaleString('sv').slice(0, 16);

const day = (instant) => new Date(instant).toDateString();

/** A time of today, or a day and a time. */
export const when = (instant, now = Date.now()) => (day(instant) === day(now) ? clock(instant) : moment(instant));

export const some = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

/** Names in a sentence, which does not grow without end by them. */
export const named = (names) => (names.length <= FEW ? names.join(', ') : `${names.slice(0, FEW - 1).join(', ')} and ${count(names.length - FEW + 1)} more`);

/** How many were found, and among how many, where there are more than are listed. */
export const found = (n, { listed, rest }) => `${count(n)} found${rest > 0 ? ` among the ${count(listed)} listed` : ''}`;

/** What a page of these queues is called. */
export const title = (queues) => (queues.length <= FEW ? queues.join(', ') : some(queues.length, 'queue'));

export const attempt = (lease) => (lease.attempt === 1 && lease.delivery === 1 ? '1' : lease.attempt === 1 ? `of delivery ${lease.delivery}` : `${lease.attempt} of delivery ${lease.delivery}`);

const STATES = ['waiting', 'running', 'awaiting', 'settling'];

// A lease that is lost says so in place of its time.
const DANGERS = ['', ', late', ', ending', ''];

/** What becomes of a message, and of its lease where that is in danger: not everybody sees colours. */
export const state = (lease) => `${STATES[lease.state]}${DANGERS[lease.danger]}`;

const REASONS = {
  expired: 'no renewal came back in time',
  rejected: 'the broker had given the message up',
  connection: 'the broker could not be reached, or its connection broke',
  deadline: 'held for as long as the broker allows',
  drain: 'the worker stopped before its handler was done',
};

export const reason = (name) => (name in REASONS ? `${name}: ${REASONS[name]}` : name);
