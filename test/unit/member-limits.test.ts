import { describe, expect, test } from 'vitest';
import type { MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createMemberLimits, memberLimits } from '../../src/store/rights.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const workspace = asId<WorkspaceId>('T1');
const [ann, ben] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const { atOnce, everyMs } = memberLimits.results;

describe('what one member may ask for', () => {
  test('is counted by all processes together, and comes back with time', async () => {
    let now = 1_000_000;
    const first = createMemberLimits(redis.first, () => now);
    const second = createMemberLimits(redis.second, () => now);
    const ask = (index: number, member = ann) =>
      (index % 2 === 0 ? first : second).take(workspace, member, 'results');
    const waits = await Promise.all(Array.from({ length: 300 }, (_, index) => ask(index)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(atOnce);
    expect(Math.max(...waits)).toBe(everyMs);
    // Nobody else is concerned, nor anything else that she does.
    expect(await ask(0, ben)).toBe(0);
    expect(await first.take(workspace, ann, 'files')).toBe(0);

    now += everyMs - 1;
    expect(await ask(0)).toBe(1);
    now += 1;
    expect(await ask(0)).toBe(0);
    expect(await ask(1)).toBe(everyMs);
    now += 100 * everyMs;
    const later = await Promise.all(Array.from({ length: atOnce + 1 }, (_, index) => ask(index)));
    expect(later.filter((wait) => wait === 0)).toHaveLength(atOnce);
  });
});
