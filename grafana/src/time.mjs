const UNITS = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/** Spans of time as Prometheus writes them, such as 5m; all of them shorter by one factor, where a test can't wait that long. */
export function spans(speedup = 1) {
  return (text) => {
    const [, number, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? fail(text);
    return speedup === 1 ? text : `${Math.round((number * UNITS[unit] * 1_000) / speedup)}ms`;
  };
}

function fail(text) {
  throw new Error(`'${text}' is not a span of time such as 5m`);
}
