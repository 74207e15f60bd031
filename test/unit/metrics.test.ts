import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../src/app/metrics.ts';
import { alerts, alertsFile } from '../harness/metrics.ts';
import { onlyModules } from '../harness/modules.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const dashboardFile = read('deploy/grafana/proofdesk.json');
const dashboard = JSON.parse(dashboardFile) as {
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly {
    readonly title: string;
    readonly datasource: { readonly uid: string };
    readonly targets: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
  }[];
};

/** Returns the names of everything that a scrape has, with those of the parts of histograms. */
async function reported(): Promise<Set<string>> {
  const metrics = createMetrics({ undoSeconds: 10 });
  metrics.watch(onlyModules({}), async () => []);
  const types = [...(await metrics.scrape()).text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const parts = ['bucket', 'count', 'sum'];
  const namesOf = ([, name = '', type]: string[]) =>
    type === 'histogram' ? parts.map((part) => `${name}_${part}`) : [name];
  return new Set(types.flatMap(namesOf));
}

test('a card is timed from its submission, unless it moved, and a rating from the end of its undo', async () => {
  const metrics = createMetrics({ undoSeconds: 10 });
  const posted = (before: object) =>
    metrics.taskChanged({
      ...{ event: { type: 'posted' }, before, at: 4_000 },
      after: { submittedAt: 1_000, proof: { finishedAt: 0 } },
    } as never);
  posted({ card: { state: 'wanted' } });
  posted({ card: { state: 'wanted', former: {} } });
  metrics.taskChanged({ event: { type: 'applied' }, after: { decision: { at: 0 } }, at: 15_000 } as never);
  const { text } = await metrics.scrape();
  expect(text).toMatch(/^proofdesk_submission_to_card_seconds_sum 3$/m);
  expect(text).toMatch(/^proofdesk_decision_to_marketplace_seconds_sum 5$/m);
});

test.each([
  ['deploy/prometheus/alerts.yml', alertsFile],
  ['deploy/grafana/proofdesk.json', dashboardFile],
])('%s names only metrics that are reported', async (_, text) => {
  const named = new Set(text.match(/proofdesk_\w+/g));
  expect(named.size).toBeGreaterThan(5);
  const known = await reported();
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
});

test('the dashboard asks the Prometheus that is chosen when it is imported, and shows everything that is reported', async () => {
  expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }]);
  const sources = dashboard.panels.flatMap(({ datasource, targets }) => [
    datasource,
    ...targets.map((one) => one.datasource),
  ]);
  expect(sources.filter(({ uid }) => !/^\$\{datasource\}$/.test(uid))).toEqual([]);
  const shown = [...(await reported())].filter((name) => !/_(sum|count)$/.test(name));
  const unseen = shown.filter((name) => !dashboardFile.includes(name));
  expect(unseen).toEqual([]);
});

describe.each(alerts)('the alert $alert', ({ alert, annotations }) => {
  test('has a flow that injects its fault', () => {
    expect(read('test/flows/metrics.test.ts')).toContain(`'${alert}'`);
  });

  test('says what is wrong, and docs/operating.md what it means and what to do', () => {
    expect(annotations.summary).toMatch(/\.$/);
    const [, means, todo] =
      read('docs/operating.md').match(new RegExp(`^- \\*\\*${alert}\\*\\*: (.+?)\\. (.+)\\.$`, 'm')) ?? [];
    expect([means, todo]).toEqual([expect.stringMatching(/\w{3}/), expect.stringMatching(/\w{3}/)]);
  });
});

test('docs/operating.md explains no alert that is gone', () => {
  const explained = [...read('docs/operating.md').matchAll(/^- \*\*(Proofdesk[A-Z]\w+)\*\*/gm)];
  const names = explained.map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(alerts.map(({ alert }) => alert)));
});
