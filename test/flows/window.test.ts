import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningApp, startApp } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { defaultIntervals } from '../../src/feature-context.ts';
import { createLogger } from '../../src/logger.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/timeouts.ts';
import { eventually } from '../harness/eventually.ts';
import { focusReviewer, taskIn } from '../harness/focus-reviewer.ts';
import type { Seen } from '../harness/slack.ts';
import { createWorld, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  available_positions: 100,
} as const;
const survey = {
  campaign_id: 'decade02',
  title: 'Short survey',
  status: 'RUNNING',
  available_positions: 100,
} as const;
const place = 'C01REVIEW';
const impatient: Partial<Timeouts> = { firstRetryMs: 50, lateArrivalMs: 300, requeueAfterMs: 300 };

let world: World;

const stands = async (holds: (message: Seen) => boolean) => (await world.ann.reads(place)).filter(holds);
const tagOf = ({ raw }: Seen) => raw.metadata?.event_type;
const cards = () => stands((message) => tagOf(message) === 'proofdesk_card');
const openCards = async () => (await cards()).filter(({ buttons }) => buttons.includes('OK'));
const taskOf = ({ raw }: Seen) => String(raw.metadata?.event_payload.task);
const openTasks = async () => (await openCards()).map(taskOf).sort();
/** The messages that count what waits, of all campaigns or of one. */
const queues = (campaign?: string) =>
  stands(
    (message) =>
      tagOf(message) === 'proofdesk_queue' &&
      (campaign === undefined || message.raw.metadata?.event_payload.campaign === campaign),
  );

async function cardOf(task: string | undefined): Promise<Seen> {
  return eventually('the card', async () => (await cards()).find((card) => taskOf(card) === task));
}

/** Submits tasks a minute apart, the oldest first. */
async function submit(campaign: string, minutes: readonly number[]): Promise<string[]> {
  const tasks: string[] = [];
  for (const minute of minutes) {
    const finished_datetime = `2026-02-01 10:${String(minute).padStart(2, '0')}:00`;
    tasks.push(
      ...(await world.marketplace.submit({
        campaign_id: campaign,
        proof: [`proof ${minute}.`],
        finished_datetime,
      })),
    );
  }
  return tasks;
}

describe('a window of three', () => {
  let shelves: string[];
  let answers: string[];

  beforeAll(async () => {
    world = await createWorld({
      scenario: { campaigns: [shelf, survey] },
      env: { OPEN_CARDS: '3', UNDO_SECONDS: '1' },
      intervals: { queuePaceMs: 100 },
      transport: 'http',
    });
    shelves = await submit(shelf.campaign_id, [0, 2, 4, 6, 8, 10, 12, 14]);
    answers = await submit(survey.campaign_id, [1, 20]);
    await world.startBot();
  });
  afterAll(() => world?.close());

  test('has the cards of the oldest tasks of all campaigns; the rest is counted once, by campaign', async () => {
    const queue = await world.ann.sees(
      place,
      /Photo of a shelf\*: \*6 more tasks wait for review\*, the oldest since/,
    );
    await world.ann.sees(place, /Short survey\*: \*1 more task waits for review/);
    await eventually('three cards', async () => (await cards()).length === 3);
    expect(new Set(await openTasks())).toEqual(new Set([shelves[0], answers[0], shelves[1]]));
    expect(queue.buttons).toContain('Start review');
    expect(await queues()).toHaveLength(2);
  });

  test('lets the next follow when one is decided, and takes nothing back when that is undone', async () => {
    const [queue] = await queues(shelf.campaign_id);
    await world.setUndo(120);
    const first = await cardOf(shelves[0]);
    await world.ann.clicks(first, 'OK');
    await cardOf(shelves[2]);
    await first.until(({ buttons }) => buttons.includes('Undo'));
    await queue?.untilText(/5 more tasks wait/);
    await world.ann.clicks(first, 'Undo');
    await first.until(({ buttons }) => buttons.includes('OK'));
    expect(new Set(await openTasks())).toEqual(new Set([shelves[0], answers[0], shelves[1], shelves[2]]));
    // What was undone was not reviewed.
    await queue?.until(({ text }) => !text.includes('Reviewed today'));
    // There is no room for another one: three are open again after this.
    await world.marketplace.rate(answers[0] ?? '', 'OK');
    await eventually('three open cards', async () => (await openCards()).length === 3);
    expect(await cards()).toHaveLength(4);
    expect(await queues()).toHaveLength(2);
    await world.setUndo(1);
  });

  test('posts nothing for what focus review decides, and follows when the review has ended', async () => {
    const ann = focusReviewer(world.slackUrl, 'U01ANN');
    const [queue] = await queues(shelf.campaign_id);
    if (queue === undefined) throw new Error('nothing is counted');
    await world.ann.clicks(queue, 'Start review');
    await ann.until(({ callback_id }) => callback_id === 'focus.task');
    for (const task of shelves.slice(0, 5)) {
      expect(taskIn(await ann.until((view) => taskIn(view) === task))).toBe(task);
      await ann.submit();
    }
    await ann.until((view) => taskIn(view) === shelves[5]);
    await queue.untilText(/3 more tasks wait.*@Ann Reyes 5/s);
    expect(new Set((await cards()).map(taskOf))).toEqual(
      new Set([shelves[0], answers[0], shelves[1], shelves[2]]),
    );
    await ann.close();
    await eventually('the next three', async () => (await openCards()).length === 3);
    expect(await openTasks()).toEqual(shelves.slice(5).sort());
    await queue.untilText(/every task waiting for review has its card/);
    expect(queue.buttons).toEqual([]);
    await eventually('the ratings', async () =>
      (await Promise.all(shelves.slice(0, 5).map((task) => world.marketplace.task(task)))).every(
        ({ task_rating: rating }) => rating === 'OK',
      ),
    );
    expect((await cards()).map(taskOf)).not.toContain(shelves[3]);
  });

  test('a task that comes back keeps its card, and its correction waits for no room', async () => {
    const [back = ''] = shelves.slice(5);
    await submit(shelf.campaign_id, [30, 31]);
    const card = await cardOf(back);
    await world.marketplace.rate(back, 'REVISE', 'sharper, please');
    await card.untilText(/REVISE/);
    await eventually('the next', async () => (await openCards()).length === 3);
    await world.marketplace.correct(back, ['much sharper']);
    await world.ann.sees(place, /much sharper/);
    expect(await openCards()).toHaveLength(4);
  });

  test('a message that counts what waits comes back when somebody deletes it', async () => {
    const queue = await eventually('the message', async () =>
      (await queues(shelf.campaign_id)).find(({ text }) => /more task/.test(text)),
    );
    await world.slack.deletes(queue);
    const again = await eventually('the message again', async () =>
      (await queues(shelf.campaign_id)).find(({ ts }) => ts !== queue.ts),
    );
    expect(again.text).toMatch(/more tasks? waits?/);
  });

  test('a message says that nothing waits when no task is left, with a card or without', async () => {
    const queue = await eventually('the message', async () =>
      (await queues(shelf.campaign_id)).find(({ text }) => /waits? for review/.test(text)),
    );
    await eventually('no open card', async () => {
      const open = await openTasks();
      for (const task of open)
        if ((await world.marketplace.task(task)).task_rating === 'NOTRATED')
          await world.marketplace.rate(task, 'OK');
      return open.length === 0;
    });
    await queue.untilText(/no task waits for review/);
  });
});

