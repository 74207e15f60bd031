import { expect, test } from 'vitest';
import { sharedInTick } from '../../src/store/shared-in-tick.ts';

test('callers of one tick share a read, and nobody gets what was read before', async () => {
  let [stored, reads] = [1, 0];
  const read = sharedInTick(
    async (name: string) => {
      reads += 1;
      return `${name} ${stored}`;
    },
    (name) => name,
  );
  expect(await Promise.all([read('a'), read('a'), read('b')])).toEqual(['a 1', 'a 1', 'b 1']);
  expect(reads).toBe(2);
  await new Promise(setImmediate);
  stored = 2;
  expect(await read('a')).toBe('a 2');
});
