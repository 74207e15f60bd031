import type { SeenView } from '@proofdesk/slack-sandbox/testing';
import { decidesAsSaved, hasTask, pressesOf, startsReview } from '../test/harness/acts.ts';
import { pause, percentile, startMachine } from './machine.ts';
import { isQuick, milliseconds, report } from './report.ts';

// Focus review: 300 tasks through the modal protocol, over Socket Mode and HTTP, 20 % of them sent back or refused with
// saved reasons. At most 1.45 clicks per task; each decision is applied once; the next task appears within 300 ms at the
// median and 800 ms at the 99th percentile, with pictures. Then, at one decision every 2 seconds, at most 0.25 marketplace
// writes per task; and ten reviewers at once within Slack's limits for views.*.

const count = isQuick ? 40 : 300;
const limits = { clicks: 1.45, medianMs: 300, p99Ms: 800, writes: 0.25 };
const picture = {
  filename: 'shelf.png',
  content_type: 'image/png',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
};

const transports = isQuick ? (['socket'] as const) : (['socket', 'http'] as const);
// In parallel, because reviewers mostly think and the bot mostly waits.
await Promise.all([...transports.map(clearQueue), atTwoSeconds(), tenAtOnce()]);

interface Session {
  readonly transport?: 'socket' | 'http';
  readonly env?: Readonly<Record<string, string>>;
  readonly users?: readonly { id: string; name: string; real_name: string }[];
  readonly hasPicture?: (index: number) => boolean;
}

