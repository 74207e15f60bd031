import { expect, test } from 'vitest';
import { campaign, largest } from '../../gallery/samples/campaigns.ts';
import { account } from '../../gallery/samples/people.ts';
import { cardOf, decision, task } from '../../gallery/samples/tasks.ts';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { DecisionState, Task } from '../../src/domain/task.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import { campaignOptions, chooseMessage, chooseView } from '../../src/features/campaigns/choose.view.ts';
import { categoryOptions } from '../../src/features/campaigns/create.view.ts';
import type { Catalogue } from '../../src/features/campaigns/create-fields.ts';
import { statusMessage } from '../../src/features/campaigns/list.view.ts';
import { progressMessage, resultsMessage } from '../../src/features/campaigns/results.view.ts';
import { createFigures } from '../../src/features/campaigns/results-file.ts';
import { submitView } from '../../src/features/campaigns/submit.view.ts';
import { purposes } from '../../src/features/campaigns/words.ts';
import { taskCard } from '../../src/features/cards/card.view.ts';
import { inboxListCodec } from '../../src/features/inbox/inbox.view.ts';
import { connectModal } from '../../src/features/people/accounts.view.ts';
import { cardOfBlocks } from '../../src/slack/message-tags.ts';
import { partOf } from '../../src/ui/words.ts';
import { asId } from '../harness/ids.ts';
import { slackProblemsOf } from '../harness/slack-limits.ts';
import { resultRow } from './result-rows.ts';

// What no entry of the gallery has: more of something than Slack takes, or every state of it.

const numbered = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));

const many = numbered(1_000, (index) => ({ ...largest, id: asId<CampaignId>(`${largest.id} ${index}`) }));

test.each(purposes)('picking a campaign for %s: 1,000 campaigns keep to the limits', (purpose) => {
  const options = campaignOptions(many, purpose);
  expect(options).toHaveLength(100);
  for (const { text, value, description } of options) {
    expect([...text.text].length).toBeLessThanOrEqual(75);
    expect(value?.length).toBeLessThanOrEqual(150);
    expect([...(description?.text ?? '')].length).toBeLessThanOrEqual(75);
  }
  expect(slackProblemsOf(chooseView(purpose, asId('C01REVIEW')))).toEqual([]);
  const several = chooseMessage(many, 'x'.repeat(4_000), purpose);
  expect(slackProblemsOf(several)).toEqual([]);
  expect(several.text).toContain('Only the first 50 are listed');
});

test('picking a campaign for a restart puts the finished ones first', () => {
  const campaigns = [campaign({ id: asId('r') }), campaign({ id: asId('f'), status: 'FINISHED' })];
  expect(campaignOptions(campaigns, 'restart').map(({ value }) => value)).toEqual(['f', 'r']);
});

const categoriesOf = (parent: number, count: number) =>
  numbered(count, (index) => {
    const minimums = [{ zone: 'int', payment: '0.05' }];
    return { id: `${parent}-${index}`, title: `Category ${index}`, minimums };
  });
const catalogueOf = (parents: number, each: number): Catalogue =>
  numbered(parents, (parent) => ({ title: `Parent ${parent}`, categories: categoriesOf(parent, each) }));

test('categories offer at most 100 at once, and never an empty group', () => {
  const { groups } = categoryOptions(catalogueOf(60, 3));
  expect(groups.flatMap(({ options }) => options)).toHaveLength(100);
  expect(groups.every(({ options }) => options.length > 0)).toBe(true);
  expect(categoryOptions([])).toEqual({ groups: [] });
});

test('a campaign whose id is too long for an option is left to be chosen', () => {
  const form = submitView(undefined, { campaign: { id: asId<CampaignId>('c'.repeat(151)), title: 'x' } });
  expect(slackProblemsOf(form)).toEqual([]);
  expect(JSON.stringify(form)).not.toContain('initial_option');
});

test('the form that takes a key is valid however many accounts there are', () => {
  const accounts = numbered(120, () => ({ account, name: '漢'.repeat(40), isOwner: true }));
  const form = connectModal('', accounts);
  expect(slackProblemsOf(form)).toEqual([]);
  expect(JSON.stringify(form)).toContain('A new account');
});

test('results of many countries show the first ten, and the others together, in the table and in words', () => {
  const countries = numbered(13, (index) => ({ name: `X${index}`, tasks: 20 - index, ok: 2, nok: 1 }));
  const counts = createFigures();
  counts.add(resultRow());
  const figures = { ...counts.figures(), countries };
  const { text, blocks } = resultsMessage({ campaign: campaign(), figures });
  expect(text).toContain('3 others: 27');
  const table = blocks.find(({ type }) => type === 'table') as { rows: { text: string }[][] } | undefined;
  expect(table?.rows).toHaveLength(12);
  expect(table?.rows.at(-1)?.map((cell) => cell.text)).toEqual(['3 others', '27', '6', '3']);
});

