import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { TaskEvent } from '../../src/domain/events.ts';
import type { CampaignId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { createAssignments } from '../../src/store/assignments.ts';
import { createAuditWriter } from '../../src/store/audit/writer.ts';
import { createVault } from '../../src/store/encryption.ts';
import { createMemberData } from '../../src/store/member-data.ts';
import { asId } from './ids.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { createRetentionProcess, dayMs, rateTask, ref, waitingRow, workspace } from './retention-process.ts';

export const ann = asId<MemberId>('U01ANN');
export const task = asId<TaskId>('t1');
export const retentionDays = 90;
export const audit = createAuditWriter();
export const campaign: Campaign = {
  id: asId<CampaignId>('c1'),
  title: 'Photo',
  status: 'FINISHED',
  availablePositions: 0,
  targetedCountries: '',
  excludedCountries: '',
  paymentPerTask: '1',
  speed: '',
  tasksOk: 0,
  tasksNok: 1,
  tasksNotRated: 0,
  tasksNotReviewed: 0,
};

/** What ends the time of a value. @param keys where it is */
export type End = (keys: readonly string[]) => Promise<unknown>;

/** A value behind a row of docs/retention.md. */
export interface Planted {
  readonly plant: () => Promise<unknown>;
  /** What is in the keys of the row before, and not after. */
  readonly mark: RegExp;
  /** Each of these ends it. */
  readonly ends: Readonly<Record<string, End>>;
}
export type Rows = Readonly<Record<string, readonly Planted[]>>;

export type RetentionWorld = ReturnType<typeof createRetentionWorld>;

/** Creates a Redis for the tests of one file, with a finished campaign, and what happens to its data. */
export function createRetentionWorld() {
  let server: TestRedis;
  let redis: Redis;
  let time = 0;
  let bot: ReturnType<typeof createRetentionProcess>;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await redis.flushall();
    time = Date.now();
    bot = createRetentionProcess(redis, () => time, retentionDays);
    await bot.campaigns.store(ref, [campaign]);
  });

  const accounts = () => createAccounts(redis, createVault([Buffer.alloc(32, 1)]));
  const memberData = () =>
    createMemberData(
      redis,
      accounts(),
      createAssignments(redis, { tasks: bot.tasks, groupsOf: async () => [], now: () => time }),
    );
  const apply = (event: TaskEvent) => bot.tasks.apply(ref, task, event);
  const waiting = () => apply({ type: 'seen', ...waitingRow(task, time, campaign.id) });

  async function pass(days: number): Promise<void> {
    time += days * dayMs;
    // Somebody still has its key.
    await bot.campaigns.store(ref, [campaign]);
    await bot.run();
  }

  return {
    url: () => server.url,
    redis: () => redis,
    bot: () => bot,
    now: () => time,
    accounts,
    apply,

    /** The task waits; its card is posted. */
    waiting,

    /** Ann refuses the task, with or without a saved reason. */
    async rated(reason?: string): Promise<void> {
      await waiting();
      const why = { verdict: 'NOK', comment: 'Amina wrote too little' } as const;
      await rateTask(bot, task, time, reason === undefined ? why : { ...why, reason });
    },

    current: async () => (await bot.tasks.get(ref, task)) ?? expect.fail('no task'),
    pass,

    /** Redis removes it by itself. */
    within(ms: number): End {
      return async (keys) => {
        for (const key of keys) {
          const left = await redis.pttl(key);
          expect(left, key).toBeGreaterThan(0);
          expect(left, key).toBeLessThanOrEqual(ms);
          await redis.unlink(key);
        }
      };
    },

    /** Its details expire; not a day earlier. */
    afterRetention: (() => pass(2)) satisfies End,

    disconnected: (() => memberData().disconnect(workspace, ann, 'command')) satisfies End,

    /** Ann is deactivated. */
    deactivated: (async () => {
      await memberData().erase(workspace, ann);
      await bot.notes.eraseOf(workspace, ann);
    }) satisfies End,
  };
}
