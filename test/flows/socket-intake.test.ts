import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { type ActResult, createSandboxSlack } from '../../src/sandbox/slack/index.ts';
import type { Log } from '../../src/slack/slack-logger.ts';
import { createThreadIntake } from '../../src/slack/socket-in-thread.ts';
import { type Arrival, createIntake } from '../../src/slack/socket-intake.ts';
import { eventually } from '../harness/eventually.ts';
import { slackHandle } from '../harness/slack.ts';
import { sandboxClient } from '../harness/slack-client.ts';

const log: Log = { trace() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false };

/** A sandbox, connected to an intake whose arrivals nobody takes up. */
async function connected(create: typeof createIntake, isAtWork?: () => boolean) {
  const sandbox = await createSandboxSlack({});
  onTestFinished(() => sandbox.close());
  const arrivals: Arrival[] = [];
  const problems: (string | undefined)[] = [];
  const intake = create(
    { appToken: 'xapp-sandbox', apiUrl: sandbox.apiUrl, log, ...(isAtWork ? { isAtWork } : {}) },
    { arrived: (arrival) => void arrivals.push(arrival), problem: (problem) => void problems.push(problem) },
  );
  await intake.start();
  onTestFinished(() => intake.stop());
  const deliver = (kind: string, payload: object) =>
    sandboxClient(sandbox.url).act<ActResult & { body?: unknown }>('deliver', { kind, payload });
  return { slack: slackHandle(sandbox.url), intake, arrivals, problems, deliver };
}

/** An intake in threads, which are added to a list. */
const noting =
  (threads: Worker[]): typeof createIntake =>
  (options, listener) =>
    createThreadIntake(options, listener, (...given) => {
      const thread = new Worker(...given);
      threads.push(thread);
      return thread;
    });

test.each([
  ['this thread', createIntake],
  ['a thread of its own', createThreadIntake],
])('in %s, a click is acked before anybody takes it up, a form when it has an answer', async (_, create) => {
  const { intake, arrivals, deliver } = await connected(create);
  expect(await deliver('interactive', { type: 'block_actions' })).toMatchObject({ acked: true });
  expect(await deliver('slash_commands', { command: '/proofdesk' })).toMatchObject({ acked: true });
  await eventually('both arrivals', () => arrivals.length === 2);
  expect(arrivals.map(({ isAcked }) => isAcked)).toEqual([true, true]);

  const submission = deliver('interactive', { type: 'view_submission' });
  await eventually('the form', () => arrivals.length === 3);
  const [, , form] = arrivals;
  expect(form?.isAcked).toBe(false);
  intake.ack(form?.id ?? '', { response_action: 'clear' });
  expect(await submission).toMatchObject({ acked: true, body: { response_action: 'clear' } });
});

test('while the bot hangs, Slack is not told that it has a click', async () => {
  let isAtWork = false;
  const { intake, arrivals, deliver } = await connected(createIntake, () => isAtWork);
  const click = deliver('interactive', { type: 'block_actions' });
  await eventually('the click', () => arrivals.length === 1);
  const [first] = arrivals;
  expect(first?.isAcked).toBe(false);
  // It goes on before Slack gives up.
  isAtWork = true;
  intake.ack(first?.id ?? '');
  expect(await click).toMatchObject({ acked: true });
});

test('a thread that ends is started again', async () => {
  const threads: Worker[] = [];
  const { slack, arrivals, problems, deliver } = await connected(noting(threads));
  await threads[0]?.terminate();
  await eventually('that it is lost', () => problems.at(-1) !== undefined);
  await eventually('that it is back', () => problems.at(-1) === undefined);
  await slack.sockets(1);
  expect(await deliver('interactive', { type: 'block_actions' })).toMatchObject({ acked: true });
  await eventually('the click', () => arrivals.length === 1);
  expect(threads).toHaveLength(2);
});

test('a thread that is started again tries until Slack accepts the token', async () => {
  const threads: Worker[] = [];
  const { slack, problems } = await connected(noting(threads));
  await slack.settings({ tokenRevoked: true });
  await threads[0]?.terminate();
  await eventually('that it is refused', () => /SLACK_APP_TOKEN/.test(problems.at(-1) ?? ''));
  await slack.settings({ tokenRevoked: false });
  await eventually('that it is back', () => problems.at(-1) === undefined);
  await slack.sockets(1);
});

test('a token that Slack refuses ends the start of the thread, with what to do', async () => {
  const sandbox = await createSandboxSlack({});
  onTestFinished(() => sandbox.close());
  const intake = createThreadIntake(
    { appToken: 'xapp-wrong', apiUrl: sandbox.apiUrl, log },
    { arrived() {}, problem() {} },
  );
  await expect(intake.start()).rejects.toThrow(/SLACK_APP_TOKEN/);
});
