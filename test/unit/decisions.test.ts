import { expect, test } from 'vitest';
import { BulkRatingId } from '../../src/domain/bulk-rating.ts';
import type { MessageRef } from '../../src/domain/live-message.ts';
import { maxComment, type SavedReason, startingReasons } from '../../src/domain/reason.ts';
import type { AccountRef, ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { UserError } from '../../src/errors.ts';
import { createBulk } from '../../src/features/bulk/index.ts';
import { ratingValue } from '../../src/features/bulk/progress.view.ts';
import { createBonus } from '../../src/features/decide/bonus.ts';
import { reasonMissing } from '../../src/features/decide/comment.view.ts';
import { createCommentForm } from '../../src/features/decide/comment-form.ts';
import { keepText, textName } from '../../src/features/decide/comment-texts.ts';
import { intents } from '../../src/features/decide/decide.view.ts';
import { createDecisions } from '../../src/features/decide/decisions.ts';
import { encodeFocus } from '../../src/features/focus/public.ts';
import { asId, ref } from '../harness/ids.ts';
import { idle, testModules } from '../harness/modules.ts';
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
  const asked: unknown[] = [];
  const cards = {
    linkTo: async () => undefined,
    clicked: async (_: AccountRef, { id }: { id: string }) => void clicked.push(id),
  };
  const options = { now: () => 1_000_000 + count++ };
  const modules = testModules(redis(), { people: { accounts: { keySourceOf } } }, options);
  const { slack, tasks } = modules;
  for (const id of [first, second]) await tasks.apply(ref, id, waitingRow(id));
  const decisions = createDecisions({ ...modules, slack: { ...slack, cards: { ...slack.cards, ...cards } } });
  const authorize = async (request: unknown) => asked.push(request) && ref;
  const undoes = (member: MemberId, task: TaskId, decision?: string, card?: MessageRef) =>
    decisions.undo({ member, authorize } as never, { ref, task, card }, decision);
  const rates = (member: MemberId, task: TaskId, card?: MessageRef, isOfMany?: boolean) =>
    decisions.rate(
      { member, how: 'click' },
      { ref, task, round: 1, card },
      { id: `d${count++}`, verdict: 'OK', comment: '' },
      { isOfMany },
    );
  return { asked, clicked, modules, tasks, rates, undoes };
}

test('whoever decides is told that a colleague has the task, but not in a series; a key of their own is recorded', async () => {
  const { tasks, rates } = await begin();
  for (const task of [first, second])
    await tasks.apply(ref, task, { type: 'assigned', to: ben, by: ben, how: 'click', at: 1, seen: '' });
  const others = { assignment: { to: ben, by: ben, at: 1 }, title: 'Campaign c1' };
  expect(await rates(ann, first)).toMatchObject({ decision: { ownKey: true }, others });
  const inSeries = await rates(asId('U3'), second, undefined, true);
  expect(inSeries).toMatchObject({ kind: 'decided', decision: { by: 'U3' } });
  for (const told of ['others', 'decision.ownKey']) expect(inSeries).not.toHaveProperty(told);
});

test('a clicked card that the record of its task has lost is its card again, and redrawn: what it shows is not known', async () => {
  const { clicked, tasks, rates } = await begin();
  await rates(ann, first);
  await rates(ben, first);
  expect([clicked, await tasks.needsRender(ref, first)]).toEqual([[first], false]);
  const card = { channel: asId<ChannelId>('C1'), ts: '1.2' };
  const lost = { task: expect.objectContaining({ id: first }), title: 'Campaign c1', card: undefined };
  const missed = { kind: 'missed', member: ben, wanted: 'OK', round: 1, lost };
  expect(await rates(ben, first, card)).toEqual(missed);
  expect((await tasks.get(ref, first))?.card).toEqual({ state: 'posted', ...card });
  expect([clicked, await tasks.needsRender(ref, first)]).toEqual([[first, first], true]);
});

test('a former card that is clicked, where the bot was removed, is not the card of its task again', async () => {
  const { tasks, undoes } = await begin();
  const former = { channel: asId<ChannelId>('C1'), ts: '1.2' };
  await tasks.apply(ref, first, { type: 'posted', messageRef: former });
  await tasks.apply(ref, first, { type: 'channel-lost', channel: former.channel });
  expect((await undoes(ann, first, undefined, former)).kind).toBe('too late');
  expect((await tasks.get(ref, first))?.card).toEqual({ state: 'backlog', former: [former] });
});

test('an undone decision is drawn as clicked, and once undone stays so', async () => {
  const { asked, clicked, modules, rates, undoes } = await begin();
  const about = { task: first, round: 1, member: ann };
  await keepText(modules, ref, about, { verdict: 'OK', form: 1, text: 'Sharp', order: '1' });
  const outcome = await rates(ann, first);
  const decision = outcome.kind === 'decided' ? outcome.decision.id : '';
  clicked.length = 0;
  expect((await undoes(ben, first, decision)).kind).toBe('undone');
  expect([clicked, asked]).toEqual([[first], [{ account: ref.account, also: 'undo' }]]);
  // Her OK had no comment that would take the place of it.
  expect((await modules.tasks.typedTexts.get(ref, textName(about, 'OK')))?.text).toBe('Sharp');
  await rates(ann, first);
  expect((await undoes(ben, first, decision)).kind).toBe('undone before');
  expect((await undoes(ann, first)).kind).toBe('undone');
  expect((await undoes(ann, asId('unknown'))).kind).toBe('gone');
  expect(asked).toHaveLength(1);
});

