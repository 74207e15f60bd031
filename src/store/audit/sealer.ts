import type { Redis } from 'ioredis';
import type { Trail } from '../../domain/audit.ts';
import type { Logger } from '../../logger.ts';
import { accountKey, workspaceKey } from '../keys.ts';
import { readsTogether } from '../reads-together.ts';
import { closeSeal, compareIds, nextPlace, openSeal, type Seal, sealCodec, sealOf, timeOf } from './seal.ts';
import type { AuditKey } from './signatures.ts';
import { nameOfTrail } from './signatures.ts';
import { auditKey } from './writer.ts';

/** Most entries that one seal covers, and most seals read at once. */
const maxEntries = 500;
const sealsAtOnce = 500;
/** How far back a known seal is searched for: other processes have made few since its last check. */
const lookBack = 1_000;

/** KEYS: seals. ARGV: the last seal as read ('' for none), the next one. Returns 1, or 0 when another process was first. */
const appendSealScript = `
if (redis.call('LINDEX', KEYS[1], -1) or '') ~= ARGV[1] then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[2])
return 1`;

/** KEYS: seals, trail. ARGV: as above, how many seals to remove, the id of the first entry to keep. */
const expireScript = `
if (redis.call('LINDEX', KEYS[1], -1) or '') ~= ARGV[1] then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('LTRIM', KEYS[1], ARGV[3], -1)
redis.call('XTRIM', KEYS[2], 'MINID', '=', ARGV[4])
return 1`;

/** Returns the key of a trail's seals: a list. */
export function sealsKey({ workspace, account }: Trail): string {
  return account === undefined
    ? workspaceKey(workspace, 'audit-seals')
    : accountKey({ workspace, account }, 'audit-seals');
}

interface LastSeal {
  readonly text: string;
  readonly seal: Seal | undefined;
}

/** Yields the texts of a trail's seals, the first one first. */
export async function* readSeals(redis: Redis, trail: Trail): AsyncGenerator<string> {
  for (let start = 0; ; start += sealsAtOnce) {
    const read = await redis.lrange(sealsKey(trail), start, start + sealsAtOnce - 1);
    yield* read;
    if (read.length < sealsAtOnce) return;
  }
}

export type Sealer = ReturnType<typeof createSealer>;

/**
 * Creates the sealer of trails: it chains their entries a few seconds after they were written, so that no writer waits for
 * another. Two processes may seal at once: the seal that continues the last one wins.
 * @param keys the first one seals
 */
