import { flow } from './flow.mjs';
import { leases } from './leases.mjs';
import { runbookBoard } from './runbookBoard.mjs';

/** Grafana's files: what they are called, and what stands in them. */
export const dashboardFiles = () => ({
  'dashboards/leases.json': textOf(leases()),
  'dashboards/flow.json': textOf(flow()),
  'dashboards/runbooks.json': textOf(runbookBoard()),
});

const textOf = (board) => `${JSON.stringify(board, null, 2)}\n`;
