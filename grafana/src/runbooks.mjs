// @ts-nocheck: Node's own types are not among the packages.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../../docs/runbooks/', import.meta.url);

export const RUNBOOK_BOARD = 'holdfast-runbooks';

/** The runbooks of docs/runbooks, in the order of their names: each is a file there, and a panel of a dashboard for whoever is in Grafana already. */
export const RUNBOOKS = readdirSync(fileURLToPath(FOLDER))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length))
  .sort();

/** Where a runbook is in this repository. */
export const runbookPath = (name) => `docs/runbooks/${known(name)}.md`;

/** Where it is in Grafana, seen from Grafana itself. */
export const runbookUrl = (name) => `/d/${RUNBOOK_BOARD}?viewPanel=panel-${panelOf(name)}`;

export const panelOf = (name) => RUNBOOKS.indexOf(known(name)) + 1;

export const textOf = (name) => readFileSync(new URL(`${known(name)}.md`, FOLDER), 'utf8');

function known(name) {
  if (!RUNBOOKS.includes(name)) throw new Error(`There is no docs/runbooks/${name}.md`);
  return name;
}
