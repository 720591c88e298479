// An endpoint that handles orders, with nothing but Node's standard library.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const port = Number(process.env.PORT ?? 3000);
const key = process.env.SIGNING_KEY;

// The worker sends a message again after a lost lease, so what was done once is known by its id: the last so many, while this process lives. A database with a unique key knows more.
const done = new Set();
const remembered = Number(process.env.REMEMBERED ?? 100_000);

createServer((request, response) => {
  const chunks = [];
  request.on("data", chunk => chunks.push(chunk));
  request.on("end", () => {
    const [status, headers, text] = handle(request.headers, Buffer.concat(chunks));
    response.writeHead(status, { "content-type": "text/plain", ...headers }).end(text);
  });
}).listen(port, "127.0.0.1", function () {
  console.log(`Listening on http://127.0.0.1:${this.address().port}`);
});

function handle(headers, body) {
  if (key && !isSigned(headers, body)) return [401, {}, "not signed by the worker"];

  let name;
  try {
    name = decodeURIComponent(headers["ce-id"] ?? "");
  } catch {
    return [400, {}, "a ce-id that is not percent-encoded"]; // a dead letter, with this text
  }

  let order;
  try {
    order = JSON.parse(body);
  } catch (problem) {
    return [422, {}, `not JSON: ${problem.message}`]; // so is this
  }

  if (typeof order?.number !== "number") return [422, {}, "an order without a number"];

  const id = identity(headers);
  if (id && done.has(id)) return [204]; // completed
  if (order.number % 10 === 0 && headers["holdfast-delivery-count"] === "1") return [503, { "retry-after": "1" }, "busy"]; // again in a second

  if (id) done.add(id);
  if (done.size > remembered) done.delete(done.values().next().value); // the oldest
  console.log(`${name}: order ${order.number}, delivery ${headers["holdfast-delivery-count"]}`);
  return [204];
}

// Of the ids the signature covers one alone. Where nothing is signed, an event is known by its source and its id, of which neither holds a space.
function identity(headers) {
  if (key) return headers["webhook-id"];
  return headers["ce-id"] && `${headers["ce-source"]} ${headers["ce-id"]}`;
}

// Standard Webhooks: there are libraries for it, too.
function isSigned(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  if (Math.abs(Date.now() / 1000 - timestamp) > 300) return false;

  const secret = Buffer.from(key.replace(/^whsec_/, ""), "base64");
  const expected = Buffer.from("v1," + createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest("base64"));
  return signatures.split(" ").map(one => Buffer.from(one)).some(one => one.length === expected.length && timingSafeEqual(one, expected));
}
