// What a person must know first. The topic changes only when something else matters than before: that is when it is read aloud.

import { age, count, duration, named, some, when } from './words.mjs';

const RECENTLY = 600;
const LONG_SILENCE = 2;

export function judge(model, link, now) {
  return (
    ofLink(model, link) ??
    ofEngine(model.engine) ??
    ofLeases(model) ??
    ofBroker(model.engine) ??
    ofStop(model.engine) ??
    ofRefusal(model.engine, model) ??
    ofMisses(model, now) ??
    ofAdmission(model.engine, model) ?? { mood: 'good', topic: 'All leases are safe', headline: 'All leases are safe', detail: safety(model) }
  );
}

const verdict = (mood, topic, headline, detail = '') => ({ mood, topic, headline, detail });

function ofLink(model, { state, since, why, heardAt }) {
  switch (state) {
    case 'live':
      return model.engine ? null : verdict('busy', 'Connecting', 'Connecting');
    case 'connecting':
      return verdict('busy', 'Connecting', 'Connecting', asOf(heardAt));
    case 'asleep':
      return verdict('busy', 'Asleep', 'Asleep while nobody looked', asOf(heardAt));
    case 'refused':
      return verdict('warn', 'Refused', 'The worker does not show this page now', `${why} ${asOf(heardAt)}`.trim());
    case 'silent':
      return verdict('bad', 'No news', 'No news from the worker', heardAt ? `The connection is there, but nothing comes any more. ${asOf(heardAt)}` : 'The connection is there, but nothing has come yet. A proxy in between may hold it back.');
    default:
      return verdict('bad', 'Disconnected', 'Disconnected', `${last(model.engine)} since ${when(since)}. ${asOf(heardAt)}`.trim());
  }
}

const asOf = (heardAt) => (heardAt ? `What you see is how it was at ${when(heardAt)}.` : '');

const last = (engine) => (engine?.state === 'Stopped' ? 'The worker has stopped, and does not answer' : 'The worker does not answer');

function ofEngine(engine) {
  if (engine.fault) return verdict('bad', 'The worker failed', 'The worker failed', engine.fault);
  if (engine.state === 'Running' && engine.leaseLoopSilence > LONG_SILENCE)
    return verdict('bad', 'The lease loop hangs', 'The lease loop hangs', `It has not come round for ${duration(engine.leaseLoopSilence)}: no lease is renewed meanwhile.`);
  return null;
}

function ofLeases(model) {
  const { lost, inDanger } = model;
  if (lost > 0) return verdict('bad', 'Leases lost', `${some(lost, 'lease')} lost`, `${lost === 1 ? 'Its handler has' : 'Their handlers have'} not ended yet; the broker delivers ${lost === 1 ? 'the message' : 'the messages'} again.`);
  if (inDanger === 0) return null;
  const near = [...model.leases.values()].some((lease) => lease.danger === 2);
  return verdict(near ? 'bad' : 'warn', 'Leases in danger', `${some(inDanger, 'lease')} in danger`, `Renewals that should be back are not. ${safety(model)}`);
}

function ofBroker({ state, queues }) {
  const cut = queues.filter((queue) => !queue.isConnected);
  if (cut.length === 0 || state !== 'Running') return null;
  const detail = whose(cut, queues, ({ problem }) => problem ?? '');
  return cut.length === queues.length
    ? verdict('bad', 'The broker is not connected', 'The broker is not connected', detail)
    : verdict('bad', 'Not all queues are connected', `${partOf(cut, queues)} ${cut.length === 1 ? 'is' : 'are'} not connected`, detail);
}

function ofStop(engine) {
  if (engine.state === 'Starting') return verdict('busy', 'Starting', 'Starting');
  if (engine.state === 'Stopped') return verdict('busy', 'Stopped', 'Stopped', 'Nothing is held any more.');
  return engine.state === 'Draining' ? verdict('busy', 'Stopping', 'Stopping', 'Nothing more is taken; what runs is kept and settled.') : null;
}

// It is connected, and the broker gives it nothing all the same: a queue is gone, say, or it may not be read.
function ofRefusal({ queues }, model) {
  const refused = queues.filter(({ problem }) => problem);
  return refused.length === 0 ? null : safeBut('bad', 'nothing can be taken', refused, queues, ({ problem }) => problem, model);
}

function ofMisses(model, now) {
  const [miss] = model.misses;
  const seconds = miss ? (now - Date.parse(miss.at)) / 1000 : Infinity;
  return seconds < RECENTLY ? verdict('warn', 'Leases were missed', `A lease was missed ${age(seconds)} ago`, `All that are held now are safe. ${safety(model)}`) : null;
}

function ofAdmission({ queues }, model) {
  const held = queues.filter(isHeldUp);
  return held.length === 0 ? null : safeBut('warn', 'nothing more is taken', held, queues, ({ holding }) => sentence(holding), model);
}

function safeBut(mood, what, concerned, queues, tell, model) {
  const detail = `${whose(concerned, queues, tell)} ${safety(model)}`;
  const topic = begun(what);
  return concerned.length === queues.length
    ? verdict(mood, topic, `All leases are safe, but ${what}`, detail)
    : verdict(mood, `${topic} from some queues`, `All leases are safe, but ${what} from ${partOf(concerned, queues)}`, detail);
}

const partOf = (concerned, queues) => `${count(concerned.length)} of ${count(queues.length)} queues`;

// What is amiss with the first of these queues; and where others have something else, which of them it is so with. Their cards tell the rest.
function whose(concerned, queues, tell) {
  const text = tell(concerned[0]);
  const same = concerned.filter((queue) => tell(queue) === text);
  return same.length === queues.length ? text : [named(same.map(({ queue }) => queue)), text].filter(Boolean).join(': ');
}

/** Whether something is amiss where nothing more is taken: a rate that is set keeps messages out as it should. */
export const isHeldUp = (queue) => Boolean(queue.holding) && queue.holdingReason !== 'rate';

const begun = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

const sentence = (text) => `${begun(text)}.`;

const safety = ({ inHand, leastTrust }) => (leastTrust === null ? 'Nothing is in hand.' : `${some(inHand, 'message')} in hand; the lease that ends first has ${duration(leastTrust)} left.`);
