import { describe, expect, test, vi } from 'vitest';
import type { NewAuditEntry } from '../../src/domain/audit.ts';
import type { AccountRef } from '../../src/domain/terms.ts';
import { auditedAct } from '../../src/features/shared/audited-act.ts';
import { createLogger } from '../../src/logger.ts';
import { MarketplaceError, TransportError } from '../../src/marketplace/index.ts';
import { createAudit, type FoundEntry, placeOf } from '../../src/store/audit/index.ts';
import { timeOf } from '../../src/store/audit/seal.ts';
import { createSealer, sealsKey } from '../../src/store/audit/sealer.ts';
import { deriveAuditKeys } from '../../src/store/audit/signatures.ts';
import { listTrails, verifyStored } from '../../src/store/audit/trails.ts';
import { auditKey, createAuditWriter } from '../../src/store/audit/writer.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const keys = deriveAuditKeys([Buffer.alloc(32, 1)]);
const entry: NewAuditEntry = { what: 'restart', by: asId('U1'), how: 'command' };

const clients = twoRedisClients();

const audit = () => createAudit(clients.first, createAuditWriter({ key: keys[0] }));
const sealer = (now: () => number = Date.now) => createSealer(clients.first, { keys, now });
const verified = () => verifyStored(clients.first, ref, keys);

async function append(count: number): Promise<void> {
  const trail = audit();
  await Promise.all(Array.from({ length: count }, () => trail.append(ref, entry)));
}

describe('sealing', () => {
  test('a burst is sealed in a few seals, by several processes at once, each entry once', async () => {
    await append(1_200);
    await Promise.all([sealer(), sealer(), sealer()].map((one) => one.seal(ref)));
    const found = await verified();
    expect(found).toMatchObject({ entries: 1_200, seals: 3, unsealed: 0 });
    expect(found.problem).toBeUndefined();
  });

  test('nothing new makes no seal', async () => {
    await append(1);
    const one = sealer();
    expect(await one.needsSeal(ref)).toBe(true);
    await one.seal(ref);
    expect(await one.needsSeal(ref)).toBe(false);
    await one.seal(ref);
    expect(await clients.first.llen(sealsKey(ref))).toBe(1);
  });

  test('few entries are read once, many until none are left', async () => {
    const reads = vi.spyOn(clients.first, 'xrange');
    await append(3);
    await sealer().seal(ref);
    expect(reads).toHaveBeenCalledTimes(1);
    reads.mockClear();
    await append(500);
    await sealer().seal(ref);
    expect(reads).toHaveBeenCalledTimes(2);
    reads.mockRestore();
    expect(await verified()).toMatchObject({ entries: 503, seals: 2, unsealed: 0 });
  });

  test('processes that seal while others write leave a whole chain', async () => {
    const processes = [sealer(), sealer()];
    await Promise.all([
      ...Array.from({ length: 20 }, () => append(10)),
      ...Array.from({ length: 20 }, (_, index) => processes[index % 2]?.seal(ref)),
    ]);
    await processes[0]?.seal(ref);
    const found = await verified();
    expect(found).toMatchObject({ entries: 200, unsealed: 0 });
    expect(found.problem).toBeUndefined();
  });
});

describe('a restored copy', () => {
  /** Puts the trail back as it was when `run` began. */
  async function restoredAfter(run: () => Promise<void>): Promise<void> {
    const stored = [auditKey(ref), sealsKey(ref)];
    const copies = await Promise.all(stored.map((key) => clients.first.dumpBuffer(key)));
    await run();
    for (const [index, key] of stored.entries()) {
      const copy = copies[index];
      if (copy) await clients.first.restore(key, 0, copy, 'REPLACE');
      else await clients.first.del(key);
    }
  }

  test('leaves a checkpoint that says so, by whichever process knew more, once', async () => {
    const [first, second] = [sealer(), sealer()];
    await append(2);
    await first.seal(ref);
    await restoredAfter(async () => {
      await append(1);
      await first.seal(ref);
      await second.seal(ref);
    });
    for (const one of [first, second]) {
      expect(await one.needsSeal(ref)).toBe(true);
      await one.seal(ref);
    }
    await append(1);
    await second.seal(ref);
    await first.seal(ref);
    const found = await verified();
    expect(found.problem).toBeUndefined();
    expect(found).toMatchObject({ entries: 3, unsealed: 0 });
    expect(found.notes).toEqual([
      expect.stringMatching(/everything after seal 1 and through the former seal 2 was gone: an older copy/),
    ]);
  });

  test('of which nothing is left says so as well', async () => {
    const one = sealer();
    await append(2);
    await one.seal(ref);
    await clients.first.flushall();
    await one.seal(ref);
    await append(1);
    await one.seal(ref);
    const found = await verified();
    expect(found.problem).toBeUndefined();
    expect(found.notes).toEqual([expect.stringMatching(/through the former seal 1 was gone/)]);
  });
});

