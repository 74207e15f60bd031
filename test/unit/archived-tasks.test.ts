import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { confirm } from '../../src/domain/confirmation.ts';
import type { Task } from '../../src/domain/task.ts';
import type { CampaignId, TaskId } from '../../src/domain/terms.ts';
import { archivedTask, archivedText } from '../../src/store/archived-tasks.ts';
import { accountKey } from '../../src/store/keys.ts';
import { createTasks, taskCodec } from '../../src/store/tasks.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const at = Date.UTC(2026, 7, 1);
const [id, campaign] = [asId<TaskId>('4f2c9e7b1d30'), asId<CampaignId>('c0ffee01')];

function decided(changes: Partial<Task> = {}): Task {
  return {
    id,
    campaign,
    round: 2,
    rating: 'NOK',
    comment: '',
    ratedAt: at + 90_500,
    worker: { id: asId('w1'), country: '', ip: '' },
    csvRow: '7',
    submittedAt: at - 3_600_000,
    proof: { slots: [], files: [], finishedAt: at - 3_600_000 },
    detailed: true,
    decision: {
      id: 'd1',
      by: asId('U06ABCDEFGH'),
      verdict: 'NOK',
      comment: '',
      at: at + 75_250,
      state: 'applied',
      attempts: 1,
    },
    card: { state: 'posted', channel: asId('C06ABCDEFGH'), ts: '1785542400.000100' },
    revision: 6,
    detailsRemovedAt: at + 90 * 86_400_000,
    ...changes,
  };
}

const read = (text: string | undefined, rating: Task['rating'] = 'NOK') =>
  archivedTask(text ?? '', { id, campaign, rating });

