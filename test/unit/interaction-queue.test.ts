import { describe, expect, test } from 'vitest';
import { createInteractionQueue } from '../../src/slack/interaction-queue.ts';
import { eventually } from '../harness/eventually.ts';

describe('turns of interactions', () => {
  test('few are under way at a time, in the order in which they came', async () => {
    const inTurn = createInteractionQueue();
    const begun: number[] = [];
    let underWay = 0;
    let most = 0;
    const all = Array.from({ length: 200 }, (_, index) =>
      inTurn(async () => {
        begun.push(index);
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return index;
      }),
    );
    expect(await Promise.all(all)).toEqual(all.map((_, index) => index));
    expect(begun).toEqual(all.map((_, index) => index));
    expect(most).toBeLessThanOrEqual(16);
  });

  test('those that wait for something keep nobody from beginning, and one that fails neither', async () => {
    const inTurn = createInteractionQueue();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow = Array.from({ length: 40 }, () => inTurn(() => ended));
    const failing = inTurn(() => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    end();
    await Promise.all(slow);
    expect(await inTurn(async () => 'next')).toBe('next');
    let begun = 0;
    const later = Array.from({ length: 16 }, () =>
      inTurn(async () => {
        begun += 1;
      }),
    );
    await eventually('all begin', async () => begun === 16);
    await Promise.all(later);
  });
});
