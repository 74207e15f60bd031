import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import type { ChannelId, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { createChannelSettings } from '../../src/store/channel-settings.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import type { Person, Seen } from '../harness/slack.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  payment_per_task: '0.10000',
} as const;
const place = 'C01REVIEW';
const lateArrivalMs = 1_600;
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };

let world: World;
let ann: Person;
let ben: Person;
let chloe: Person;
let dan: Person;
let redis: Redis;
/** The process ends, as far as its work goes, when it next passes here. */
let deadAt: FaultPoint | undefined;

const setThreads = (threads: boolean) =>
  createChannelSettings(redis).change(
    workspace,
    asId<ChannelId>(place),
    (before) => ({ ...before, threads }),
    { by: asId<MemberId>('U01ANN'), how: 'form' },
  );

beforeAll(async () => {
  world = await startWorld({
    scenario: { campaigns: [shelf] },
    // Ben reviews, Chloe is a guest, Dan is of another company.
    workspace: {
      users: [
        { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes' },
        { id: 'U02BEN', name: 'ben', real_name: 'Ben Okafor' },
        { id: 'U03CHLOE', name: 'chloe', real_name: 'Chloé Martin', is_restricted: true },
        { id: 'U04DAN', name: 'dan', real_name: 'Dan Moss', team_id: 'T0OTHER' },
      ],
      channels: [{ id: place, name: 'review' }],
    },
    env: { UNDO_SECONDS: '1', ACCOUNT_OWNERS: 'U01ANN' },
    timeouts: { lateArrivalMs },
    faults(passing) {
      if (passing !== deadAt) return;
      deadAt = undefined;
      throw new Error('as if the process had died here');
    },
  });
  ({ ann, ben, chloe } = world);
  dan = world.slack.person('U04DAN');
  redis = new Redis(world.redis.url);
  await setThreads(true);
});
afterAll(async () => {
  redis?.disconnect();
  await world?.close();
});
afterEach(() => world.slack.clearFaults());

async function taskWithCard(proof: string): Promise<{ task: string; card: Seen }> {
  const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return { task, card: await ann.sees(place, new RegExp(proof)) };
}

const rated = (task: string) =>
  eventually('the rating', async () => {
    const found = await world.marketplace.task(task);
    return found.task_rating === 'NOTRATED' ? undefined : found;
  });

/** Waits for what the bot says in the thread of a card. */
const answered = (card: Seen, pattern: RegExp) =>
  eventually(`an answer like ${pattern}`, async () =>
    (await card.thread()).find((reply) => reply.raw.user === 'U0BOT' && pattern.test(reply.text)),
  );

const answers = async (card: Seen) => (await card.thread()).filter(({ raw }) => raw.user === 'U0BOT');

async function audited(task: string): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const entry of createAudit(redis).lines(ref)) if (entry.task === task) found.push(entry);
  return found;
}

