import { WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { expect, onTestFinished, test } from 'vitest';
import { task } from '../../gallery/samples/tasks.ts';
import type { Task } from '../../src/domain/task.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { taskCard } from '../../src/features/cards/card.view.ts';
import { cardMessage, createCards } from '../../src/features/cards/index.ts';
import { createJobs, startJobRunners } from '../../src/jobs/queue.ts';
import { createCardLine } from '../../src/kit/live-message.ts';
import { createLogger } from '../../src/logger.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createCardLines, type LineName } from '../../src/store/cards.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { defaultTimeouts } from '../../src/store/leases.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { waitingRow } from '../harness/waiting-row.ts';

const [c1, c2] = [asId<ChannelId>('C1'), asId<ChannelId>('C2')];
const redis = redisPerFile();

const posted = (id: string, channel = c1) =>
  ({ id, card: { state: 'posted', channel, ts: '1.1' } }) as unknown as Task;
const wanted = (id: string) => ({ id, card: { state: 'wanted' } }) as unknown as Task;

/** The lines of one process, and the jobs that it queues. */
function lines(jobs?: ReturnType<typeof createJobs>) {
  let time = 1_000_000;
  const added: string[] = [];
  const cardLines = createCardLines(redis());
  const stores = {
    cardLines,
    jobs: jobs ?? { add: async (name: string) => void added.push(name) },
    now: () => time++,
  };
  const queue = createCardLine(stores as never, async () => c2);
  const taken = async (line: LineName, except: readonly ChannelId[] = []) => {
    const order: string[] = [];
    const without = new Set(except);
    for (let card = await cardLines.take(ref, line, without); card !== undefined; ) {
      order.push(card.task);
      card = await cardLines.take(ref, line, without);
    }
    return order;
  };
  return { ...queue, added, cardLines, taken };
}

test('the card that was clicked last comes first, and what has happened by itself comes after, the oldest first', async () => {
  const { clicked, changed, taken } = lines();
  await changed(ref, [posted('c1')]);
  await clicked(ref, posted('k1'));
  await changed(ref, [posted('c2')]);
  await clicked(ref, posted('k2'));
  // What is clicked keeps its place when its result arrives.
  await changed(ref, [posted('k1')]);
  expect(await taken('updates')).toEqual(['k2', 'k1', 'c1', 'c2']);
});

test('a channel that has to wait holds up no other one', async () => {
  const { changed, taken } = lines();
  await changed(ref, [posted('a', c1), posted('b', c2), posted('c', c1)]);
  expect(await taken('updates', [c1])).toEqual(['b']);
  expect((await taken('updates')).sort()).toEqual(['a', 'c']);
});

test('posts wait in the line of the channel that they go to, updates in one for all channels', async () => {
  const { added, changed, taken } = lines();
  await changed(ref, [posted('a'), wanted('b'), wanted('c')]);
  expect(await taken(c2)).toEqual(expect.arrayContaining(['b', 'c']));
  expect(await taken('updates')).toEqual(['a']);
  expect(added.sort()).toEqual(['post-cards', 'update-cards']);
});

test('a click on a card is answered although no job of an earlier click ends', async () => {
  const logger = createLogger('silent', []);
  const failing = createFailingJobs(redis(), Date.now);
  const connection = redis().duplicate({ maxRetriesPerRequest: null });
  const jobs = createJobs(redis(), logger, failing);
  const begun: (() => void)[] = [];
  const handlers = { 'update-cards': () => new Promise<void>((end) => begun.push(end)) };
  const runners = startJobRunners(connection, handlers as never, failing, logger, defaultTimeouts);
  onTestFinished(async () => {
    for (const end of begun) end();
    await runners.stop();
    await jobs.close();
    connection.disconnect();
  });
  const { clicked } = lines(jobs);
  const cards = ['k1', 'k2', 'k3', 'k4', 'k5'];
  for (const card of cards) await clicked(ref, posted(card));
  await expect.poll(() => begun.length, { timeout: 10_000 }).toBe(cards.length);
});

test.each([
  [1.5, 1_500],
  [5, 2_000],
])(
  'a card that Slack limits for %d s stays in its line, which goes on with other channels in %d ms at most',
  async (seconds, most) => {
    const asked: string[] = [];
    const messenger = {
      permalink: async () => '',
      async update({ channel }: { channel: ChannelId }) {
        asked.push(channel);
        if (channel === c1) throw new SlackError('chat.update', new WebAPIRateLimitedError(seconds));
      },
    };
    let time = Date.now();
    const modules = testModules(redis(), {}, { now: () => time++, messengerOf: () => messenger as never });
    const { slack, tasks } = modules;
    // The one that was clicked last comes first.
    for (const [id, channel] of Object.entries({ t2: c2, t1: c1 })) {
      await tasks.apply(ref, asId(id), waitingRow(asId(id)));
      await tasks.apply(ref, asId(id), { type: 'posted', messageRef: { channel, ts: '1.1' } });
      await tasks.markNeedsRender(ref, [asId(id)]);
      for (const task of await tasks.getMany(ref, [asId(id)])) await slack.cards.clicked(ref, task);
    }
    const end = await createCards(modules).jobs['update-cards']({ ...ref, isClicked: false });
    expect(end?.again).toBeLessThanOrEqual(most);
    expect(end?.again).toBeGreaterThan(most === 2_000 ? 1_000 : 1_499);
    expect(asked).toEqual([c1]);
    expect((await slack.cardLines.take(ref, 'updates', new Set()))?.task).toBe('t1');
  },
);

test('the card of an earlier round links to the new one, once; one in a lost channel or too old to be changed is left alone', async () => {
  const updated: string[] = [];
  const messenger = {
    permalink: async () => 'https://slack.example/new',
    async update({ channel, ts }: { channel: ChannelId; ts: string }) {
      if (channel === c1) return void updated.push(ts);
      const error = channel === c2 ? 'is_archived' : 'edit_window_closed';
      throw new SlackError('', new WebAPIPlatformError({ ok: false, error } as never));
    },
  };
  const modules = testModules(redis(), {}, { messengerOf: () => messenger as never });
  const events: object[] = [];
  const apply = async (_: unknown, __: unknown, event: object) => void events.push(event);
  const kind = cardMessage({ ...modules, tasks: { ...modules.tasks, apply: apply as never } });
  const draws = async (channel: ChannelId, linked: object = {}) => {
    const before = { slots: [], comment: '', card: { channel, ts: '1.1', ...linked } };
    const drawn = task({ round: 2, before, card: { state: 'posted', channel: c1, ts: '2.1' } });
    await kind.afterRender?.(ref, drawn, { callSlack: (_, run) => run(), renewLease: async () => undefined });
    return [updated.splice(0), events.splice(0)];
  };
  const linked = [{ type: 'earlier-card-linked' }];
  expect(await draws(c1)).toEqual([['1.1'], linked]);
  expect(await draws(c1, { linked: true })).toEqual([[], []]);
  expect(await draws(c2)).toEqual([[], linked]);
  expect(await draws(asId('C3'))).toEqual([[], linked]);
});

test('a deleted card of a task that waits is queued to be posted again at once', async () => {
  const modules = testModules(redis());
  const { slack, tasks } = modules;
  const queued: string[] = [];
  const changed = async (_: unknown, some: readonly Task[]) => void queued.push(...some.map(({ id }) => id));
  const cards = { ...slack.cards, changed };
  const { feature } = createCards({ ...modules, slack: { ...slack, cards } });
  const id = asId<Task['id']>('t1');
  await tasks.apply(ref, id, waitingRow(id));
  await tasks.apply(ref, id, { type: 'posted', messageRef: { channel: c1, ts: '1.1' } });
  const { blocks } = taskCard({ account: ref.account, task: task({ id }), campaignTitle: '' });
  const deleted = (ts: string) =>
    feature.messageDeleted?.({ workspace: ref.workspace, channel: c1, ts, blocks } as never);
  await deleted('9.9');
  expect(queued).toEqual([]);
  await deleted('1.1');
  expect(queued).toEqual([id]);
});
