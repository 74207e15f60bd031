import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ChannelId } from '../../src/domain/terms.ts';
import { type Message, notice } from '../../src/slack/blocks.ts';
import { createProgress, createProgressMessage } from '../../src/slack/progress.ts';
import { asId } from '../harness/ids.ts';

/** What a channel shows, and every message it was sent. */
function channel({ isDown = false } = {}) {
  const shown: string[] = [];
  const messenger = {
    async post(place: ChannelId, message: Message) {
      if (isDown) throw new Error('no answer');
      shown.push(`new: ${message.text}`);
      return { channel: place, ts: '1' };
    },
    async update(_place: unknown, message: Message) {
      shown.push(message.text);
    },
  };
  return { messenger, shown };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('short work says its end alone', async () => {
  const { messenger, shown } = channel();
  const work = createProgressMessage(messenger, asId('C1'));
  work.report(notice('half'));
  await vi.advanceTimersByTimeAsync(1_900);
  await work.finish(notice('done'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(shown).toEqual(['new: done']);
});

test('long work says how far it is once a second at most, and its end in the same place', async () => {
  const { messenger, shown } = channel();
  const work = createProgressMessage(messenger, asId('C1'));
  for (let step = 0; step < 50; step += 1) {
    work.report(notice(`step ${step}`));
    await vi.advanceTimersByTimeAsync(100);
  }
  // Nothing new, nothing said.
  await vi.advanceTimersByTimeAsync(5_000);
  await work.finish(notice('done'));
  expect(shown).toEqual(['new: step 19', 'step 29', 'step 39', 'step 49', 'done']);
});

test('work that fails leaves no word of going on, and none at all where nothing was said', async () => {
  const { messenger, shown } = channel();
  const short = createProgressMessage(messenger, asId('C1'));
  await short.fail(notice('failed'));
  expect(shown).toEqual([]);
  const long = createProgressMessage(messenger, asId('C1'));
  long.report(notice('half'));
  await vi.advanceTimersByTimeAsync(2_000);
  await long.fail(notice('failed'));
  expect(shown).toEqual(['new: half', 'failed']);
});

test('work goes on where nothing can be shown, and only its end fails', async () => {
  const { messenger } = channel({ isDown: true });
  const work = createProgressMessage(messenger, asId('C1'));
  work.report(notice('half'));
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(work.finish(notice('done'))).rejects.toThrow('no answer');
});

test('progress that is slow to show delays the next, and nothing is shown once it has stopped', async () => {
  const shown: number[] = [];
  const progress = createProgress(async (done: number) => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    shown.push(done);
  });
  progress.report(1);
  await vi.advanceTimersByTimeAsync(1_500);
  progress.report(2);
  await vi.advanceTimersByTimeAsync(2_499);
  const stopped = progress.stop();
  expect(shown).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await stopped;
  expect(shown).toEqual([1]);
  progress.report(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(shown).toEqual([1]);
});
