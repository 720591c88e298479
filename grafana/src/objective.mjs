/** What is promised, and from where on a figure is worth somebody's attention: the same numbers for rules, alerts and panels. */

/** Of a thousand leases one may be lost, seen over thirty days. */
export const OBJECTIVE = 0.999;
export const PERIOD = '30d';
export const BUDGET = round(1 - OBJECTIVE);

/** How many times faster than evenly the budget is being spent, seen over a long window and, so that it ends soon, over a short one. */
export const FAST_BURN = { factor: 14.4, long: '1h', short: '5m' };
export const SLOW_BURN = { factor: 6, long: '6h', short: '30m' };

/** From here on a miss ratio burns that fast. */
export const burning = ({ factor }) => round(factor * BUDGET);

/** One miss is no trend: it takes this many. Half a miss less, because Prometheus extrapolates. */
export const FEWEST_MISSES = 2;

/** What began within the hour is for the fast one to tell. The slow one wants a miss before that too: so it tells of no single event, which would be over by then. */
export const BEFORE = { over: '5h', until: FAST_BURN.long };

/** Of the lock, at the slowest renewal of a hundred. Half of it is usual, less the safety margin. */
export const THIN_MARGIN = 0.15;

/** Of what the margin was before. */
export const SHRUNK_MARGIN = 0.6;

/** Seconds by which the latest renewal of a hundred is sent late. */
export const LATE = 0.5;

/** Of what is sent, the part that is left over. In a queue that is served in order the wait grows by as much: so many seconds each second, whatever the scale. */
export const LEFT_OVER = 0.03;

/** Seconds within which 99 of a hundred handlers of the day must have ended, that one may wonder where none does. A bound of the histogram's. */
export const SHORT_HANDLER = 300;

/** Blocked threads, of the spare ones that may stand in for them. From 5/8 on, with few spare ones or many lanes, nothing is begun any more that could block as well. */
export const BLOCKED = 0.6;

/** Starts of a worker at the same address, within an hour, that are no deployments any more. Kubernetes waits for up to five minutes between two. */
export const RESTARTS = 3;

/** Dead letters within the window that make a trend. */
export const FEWEST_DEAD_LETTERS = 3;

// What binary fractions leave behind has no place in a rule.
function round(number) {
  return Number(number.toPrecision(6));
}