describe('a reply in the thread of a card', () => {
  test('rates, says so in the thread, can be undone there, and rates again', async () => {
    await world.setUndo(120);
    const { task, card } = await taskWithCard('first proof');
    await ben.says(place, 'Revise: the label &amp; price cannot be read', card);
    const first = await answered(card, /REVISE\* by @Ben Okafor, “the label & price cannot be read”/);
    expect(first.buttons).toEqual(['Undo']);
    await card.untilText(/REVISE\* by @Ben/);
    await ben.clicks(first, 'Undo');
    await first.until(
      ({ text, buttons }) => /REVISE\* by @Ben Okafor was undone/.test(text) && buttons.length === 0,
    );

    await world.setUndo(1);
    await ben.says(place, 'NOK, another shop', card);
    const second = await answered(card, /NOK\* by @Ben Okafor, “another shop”/);
    expect(await rated(task)).toMatchObject({ task_rating: 'NOK', employer_comment: 'another shop' });
    // Nothing is left to undo.
    await second.until(({ text, buttons }) => text.startsWith(':x:') && buttons.length === 0);
    expect(await answers(card)).toHaveLength(2);
    await eventually('the audit of all', async () => (await audited(task)).length === 4);
    expect((await audited(task)).map(({ what, by, how, verdict }) => [what, by, how, verdict])).toEqual([
      ['decided', 'U02BEN', 'reply', 'REVISE'],
      ['undone', 'U02BEN', 'click', 'REVISE'],
      ['decided', 'U02BEN', 'reply', 'NOK'],
      ['applied', 'U02BEN', 'job', 'NOK'],
    ]);
  });

  test('rates only when it is just that: what colleagues say to each other pays nobody', async () => {
    const { task, card } = await taskWithCard('second proof');
    const said = [
      'ok?',
      'ok thanks, but the label is missing',
      'OK!',
      'looks ok',
      'okay',
      'nok?',
      'revised already',
    ];
    for (const text of said) await ben.says(place, text, card);
    await ben.says(place, 'ok');
    await ben.says(place, 'nok, are you sure?', card);
    await answered(card, /your reply ends with a question mark/);
    expect((await world.marketplace.task(task)).task_rating).toBe('NOTRATED');
    await ben.says(place, '  OK  ', card);
    await answered(card, /OK\* by @Ben/);
    expect((await rated(task)).task_rating).toBe('OK');
    expect(await answers(card)).toHaveLength(2);
  });

  test('is carried out and answered once, however often it is delivered and wherever a process dies', async () => {
    const cards: { task: string; card: Seen; answer: Seen }[] = [];
    for (const point of [
      'reply carried out, not answered',
      'reply answered, not recorded',
      undefined,
    ] as const) {
      const shown = await taskWithCard(`delivered twice, ${point}`);
      await world.slack.fault({ match: { delivery: 'message' }, kind: 'twice' });
      deadAt = point;
      await ben.says(place, 'ok', shown.card);
      cards.push({ ...shown, answer: await answered(shown.card, /OK\* by @Ben/) });
      // It may have died after its answer was there.
      await eventually('its death', () => deadAt === undefined);
    }
    for (const { task, card, answer } of cards) {
      expect((await rated(task)).task_rating).toBe('OK');
      await answer.until(({ buttons }) => buttons.length === 0);
      expect(await answers(card)).toHaveLength(1);
      expect((await audited(task)).filter(({ what }) => what === 'decided')).toHaveLength(1);
    }
  });

  test('is answered once when the answer comes after its post has failed', async () => {
    const { task, card } = await taskWithCard('answered late');
    await world.slack.fault({
      match: { method: 'chat.postMessage' },
      kind: 'accepted-late',
      delayMs: lateArrivalMs / 2,
    });
    await ben.says(place, 'ok', card);
    const answer = await answered(card, /OK\* by @Ben/);
    await answer.until(({ buttons }) => buttons.length === 0);
    expect((await rated(task)).task_rating).toBe('OK');
    expect(await answers(card)).toHaveLength(1);
  });

  test('waits while Slack is away; one that was changed or deleted meanwhile rates nothing', async () => {
    const kept = await taskWithCard('kept while away');
    const deleted = await taskWithCard('deleted while away');
    const changed = await taskWithCard('changed while away');
    const failing = await world.slack.fault({
      match: { method: 'conversations.replies' },
      kind: 'error',
      error: 'internal_error',
      times: 0,
    });
    await ben.says(place, 'ok', kept.card);
    const { ts } = await ben.says(place, 'ok', deleted.card);
    const reply = await ben.says(place, 'revise show the label', changed.card);
    await world.slack.request(
      ({ method, fault }) => method === 'conversations.replies' && fault !== undefined,
    );
    await world.slack.deletes({ channel: place, ts });
    await ben.edits(place, reply.ts, 'revise show the whole shelf');
    await world.slack.clearFaults(failing);
    await answered(changed.card, /your reply was changed before Proofdesk read it/);
    expect((await rated(kept.task)).task_rating).toBe('OK');
    for (const { task } of [deleted, changed])
      expect((await world.marketplace.task(task)).task_rating).toBe('NOTRATED');
    // What was rated stays, whatever becomes of the reply.
    const [own] = (await kept.card.thread()).filter(({ text }) => text === 'ok');
    if (own) await world.slack.deletes(own);
    await kept.card.untilText(/OK\* by @Ben/);
    expect(await answers(deleted.card)).toEqual([]);
  });

  test('without a reason is answered with what to write, and the saved reasons to choose from', async () => {
    const { task, card } = await taskWithCard('third proof');
    await ben.says(place, 'revise', card);
    const answer = await answered(
      card,
      /a \*REVISE\* needs a reason, which the worker reads\. Reply `?revise:`? and the reason/,
    );
    expect(answer.text).toContain('Part of the proof is missing');
    await ben.clicks(answer, 'Give a reason for REVISE');
    const form = await ben.modal(/Ask for a revision/);
    await form.select('Saved reasons', 'The picture is blurry or dark');
    await form.until(({ fields }) => /What should be corrected\?: .*too blurry/.test(fields));
    await form.submit();
    expect((await rated(task)).employer_comment).toContain('too blurry');
    await ben.says(place, `nok ${'x'.repeat(3_001)}`, card);
    await answered(card, /the reason has 3,001 characters, and can have 3,000 at most/);
    await ben.says(place, 'nok ask <@U01ANN> about it', card);
    await answered(card, /a mention of a colleague means nothing to them/);
  });

  test('comes too late: for a colleague’s decision, and for a round that is over', async () => {
    const { task, card } = await taskWithCard('fourth proof');
    await ann.clicks(card, 'REVISE');
    const form = await ann.modal(/Ask for a revision/);
    await form.fill('What should be corrected?', 'Show the label');
    await form.submit();
    await ben.says(place, 'ok', card);
    await answered(card, /@Ann Reyes has already decided \*REVISE\*/);
    expect((await rated(task)).task_rating).toBe('REVISE');
    await world.marketplace.correct(task, ['fourth, corrected']);
    const newer = await ann.sees(place, /fourth, corrected/);
    await ben.says(place, 'nok still wrong', card);
    await answered(card, /has come back since/);
    expect((await world.marketplace.task(task)).task_rating).toBe('NOTRATED');
    await ben.says(place, 'ok', newer);
    expect((await rated(task)).task_rating).toBe('OK');
  });

  test('of a guest, of somebody from another company and in a channel without them does nothing', async () => {
    const { task, card } = await taskWithCard('fifth proof');
    await chloe.says(place, 'ok', card);
    expect((await chloe.sees(place, /guest/i)).ephemeral).toBe(true);
    await dan.says(place, 'ok', card);
    expect((await dan.sees(place, /workspace|company/i)).ephemeral).toBe(true);
    expect(await answers(card)).toEqual([]);
    await setThreads(false);
    await ben.says(place, 'ok', card);
    await world.settled();
    expect((await world.marketplace.task(task)).task_rating).toBe('NOTRATED');
    await setThreads(true);
  });
});

describe('Review this', () => {
  test('opens the review at that task; who looks at it, or has decided, is said', async () => {
    await taskWithCard('an older one');
    const { task, card } = await taskWithCard('exactly this one');
    await ben.shortcut('review_this', card);
    const review = await ben.modal(/exactly this one/);
    await ann.shortcut('review_this', card);
    await ann.sees(place, /@Ben Okafor is looking at this task in a review right now/);
    // It goes on with what waits.
    await review.submit();
    await ben.modal(/\*2\* of this review/);
    expect((await rated(task)).task_rating).toBe('OK');
    await ann.shortcut('review_this', card);
    await ann.sees(place, /@Ben Okafor has already decided \*OK\* .* nothing to review/);
    const { ts } = await ann.says(place, 'just a message');
    await ann.shortcut(
      'review_this',
      await ann.sees(place, /just a message/, { after: String(Number(ts) - 1) }),
    );
    await ann.sees(place, /This message is not a task card/);
  });
});
