import { Because, Refusal } from './refusal.mjs';
import { Section, types } from './wire.mjs';

const malformed = () => new Refusal(Because.malformed, 'The message could not be decoded.');

// How wide a value is, by the upper half of its constructor's code.
const FIXED = { 0x4: 0, 0x5: 1, 0x6: 2, 0x7: 4, 0x8: 8, 0x9: 16 };

/** Cuts an encoded message into its sections: [{ code, bytes }]. What is not understood is not touched, so that no type is lost. */
export function sectionsOf(payload) {
  const sections = [];
  let at = 0;
  while (at < payload.length) {
    const end = endOfValue(payload, at);
    sections.push({ code: codeAt(payload, at), bytes: payload.subarray(at, end) });
    at = end;
  }
  return sections;
}

/** A section's value with all types kept. */
export function typedValueOf(bytes) {
  try {
    return new types.Reader(bytes).read();
  } catch {
    throw malformed();
  }
}

/** The messages of a batch: each is the data section of one. */
export function messagesOfBatch(payload) {
  return sectionsOf(payload)
    .filter(({ code }) => code === Section.data)
    .map(({ bytes }) => typedValueOf(bytes).value);
}

function endOfValue(payload, at) {
  if (at >= payload.length) throw malformed();
  const code = payload[at++];
  if (code === 0) return endOfValue(payload, endOfValue(payload, at));
  const kind = code >> 4;
  let end;
  if (kind in FIXED) end = at + FIXED[kind];
  else if (kind === 0xa || kind === 0xc || kind === 0xe) end = at + 1 + payload[at];
  else if (kind === 0xb || kind === 0xd || kind === 0xf) end = at + 4 + (at + 4 <= payload.length ? payload.readUInt32BE(at) : 0);
  if (!(end <= payload.length)) throw malformed();
  return end;
}

function codeAt(payload, at) {
  if (payload[at] !== 0) throw malformed();
  if (payload[at + 1] === 0x53) return payload[at + 2];
  if (payload[at + 1] === 0x80) return Number(payload.readBigUInt64BE(at + 2));
  throw malformed();
}
