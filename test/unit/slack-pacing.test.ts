import { WebAPIRateLimitedError } from '@slack/web-api';
import { expect, test, vi } from 'vitest';
import type { ChannelId, WorkspaceId } from '../../src/domain/terms.ts';
import { Paused } from '../../src/jobs/queue.ts';
import { createPacedViews } from '../../src/kit/modals.ts';
import { createLogger } from '../../src/logger.ts';
import { createCallSlack, createSlackPause } from '../../src/slack/client.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createRateLimiter, type Pauses, type RateLimits } from '../../src/store/pauses.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const workspace = asId<WorkspaceId>('T1');
const channel = asId<ChannelId>('C1');
const post = { method: 'chat.postMessage', channel };
const update = { method: 'chat.update', channel };
const redis = twoRedisClients();

function calls(some: Partial<RateLimits>) {
  const enter = async () => ({ waitMs: 0, release: async () => undefined });
  const limits = { channelMs: 1, workspaceMs: 1, limitedMs: 1, csvBytesPerMinute: 1, ...some };
  return createCallSlack(createRateLimiter(redis.first, limits), { enter } as unknown as Pauses);
}

test('a post waits for its turn if that is soon', async () => {
  const callSlackOf = calls({ channelMs: 400 });
  const times: number[] = [];
  for (let n = 0; n < 2; n += 1)
    await callSlackOf(workspace)(post, async () => times.push(performance.now()));
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThan(300);
});

test('an update that Slack has limited is left to its line, where another card may be more urgent', async () => {
  const callSlackOf = calls({ limitedMs: 1_000 });
  const limited = new SlackError('chat.update', new WebAPIRateLimitedError(1));
  const first = callSlackOf(workspace)(update, () => Promise.reject(limited));
  await expect(first).rejects.toMatchObject({ call: 'chat.update', waitMs: 1_000 });
  const run = vi.fn(async () => undefined);
  await expect(callSlackOf(workspace)(update, run)).rejects.toThrow(Paused);
  expect(run).not.toHaveBeenCalled();
});

test('a view that Slack keeps limiting is tried four times', async () => {
  const updateModal = vi.fn(() => Promise.reject(new SlackError('', new WebAPIRateLimitedError(0.001))));
  const rateLimiter = { acquire: async () => 0, blockFor: async () => undefined };
  const views = createPacedViews(
    onlyModules({ slack: { rateLimiter, messengerOf: () => ({ updateModal }) } }),
  );
  await expect(views.update(workspace, 'V1', () => ({}) as never)).rejects.toThrow(SlackError);
  expect(updateModal).toHaveBeenCalledTimes(4);
});

test('a job that needs two limited calls makes both, instead of the first one again and again', async () => {
  const callSlackOf = calls({ limitedMs: 300 });
  const limited = new SlackError('chat.update', new WebAPIRateLimitedError(0.001));
  await expect(callSlackOf(workspace)(update, () => Promise.reject(limited))).rejects.toThrow(Paused);
  const run = vi.fn(async () => undefined);
  // As a card is updated, and then the one before it, which has to link to it.
  const job = async () => {
    const callSlack = callSlackOf(workspace, { isBackground: true });
    await callSlack(update, run);
    await callSlack(update, run);
  };
  await vi.waitFor(job, { timeout: 5_000, interval: 100 });
  expect(run).toHaveBeenCalledTimes(2);
});

test('a call that would wait for long is left to another time', async () => {
  const callSlackOf = calls({ channelMs: 10_000 });
  const run = vi.fn(async () => undefined);
  await callSlackOf(workspace)(post, run);
  const busy = await callSlackOf(workspace)(post, run).catch((error: unknown) => error);
  expect(busy).toBeInstanceOf(Paused);
  expect((busy as Paused).waitMs).toBeGreaterThan(2_000);
  expect(run).toHaveBeenCalledTimes(1);
});

test('the log names the workspace whose jobs pause, and which works again', async () => {
  const lines: string[] = [];
  const logger = createLogger('info', [], { write: (line: string) => void lines.push(line) });
  const succeed = vi.fn(async () => ({ code: 'no_answer', since: 1 }));
  const pauses = { fail: async () => true, succeed } as unknown as Pauses;
  const { record } = createSlackPause({ workspace, pauses, logger, now: Date.now });
  await record(new SlackError('chat.update', new Error('no answer')), 0, 'chat.update');
  await record(undefined, 0, 'chat.update');
  succeed.mockRejectedValue(new Error('Command timed out'));
  await record(undefined, 0, 'chat.update');
  const told = [/pause their calls/, /works again/, /not recorded/].map((what) =>
    expect.stringMatching(new RegExp(`"workspace":"T1".*${what.source}`)),
  );
  expect(lines).toEqual(told);
});
