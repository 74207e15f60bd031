import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { AuditEntry, Trail } from '../../src/domain/audit.ts';
import type { AccountRef, CampaignId, MessageId, WorkerId } from '../../src/domain/terms.ts';
import { emptyFields } from '../../src/features/campaigns/create-fields.ts';
import { createDrafts } from '../../src/features/campaigns/draft.ts';
import { createMailbox } from '../../src/features/inbox/index.ts';
import { createExcludeList } from '../../src/features/workers/index.ts';
import { createLogger } from '../../src/logger.ts';
import { TransportError } from '../../src/marketplace/index.ts';
import { createAnnouncements } from '../../src/store/messages.ts';
import { createWorkers } from '../../src/store/workers.ts';
import { DyingRedis } from '../harness/dying-redis.ts';
import { gate } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { audited } from './audited.ts';

const logger = createLogger('silent', []);
const ann = { member: asId<never>('U1'), how: 'click' as const };
const worker = asId<WorkerId>('w1');
const message = asId<MessageId>('m1');
const campaign = asId<CampaignId>('c1');
const now = () => 1_000_000;

const healthy = redisPerFile();

/** A connection of a process that dies before its command of this number is sent. */
async function dyingAt(number: number) {
  const redis = new DyingRedis(healthy().options.port ?? 0);
  await redis.ping();
  redis.diesAfter(number - 1);
  return {
    redis,
    until: (work: Promise<unknown>) => work.catch(() => undefined).then(() => redis.disconnect()),
  };
}

const ended = async (trail: Trail, what: AuditEntry['what']) =>
  (await audited(healthy(), trail)).filter((entry) => entry.what === what && entry.stage !== 'claimed');

interface Act {
  readonly what: AuditEntry['what'];
  readonly trail?: (ref: AccountRef) => Trail;
  readonly prepare?: (redis: Redis, ref: AccountRef) => Promise<unknown>;
  readonly run: (redis: Redis, ref: AccountRef) => Promise<unknown>;
  readonly isChanged: (redis: Redis, ref: AccountRef) => Promise<boolean>;
}

function excludeList(redis: Redis) {
  const call = async () => ({ count: 1 });
  const client = { excludeWorkers: call, unexcludeWorkers: call };
  return createExcludeList(testModules(redis, { marketplace: { of: async () => client } }, { now, logger }));
}
const isExcluded = async (redis: Redis, ref: AccountRef) =>
  (await createWorkers(redis).exclusion(ref, worker)) !== undefined;
const excluded = (redis: Redis, ref: AccountRef) => createWorkers(redis).addExcluded(ref, worker, { at: 1 });

function mailbox(redis: Redis) {
  const client = { readMessage: async () => ({}), deleteMessage: async () => undefined };
  const jobs = { add: async () => undefined } as never;
  return createMailbox(testModules(redis, { marketplace: { of: async () => client } }, { jobs, logger }));
}
const about = { id: message, subject: 's', messageType: 'x', hasAttachment: false };
const unread = { ...about, unread: true };
const listed = (redis: Redis, ref: AccountRef) =>
  createAnnouncements(redis).apply(ref, message, { type: 'listed', announce: true, message: unread });
const announcement = (redis: Redis, ref: AccountRef) => createAnnouncements(redis).get(ref, message);

const draft = {
  ...{ id: 'd1', member: ann.member, account: asId<never>('a1'), step: 'check' as const, version: 1 },
  ...{ values: emptyFields, files: {}, problems: [], sentences: [] },
};

/** The form of a campaign whose call ends like this, and what a look finds afterwards. */
function form(
  redis: Redis,
  send = async (): Promise<{ sentences: string[]; end: object }> => ({ sentences: [], end: {} }),
) {
  return createDrafts(testModules(redis, {}, { now, logger }), {
    prepare: async () => ({ before: [], entry: { what: 'create', after: 'A shelf' }, send }),
    find: async () => ({ isThere: true, sentence: 'it is there', end: { campaign } }),
    refused: () => [],
  } as never);
}

