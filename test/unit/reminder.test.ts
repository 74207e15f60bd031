import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reminder, ReminderContent, ReminderEvent } from '../../src/domain/live-message.ts';
import { applyReminderEvent, isShown, noContent } from '../../src/domain/live-message.ts';
import type { CampaignId, ChannelId, TaskId } from '../../src/domain/terms.ts';
import { createDeadlinesFeature } from '../../src/features/deadlines/index.ts';
import { reminderMessage } from '../../src/features/deadlines/reminder.view.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { decided, waitingRow } from '../harness/waiting-row.ts';
import { forAll } from './properties.ts';

const channel = asId<ChannelId>('C1');
const paceMs = 60_000;

const due = (count: number): ReminderContent => ({ ...noContent, state: 'due', within: [0, 0, count] });
const count = (content: ReminderContent, at: number): ReminderEvent => ({
  type: 'counted',
  channel,
  content,
  at,
  paceMs,
});
const posted = (ts: string): ReminderEvent => ({ type: 'posted', messageRef: { channel, ts } });

function reminderAfter(...events: ReminderEvent[]): Reminder | undefined {
  return events.reduce<Reminder | undefined>(
    (reminder, event) => applyReminderEvent(reminder, event) ?? reminder,
    undefined,
  );
}

test('a reminder is wanted once something is due, and not before', () => {
  expect(reminderAfter(count(noContent, 0))).toBeUndefined();
  expect(reminderAfter(count({ ...noContent, state: 'muted' }, 0))).toBeUndefined();
  expect(reminderAfter(count(due(1), 0))).toMatchObject({ card: { state: 'wanted' }, revision: 1 });
});

test('a reminder follows at its pace, and at once when it is muted or nothing is due any more', () => {
  const first = [count(due(1), 0), posted('1.0')];
  const early = reminderAfter(...first, count(due(2), paceMs - 1));
  expect(early).toMatchObject({ within: [0, 0, 1], revision: 1 });
  expect(reminderAfter(...first, count(due(2), paceMs))).toMatchObject({ within: [0, 0, 2], revision: 2 });
  for (const state of ['none', 'muted'] as const) {
    const after = reminderAfter(...first, count({ ...noContent, state }, 1));
    expect(after).toMatchObject({ state, revision: 2 });
  }
});

test('a reminder that nobody has begun to post is not posted when nothing is due any more', () => {
  expect(reminderAfter(count(due(1), 0), count(noContent, 1))?.card).toEqual({ state: 'gone' });
  const begun = { type: 'posting', channel, at: 0 } as const;
  expect(reminderAfter(count(due(1), 0), begun, count(noContent, 1))?.card.state).toBe('wanted');
});

test('a reminder that somebody deletes comes back only while something is due', () => {
  const gone = { type: 'card-gone', messageRef: { channel, ts: '1.0' } } as const;
  expect(reminderAfter(count(due(1), 0), posted('1.0'), gone)?.card).toMatchObject({ state: 'wanted' });
  const ended = reminderAfter(count(due(1), 0), posted('1.0'), count(noContent, 1), gone);
  expect(ended?.card).toEqual({ state: 'gone' });
});

const anyContent = fc.constantFrom(due(1), due(2), noContent, { ...noContent, state: 'muted' as const });
const anyEvent: fc.Arbitrary<ReminderEvent> = fc.oneof(
  fc.tuple(anyContent, fc.nat(300_000)).map(([content, at]) => count(content, at)),
  fc.nat(3).map((second) => posted(`${second}.0`)),
  fc.nat(3).map((second) => ({ type: 'card-gone', messageRef: { channel, ts: `${second}.0` } }) as const),
  fc.constant({ type: 'posting', channel, at: 0 } as const),
  fc.constant({ type: 'not-posted' } as const),
);

