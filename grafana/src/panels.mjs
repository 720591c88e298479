import common from '@grafana/grafana-foundation-sdk/common';
import dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import stat from '@grafana/grafana-foundation-sdk/stat';
import statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { LEAST_STEP } from './query.mjs';
import { runbookUrl } from './runbooks.mjs';

/**
 * @typedef {{ expr: string, legend?: string, exemplars?: boolean }} Query
 * @typedef {[from: number | null, color: string][]} Steps
 * @typedef {object} Panel What every panel has: none goes without a meaning, a unit, thresholds and a runbook.
 * @property {string} title
 * @property {string} says What it means, and what to do.
 * @property {string} unit
 * @property {Steps} steps
 * @property {string} runbook
 * @property {Query[]} queries
 * @property {number} [width]
 * @property {number} [decimals]
 * @property {number} [min]
 * @property {number} [max]
 */

export const SOURCE = { type: 'prometheus', uid: '${datasource}' };

/** Good however much there is of it. */
export const NEUTRAL = /** @type {Steps} */ ([[null, 'blue']]);

/** Any is too much. */
export const NONE = /** @type {Steps} */ ([[null, 'green'], [0.5, 'red']]);

/** None is too little. */
export const SOME = /** @type {Steps} */ ([[null, 'red'], [1, 'green']]);

/** Better the less there is of it. */
export const upTo = (warning, bad) => /** @type {Steps} */ ([[null, 'green'], [warning, 'orange'], [bad, 'red']]);

/** Better the more there is of it. */
export const atLeast = (bad, warning) => /** @type {Steps} */ ([[null, 'red'], [bad, 'orange'], [warning, 'green']]);

/** One number. @param {Panel} panel */
export function number(panel) {
  const builder = new stat.PanelBuilder()
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .colorMode(common.BigValueColorMode.Background)
    .graphMode(common.BigValueGraphMode.None)
    .height(4);
  return dressed(builder, panel, 4, (query) => target(query).instant());
}

/** Lines over time. @param {Panel & { stacked?: boolean, bars?: boolean, logarithmic?: boolean }} panel */
export function lines(panel) {
  const builder = new timeseries.PanelBuilder()
    .legend(new common.VizLegendOptionsBuilder().displayMode(common.LegendDisplayMode.Table).placement(common.LegendPlacement.Bottom).showLegend(true).calcs(['lastNotNull', 'max']))
    .tooltip(new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending))
    .lineWidth(1)
    .fillOpacity(panel.stacked || panel.bars ? 60 : 8)
    .showPoints(common.VisibilityMode.Never)
    .axisSoftMin(0)
    .height(8);
  if (panel.steps.length > 1) builder.thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed));
  if (panel.bars) builder.drawStyle(common.GraphDrawStyle.Bars);
  if (panel.stacked) builder.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group('A'));
  if (panel.logarithmic) builder.scaleDistribution(new common.ScaleDistributionConfigBuilder().type(common.ScaleDistribution.Log).log(10));
  return dressed(builder, panel, 12, (query) => target(query).range());
}

/** A histogram over time. @param {Panel} panel */
export function heat(panel) {
  const builder = new heatmap.PanelBuilder()
    .color(new heatmap.HeatmapColorOptionsBuilder().mode(heatmap.HeatmapColorMode.Scheme).scheme('Turbo').steps(64))
    .yAxis(new heatmap.YAxisConfigBuilder().unit(panel.unit))
    .showLegend()
    .exemplarsColor('rgba(255,0,255,0.7)')
    .height(9);
  return dressed(builder, panel, 12, (query) => target(query).range().format(prometheus.PromQueryFormat.Heatmap));
}

/** What is so or not so, over time. @param {Panel & { words: Record<string, string> }} panel */
export function states(panel) {
  const options = Object.fromEntries(Object.entries(panel.words).map(([value, text], index) => [value, { text, index }]));
  const builder = new statetimeline.PanelBuilder()
    .mappings([{ type: dashboard.MappingType.ValueToText, options }])
    .mergeValues(true)
    .showValue(common.VisibilityMode.Auto)
    .rowHeight(0.8)
    .fillOpacity(70)
    .height(6);
  return dressed(builder, panel, 12, (query) => target(query).range());
}

/** @param {Query} query */
function target({ expr, legend, exemplars }) {
  const builder = new prometheus.DataqueryBuilder().datasource(SOURCE).expr(expr).editorMode(prometheus.QueryEditorMode.Code);
  if (legend) builder.legendFormat(legend);
  if (exemplars) builder.exemplar(true);
  return builder;
}

/**
 * @template {stat.PanelBuilder | timeseries.PanelBuilder | heatmap.PanelBuilder | statetimeline.PanelBuilder} T
 * @param {T} builder
 * @param {Panel} panel
 * @param {number} width
 * @param {(query: Query) => prometheus.DataqueryBuilder} asked
 * @returns {T}
 */
function dressed(builder, { title, says, unit, steps, runbook, queries, width: own, decimals, min, max }, width, asked) {
  builder
    .title(title)
    .description(says)
    .unit(unit)
    .datasource(SOURCE)
    .thresholds(new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps(steps.map(([value, color]) => ({ value, color }))))
    .colorScheme(new dashboard.FieldColorBuilder().mode(builder instanceof timeseries.PanelBuilder ? dashboard.FieldColorModeId.PaletteClassic : dashboard.FieldColorModeId.Thresholds))
    .links([new dashboard.DashboardLinkBuilder(`Runbook: ${runbook}`).type(dashboard.DashboardLinkType.Link).url(runbookUrl(runbook)).targetBlank(true)])
    .targets(queries.map((query, index) => asked(query).refId(String.fromCharCode('A'.charCodeAt(0) + index))))
    .span(own ?? width);
  if (queries.some(({ expr }) => expr.includes('$__interval_ms'))) builder.interval(LEAST_STEP);
  if (decimals !== undefined) builder.decimals(decimals);
  if (min !== undefined) builder.min(min);
  if (max !== undefined) builder.max(max);
  return builder;
}