describe('expiry', () => {
  test('removes whole seals with what they cover, and leaves a checkpoint, again and again', async () => {
    const one = sealer();
    await append(3);
    await one.seal(ref);
    const between = Date.now() + 5;
    while (Date.now() <= between) await append(0);
    await append(2);
    await one.seal(ref);
    expect(await one.expire(ref, between)).toBe(3);
    expect(await one.expire(ref, between)).toBe(0);
    const half = await verified();
    expect(half.problem).toBeUndefined();
    expect(half).toMatchObject({
      entries: 2,
      notes: [expect.stringMatching(/3 entries expired, through seal 1\./)],
    });
    expect(await one.expire(ref, Date.now() + 1_000)).toBe(2);
    const all = await verified();
    expect(all.problem).toBeUndefined();
    expect(all).toMatchObject({ entries: 0 });
    await append(1);
    await one.seal(ref);
    expect((await verified()).problem).toBeUndefined();
  });

  test('by another process is no older copy', async () => {
    const [first, second] = [sealer(), sealer()];
    await append(1);
    await first.seal(ref);
    await second.expire(ref, Date.now() + 1_000);
    await first.seal(ref);
    expect((await verified()).notes).toEqual([expect.stringMatching(/1 entries expired/)]);
  });

  test('what is not sealed yet never expires', async () => {
    await append(1);
    expect(await sealer().expire(ref, Date.now() + 1_000)).toBe(0);
    expect(await clients.first.xlen(auditKey(ref))).toBe(1);
  });
});

describe('entries', () => {
  test('are listed by trail, also when only the seals of one are left, and other keys are none', async () => {
    await append(1);
    await sealer().seal(ref);
    await audit().append({ workspace: ref.workspace }, { ...entry, account: ref.account });
    await clients.first.set('proofdesk:{T1/a1}:auditing', '1');
    await clients.first.del(auditKey(ref));
    expect(await listTrails(clients.first)).toEqual([{ workspace: ref.workspace }, ref]);
    expect((await verified()).problem).toMatch(/is missing: it was removed/);
  });

  test('of an account are read newest first over both trails, without those of other accounts', async () => {
    const trail = audit();
    const { workspace } = ref;
    await trail.append(ref, { ...entry, after: '1' });
    await trail.append({ workspace }, { ...entry, account: ref.account, after: '2' });
    await trail.append({ workspace }, { ...entry, account: asId('other'), after: 'not this' });
    await trail.append({ workspace }, { what: 'channel lost', after: '3' });
    await trail.append(ref, { ...entry, after: '4' });
    const read = async (before?: string) => {
      const found: FoundEntry[] = [];
      for await (const one of trail.newestFirst(ref, before)) found.push(one);
      return found;
    };
    const all = await read();
    expect(new Set(all.map(({ entry: { after } }) => after))).toEqual(new Set(['1', '2', '3', '4']));
    const times = all.map(({ id }) => timeOf(id));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    // Each of them is a place to continue at, also where both trails have an entry of the same moment.
    for (const [index, one] of all.entries()) expect(await read(placeOf(one))).toEqual(all.slice(index + 1));
  });

  test('a claim is made once, with its entry', async () => {
    const trail = audit();
    const claims = await Promise.all([1, 2, 3].map(() => trail.claim(ref, 'restart v1', entry)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await clients.first.xlen(auditKey(ref))).toBe(1);
  });
});

describe('an act at the marketplace', () => {
  const parts = () => ({ audit: audit(), logger: createLogger('silent', []) });
  const stages = async () => {
    const found: unknown[] = [];
    for await (const { stage, answer } of audit().lines(ref))
      found.push(answer === undefined ? stage : [stage, answer]);
    return found;
  };
  const refusal = new MarketplaceError({
    operation: 'restartCampaign',
    code: 'CAMPAIGN_IS_PAUSED_ADMIN',
    text: 'Paused',
    ids: {},
    errorsList: [],
    errors: [],
    problems: [],
    details: {},
  });
  const noAnswer = (mayHaveBeenApplied: boolean) =>
    new TransportError({ operation: 'restartCampaign', kind: 'timeout', reason: 'late', mayHaveBeenApplied });

  test('is in the audit before it is sent, so that a process that dies leaves it with an unknown outcome', async () => {
    let before: unknown[] = [];
    await auditedAct(parts(), ref, entry, async () => {
      before = await stages();
    });
    expect(before).toEqual(['claimed']);
    expect(await stages()).toEqual(['claimed', ['done', 'OK']]);
  });

  test.each([
    [refusal, ['failed', 'CAMPAIGN_IS_PAUSED_ADMIN: Paused']],
    [noAnswer(false), ['failed', 'timeout']],
    [noAnswer(true), ['unknown', 'timeout']],
    [new Error('a bug'), 'unknown'],
  ])('says how it ended: %s', async (error, end) => {
    const act = auditedAct(parts(), ref, entry, () => Promise.reject(error));
    await expect(act).rejects.toBe(error);
    expect(await stages()).toEqual(['claimed', end]);
  });

  test('is not made when its claim cannot be stored', async () => {
    await clients.first.set(auditKey(ref), 'no stream');
    let isSent = false;
    const act = auditedAct(parts(), ref, entry, async () => {
      isSent = true;
    });
    await expect(act).rejects.toThrow(/WRONGTYPE/);
    expect(isSent).toBe(false);
  });
});