test('whatever happens, what it says is another revision where it is shown, and never an earlier one', () => {
  forAll(fc.array(anyEvent, { maxLength: 20 }), (events) => {
    let reminder: Reminder | undefined;
    for (const event of events) {
      const next = applyReminderEvent(reminder, event);
      if (next === undefined) continue;
      expect(next.revision).toBeGreaterThanOrEqual(reminder?.revision ?? 0);
      if (reminder && isShown(reminder) && isShown(next) && event.type === 'counted')
        expect(next.revision).toBe(reminder.revision + 1);
      reminder = next;
    }
  });
});

const redis = redisPerFile();
const [now, hour] = [1_000 * 3_600_000, 3_600_000];

/** The reminders of an account with a campaign for each of these hours, after which its oldest task is due. */
async function reminded(dueInHours: readonly number[], to: (campaign: string) => string | undefined) {
  const forCampaigns = async (_: unknown, ids: readonly string[]) =>
    new Map(ids.flatMap((id) => (to(id) === undefined ? [] : [[id, to(id)]])));
  const modules = testModules(redis(), { channels: { routing: { forCampaigns } } }, { now: () => now });
  for (const [index, hours] of dueInHours.entries()) {
    const campaign = asId<CampaignId>(`c${index}`);
    await modules.tasks.timesToRate.put(ref, campaign, 1);
    // A second one is due a day after it.
    for (const more of [0, 24]) {
      const id = asId<TaskId>(`${campaign} ${more}`);
      await modules.tasks.apply(ref, id, waitingRow(id, campaign, now + (hours + more - 24) * hour));
    }
  }
  const { afterPoll, feature } = createDeadlinesFeature({ ...modules, reminderPaceMs: 0 });
  return { ...modules, counts: () => afterPoll(ref), deleted: feature.messageDeleted };
}

test('a channel is reminded of all its campaigns with tasks that are due; the first five are named', async () => {
  const { channels, slack, counts } = await reminded([-1, 5, 6, 23, 24, 48, 49, 1, 2], (campaign) =>
    campaign === 'c7' ? 'C2' : campaign === 'c8' ? undefined : 'C1',
  );
  await channels.settings.set(ref.workspace, asId('C2'), { muted: ['reminders'] }, { how: 'form' });
  await counts();
  const named = [
    ['c0', 2, -1],
    ['c1', 2, 5],
    ['c2', 2, 6],
    ['c3', 2, 23],
    ['c4', 2, 24],
  ] as const;
  expect(await slack.reminders.shown(ref)).toEqual([
    expect.objectContaining({
      ...{ channel: 'C1', state: 'due', late: 1, within: [3, 6, 11], others: 1 },
      campaigns: named.map(([id, tasks, hours]) => ({ id, tasks, dueAt: now + hours * hour })),
    }),
  ]);
});

test('a reminder that somebody deletes is posted again, and one whose tasks are rated says so', async () => {
  const { slack, tasks, counts, deleted } = await reminded([1], () => 'C1');
  await counts();
  const messageRef = { channel, ts: '1.0' };
  const posts = () => slack.reminders.apply(ref, channel, { type: 'posted', messageRef });
  const shown = async () =>
    (await slack.reminders.shown(ref)).map(({ card, state, others }) => [card.state, state, others]);
  await posts();
  const blocks = [{ block_id: 'x' }, ...(reminderMessage(ref.account, due(1), new Map()).blocks ?? [])];
  await deleted?.({ workspace: ref.workspace, ...messageRef, blocks: blocks.slice(0, 1) } as never);
  expect(await shown()).toEqual([['posted', 'due', 0]]);
  await deleted?.({ workspace: ref.workspace, ...messageRef, blocks } as never);
  expect(await shown()).toEqual([['wanted', 'due', 0]]);
  await posts();
  for (const more of [0, 24]) await tasks.apply(ref, asId(`c0 ${more}`), decided(`d${more}`));
  await counts();
  expect(await shown()).toEqual([['posted', 'none', 0]]);
});