export function createSealer(
  redis: Redis,
  {
    keys,
    now,
    logger,
  }: { readonly keys: readonly AuditKey[]; readonly now: () => number; readonly logger?: Logger },
) {
  const reads = readsTogether(redis);
  const [key] = keys;
  if (key === undefined) throw new RangeError('sealing needs a key');
  /** The last seal of each trail that this process has seen. Restoring a copy of Redis does not change it. */
  const known = new Map<string, Seal>();

  async function lastSeal(trail: Trail): Promise<LastSeal> {
    const text = (await reads.lindex(sealsKey(trail), -1)) ?? '';
    const decoded = text === '' ? undefined : sealCodec.decode(text);
    return { text, seal: decoded?.ok ? decoded.value : undefined };
  }

  async function append(
    trail: Trail,
    last: LastSeal,
    content: Parameters<typeof closeSeal>[2],
  ): Promise<boolean> {
    const text = closeSeal(key as AuditKey, trail, content);
    if ((await redis.eval(appendSealScript, 1, sealsKey(trail), last.text, text)) !== 1) return false;
    remember(trail, openSeal(keys, trail, text));
    return true;
  }

  function remember(trail: Trail, seal: Seal | string | undefined): void {
    if (typeof seal === 'object') known.set(nameOfTrail(trail), seal);
  }

  /** Returns the known seal that is missing from the trail; undefined when none is. */
  async function missing(trail: Trail, last: LastSeal): Promise<Seal | undefined> {
    const before = known.get(nameOfTrail(trail));
    if (before === undefined || last.seal?.mac === before.mac) return undefined;
    const newer = (last.seal?.n ?? 0) - before.n;
    const texts = await redis.lrange(sealsKey(trail), -Math.min(Math.max(newer, 0) + 10, lookBack), -1);
    const accounted = texts.some((text) => {
      const decoded = sealCodec.decode(text);
      if (!decoded.ok) return false;
      const { value: seal } = decoded;
      if (seal.kind === 'older copy') return seal.lost.n >= before.n;
      return seal.mac === before.mac || (seal.kind === 'expired' && seal.through.n >= before.n);
    });
    return accounted || newer > lookBack ? undefined : before;
  }

  /** Records in a checkpoint that seals are missing, if they are. */
  async function noteOlderCopy(trail: Trail, last: LastSeal): Promise<'nothing' | 'noted' | 'again'> {
    const gone = await missing(trail, last);
    if (gone === undefined) return 'nothing';
    const { n, mac, to } = gone;
    const content = { kind: 'older copy', ...nextPlace(last.seal), at: now(), lost: { n, mac, to } } as const;
    if (!(await append(trail, last, content))) return 'again';
    logger?.warn(
      { trail: nameOfTrail(trail), seal: n },
      'audit: an older copy of Redis lacks seals that were made',
    );
    return 'noted';
  }

  return {
    /** Seals the entries that are unsealed when this is called. */
    async seal(trail: Trail): Promise<void> {
      for (;;) {
        const last = await lastSeal(trail);
        if ((await noteOlderCopy(trail, last)) !== 'nothing') continue;
        remember(trail, last.seal);
        const from = `(${last.seal?.to ?? '0-0'}`;
        const read = await redis.xrange(auditKey(trail), from, '+', 'COUNT', maxEntries);
        if (read.length === 0) return;
        const entries = read.map(([id, [, text = '']]) => ({ id, text }));
        const isSealed = await append(trail, last, sealOf(last.seal, entries, now()));
        // Entries added meanwhile have their own job, or are found after the next poll.
        if (isSealed && read.length < maxEntries) return;
      }
    },

    /**
     * Removes the entries older than `before` (ms), seal by seal, and records that in a checkpoint. Returns how many there
     * were.
     */
    async expire(trail: Trail, before: number): Promise<number> {
      for (;;) {
        const last = await lastSeal(trail);
        const old: Seal[] = [];
        for await (const text of readSeals(redis, trail)) {
          const decoded = sealCodec.decode(text);
          if (!decoded.ok || timeOf(decoded.value.to) >= before) break;
          old.push(decoded.value);
        }
        const through = old.at(-1);
        const count = old.reduce(
          (sum, seal) => sum + (seal.kind === 'entries' ? seal.entries.split(' ').length : 0),
          0,
        );
        if (through === undefined || count === 0) return 0;
        const { n, mac, to } = through;
        const place = { ...nextPlace(last.seal), at: now() };
        const content = { kind: 'expired', ...place, through: { n, mac, to }, count } as const;
        const text = closeSeal(key, trail, content);
        const [time, number] = to.split('-');
        const rest = [last.text, text, old.length, `${time}-${Number(number) + 1}`];
        const done = await redis.eval(expireScript, 2, sealsKey(trail), auditKey(trail), ...rest);
        if (done !== 1) continue;
        remember(trail, openSeal(keys, trail, text));
        return count;
      }
    },

    /** Returns whether a trail has unsealed entries, or another end than this process knows. */
    async needsSeal(trail: Trail): Promise<boolean> {
      const [entry, last] = await Promise.all([
        reads.xrevrange(auditKey(trail), '+', '-', 'COUNT', 1),
        lastSeal(trail),
      ]);
      const id = entry[0]?.[0];
      const isUnsealed = id !== undefined && compareIds(id, last.seal?.to ?? '0-0') > 0;
      const before = known.get(nameOfTrail(trail));
      return isUnsealed || (before !== undefined && before.mac !== last.seal?.mac);
    },
  };
}
