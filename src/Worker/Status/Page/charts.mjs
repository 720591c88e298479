// The last minutes: how near leases came to their end, and how much went through.

import { clock, duration, figure, rate } from './words.mjs';

const { uPlot } = window;
const HEIGHT = 150;
const LABEL_PERIOD = 15_000;

// The columns of a point.
const [AT, RECEIVED, SETTLED, TRUST] = [0, 1, 2, 3];

class Chart {
  #element;
  #columns;
  #series;
  #values;
  #plot = null;
  #data = [];

  constructor(id, columns, series, values) {
    this.#element = document.getElementById(id);
    this.#columns = columns;
    this.#series = series;
    this.#values = values;
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#element.clientWidth, height: HEIGHT })).observe(this.#element);
  }

  show(points) {
    this.#data = this.#columns.map((column) => points.map((point) => point[column]));
    if (this.#plot) this.#plot.setData(this.#data);
    else this.draw();
  }

  label(text) {
    this.#element.setAttribute('aria-label', text);
  }

  /** Draws it anew, in the colours of the moment. */
  draw() {
    this.#plot?.destroy();
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui' };
    this.#plot = new uPlot(
      {
        width: this.#element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
        axes: [{ ...axis, size: 28, space: 80, values: (_, times, __, ___, step) => times.map((at) => clock(at * 1000).slice(0, step < 60 ? 8 : 5)) }, { ...axis, size: 52, values: (_, ys) => ys.map(this.#values) }],
        series: [{}, ...this.#series.map(({ stroke, fill, dash }) => ({ stroke: colour(stroke), fill: fill && `${colour(fill)}33`, width: 2, dash, points: { show: false } }))],
      },
      this.#data,
      this.#element,
    );
  }
}

export class Charts {
  #margin = new Chart('margin', [AT, TRUST], [{ stroke: '--bar', fill: '--bar' }], (value) => `${value} s`);
  #flow = new Chart('flow', [AT, RECEIVED, SETTLED], [{ stroke: '--second' }, { stroke: '--bar-late', dash: [6, 4] }], (value) => `${figure(value)}/s`);
  #labelledAt = -Infinity;

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#margin.draw();
      this.#flow.draw();
    });
  }

  show(points, now) {
    const last = points.at(-1);
    if (!last) return;

    this.#margin.show(points);
    this.#flow.show(points);
    const trusts = points.map((point) => point[TRUST]).filter((trust) => trust !== null);
    const least = trusts.length > 0 ? trusts.reduce((one, other) => Math.min(one, other)) : null;
    const margin = `least trust in a lease: now ${duration(last[TRUST])}, least ${duration(least)}`;
    const flow = `received ${rate(last[RECEIVED])}/s, settled ${rate(last[SETTLED])}/s (dashed)`;
    document.getElementById('margin-now').textContent = margin;
    document.getElementById('flow-now').textContent = flow;

    // A label that changed each second would have a screen reader talk without end.
    if (now - this.#labelledAt < LABEL_PERIOD) return;
    this.#labelledAt = now;
    this.#margin.label(`Margin over the last minutes: ${margin}`);
    this.#flow.label(`Throughput over the last minutes: ${flow}`);
  }
}