test('a decision is sent by a job in the second in which its undo ends, and is what its maker is told', async () => {
  const jobs: unknown[] = [];
  const modules = testModules(
    redis(),
    { jobs: { add: async (...job: unknown[]) => void jobs.push(job) } },
    { now: () => 1_000_500 },
  );
  await modules.tasks.apply(ref, first, waitingRow(first));
  const made = { id: 'd1', verdict: 'NOK', comment: 'Dark', reason: 'r1' } as const;
  const outcome = await createDecisions(modules).rate(
    { member: ann, how: 'form' },
    { ref, task: first, round: 1 },
    made,
  );
  const decision = { ...made, by: ann, at: 1_000_500, dueAt: 1_010_500, state: 'waiting', attempts: 0 };
  expect(outcome).toEqual({
    kind: 'decided',
    ref,
    task: expect.objectContaining({ id: first, decision }),
    decision,
  });
  expect(jobs).toContainEqual(['send', ref, { delayMs: 10_500, uniqueKey: 'a1 1011' }]);
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

const [dark, cropped] = startingReasons.slice(1) as unknown as [SavedReason, SavedReason];

/** Ann's form for a REVISE that was filled three times, with what she wrote and chose in it; and which reviews it renews. */
async function opensForm(text = '', chosen?: string, reason?: string) {
  const renewed: unknown[] = [];
  const modules = testModules(redis(), { slack: { cards: idle } });
  const { tasks } = modules;
  await tasks.apply(ref, first, waitingRow(first));
  const leases = { ...tasks.leases, renew: async (...of: unknown[]) => renewed.push(of) };
  const decisions = createDecisions(modules);
  const forms = createCommentForm({ ...modules, tasks: { ...tasks, leases } } as never, decisions);
  const values = {
    'comment.3': { typed: { value: text } },
    'reason.3': { choose: { selected_option: chosen === undefined ? null : { value: chosen } } },
  };
  const about = { account: ref.account, task: first, round: 1, verdict: 'REVISE', form: 1 };
  const state = { ...about, filled: 3, ...(reason && { reason }) };
  const form = { ref, workspace: ref.workspace, member: ann, how: 'form', id: 'd1', state, values };
  const made = async () => (await tasks.get(ref, first))?.decision;
  const kept = async () =>
    (await tasks.typedTexts.get(ref, textName({ task: first, round: 1, member: ann }, 'NOK')))?.text;
  return { decisions, form: form as never, forms, kept, made, renewed, state, values };
}

test.each([
  ['typed', [' Too dark. '], ['Too dark.', undefined]],
  ['saved, and edited', [`${dark.text} Hurry.`, dark.id, dark.id], [`${dark.text} Hurry.`, dark.id]],
  ['saved, and replaced by other words', ['Wrong shop', dark.id, dark.id], ['Wrong shop', undefined]],
  ['saved, and sent before Slack shows its text', ['', dark.id], [dark.text, dark.id]],
  ['as long as can be', ['x'.repeat(maxComment)], ['x'.repeat(maxComment), undefined]],
])('a reason that is %s is sent as it stands, and not offered again', async (_, given, sent) => {
  const { decisions, form, forms, kept, made } = await opensForm(...(given as string[]));
  await forms.typed({ ...(form as object), view: { state: '' }, value: 'Dark', ts: '1' } as never);
  expect(await forms.submit(form)).toMatchObject({
    kind: 'decided',
    decision: { id: 'd1', verdict: 'REVISE' },
  });
  const { comment, reason } = (await made()) ?? {};
  expect([comment, reason, await kept()]).toEqual([...sent, undefined]);
  await decisions.undo({ member: ann } as never, { ref, task: first });
  expect(await kept()).toBe(sent[0]);
});

test.each([
  ['', reasonMissing],
  ['x'.repeat(maxComment + 1), expect.stringContaining('has 3,001 characters. It can have 3,000 at most')],
])('a reason that is missing or too long is told beside its input', async (text, problem) => {
  const { form, forms, made } = await opensForm(text);
  expect(await forms.submit(form)).toEqual({ kind: 'errors', errors: { 'comment.3': problem } });
  expect(await made()).toBeUndefined();
});

test('a saved reason that is chosen beside other words is shown with them before it is sent, follows what was typed, and is not lost', async () => {
  const { decisions, form, forms, kept, made, renewed, state, values } = await opensForm('Hello.', dark.id);
  const outcome = (await forms.submit(form)) as { kind: string; view: { private_metadata: string } };
  expect(await made()).toBeUndefined();
  expect(JSON.stringify(outcome.view)).toContain(JSON.stringify(`Hello.\n\n${dark.text}`));
  expect(intents.decode(outcome.view.private_metadata)).toEqual({ ...state, filled: 4, reason: dark.id });
  const inReview = encodeFocus({ account: ref.account, session: 's1', step: 1 });
  const click = { ...(form as object), view: { id: 'V1', callbackId: '', state: inReview, values } };
  await forms.typed({ ...click, value: 'Hello.', ts: '1.2' } as never);
  await forms.choose({ ...click, value: dark.id, ts: '1.3' } as never);
  expect(await kept()).toBe(`Hello.\n\n${dark.text}`);
  // In a form that was opened anew.
  values['comment.3'].typed.value = `Hello.\n\n${dark.text}`;
  await forms.choose({ ...click, value: cropped.id, ts: '1.4' } as never);
  expect(await kept()).toBe(`Hello.\n\n${cropped.text}`);
  expect(renewed).toEqual(Array(3).fill([ref, 's1']));
  // Who is too late gets it back.
  await decisions.rate(
    { member: ben, how: 'click' },
    { ref, task: first, round: 1 },
    { id: 'd2', verdict: 'OK', comment: '' },
  );
  const text = values['comment.3'].typed.value;
  expect(await forms.submit(form)).toMatchObject({ kind: 'missed', wanted: 'REVISE', text });
  expect(await kept()).toBe(text);
});
