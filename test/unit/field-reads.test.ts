import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { createFieldReads } from '../../src/store/field-reads.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const stored = new Map([
  ['field', 'value'],
  ['other', 'text'],
]);

beforeEach(async () => {
  await redis.first.hset('hash', Object.fromEntries(stored));
});

test('fields of a hash that several callers read at once are one command, and each gets those it asked for', async () => {
  const fieldsOf = createFieldReads(redis.first);
  const fields = fc.array(fc.constantFrom('field', 'other', 'none', '1'), { minLength: 1, maxLength: 5 });
  const commands = vi.spyOn(redis.first, 'hmget');
  await fc.assert(
    fc.asyncProperty(fc.array(fields, { minLength: 1, maxLength: 8 }), async (asked) => {
      commands.mockClear();
      const answers = await Promise.all(asked.map((some) => fieldsOf('hash', some)));
      expect(answers).toEqual(asked.map((some) => some.map((field) => stored.get(field) ?? null)));
      expect(commands).toHaveBeenCalledTimes(1);
    }),
  );
});

test('fields of different hashes are read apart', async () => {
  const fieldsOf = createFieldReads(redis.first);
  await redis.first.hset('another', 'field', 'of another');
  expect(await Promise.all([fieldsOf('hash', ['field']), fieldsOf('another', ['field', 'other'])])).toEqual([
    ['value'],
    ['of another', null],
  ]);
});