const acts: Record<string, Act> = {
  'a worker is excluded': {
    what: 'exclude worker',
    run: (redis, ref) => excludeList(redis).change(ref, ann, 'exclude', worker),
    isChanged: isExcluded,
  },
  'a worker is taken off the list': {
    what: 'include worker',
    prepare: excluded,
    run: (redis, ref) => excludeList(redis).change(ref, ann, 'include', worker),
    isChanged: async (redis, ref) => !(await isExcluded(redis, ref)),
  },
  'the list is cleared': {
    what: 'clear exclude list',
    prepare: excluded,
    run: (redis, ref) => excludeList(redis).clear(ref, ann),
    isChanged: async (redis, ref) => !(await isExcluded(redis, ref)),
  },
  'a message is read': {
    what: 'read message',
    prepare: listed,
    run: (redis, ref) => mailbox(redis).read(ref, message, ann),
    isChanged: async (redis, ref) => (await announcement(redis, ref))?.readBy === ann.member,
  },
  'a message is moved to the trash': {
    what: 'trash message',
    prepare: listed,
    run: (redis, ref) => mailbox(redis).trash(ref, message, ann),
    isChanged: async (redis, ref) => (await announcement(redis, ref))?.trashedBy === ann.member,
  },
  'a campaign is created': {
    what: 'create',
    trail: ({ workspace }) => ({ workspace }),
    prepare: (redis, ref) => form(redis).replace(ref, draft, draft),
    run: (redis, ref) => form(redis).sendOnce(ref, draft),
    isChanged: async (redis, ref) => (await form(redis).load(ref.workspace, 'd1'))?.step === 'done',
  },
};

test.each(Object.entries(acts))(
  'when %s, the change and its entry are there together, wherever the process dies',
  async (name, { what, trail = (ref) => ref, prepare, run, isChanged }) => {
    let changes = 0;
    for (let number = 1; changes === 0 || number < 4; number++) {
      expect(number).toBeLessThan(30);
      const ref: AccountRef = { workspace: asId(`T ${name} ${number}`), account: asId('a1') };
      await prepare?.(healthy(), ref);
      const dying = await dyingAt(number);
      await dying.until(run(dying.redis, ref));
      const isDone = await isChanged(healthy(), ref);
      if (isDone) changes += 1;
      const done = (await ended(trail(ref), what)).filter(({ stage }) => stage === 'done');
      expect(done).toHaveLength(isDone ? 1 : 0);
    }
  },
);

test('no worker has the id that means the whole list', async () => {
  const account: AccountRef = { workspace: asId('T all'), account: asId('a1') };
  const told = await excludeList(healthy()).change(account, ann, 'include', asId('all'));
  expect(told).toBe('Not on the exclude list.');
});

const workspace = asId<AccountRef['workspace']>('T unanswered');
const ref: AccountRef = { workspace, account: asId('a1') };
const timeout = { kind: 'timeout', endpoint: 'createCampaign', mayHaveBeenApplied: true } as never;
const unanswered = () => Promise.reject(new TransportError(timeout));

test('an unanswered creation that is found when it is looked up adds its entry, once', async () => {
  const drafts = form(healthy(), unanswered);
  await drafts.replace(ref, draft, draft);
  const looked = await drafts.sendOnce(ref, draft);
  await drafts.lookUp(ref, looked);
  const [unknown, found, ...others] = await ended({ workspace }, 'create');
  expect(unknown).toMatchObject({ stage: 'unknown', after: 'A shelf' });
  expect(found).toMatchObject({ stage: 'done', act: unknown?.act, campaign, by: ann.member });
  expect(found?.answer).toMatch(/no answer; found/);
  expect(others).toEqual([]);
});

test('an unanswered creation that is answered while it is found adds one entry', async () => {
  const both = asId<AccountRef['workspace']>('T both');
  const answering = gate();
  const drafts = form(healthy(), async () => {
    await answering.wait();
    return { sentences: ['done'], end: { campaign } };
  });
  await drafts.replace({ ...ref, workspace: both }, draft, draft);
  const ending = drafts.sendOnce({ ...ref, workspace: both }, draft);
  let left = await drafts.load(both, 'd1');
  while (left?.step !== 'unknown') left = await drafts.load(both, 'd1');
  await drafts.lookUp({ ...ref, workspace: both }, left as never);
  answering.open();
  expect((await ending).step).toBe('done');
  expect((await drafts.load(both, 'd1'))?.step).toBe('done');
  expect(await ended({ workspace: both }, 'create')).toHaveLength(1);
});

test('an unanswered creation of a process that died is found with its claim', async () => {
  const other = asId<AccountRef['workspace']>('T interrupted');
  const drafts = form(healthy(), () => new Promise(() => undefined));
  await drafts.replace({ ...ref, workspace: other }, draft, draft);
  void drafts.sendOnce({ ...ref, workspace: other }, draft);
  const isSent = async () => (await drafts.load(other, 'd1'))?.step === 'unknown';
  while (!(await isSent())) await new Promise((resolve) => setImmediate(resolve));
  const left = await drafts.load(other, 'd1');
  if (left === undefined) throw new Error('no draft');
  await form(healthy(), unanswered).lookUp({ ...ref, workspace: other }, left as never);
  expect(await ended({ workspace: other }, 'create')).toMatchObject([{ stage: 'done', campaign }]);
});
