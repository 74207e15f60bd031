import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';
import type { GalleryEntry, View } from '../../gallery/entry.ts';
import { campaign, finished, largest } from '../../gallery/samples/campaigns.ts';
import { createAct } from '../../gallery/samples/requests.ts';
import { type Money, money } from '../../src/domain/money.ts';
import { slackProblemsOf } from '../harness/slack-limits.ts';
import { harmsIn } from '../harness/untrusted-text.ts';
import { viewFunctions } from './gallery-views.ts';

const root = join(import.meta.dirname, '../..');

test('every view has an entry', async () => {
  const views = viewFunctions();
  expect(views.length).toBeGreaterThan(50);
  const covered = new Set<View>(entries.flatMap(({ covers }) => covers));
  const missing = await Promise.all(
    views.map(async ({ path, name }) => {
      const module = (await import(join(root, path))) as Record<string, View>;
      const view = module[name];
      return view !== undefined && covered.has(view) ? [] : [`${path}: ${name}`];
    }),
  );
  expect(missing.flat()).toEqual([]);
});

test('each entry is found by its feature and title', () => {
  const names = entries.map(({ feature, title }) => `${feature}: ${title}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter((name) => name.endsWith(': '))).toEqual([]);
});

describe('Slack takes it, and nothing that workers wrote pings, links, hides or reorders in it', () => {
  test.each(entries.map((entry) => [`${entry.feature}: ${entry.title}`, entry] as const))(
    '%s',
    (_, entry) => {
      const drawn = entry.make();
      expect([...slackProblemsOf(drawn), ...harmsIn(drawn)]).toEqual([]);
    },
  );
});

/** What names a sample campaign, in a text or in a view's state. */
const names = [campaign(), finished, largest, { id: 'a new campaign', title: createAct.title }].map(
  ({ id, title }) => [id, title],
);

/** A cost in a text: `2,400 positions × 0.25 = *600.00*`. */
const cost = /([\d,]+)(?: positions?)? × ([\d.]+) = \*?([\d.]+)/g;

/** A bonus in a text: `payment 0.45 + bonus 0.30`. */
const bonus = /\+ bonus ([\d.]+)/;

const amount = (text = ''): Money => money(text.replaceAll(',', ''));

function of(...features: readonly string[]): [string, string][] {
  const some = entries.filter(({ feature }) => features.includes(feature));
  return some.map((entry) => [entry.title, textOf(entry)]);
}

function textOf(entry: GalleryEntry): string {
  return JSON.stringify(entry.make());
}

test.each(of('Approvals', 'Restart', 'Retarget'))('“%s” is about one campaign', (_, text) => {
  const named = names.filter((one) => one.some((name) => text.includes(name)));
  expect(named.length).toBeLessThanOrEqual(1);
});

test('a campaign has one payment wherever a cost of it is shown', () => {
  const payments = of('Approvals', 'Restart')
    .map(([, text]) => text)
    .filter((text) => text.includes(finished.title))
    .flatMap((text) => [...text.matchAll(cost)].map(([, , payment]) => payment));
  expect(new Set(payments)).toEqual(new Set([amount(finished.paymentPerTask).toFixed(2)]));
});

test('each cost is the positions times the payment', () => {
  const costs = entries.flatMap((entry) => [...textOf(entry).matchAll(cost)]);
  expect(costs.length).toBeGreaterThan(20);
  const wrong = costs.filter(
    ([, positions, payment, total]) => !amount(positions).times(amount(payment)).eq(amount(total)),
  );
  expect(wrong.map(([text]) => text)).toEqual([]);
});

test.each(of('Approvals'))('“%s” is over the limit by what it costs', (_, text) => {
  const each = /It is ([\d.]+) over \w+ limit of ([\d.]+) for one/.exec(text);
  const day = /It is ([\d.]+) over \w+ limit of ([\d.]+) a day for [^:]+: ([\d.]+) is spent/.exec(text);
  const [, over, limit, spent = '0'] = day ?? each ?? [];
  if (over === undefined) return;
  const total = amount(bonus.exec(text)?.[1] ?? [...text.matchAll(cost)][0]?.[3]);
  expect(amount(spent).plus(total).minus(amount(limit)).toFixed(2)).toBe(over);
});
