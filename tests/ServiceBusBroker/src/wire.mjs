import rhea from 'rhea';

export const { types } = rhea;

/** Section descriptors of a message. */
export const Section = {
  header: 0x70,
  deliveryAnnotations: 0x71,
  messageAnnotations: 0x72,
  properties: 0x73,
  applicationProperties: 0x74,
  data: 0x75,
  value: 0x77,
};

/** Descriptors of delivery states. */
export const State = { accepted: 0x24, rejected: 0x25, released: 0x26, modified: 0x27 };

/** How a transfer says that its payload is a batch. */
export const BATCH_FORMAT = 0x80013700;

// A plain number would be written as unsigned: who cares for the type says it.
export const int = types.wrap_int;
export const uint = types.wrap_uint;
export const string = types.wrap_string;
export const symbol = types.wrap_symbol;
export const binary = types.wrap_binary;
export const timestamp = types.wrap_timestamp;
export const uuid = (bytes) => types.wrap_uuid(bytes);
export const timestamps = (values) => types.wrap_array(values, 0x83);
export const long = (value) => types.wrap_long(exactly(value));
export const longs = (values) => types.wrap_array(values.map(exactly), 0x81);

/** A described list, such as a section or an outcome. */
export const described = (code, fields) => types.described(types.wrap_ulong(code), types.wrap_list(fields));

/** An AMQP error. */
export const error = ({ condition, description }) => types.wrap_error({ condition, description });

/** Milliseconds since 1970 as .NET ticks: too great for a number. */
export function ticks(milliseconds) {
  return long(BigInt(milliseconds) * 10_000n + 621_355_968_000_000_000n);
}

/** Lock tokens are uuids in requests, but .NET's Guid bytes in delivery tags: this turns either into the other. */
export function swapGuid(bytes) {
  const swapped = Buffer.from(bytes);
  swapped.subarray(0, 4).reverse();
  swapped.subarray(4, 6).reverse();
  swapped.subarray(6, 8).reverse();
  return swapped;
}

/** The code of a described value; undefined where it is not described by a number. */
export const codeOf = (typed) => (typed?.descriptor ? Number(typed.descriptor.value) : undefined);

/** A typed map as an object of typed values. */
export function entriesOf(typedMap) {
  const entries = {};
  const flat = typedMap?.value ?? [];
  for (let i = 0; i + 1 < flat.length; i += 2) entries[flat[i].value] = flat[i + 1];
  return entries;
}

/** A number from a typed value: those beyond 2^53 come as bytes. */
export const numberOf = (value) => (Buffer.isBuffer(value) ? Number(value.readBigInt64BE()) : value);

/** A long from a typed value with every bit of it; null where it is none. */
export const bigOf = (value) => (Buffer.isBuffer(value) ? value.readBigInt64BE() : Number.isInteger(value) ? BigInt(value) : null);

// What a number can't hold exactly goes as its eight bytes.
function exactly(big) {
  const number = Number(big);
  if (Number.isSafeInteger(number)) return number;
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(big);
  return bytes;
}