describe('the text of an archived task', () => {
  test('says its rating, round and card, and who decided what and when', () => {
    const text = archivedText(decided(), 'X');
    // Up to 44 characters, Redis takes 16 bytes less.
    expect(text?.length).toBeLessThanOrEqual(44);
    const { decision, ...task } = decided();
    expect(text).toBe('X~=26COLPR00ug001R001_042500LB12042500LB1G');
    for (const one of [text, 'X~26COLPRCOKVlCOLO0001_C06ABCDEFGH~2G.U06ABCDEFGH~'])
      expect(read(one)).toMatchObject({
        ...{ id, campaign, round: task.round, rating: 'NOK', card: task.card, revision: 6 },
        ...{ submittedAt: task.submittedAt, proof: task.proof },
        ratedAt: at + 91_000,
        decision: { by: decision?.by, verdict: 'NOK', state: 'applied', at: at + 75_000 },
      });
  });

  test('of what is rare is longer, and says as much', () => {
    const rare: Partial<Task>[] = [
      { card: { state: 'posted', channel: asId('D06ABCDEFGH'), ts: '1785542400.000100' } },
      { card: { state: 'posted', channel: asId('C1'), ts: '1785542400.000100' } },
      { card: { state: 'gone' } },
      {
        submittedAt: at - 365 * 86_400_000,
        proof: { slots: [], files: [], finishedAt: at - 365 * 86_400_000 },
      },
    ];
    for (const changes of rare) {
      const text = archivedText(decided(changes), 'X');
      expect(read(text)).toMatchObject({
        submittedAt: decided(changes).submittedAt,
        card: decided(changes).card,
      });
    }
  });

  test('is read as what was written, or is not written at all', () => {
    const ms = fc.integer({ min: at - 1e9, max: at + 1e9 });
    const seconds = ms.map((value) => Math.floor(value / 1_000) * 1_000);
    const id11 = fc.stringMatching(/^[UCW][A-Z0-9]{8,10}$/u);
    const tasks = fc.record({
      round: fc.integer({ min: 1, max: 80 }),
      revision: fc.integer({ min: 1, max: 80 }),
      rating: fc.constantFrom('OK' as const, 'NOK' as const, 'REVISE' as const, 'NOTRATED' as const),
      ratedAt: ms,
      submittedAt: fc.oneof(seconds, ms),
      finishedAt: fc.oneof(fc.constant(undefined), seconds),
      by: id11,
      state: fc.constantFrom(
        'applied' as const,
        'overtaken' as const,
        'refused' as const,
        'waiting' as const,
      ),
      verdict: fc.constantFrom('OK' as const, 'NOK' as const, 'REVISE' as const),
      decidedAt: ms,
      bonus: fc.constantFrom(undefined, '0.05', '12.50000'),
      card: fc.oneof(
        fc.constantFrom(
          { state: 'gone' as const },
          { state: 'backlog' as const },
          { state: 'wanted' as const },
        ),
        fc.tuple(id11, fc.integer({ min: 0, max: 999_999 })).map(([channel, micros]) => ({
          state: 'posted' as const,
          channel: asId<Extract<Task['card'], { state: 'posted' }>['channel']>(channel),
          ts: `1785542400.${String(micros).padStart(6, '0')}`,
        })),
      ),
    });
    let written = 0;
    fc.assert(
      fc.property(tasks, ({ round, revision, rating, ratedAt, submittedAt, finishedAt, card, ...one }) => {
        const { by, state, verdict, decidedAt, bonus } = one;
        const task = decided({
          ...{ round, revision, rating, ratedAt, submittedAt, card },
          proof: { slots: [], files: [], ...(finishedAt === undefined ? {} : { finishedAt }) },
          decision: {
            ...{ id: 'd', by: asId(by), verdict, state, at: decidedAt, comment: '', attempts: 1 },
            ...(bonus === undefined ? {} : { bonus }),
          },
        });
        const text = archivedText(task, rating === 'OK' ? 'O' : 'X');
        if (text === undefined) return;
        written += 1;
        const again = read(text, rating);
        expect(again).toMatchObject({ round, revision, submittedAt, proof: task.proof, card });
        expect(again?.decision).toMatchObject({ by, verdict, state });
        expect(again?.decision?.bonus).toBe(bonus);
        // What is doubtful because of its age stays doubtful: never rated earlier than it was.
        expect(again?.ratedAt).toBeGreaterThanOrEqual(ratedAt);
        expect(taskCodec.decode(taskCodec.encode(again as Task)).ok).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(written).toBeGreaterThan(0);
  });

  test('is not written while anything is still to be done or shown', () => {
    const { detailsRemovedAt: _, ...withDetails } = decided();
    for (const task of [
      withDetails,
      decided({ rating: 'REVISE' }),
      decided({ card: { state: 'wanted' } }),
      decided({ card: { state: 'gone', former: [{ channel: asId('C1'), ts: '1.1' }] } }),
      decided({ isRatingInferred: true }),
    ])
      expect(archivedText(task, 'X')).toBeUndefined();
  });
});

describe('archiving', () => {
  const redis = twoRedisClients();
  const ref = { workspace: asId<never>('T1'), account: asId<never>('a1') };
  const key = accountKey(ref, 'task', id);
  const row = {
    ...{ id, campaign, comment: '', csvRow: '7', readAt: at },
    worker: { id: asId<Task['worker']['id']>('w1'), name: 'Amina', country: 'Kenya', ip: '203.0.113.7' },
    proof: { slots: ['proof'], files: [], finishedAt: at - 3_600_000 },
    submittedAt: at - 3_600_000,
    want: 'card' as const,
  };

  async function decidedTask() {
    const [one, two] = [createTasks(redis.first), createTasks(redis.second)];
    await redis.first.hset(accountKey(ref, 'campaigns'), campaign, '');
    await one.apply(ref, id, { type: 'seen', ...row, rating: 'NOTRATED' });
    await one.apply(ref, id, { type: 'card-wanted' });
    await one.apply(ref, id, {
      type: 'posted',
      messageRef: { channel: asId('C06ABCDEFGH'), ts: '1785542400.000100' },
    });
    await one.clearNeedsRender(ref, id);
    const confirmed = (rating: Task['rating'], submittedAt: number, readAt: number) => {
      const said = { ...row, rating, submittedAt, readAt, proof: { ...row.proof, finishedAt: submittedAt } };
      const agreed = confirm(said, { ...said, askedAt: readAt });
      if (agreed === undefined) throw new Error('not the same rating');
      return { type: 'confirmed', ...agreed } as const;
    };
    await one.apply(ref, id, confirmed('OK', row.submittedAt, at + 600_000));
    await one.apply(ref, id, { type: 'details-expired', at: at + 700_000 });
    await one.clearNeedsRender(ref, id);
    return { one, two, confirmed };
  }

  test('leaves no record, and the task is still known: its row is nothing new, and one that differs is compared with it', async () => {
    const { one, two, confirmed } = await decidedTask();
    expect(await one.archive(ref, id)).toBe(true);
    expect(await redis.first.exists(key)).toBe(0);
    expect(await two.knownRatings(ref, campaign)).toEqual(new Map([[id, 'OK']]));
    expect(await two.knownRatingsOf(ref, campaign, [id])).toEqual(['OK']);
    expect(await two.getMany(ref, [id], campaign)).toMatchObject([{ id, rating: 'OK', round: 1 }]);
    expect(await two.withRecords(ref, [id])).toEqual([]);
    expect(await two.apply(ref, id, { type: 'seen', ...row, rating: 'OK' })).toMatchObject({ kind: 'same' });
    await two.recordRatings(ref, campaign, new Map([[id, 'NOK']]), new Map([[id, 'OK']]));
    expect(await two.getMany(ref, [id], campaign)).toMatchObject([{ rating: 'OK' }]);

    // A correction is round 2, with the card of round 1 known.
    const back = await two.apply(ref, id, confirmed('NOTRATED', at + 800_000, at + 900_000));
    expect(back).toMatchObject({ kind: 'done', task: { round: 2, worker: { id: 'w1', name: 'Amina' } } });
    expect(await redis.first.exists(key)).toBe(1);
    expect(await one.getMany(ref, [id], campaign)).toMatchObject([{ rating: 'NOTRATED', round: 2 }]);
  });

  test('waits while the card is to be rendered', async () => {
    const { one } = await decidedTask();
    await one.markNeedsRender(ref, [id]);
    expect(await one.archive(ref, id)).toBe(false);
    expect(await redis.first.exists(key)).toBe(1);
  });
});
