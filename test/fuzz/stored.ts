import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import type { Codec } from '../../src/store/format.ts';
import type { Transport } from '../harness/world.ts';
import { commands, type Delivery, events } from './payloads.ts';
import { entryPoint } from './run.ts';
import { deliverByHttp, type SlackWorld } from './slack-world.ts';
import { hostileText, hostileValue } from './values.ts';

const root = join(import.meta.dirname, '../..');

function isCodec(value: unknown): value is Codec<unknown> {
  return typeof value === 'object' && value !== null && 'decode' in value && 'encode' in value;
}

/** Returns every codec of stored values that a module exports. */
export async function findCodecs(): Promise<Codec<unknown>[]> {
  const paths = readdirSync(join(root, 'src/store'), { recursive: true, encoding: 'utf8' });
  const modules = await Promise.all(
    paths
      .filter((path) => path.endsWith('.ts'))
      .map((path) => import(pathToFileURL(join(root, 'src/store', path)).href) as Promise<object>),
  );
  return [...new Set(modules.flatMap((module) => Object.values(module)).filter(isCodec))];
}

interface RawValue {
  readonly at: number;
  readonly field: number;
  readonly how: 'damage' | 'replace' | 'other type';
  readonly value: string;
  readonly delivery: Delivery;
}

/** A key as it was when the session began. */
interface Snapshot {
  readonly key: string;
  readonly type: string;
  readonly dump: Buffer;
  readonly fields: readonly string[];
}

async function snapshotsOf(redis: Redis): Promise<Snapshot[]> {
  const found: Snapshot[] = [];
  for await (const page of redis.scanStream({ match: 'proofdesk:*', count: 1_000 })) {
    for (const key of page as string[]) {
      const [type, dump] = await Promise.all([redis.type(key), redis.dumpBuffer(key)]);
      const fields = type === 'hash' ? await redis.hkeys(key) : [];
      if (dump !== null) found.push({ key, type, dump, fields });
    }
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Damages a key. */
async function damage(redis: Redis, { key, type, fields }: Snapshot, { field, how, value }: RawValue) {
  const name = fields[field % Math.max(fields.length, 1)] ?? value;
  if (how === 'other type') {
    await redis.del(key);
    await (type === 'string' ? redis.rpush(key, value) : redis.set(key, value));
  } else if (type === 'string') {
    const old = (await redis.get(key)) ?? '';
    await redis.set(key, how === 'damage' ? old.slice(0, field % (old.length + 1)) + value : value);
  } else if (type === 'hash') {
    const old = (await redis.hget(key, name)) ?? '';
    await redis.hset(key, name, how === 'damage' ? old.slice(0, field % (old.length + 1)) + value : value);
  } else if (type === 'set') await redis.sadd(key, value);
  else if (type === 'zset') await redis.zadd(key, field, value);
  else if (type === 'list') await redis.lpush(key, value);
  else if (type === 'stream') await redis.xadd(key, '*', 'entry', value);
}

/** Values in Redis that are damaged while the bot runs: somebody does something, and the poll reads them too. */
export const rawValues = (openWorld: (transport: Transport) => Promise<SlackWorld>) =>
  entryPoint('raw Redis values', async () => {
    const { world, corpus, emitted, close } = await openWorld('http');
    const redis = new Redis(world.redis.url);
    const snapshots = await snapshotsOf(redis);
    return {
      cases: fc.record({
        at: fc.nat(100_000),
        field: fc.nat(1_000),
        how: fc.constantFrom('damage', 'replace', 'other type'),
        value: fc.oneof(
          hostileText,
          hostileValue.map((value) => JSON.stringify(value) ?? ''),
        ),
        delivery: fc.oneof(commands(corpus), events(corpus)),
      }) as fc.Arbitrary<RawValue>,
      async run(one: RawValue) {
        const snapshot = snapshots[one.at % snapshots.length];
        if (snapshot === undefined) throw new Error('Redis is empty');
        try {
          // What another case has just made of it may be of another type.
          await damage(redis, snapshot, one).catch(() => undefined);
          return await deliverByHttp(world, one.delivery);
        } finally {
          await redis.restore(snapshot.key, 0, snapshot.dump, 'REPLACE');
        }
      },
      emitted,
      async close() {
        redis.disconnect();
        return close();
      },
    };
  });