describe('a correction whose campaign has moved to another channel', () => {
  const elsewhere = 'C02INBOX';
  const cardsElsewhere = async () =>
    (await world.ann.reads(elsewhere)).filter((message) => tagOf(message) === 'proofdesk_card');

  beforeAll(async () => {
    world = await createWorld({
      scenario: { campaigns: [survey] },
      env: { OPEN_CARDS: '1' },
      intervals: { queuePaceMs: 100 },
    });
    await world.startBot();
  });
  afterAll(() => world?.close());

  test('has its card there at once, without room in the window; the earlier one links to it', async () => {
    const [task = ''] = await submit(survey.campaign_id, [0]);
    const card = await cardOf(task);
    await world.marketplace.rate(task, 'REVISE', 'longer, please');
    await card.untilText(/REVISE/);
    await world.ann.types(elsewhere, `/proofdesk subscribe ${survey.campaign_id}`);
    await world.ann.sees(elsewhere, /are posted in this channel/);
    // These fill the window there.
    await submit(survey.campaign_id, [1, 2]);
    await eventually('a card there', async () => (await cardsElsewhere()).length === 1);
    await world.marketplace.correct(task, ['much longer']);
    await world.ann.sees(elsewhere, /much longer/);
    await card.untilText(/its newer card/);
  });
});

describe('two bots at once', () => {
  const deaths = new Map<string, number>();
  let second: RunningApp | undefined;

  /** Whichever of the two comes to a step first dies there; both have the same work. */
  async function faults(passing: string): Promise<void> {
    if (!['room in the window taken, card not queued', 'queue: posted, not recorded'].includes(passing))
      return;
    deaths.set(passing, (deaths.get(passing) ?? 0) + 1);
    if (deaths.get(passing) === 1) throw new Error('as if the process had died here');
  }

  async function startSecondBot(): Promise<void> {
    second = await startApp(readConfig({ ...world.environment, PORT: '0' }), {
      logger: createLogger('silent', [], { write: () => undefined }),
      rateLimits: { channelMs: 5, workspaceMs: 5, backgroundMs: 5, csvBytesPerMinute: 1_000_000_000 },
      intervals: { ...defaultIntervals, queuePaceMs: 100 },
      timeouts: { ...defaultTimeouts, ...impatient },
      faults,
    });
  }

  beforeAll(async () => {
    world = await createWorld({
      scenario: { campaigns: [shelf] },
      intervals: { queuePaceMs: 100 },
      timeouts: impatient,
      faults,
    });
  });
  afterAll(async () => {
    await second?.stop();
    await world?.close();
  });

  test('give 20 cards as shipped, and count the rest once, whatever step they die at and whatever answer is lost', async () => {
    await world.marketplace.submit({ campaign_id: shelf.campaign_id, count: 45 });
    await world.slack.fault({ match: { method: 'chat.postMessage' }, kind: 'drop-after', times: 8 });
    await Promise.all([world.startBot(), startSecondBot()]);
    const queue = await world.ann.sees(place, /25 more tasks wait for review/);
    await eventually('20 cards', async () => (await openCards()).length === 20);
    const some = (await openTasks()).slice(0, 4);
    await Promise.all(some.map((task) => world.marketplace.rate(task, 'OK')));
    await queue.untilText(/21 more tasks wait/);
    await eventually('20 open cards again', async () => (await openCards()).length === 20);
    expect(await cards()).toHaveLength(24);
    expect(new Set((await cards()).map(taskOf)).size).toBe(24);
    expect(await queues()).toHaveLength(1);
    // The other step is passed only if Slack's answer to the queue message was not one of those lost.
    expect([...deaths.keys()]).toContain('room in the window taken, card not queued');
  });
});
