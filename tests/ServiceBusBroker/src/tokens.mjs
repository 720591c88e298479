import { createHmac, timingSafeEqual } from 'node:crypto';
import { Because, Refusal } from './refusal.mjs';

const refuse = (description) => new Refusal(Because.unauthorized, description);

/** The keys of the namespace, and the bearer tokens it trusts: who shows one of them may do everything below an audience, for a time. */
export class Tokens {
  #keys;
  #bearers;
  #clock;

  constructor(clock, keys, bearers = []) {
    this.#clock = clock;
    this.#keys = new Map(Object.entries(keys));
    this.#bearers = new Set(bearers);
  }

  /** Verifies a token for an audience. Answers with the claim { path, until }. */
  verify(type, token, audience) {
    if (typeof token !== 'string') throw refuse('InvalidToken: The token is not a string.');
    if (type === 'jwt') return this.#verifyBearer(token, audience);
    if (type === 'servicebus.windows.net:sastoken') return this.#verifySignature(token, audience);
    throw refuse(`InvalidToken: Tokens of type '${type}' are not accepted.`);
  }

  /** Whether a name and a key go together, as SASL PLAIN shows them. */
  knows(name, key) {
    const known = this.#keys.get(name);
    return known !== undefined && same(known, key);
  }

  #verifyBearer(token, audience) {
    if (!this.#bearers.has(token)) throw refuse('InvalidSignature: The token has an invalid signature.');
    return { path: claimed(audience), until: Infinity };
  }

  #verifySignature(token, audience) {
    const [scheme, fields = ''] = token.split(/ (.*)/s);
    const { sr, sig, se, skn } = Object.fromEntries(fields.split('&').map((field) => field.split(/=(.*)/s).slice(0, 2)));
    if (scheme !== 'SharedAccessSignature' || !sr || !sig || !se || !skn) throw refuse('MalformedToken: A shared access signature has the fields sr, sig, se and skn.');
    const key = this.#keys.get(decodeURIComponent(skn));
    if (key === undefined) throw refuse(`InvalidSignature: There is no key by the name '${decodeURIComponent(skn)}'.`);
    const signature = createHmac('sha256', key).update(`${sr}\n${se}`).digest('base64');
    if (!same(signature, decodeURIComponent(sig))) throw refuse('InvalidSignature: The token has an invalid signature.');
    const until = Number(se) * 1000;
    if (!(until > this.#clock.now())) throw refuse('ExpiredToken: The token is expired.');
    if (!covers(claimed(decodeURIComponent(sr)), claimed(audience))) throw refuse('InvalidAudience: The token is for another resource.');
    return { path: claimed(audience), until };
  }
}

/** Whether a claim on one path is one on another, too. */
export const covers = (claim, path) => claim === '' || path === claim || path.startsWith(`${claim}/`);

/** What an audience such as sb://host/orders/ is about: its path, in lower case. */
export const claimed = (audience) =>
  audience
    .toLowerCase()
    .replace(/^[a-z]+:\/\/[^/]*/, '')
    .replace(/^\/+|\/+$/g, '');

function same(expected, given) {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
