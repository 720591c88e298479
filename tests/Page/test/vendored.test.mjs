import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const npm = (path) => readFileSync(new URL(`../node_modules/uplot/${path}`, import.meta.url));
const ours = (name) => readFileSync(new URL(`../../../src/Worker/Status/Page/uplot/${name}`, import.meta.url));

for (const [name, path] of [
  ['uPlot.iife.min.js', 'dist/uPlot.iife.min.js'],
  ['uPlot.min.css', 'dist/uPlot.min.css'],
  ['LICENSE', 'LICENSE'],
]) {
  test(`${name} is npm's, byte for byte`, () => assert.ok(ours(name).equals(npm(path))));
}