test('results are counted by country, the most tasks first, and their progress says how many may come', () => {
  const counts = createFigures();
  for (const [countryCode, rating] of [
    ['us', 'OK'],
    ['FR', 'NOK'],
    ['FR', 'OK'],
    ['FR', 'REVISE'],
  ] as const)
    counts.add(resultRow({ countryCode, rating }));
  const countries = [
    { name: 'FR', tasks: 3, ok: 1, nok: 1 },
    { name: 'US', tasks: 1, ok: 1, nok: 0 },
  ];
  expect(counts.figures()).toMatchObject({ tasks: 4, workers: 1, countries });
  const ten = campaign({ tasksOk: 10, tasksNok: 0, tasksNotRated: 0, tasksNotReviewed: 0 });
  expect(progressMessage(ten, 9).text).toContain('9 tasks of about 10.');
  expect(progressMessage(ten, 10).text).toContain('10 tasks.');
});

test('a status counts what fills a position, what is rare only where there is some, and the oldest only while one waits', () => {
  const counts = {
    availablePositions: 100,
    tasksOk: 10,
    tasksNok: 5,
    tasksNotRated: 20,
    tasksNotReviewed: 1,
  };
  const statusOf = (fields: Partial<Campaign>, inCorrection: number) =>
    statusMessage({
      campaign: campaign({ ...counts, ...fields }),
      inCorrection,
      waiting: { oldest: 1 },
      days: 7,
    }).text;
  expect(statusOf({}, 1)).toContain(
    '5 NOK · 20 waiting for review · 1 revision requested · 1 at the marketplace · 68 left',
  );
  expect(statusOf({}, 1)).toContain('The oldest has been waiting since');
  const none = statusOf({ tasksNotRated: 0, tasksNotReviewed: 0, tasksOk: 120 }, 0);
  expect(none).toContain('0 waiting for review · 0 left');
  expect(none).not.toContain('The oldest');
});

test('results with more than all there are say all of them and the rest', () => {
  expect(partOf(12, 18, 'positions accepted')).toBe('12 of 18 positions accepted');
  expect(partOf(18, 18, 'accepted')).toBe('18 of 18 accepted');
  expect(partOf(1_019, 1_018, 'accepted')).toBe('1,018 of 1,018 accepted, and 1 more');
});

test('a card has the buttons that decide only while there is something to decide, Undo only while it can be', () => {
  const actionsOf = (fields: Partial<Task>) =>
    JSON.stringify(taskCard(cardOf(task(fields))).blocks)
      .match(/"action_id":"task\.\w+"/g)
      ?.join() ?? '';
  const decided = (state: DecisionState) => ({ decision: decision(state) });
  for (const open of [{}, decided('refused')])
    expect(actionsOf(open)).toMatch(/task\.ok.*task\.revise.*task\.nok/);
  for (const state of ['waiting', 'held'] as const) expect(actionsOf(decided(state))).toContain('task.undo');
  for (const state of ['waiting', 'sending', 'held', 'applied', 'overtaken'] as const) {
    const rating = state === 'applied' || state === 'overtaken' ? 'OK' : 'NOTRATED';
    expect(actionsOf({ rating, ...decided(state) })).not.toMatch(/task\.(ok|revise|nok)/);
  }
  for (const state of ['sending', 'applied', 'overtaken'] as const)
    expect(actionsOf({ rating: 'OK', ...decided(state) })).not.toContain('task.undo');
  for (const rating of ['NOTREVIEWED', 'OK'] as const)
    expect(actionsOf({ rating })).not.toMatch(/task\.(ok|revise|nok)/);
});

test('a card says when its task is due only while it can be decided, and always which task it shows', () => {
  const folded = { decision: decision('applied'), rating: 'OK' } as const;
  for (const [fields, isOpen] of [
    [{}, true] as const,
    [{ decision: decision('waiting') }, false] as const,
    [folded, false] as const,
  ]) {
    const { blocks } = taskCard(cardOf(task(fields), { dueAt: 1 }));
    expect(JSON.stringify(blocks).includes('^Due ')).toBe(isOpen);
    expect(cardOfBlocks([null, ...blocks])).toEqual({ account, task: task().id });
  }
});

test('a list begins at its first page when its filter changes, and takes out what is no day', () => {
  const list = { account, folder: 'INBOX', readFilter: 'unread', from: '2026-01-31', page: 7 } as const;
  expect(inboxListCodec.update(list, { folder: 'TRASH' })).toEqual({ ...list, folder: 'TRASH', page: 0 });
  const { from: _, ...open } = list;
  expect(inboxListCodec.update(list, { from: '' })).toEqual({ ...open, page: 0 });
  expect(inboxListCodec.decode(inboxListCodec.encode('inbox.row', list))).toEqual(list);
});
