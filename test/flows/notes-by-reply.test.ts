import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, expect, test } from 'vitest';
import { members, place, setsThreads, shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { sharedWorld } from '../harness/worlds.ts';

const lateArrivalMs = 1_600;

const world = sharedWorld({
  scenario: { campaigns: [shelf] },
  // Chloe is a guest, Dan is of another company.
  workspace: {
    users: [
      members.ann,
      members.ben,
      { ...members.chloe, is_restricted: true },
      { ...members.dan, team_id: 'T0OTHER' },
    ],
    channels: [{ id: place, name: 'review' }],
  },
  env: { UNDO_SECONDS: '0', ACCOUNT_OWNERS: 'U01ANN' },
  timeouts: { lateArrivalMs },
});
const { ann, ben, chloe, dan, marketplace, slack } = world;
beforeAll(() => setsThreads(ann, place, true));

const answers = async (card: Seen) => (await card.thread()).filter(({ raw }) => raw.user === 'U0BOT');
const isAnswered = (card: Seen) => eventually('an answer', async () => (await answers(card)).length > 0);

test('a reply in a thread never rates, whatever it says', async () => {
  const { task, card } = await world.taskWithCard('talked about');
  for (const text of ['ok', 'OK!', 'nok: the label is missing', 'revise show the label', 'notes?'])
    await ben.says(place, text, card);
  await ben.says(place, 'note the last one', card);
  await card.untilText(/@Ben Okafor: the last one/);
  await isAnswered(card);
  await world.settled();
  expect(await answers(card)).toHaveLength(1);
  expect((await marketplace.task(task)).task_rating).toBe('NOTRATED');
});

const late = { kind: 'accepted-late', delayMs: lateArrivalMs / 2 } as const;

test.each([
  ['Slack delivers it twice', { match: { delivery: 'message' }, kind: 'twice' }],
  ['the answer comes after its post has failed', { match: { method: 'chat.postMessage' }, ...late }],
] as const)('a note of a reply is left and answered once, also when %s', async (when, fault) => {
  const card = await world.card(when);
  await slack.fault(fault);
  await ben.says(place, 'note only once', card);
  await card.untilText(/@Ben Okafor: only once/);
  await isAnswered(card);
  await world.settled();
  expect(await answers(card)).toHaveLength(1);
  expect((await card.refresh()).text).not.toContain('2 notes');
});

test('a note waits while Slack is away, and says what its reply says then; a deleted one is not left', async () => {
  const deleted = await world.taskWithCard('deleted while away');
  const changed = await world.taskWithCard('changed while away');
  const failing = await slack.refuses('conversations.replies', 'internal_error', 0);
  const { ts } = await ben.says(place, 'note never mind', deleted.card);
  const reply = await ben.says(place, 'note ask the shop', changed.card);
  await slack.request(({ method, fault }) => method === 'conversations.replies' && fault !== undefined);
  await slack.deletes({ channel: place, ts });
  await ben.edits(place, reply.ts, 'note ask the owner');
  await slack.clearFaults(failing);
  await changed.card.untilText(/@Ben Okafor: ask the owner/);
  await world.settled();
  expect(await answers(deleted.card)).toEqual([]);
  expect((await deleted.card.refresh()).text).not.toContain('never mind');
});

test('a guest, somebody from another company and a channel without them leave no notes by reply', async () => {
  const card = await world.card('of others');
  await chloe.says(place, 'note of mine', card);
  expect((await chloe.sees(place, /guest/i)).ephemeral).toBe(true);
  await dan.says(place, 'note of mine too', card);
  expect((await dan.sees(place, /workspace|company/i)).ephemeral).toBe(true);
  await setsThreads(ann, place, false);
  await ben.says(place, 'note of no effect', card);
  await world.settled();
  expect(await answers(card)).toEqual([]);
  expect((await card.refresh()).text).not.toMatch(/note/i);
  await setsThreads(ann, place, true);
});
