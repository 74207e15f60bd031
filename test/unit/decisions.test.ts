import { expect, test } from 'vitest';
import { BulkRatingId } from '../../src/domain/bulk-rating.ts';
import type { AccountRef, ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { UserError } from '../../src/errors.ts';
import { createBulk } from '../../src/features/bulk/index.ts';
import { ratingValue } from '../../src/features/bulk/progress.view.ts';
import { createBonus } from '../../src/features/decide/bonus.ts';
import { createCommentForm } from '../../src/features/decide/comment-form.ts';
import { keepText, textName } from '../../src/features/decide/comment-texts.ts';
import { createDecisions } from '../../src/features/decide/decisions.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { waitingRow } from '../harness/waiting-row.ts';

const redis = redisPerFile();
const [ann, ben] = ['U1', 'U2'].map((id) => asId<MemberId>(id)) as [MemberId, MemberId];
const [first, second] = ['t1', 't2'].map((id) => asId<TaskId>(id)) as [TaskId, TaskId];

let count = 0;

/** Two tasks without cards, in an account of Ann's key. */
async function begin() {
  const keySourceOf = async (_: AccountRef, member: MemberId) => (member === ann ? 'own' : undefined);
  const clicked: string[] = [];
  const cards = {
    linkTo: async () => undefined,
    clicked: async (_: AccountRef, { id }: { id: string }) => void clicked.push(id),
  };
  const options = { now: () => 1_000_000 + count++ };
  const modules = testModules(redis(), { people: { accounts: { keySourceOf } } }, options);
  const { slack, tasks } = modules;
  for (const id of [first, second]) await tasks.apply(ref, id, waitingRow(id));
  const decisions = createDecisions({ ...modules, slack: { ...slack, cards: { ...slack.cards, ...cards } } });
  const authorize = async () => ref;
  const undoes = (member: MemberId, task: TaskId, decision?: string) =>
    decisions.undo({ member, authorize } as never, { ref, task }, decision);
  const rates = (
    member: MemberId,
    task: TaskId,
    card?: { channel: ChannelId; ts: string },
    isOfMany?: boolean,
  ) =>
    decisions.rate(
      { member, how: 'click' },
      { ref, task, round: 1, card },
      { id: `d${count++}`, verdict: 'OK', comment: '' },
      { isOfMany },
    );
  return { clicked, tasks, rates, undoes };
}

test('a decision says whether it was made with a key of its maker’s own', async () => {
  const { tasks, rates } = await begin();
  await rates(ann, first);
  await rates(ben, second);
  const made = (await tasks.getMany(ref, [first, second])).map(({ decision }) => decision?.ownKey);
  expect(made).toEqual([true, undefined]);
});

test('whoever decides is told that a colleague has the task, but not in a series', async () => {
  const { tasks, rates } = await begin();
  for (const task of [first, second])
    await tasks.apply(ref, task, { type: 'assigned', to: ben, by: ben, how: 'click', at: 1, seen: '' });
  expect(await rates(ann, first)).toMatchObject({ others: { assignment: { to: ben } } });
  expect(await rates(ann, second, undefined, true)).not.toHaveProperty('others');
});

test('a clicked card that the record of its task has lost is its card again, and redrawn: what it shows is not known', async () => {
  const { tasks, rates } = await begin();
  await rates(ann, first);
  expect(await tasks.needsRender(ref, first)).toBe(false);
  const card = { channel: asId<ChannelId>('C1'), ts: '1.2' };
  expect((await rates(ben, first, card)).kind).toBe('missed');
  expect((await tasks.get(ref, first))?.card).toEqual({ state: 'posted', ...card });
  expect(await tasks.needsRender(ref, first)).toBe(true);
});

test('an undone decision is drawn as clicked, and once undone stays so', async () => {
  const { clicked, rates, undoes } = await begin();
  const outcome = await rates(ann, first);
  const decision = outcome.kind === 'decided' ? outcome.decision.id : '';
  clicked.length = 0;
  expect((await undoes(ben, first, decision)).kind).toBe('undone');
  expect(clicked).toEqual([first]);
  await rates(ann, first);
  expect((await undoes(ben, first, decision)).kind).toBe('undone before');
  expect((await undoes(ann, first)).kind).toBe('undone');
});

/** The form with a bonus of 0.05 for a task that pays this, which says what it costs. @param outcome what becomes of its decision */
async function confirming(outcome: 'decided' | 'missed' = 'decided') {
  const campaign = { paymentPerTask: '0.1' };
  const rated: string[] = [];
  const modules = testModules(redis(), {
    campaigns: { get: async () => campaign, titleOf: async () => '' },
    people: { access: { roleIn: async () => ({ role: 'owner' }) } },
  });
  const task = { id: first, campaign: 'c1', worker: { id: 'w1' } };
  const forms = {
    ended: async (_: unknown, __: unknown, ended: object) => ended,
    sent: async (form: object) => ({ kind: 'sent', made: { comment: '' }, open: { ...form, task } }),
    withCost: async () => ({}),
    async decided(_: unknown, { id }: { id: string }) {
      rated.push(id);
      return { kind: outcome };
    },
  };
  const { submit } = createBonus(modules, {} as never, forms as never);
  const form = (cost: string, at: number) => ({
    ...{ ref, member: ann, team: ref.workspace, workspace: ref.workspace },
    ...{ how: 'form', id: 'b1', callbackId: 'x' },
    state: { account: ref.account, task: first, round: 1, verdict: 'OK', extras: true, shown: { cost, at } },
    values: { bonus: { bonus: { value: '0.05' } } },
  });
  const spent = async () =>
    (await modules.people.spending.spent(ref, { member: ann, budget: 'bonus', at: Date.now() })).toFixed();
  return {
    campaign,
    rated,
    spent,
    confirms: (cost = '0.1 + 0.05', at = 0) => submit(form(cost, at) as never),
  };
}

test('a bonus is paid once, however often its confirmation is delivered, and counts only if its decision does', async () => {
  const { confirms, rated, spent } = await confirming();
  expect([(await confirms()).kind, (await confirms()).kind]).toEqual(['decided', 'decided']);
  expect([new Set(rated), await spent()]).toEqual([new Set(['b1 0']), '0.05']);
  await redis().flushall();
  const late = await confirming('missed');
  expect([(await late.confirms()).kind, await late.spent()]).toEqual(['missed', '0']);
});

test('a bonus is not paid when its cost has changed, or it is out of range by now', async () => {
  const { campaign, confirms, rated } = await confirming();
  campaign.paymentPerTask = '0.2';
  expect((await confirms()).kind).toBe('form');
  campaign.paymentPerTask = '0.001';
  expect((await confirms('0.001 + 0.05')).kind).toBe('errors');
  campaign.paymentPerTask = '0.1';
  // Pressed twice at the same place, before anybody can have read it.
  expect((await confirms('0.1 + 0.05', Date.now() - 500)).kind).toBe('form');
  expect(rated).toEqual([]);
});

const id = BulkRatingId.parse('b1');

/** Stores a bulk rating of Ann's, of one task. */
async function confirmsBulk({ tasks }: ReturnType<typeof testModules>, at = 1) {
  const items = [{ task: first, round: 1 }];
  const rating = { id, member: ann, team: ref.workspace, at, verdict: 'OK', text: '', items } as const;
  await tasks.bulkRatings.apply(ref, id, { type: 'confirmed', rating });
}

test('a bulk rating is resumed after each poll until it ends, and keeps its results for three days', async () => {
  let now = 1_000;
  const modules = testModules(redis(), {}, { now: () => now });
  const { bulkRatings } = modules.tasks;
  await confirmsBulk(modules, now);
  const queued: string[] = [];
  const jobs = { ...modules.jobs, add: async (name: string) => void queued.push(name) };
  const { afterPoll } = createBulk({ ...modules, jobs: jobs as never, decisions: {} as never });
  await afterPoll(ref);
  expect(queued).toEqual(['bulk']);
  const results = new Map([[0, { kind: 'refused' } as const]]);
  await bulkRatings.apply(ref, id, { type: 'results', results, at: now });
  now += 3 * 86_400_000 - 1;
  await afterPoll(ref);
  expect((await bulkRatings.get(ref, id))?.state).toBe('done');
  now += 2;
  await afterPoll(ref);
  expect(await bulkRatings.get(ref, id)).toBeUndefined();
});

test('a bulk rating of a colleague is undone only with the right to', async () => {
  const modules = testModules(redis());
  const { bulkRatings } = modules.tasks;
  await confirmsBulk(modules);
  const { clicks } = createBulk({ ...modules, decisions: {} as never }).feature;
  const undoing = async () =>
    clicks?.['bulk.undo']?.run({
      ...{ member: ben, how: 'click', value: ratingValue.encode({ account: ref.account, rating: id }) },
      authorize: async ({ also }: { also?: string }) => (also ? Promise.reject(new UserError(also)) : ref),
    } as never);
  await expect(undoing()).rejects.toThrow('undo');
  expect((await bulkRatings.get(ref, id))?.state).toBe('deciding');
});

test('what was typed is not offered again once it is decided with, also if its last letters arrive after that', async () => {
  const modules = testModules(redis());
  const { typedTexts } = modules.tasks;
  const about = { task: first, round: 1, member: ann };
  const types = (text: string) =>
    keepText(modules, ref, about, { verdict: 'NOK', form: 1, text, order: '1' });
  const offered = async () => (await typedTexts.get(ref, textName(about, 'NOK')))?.text;
  await types('Blurred');
  expect(await offered()).toBe('Blurred');
  const state = { account: ref.account, task: first, round: 1, verdict: 'NOK', form: 1 };
  const { ended } = createCommentForm(modules, {} as never);
  await ended({ ref, state, member: ann } as never, 'Blurred', { kind: 'decided' } as never);
  await types('Blurred!');
  expect((await offered()) ?? '').toBe('');
});

test('only what was rated OK or NOK is searched for old details, and its record goes only after them', async () => {
  const { rates, tasks } = await begin();
  const outcome = await rates(ann, first);
  const decision = outcome.kind === 'decided' ? outcome.decision : undefined;
  const at = (decision?.dueAt ?? 0) + 1;
  const of = { decision: decision?.id ?? '', at };
  await tasks.apply(ref, first, { type: 'sending', ...of, attempt: 1, leaseUntil: at + 1 });
  await tasks.apply(ref, first, { type: 'applied', ...of, answered: true });
  const ratings = { t3: 'NOK', t4: 'REVISE' } as const;
  await tasks.recordRatings(ref, asId('c1'), new Map(Object.entries(ratings)) as never, new Map());
  expect((await tasks.ratedWithRecords(ref, asId('c1'))).toSorted()).toEqual([first, 't3']);
  expect(await tasks.forget(ref, first)).toBe(false);
  await tasks.apply(ref, first, { type: 'details-expired', at });
  expect(await tasks.forget(ref, first)).toBe(true);
});
