import { focusReviewer, taskIn } from '../test/harness/focus-reviewer.ts';
import { percentile, startMachine } from './machine.ts';
import { isQuick } from './report.ts';

// Focus review: 300 tasks through the modal protocol, over Socket Mode and HTTP, 20 % of them sent back or refused with saved
// reasons. At most 1.45 clicks a task; each decision applied once; the next task within 300 ms at the median and 800 ms at
// the 99th percentile, with pictures; for ten reviewers at once within Slack's limits of views.*. Then, at one decision
// every 2 seconds, at most 0.25 marketplace writes a task.

const count = isQuick ? 60 : 300;
const limits = { clicks: 1.45, medianMs: 300, p99Ms: 800, writes: 0.25 };
const picture = {
  filename: 'shelf.png',
  content_type: 'image/png',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
};
const people = ['U01ANN', 'U02BEN', 'U03CHLOE'];

for (const transport of isQuick ? (['socket'] as const) : (['socket', 'http'] as const))
  await clearQueue(transport);
if (!isQuick) await atTwoSeconds();

/** One reviewer clears the queue as fast as the views come, a moment after each. */
async function clearQueue(transport: 'socket' | 'http'): Promise<void> {
  const machine = await startMachine({
    channelMs: 50,
    env: { ...environment(transport), UNDO_SECONDS: '2' },
  });
  try {
    await machine.marketplace.addCampaign({
      campaign_id: 'c1',
      title: 'Shelf',
      status: 'RUNNING',
      available_positions: 999,
    });
    await machine.marketplace.submit({ campaign_id: 'c1', count: count - 30 });
    await machine.marketplace.submit({ campaign_id: 'c1', count: 30, files: [picture] });
    if (transport === 'http')
      await machine.slack.settings({ requestUrl: `http://127.0.0.1:${machine.botPort}/slack/events` });
    await machine.startBot();
    await summaryIn(machine);
    await machine.slack.settings({ rateLimits: 'on' });

    const reviewer = focusReviewer(machine.slackUrl, 'U01ANN');
    const times: number[] = [];
    const verdicts = new Map<string, string>();
    let view = await reviewer.start('C01REVIEW');
    let clicks = 0;
    for (let done = 0; taskIn(view) !== undefined; done++) {
      const task = taskIn(view) ?? '';
      // As fast as nobody reads.
      await pause(250);
      const verdict = done % 5 < 4 ? 'OK' : done % 10 < 5 ? 'REVISE' : 'NOK';
      verdicts.set(task, verdict);
      const answer = verdict === 'OK' ? await reviewer.submit() : await reviewer.decidesAsSaved(verdict);
      times.push(answer.ms);
      if (!answer.ok) throw new Error(`not answered: ${JSON.stringify(answer)}`);
      view = (await reviewer.view()) ?? view;
    }
    clicks = reviewer.clicks();
    await allRated(machine, verdicts);
    const sent = await applied(machine);
    const calls = (await machine.slack.requests()).filter(({ method }) => method.startsWith('views.'));
    const limited = calls.filter(({ status }) => status === 429).length;
    const median = percentile(times, 0.5);
    const p99 = percentile(times, 0.99);
    console.log(
      `${transport}: ${verdicts.size} tasks, ${sent.decisions} decisions applied, ${calls.length} calls of views.*, ${limited} limited`,
    );
    report(`${transport}: clicks a task`, clicks / count, limits.clicks);
    report(
      `${transport}: median ${median} ms of ${limits.medianMs} ms to the next task`,
      median / limits.medianMs,
      1,
    );
    report(`${transport}: p99 ${p99} ms of ${limits.p99Ms} ms to the next task`, p99 / limits.p99Ms, 1);
    report(`${transport}: decisions applied for each task`, sent.decisions / count, 1, 1);
  } finally {
    await machine.stop();
  }
}

/** Three people at one decision every 2 seconds each: what leaves together, and who is shown what. */
async function atTwoSeconds(): Promise<void> {
  const each = 20;
  const machine = await startMachine({
    channelMs: 50,
    env: { ...environment('socket'), UNDO_SECONDS: '10' },
  });
  try {
    await machine.marketplace.addCampaign({
      campaign_id: 'c1',
      title: 'Shelf',
      status: 'RUNNING',
      available_positions: 999,
    });
    await machine.marketplace.submit({ campaign_id: 'c1', count: 90 });
    await machine.startBot();
    await summaryIn(machine);
    const [user = ''] = people;
    const reviewer = focusReviewer(machine.slackUrl, user);
    let view = await reviewer.start('C01REVIEW');
    const verdicts = new Map<string, string>();
    for (let done = 0; done < each * 2; done++) {
      await pause(2_000);
      verdicts.set(taskIn(view) ?? '', 'OK');
      await reviewer.submit();
      view = (await reviewer.view()) ?? view;
    }
    await allRated(machine, verdicts);
    const { writes } = await applied(machine);
    report(
      `${writes} writes for ${verdicts.size} tasks at one every 2 s: writes a task`,
      writes / verdicts.size,
      limits.writes,
    );
  } finally {
    await machine.stop();
  }
}

type Machine = Awaited<ReturnType<typeof startMachine>>;

function environment(transport: 'socket' | 'http'): Record<string, string> {
  const owners = { ACCOUNT_OWNERS: people.join(',') };
  return transport === 'socket'
    ? owners
    : { ...owners, SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'sandbox-signing-secret', HOST: '127.0.0.1' };
}

/** Waits for the message that counts what has no card: then all tasks are known. */
async function summaryIn({ slack }: Machine): Promise<void> {
  await slack.person('U01ANN').sees('C01REVIEW', /more tasks wait for review/, { timeoutMs: 120_000 });
}

async function allRated({ marketplace }: Machine, verdicts: ReadonlyMap<string, string>): Promise<void> {
  const end = Date.now() + 120_000;
  for (const [task, verdict] of verdicts) {
    while ((await marketplace.task(task)).task_rating === 'NOTRATED' && Date.now() < end) await pause(500);
    const { task_rating: rating } = await marketplace.task(task);
    if (rating !== verdict) throw new Error(`${task} is ${rating}, not ${verdict}`);
  }
}

/** Returns how many calls have rated, and how many decisions they applied, by the marketplace's own record. */
async function applied({ marketplace }: Machine): Promise<{ writes: number; decisions: number }> {
  const writes = (await marketplace.requests()).filter(
    ({ path, applied: done }) => done && path.includes('/rate_task'),
  );
  const { tasks } = await marketplace.state();
  // The first entry is the submission.
  const decisions = tasks.reduce((sum, { history }) => sum + history.length - 1, 0);
  return { writes: writes.length, decisions };
}

function report(what: string, ratio: number, most: number, least = 0): void {
  console.log(`${what}: ${ratio.toFixed(2)} (must be at most ${most})`);
  if (!(ratio <= most && ratio >= least)) process.exitCode = 1;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
