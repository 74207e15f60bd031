import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';

/** Approximate number of fields per digest. */
const fieldsPerBucket = 64;
const maxBuckets = 4_096;
/** How many fields are read or written at once. */
const fieldsAtOnce = 2_000;
/** The field with the number of fields and buckets that the digests cover. */
const layoutField = 'layout';

/** A hash that must have certain fields and no others. */
interface Wanted {
  readonly key: string;
  /** The key of its digests. Any other code that writes the hash removes them. */
  readonly digestsKey: string;
  readonly size: number;
  /** Returns all fields with their texts, starting over at each call. */
  readonly texts: () => Iterable<readonly [field: string, text: string]>;
}

/**
 * Makes a large hash have exactly certain fields. A digest of every few dozen fields tells which of them must be read, so
 * that unchanged ones cost only its computation. Each bucket and its digest are written in one step.
 */
export async function storeInBuckets(redis: Redis, wanted: Wanted): Promise<void> {
  const { key, digestsKey, size } = wanted;
  const buckets = bucketsFor(size);
  const digests = digestsOf(wanted, buckets);
  const [stored, fields] = await Promise.all([redis.hgetall(digestsKey), redis.hlen(key)]);
  const layout = `${size}/${buckets}`;
  const [storedSize = '', storedBuckets = ''] = (stored[layoutField] ?? '').split('/');
  const isSameLayout = Number(storedBuckets) === buckets && Number(storedSize) === fields;
  const outdated = new Set<number>();
  if (isSameLayout)
    for (const [bucket, digest] of digests.entries()) if (stored[bucket] !== digest) outdated.add(bucket);
  if (isSameLayout && outdated.size === 0 && stored[layoutField] === layout) return;

  const texts = new Map<number, [string, string][]>();
  if (isSameLayout)
    for (const [field, text] of wanted.texts()) {
      const bucket = hashOf(field, bucketSeed) % buckets;
      if (!outdated.has(bucket)) continue;
      const some = texts.get(bucket);
      if (some === undefined) texts.set(bucket, [[field, text]]);
      else some.push([field, text]);
    }
  let added = 0;
  for (const [bucket, some] of texts) {
    const had = await redis.hmget(key, ...some.map(([field]) => field));
    const changed = some.filter(([, text], index) => had[index] !== text);
    added += had.filter((text) => text === null).length;
    const step = redis.multi();
    if (changed.length > 0) step.hset(key, ...changed.flat());
    await step
      .hset(
        digestsKey,
        bucket,
        digests[bucket] ?? '',
        layoutField,
        `${Number(storedSize) + added}/${buckets}`,
      )
      .exec();
  }
  // Unwanted fields are in no bucket's texts, so they show only in the number of fields.
  if (isSameLayout && Number(storedSize) + added === size) return;
  await redis.del(digestsKey);
  await storeAll(redis, wanted);
  await redis.hset(digestsKey, layoutField, layout, ...digests.flatMap((digest, bucket) => [bucket, digest]));
}

async function storeAll(redis: Redis, { key, texts }: Wanted): Promise<void> {
  const gone = new Map(Object.entries(await redis.hgetall(key)));
  const changed: [string, string][] = [];
  for (const [field, text] of texts()) {
    if (gone.get(field) !== text) changed.push([field, text]);
    gone.delete(field);
  }
  for (const some of chunksOf(changed, fieldsAtOnce)) await redis.hset(key, ...some.flat());
  for (const some of chunksOf([...gone.keys()], fieldsAtOnce)) await redis.hdel(key, ...some);
}

/** Returns a power of two, so that it rarely changes. */
function bucketsFor(size: number): number {
  const wanted = size / fieldsPerBucket;
  return wanted <= 1 ? 1 : Math.min(maxBuckets, 2 ** Math.round(Math.log2(wanted)));
}

const bucketSeed = 0x811c9dc5;
const seeds = [0x9e3779b9, 0x85ebca6b] as const;

/** Returns the digest of each bucket: sums, so that the order of the fields does not matter. */
function digestsOf({ texts }: Wanted, buckets: number): string[] {
  const sums = seeds.map(() => new Uint32Array(buckets));
  for (const [field, text] of texts()) {
    const bucket = hashOf(field, bucketSeed) % buckets;
    for (const [index, seed] of seeds.entries()) {
      const hash = hashOf(text, hashOf(field, seed));
      const sum = sums[index];
      if (sum !== undefined) sum[bucket] = ((sum[bucket] ?? 0) + hash) >>> 0;
    }
  }
  return Array.from({ length: buckets }, (_, bucket) =>
    sums.map((sum) => (sum[bucket] ?? 0).toString(36)).join(' '),
  );
}

function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) >>> 0;
}
