import dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import text from '@grafana/grafana-foundation-sdk/text';
import { RUNBOOKS, RUNBOOK_BOARD, panelOf, runbookUrl, textOf } from './runbooks.mjs';

/** The runbooks as a dashboard, so that a panel's or an alert's link finds them wherever Grafana is. */
export function runbookBoard() {
  const builder = new dashboard.DashboardBuilder('Holdfast: Runbooks')
    .uid(RUNBOOK_BOARD)
    .description('What each alert means, what to look at and what to do: docs/runbooks, to be read at the place of the trouble.')
    .tags(['holdfast']);
  for (const name of RUNBOOKS) {
    builder.withPanel(new text.PanelBuilder().id(panelOf(name)).title(name).mode(text.TextMode.Markdown).content(linked(textOf(name))).span(12).height(16));
  }
  return builder.build();
}

// From one runbook to another: there a file, here a panel.
const linked = (markdown) => markdown.replaceAll(/\]\(([\w-]+)\.md\)/g, (_, name) => `](${runbookUrl(name)})`);
