import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../src/clock.mjs';
import { Message } from '../src/message.mjs';
import { Queue } from '../src/queue.mjs';
import { messagesOfBatch, sectionsOf } from '../src/sections.mjs';
import { Shelf } from '../src/shelf.mjs';
import { covers, claimed } from '../src/tokens.mjs';
import { bigOf, described, long, longs, Section, swapGuid, types } from '../src/wire.mjs';

test('deadlines come in their order, and cancelled ones not at all', () => {
  const clock = new Clock();
  const seen = [];
  const start = clock.now();
  for (const after of [3000, 1000, 2000, 5000, 4000]) clock.at(start + after, () => seen.push(after));
  clock.cancel(clock.at(start + 2500, () => seen.push('cancelled')));
  clock.advance(4500);
  assert.deepEqual(seen, [1000, 2000, 3000, 4000]);
  clock.stop();
});

test('a shelf keeps to the order in which messages came, whatever is put back', () => {
  const shelf = new Shelf();
  const at = (place) => ({ place });
  for (let i = 1; i <= 10_000; i++) shelf.put(at(i));
  const taken = [...Array(5000)].map(() => shelf.take());
  for (const message of [taken[4999], taken[0], taken[17]]) shelf.put(message);
  shelf.remove(taken[17]);
  assert.equal(shelf.size, 5002);
  assert.deepEqual(
    [...Array(4)].map(() => shelf.take().place),
    [1, 5000, 5001, 5002],
  );
});

test('a message keeps every byte that the broker has no business with', () => {
  const writer = new types.Writer();
  const annotations = { 'x-opt-own': types.wrap_byte(-3), 'x-opt-partition-key': types.wrap_string('p') };
  writer.write(types.described(types.wrap_ulong(Section.messageAnnotations), types.wrap_symbolic_map(annotations)));
  writer.write(described(Section.properties, [types.wrap_uuid(Buffer.alloc(16, 7)), types.wrap_binary(Buffer.from('user'))]));
  writer.write(types.described(types.wrap_ulong(Section.applicationProperties), types.wrap_map({ short: types.wrap_short(5), double: types.wrap_double(2) })));
  writer.write(types.described(types.wrap_ulong(Section.data), types.wrap_binary(Buffer.from('one'))));
  writer.write(types.described(types.wrap_ulong(Section.data), types.wrap_binary(Buffer.from('two'))));
  const sent = sectionsOf(Buffer.from(writer.toBuffer()));
  const encoded = sectionsOf(Message.decode(Buffer.from(writer.toBuffer())).encode());
  const of = (sections, code) => sections.filter((section) => section.code === code).map(({ bytes }) => bytes.toString('hex'));
  for (const code of [Section.applicationProperties, Section.data]) assert.deepEqual(of(encoded, code), of(sent, code));
  const keys = new types.Reader(encoded.find(({ code }) => code === Section.messageAnnotations).bytes).read().value.map(({ type, value }) => `${type.name}:${value}`);
  assert.ok(keys.join().startsWith('Sym8:x-opt-own,Byte:-3,Sym8:x-opt-partition-key,Str8:p,'), keys.join());
});

test('bytes that are no message are refused, however they are cut', () => {
  const payload = Buffer.from([0, 0x53, 0x75, 0xb0, 0, 0, 0, 4, 1, 2, 3, 4]);
  assert.equal(sectionsOf(payload).length, 1);
  for (let length = 1; length < payload.length; length++) assert.throws(() => sectionsOf(payload.subarray(0, length)), { condition: 'amqp:decode-error' });
  assert.throws(() => sectionsOf(Buffer.from('nonsense')), { condition: 'amqp:decode-error' });
});

test('a batch is the data sections of its payload', () => {
  const section = (code, text) => Buffer.concat([Buffer.from([0, 0x53, code, 0xa0, text.length]), Buffer.from(text)]);
  const payload = Buffer.concat([section(Section.data, 'a'), section(0x78, 'skipped'), section(Section.data, 'b')]);
  assert.deepEqual(messagesOfBatch(payload).map(String), ['a', 'b']);
});

test('a Guid that is swapped twice is itself', () => {
  const bytes = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
  assert.equal(swapGuid(bytes).toString('hex'), '33221100554477668899aabbccddeeff');
  assert.deepEqual(swapGuid(swapGuid(bytes)), bytes);
});

test('a long keeps every bit, alone and among others', () => {
  const numbers = [0n, 1n, 127n, 128n, 200n, -1n, -129n, 2n ** 53n - 1n, 2n ** 54n + 1n, (100n << 48n) | 3n, 2n ** 63n - 1n, -(2n ** 63n)];
  const read = (typed) => {
    const writer = new types.Writer();
    writer.write(typed);
    return new types.Reader(writer.toBuffer()).read();
  };
  assert.deepEqual(
    numbers.map((number) => bigOf(read(long(number)).value)),
    numbers,
  );
  assert.deepEqual(types.unwrap(read(longs(numbers))).map(bigOf), numbers);
  assert.equal(bigOf('1'), null);
});

test('a claim covers what is below it, and not what only begins alike', () => {
  assert.equal(claimed('SB://Host:5671/Orders/'), 'orders');
  assert.ok(covers('orders', 'orders/$management'));
  assert.ok(covers('', 'orders'));
  assert.ok(!covers('orders', 'orders2'));
  assert.ok(!covers('orders/$management', 'orders'));
});

test('one who holds a message past its lock can neither renew nor settle it, even if no timer has run yet', () => {
  const clock = { time: 0, now: () => clock.time, at: () => ({}), cancel: () => {} };
  const queue = new Queue('q', { lockDuration: 1000 }, clock);
  queue.add(Message.decode(Buffer.from([0, 0x53, 0x77, 0x40])));
  const held = [];
  queue.join({ wants: () => held.length === 0, held: null, deletes: false, hand: (message) => held.push(message.lock.token) });
  clock.time = 999;
  assert.deepEqual(queue.renew(held), [1999]);
  clock.time = 1999;
  assert.throws(() => queue.complete(held[0]), { condition: 'com.microsoft:message-lock-lost' });
  assert.deepEqual(queue.counts(), { active: 1, locked: 0, deferred: 0, scheduled: 0, deadLettered: 0 });
});