/** Lets people review this many tasks, each with another proof. Calls `run` once all of them are known. */
async function reviewing(
  tasks: number,
  { transport = 'socket', env = {}, users = [], hasPicture = () => false }: Session,
  run: (machine: Machine, taskIn: (review: SeenView) => string) => Promise<void>,
): Promise<void> {
  const isHttp = transport === 'http';
  const signing = { SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'sandbox-signing-secret', HOST: '127.0.0.1' };
  const ann = { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes', is_admin: true };
  const owners = ['U01ANN', ...users.map(({ id }) => id)].join(',');
  await using machine = await startMachine({
    ...(users.length === 0 ? {} : { workspace: { users: [ann, ...users] } }),
    env: { ACCOUNT_OWNERS: owners, ...(isHttp ? signing : {}), ...env },
  });
  const { marketplace, slack } = machine;
  const campaign_id = await machine.runningCampaign('Shelf');
  const submitted = new Map<string, string>();
  for (let index = 0; index < tasks; index++) {
    const proof = `Shelf number ${index}`;
    const files = hasPicture(index) ? [picture] : [];
    const [task = ''] = await marketplace.submit({ campaign_id, proof: [proof], files });
    submitted.set(proof, task);
  }
  const { port } = await machine.startBot();
  if (isHttp) await slack.settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
  // The message that counts the tasks without a card. By then all tasks are known.
  await slack.person('U01ANN').sees('C01REVIEW', /more tasks waiting/, { timeoutMs: 120_000 });
  await run(machine, ({ text }) => submitted.get(/Shelf number \d+/.exec(text)?.[0] ?? '') ?? '');
}

/** One reviewer clears the queue, a moment after each view appears. */
async function clearQueue(transport: 'socket' | 'http'): Promise<void> {
  const hasPicture = (index: number) => index >= count * 0.9;
  await reviewing(count, { transport, env: { UNDO_SECONDS: '2' }, hasPicture }, async (machine, taskIn) => {
    await machine.slack.settings({ rateLimits: 'on' });
    const times: number[] = [];
    const verdicts = new Map<string, string>();
    const review = await startsReview(machine.slack.person('U01ANN'), 'C01REVIEW');
    const before = await pressesOf(machine.slack, 'U01ANN');
    for (let done = 0; hasTask(review); done++) {
      const task = taskIn(review);
      // Faster than anybody reads.
      await pause(350);
      const verdict = done % 5 < 4 ? 'OK' : done % 10 < 5 ? 'REVISE' : 'NOK';
      verdicts.set(task, verdict);
      const answer = verdict === 'OK' ? await review.submit() : await decidesAsSaved(review, verdict);
      times.push(answer.ms);
      if (!answer.ok) throw new Error(`not answered: ${JSON.stringify(answer)}`);
      await review.refresh();
    }
    const clicks = (await pressesOf(machine.slack, 'U01ANN')) - before;
    await allRated(machine, verdicts);
    const sent = await applied(machine);
    const calls = (await machine.slack.requests()).filter(({ method }) => method.startsWith('views.'));
    const limited = calls.filter(({ status }) => status === 429).length;
    const what = `Focus review over ${transport === 'socket' ? 'Socket Mode' : 'HTTP'}`;
    const median = percentile(times, 0.5);
    const p99 = percentile(times, 0.99);
    console.log(
      `${transport}: ${verdicts.size} tasks, ${sent.decisions} decisions applied, ${calls.length} calls of views.*, ${limited} limited`,
    );
    report({ what: `${what}: clicks`, against: 'a task', value: clicks / count, most: limits.clicks });
    report({
      what: `${what}: the next task, median`,
      against: `${limits.medianMs} ms`,
      value: median / limits.medianMs,
      most: 1,
      measured: milliseconds(median),
    });
    report({
      what: `${what}: the next task, p99`,
      against: `${limits.p99Ms} ms`,
      value: p99 / limits.p99Ms,
      most: 1,
      measured: milliseconds(p99),
    });
    report({
      what: `${what}: decisions applied`,
      against: 'one for each task',
      value: sent.decisions / count,
      most: 1,
      least: 1,
    });
  });
}

/** One person decides every 2 seconds. Measures how many decisions are batched. */
async function atTwoSeconds(): Promise<void> {
  const each = isQuick ? 12 : 40;
  await reviewing(90, { env: { UNDO_SECONDS: '10' } }, async (machine, taskIn) => {
    const review = await startsReview(machine.slack.person('U01ANN'), 'C01REVIEW');
    const verdicts = new Map<string, string>();
    for (let done = 0; done < each; done++) {
      await pause(2_000);
      verdicts.set(taskIn(review), 'OK');
      await review.submit();
      await review.refresh();
    }
    await allRated(machine, verdicts);
    const { writes } = await applied(machine);
    report({
      what: 'Focus review, one decision every 2 s: marketplace writes',
      against: 'one each',
      value: writes / verdicts.size,
      most: limits.writes,
    });
  });
}

/** Ten people decide every 4 seconds each, under Slack's limits: no task is shown to two of them, and nobody has to wait. */
async function tenAtOnce(): Promise<void> {
  const each = isQuick ? 3 : 15;
  const users = Array.from({ length: 10 }, (_, index) => {
    const name = `reviewer${index}`;
    return { id: `U9000${index}`, name, real_name: `Reviewer ${index}` };
  });
  await reviewing(each * users.length, { users, hasPicture: () => true }, async (machine, taskIn) => {
    await machine.slack.settings({ rateLimits: 'on' });
    await machine.slack.clearRequests();
    const verdicts = new Map<string, string>();
    let shownTwice = 0;
    await Promise.all(
      users.map(async ({ id }, index) => {
        await pause(index * 400);
        const review = await startsReview(machine.slack.person(id), 'C01REVIEW');
        for (let done = 0; hasTask(review); done++) {
          await pause(4_000);
          const task = taskIn(review);
          if (verdicts.has(task)) shownTwice += 1;
          const verdict = (done + index) % 5 === 0 ? 'REVISE' : 'OK';
          verdicts.set(task, verdict);
          await (verdict === 'OK' ? review.submit() : decidesAsSaved(review, verdict));
          await review.refresh();
        }
      }),
    );
    await allRated(machine, verdicts);
    const calls = (await machine.slack.requests()).filter(({ method }) => method.startsWith('views.'));
    const what = 'Focus review, ten at once';
    report({
      what: `${what}: calls of views.* that Slack limits`,
      against: 'none',
      value: calls.filter(({ status }) => status === 429).length,
      most: 0,
    });
    report({ what: `${what}: tasks shown to two people`, against: 'none', value: shownTwice, most: 0 });
    report({
      what: `${what}: decisions applied`,
      against: 'one for each task',
      value: (await applied(machine)).decisions / verdicts.size,
      most: 1,
      least: 1,
    });
  });
}

type Machine = Awaited<ReturnType<typeof startMachine>>;

async function allRated({ marketplace }: Machine, verdicts: ReadonlyMap<string, string>): Promise<void> {
  const end = Date.now() + 120_000;
  for (const [task, verdict] of verdicts) {
    while ((await marketplace.task(task)).task_rating === 'NOTRATED' && Date.now() < end) await pause(500);
    const { task_rating: rating } = await marketplace.task(task);
    if (rating !== verdict) throw new Error(`${task} is ${rating}, not ${verdict}`);
  }
}

/** Returns how many calls rated tasks, and how many decisions they applied, from the marketplace's own record. */
async function applied({ marketplace }: Machine): Promise<{ writes: number; decisions: number }> {
  const writes = (await marketplace.requests()).filter(
    ({ path, applied: done }) => done && path.includes('/rate_task'),
  );
  const { tasks } = await marketplace.state();
  // The first history entry is the submission.
  const decisions = tasks.reduce((sum, { history }) => sum + history.length - 1, 0);
  return { writes: writes.length, decisions };
}
