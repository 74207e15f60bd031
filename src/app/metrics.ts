import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WorkspaceId } from '../domain/terms.ts';
import type { Modules } from '../kit/modules.ts';
import type { RequestInfo } from '../marketplace/index.ts';
import type { SlackError } from '../slack/slack-error.ts';
import { slackPause } from '../store/pauses.ts';
import type { TaskChange } from '../store/tasks.ts';
import type { HealthAnswer } from './http-server.ts';
import { withTimeLimit } from './lifecycle.ts';

/** A card that has not shown the current state of its task for longer than this (ms) is late. */
const lateMs = 60_000;

/** How long what is read at a scrape may take (ms): while Redis does not answer, the rest is still told. */
const readMs = 2_500;

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | undefined];

/**
 * Creates the metrics of `GET /metrics`. What happens is counted where it passes, by the functions returned here; what is so
 * is read at each scrape. No label has values that grow with people, campaigns or channels.
 */
export function createMetrics({ undoSeconds }: { readonly undoSeconds: number }) {
  const registry = new Registry();
  const registers = [registry];
  const acks = new Histogram({
    name: 'proofdesk_slack_ack_seconds',
    help: 'Time until what Slack sent was acknowledged. After 3 seconds, Slack shows an error.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 3],
    registers,
  });
  const slackCalls = new Counter({
    name: 'proofdesk_slack_calls_total',
    help: 'Calls of the Web API. result: ok, refused, rate-limited or unreachable.',
    labelNames: ['method', 'result'],
    registers,
  });
  const marketplaceCalls = new Histogram({
    name: 'proofdesk_marketplace_call_seconds',
    help: 'Requests to the marketplace. result: ok, refused, or why there was no usable answer.',
    labelNames: ['endpoint', 'result'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
    registers,
  });
  const cards = new Histogram({
    name: 'proofdesk_submission_to_card_seconds',
    help: 'Time from a submission to its card. A task waits longer while its channel has OPEN_CARDS open cards.',
    buckets: [5, 15, 30, 60, 120, 300, 900, 3_600, 14_400],
    registers,
  });
  const decisions = new Histogram({
    name: 'proofdesk_decision_to_marketplace_seconds',
    help: 'Time from the end of UNDO_SECONDS until the marketplace has the rating.',
    buckets: [1, 5, 15, 30, 60, 120, 300, 900, 3_600],
    registers,
  });

  /** What is read at a scrape. A value that cannot be read is absent. */
  let gauges: { gauge: Gauge; isLabeled: boolean; read: () => Promise<readonly Sample[]> }[] = [];

  async function readGauges(): Promise<void> {
    const all = gauges.map(async ({ read, ...one }) => {
      let samples: readonly Sample[] = [];
      const take = async () => {
        samples = await read();
      };
      await withTimeLimit(readMs, take).catch(() => undefined);
      return { ...one, samples };
    });
    for (const { gauge, isLabeled, samples } of await Promise.all(all)) {
      if (isLabeled) gauge.reset();
      // A reset would set it to 0.
      else gauge.remove();
      for (const [labels, value] of samples) if (value !== undefined) gauge.set(labels, value);
    }
  }

  return {
    /** Records an acknowledgment. @param ms how long Slack waited for it */
    acked: (ms: number) => acks.observe(ms / 1_000),

    slackCalled(method: string, failure: SlackError | undefined): void {
      slackCalls.inc({ method, result: failure?.kind ?? 'ok' });
    },

    marketplaceCalled: ({ endpoint, result, ms }: RequestInfo) =>
      marketplaceCalls.observe({ endpoint, result }, ms / 1_000),

    /** Records how long a card or a rating took, when a task got it. */
    taskChanged({ before, event, after, at }: TaskChange): void {
      if (event.type === 'posted' && before?.card.state === 'wanted' && before.card.former === undefined) {
        const submittedAt = after.submittedAt ?? after.proof.finishedAt;
        if (submittedAt !== undefined) cards.observe(Math.max(0, at - submittedAt) / 1_000);
      }
      if (event.type === 'applied' && after.decision)
        decisions.observe(Math.max(0, (at - after.decision.at) / 1_000 - undoSeconds));
    },

    /** Reads what is so from these, at each scrape from now on. */
    watch(modules: Modules, workspaces: () => Promise<readonly WorkspaceId[]>): void {
      gauges = gaugesOf(modules, workspaces).map(([name, help, labelNames, read]) => ({
        gauge: new Gauge({ name, help, labelNames, registers }),
        isLabeled: labelNames.length > 0,
        read,
      }));
    },

    /** Answers a scrape. Never rejects. */
    async scrape(): Promise<HealthAnswer> {
      await readGauges();
      return { status: 200, text: await registry.metrics(), type: registry.contentType };
    },
  };
}

type GaugeRow = readonly [
  name: string,
  help: string,
  labels: readonly string[],
  read: () => Promise<readonly Sample[]>,
];

/** Returns what is read at a scrape: from counts and indexes, never from tasks. */
function gaugesOf(
  { tasks, channels, campaigns, jobs, marketplace, clock }: Modules,
  workspaces: () => Promise<readonly WorkspaceId[]>,
) {
  const accounts = () => channels.subscriptions.polledAccounts();
  type Account = Awaited<ReturnType<typeof accounts>>[number];

  async function sumOf(count: (ref: Account) => Promise<number>): Promise<number> {
    return (await Promise.all((await accounts()).map(count))).reduce((sum, one) => sum + one, 0);
  }

  /** Returns when an account was polled last; undefined while it is not polled. */
  async function lastPollAt(ref: Account): Promise<number | undefined> {
    const subscribed = await channels.subscriptions.ofAccount(ref);
    return (await channels.routing.isFollowed(ref, subscribed)) ? campaigns.lastPollAt(ref) : undefined;
  }

  /** Returns the age of the earliest of the accounts' times (s); undefined if there is none. */
  async function ageOf(timeOf: (ref: Account) => Promise<number | undefined>): Promise<number | undefined> {
    const times = (await Promise.all((await accounts()).map(timeOf))).filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.max(0, clock.now() - Math.min(...times)) / 1_000;
  }

  const counts = {
    open: (ref: Account) => tasks.open.count(ref),
    without_card: async (ref: Account) =>
      [...(await channels.windows.queues(ref)).values()].reduce((sum, count) => sum + count, 0),
    card_late: (ref: Account) => tasks.count(ref, 'needs-render', clock.now() - lateMs),
    decided: (ref: Account) => tasks.count(ref, 'due'),
    held: (ref: Account) => tasks.count(ref, 'held'),
  };

  const rows: GaugeRow[] = [
    [
      'proofdesk_tasks',
      'open: to be decided. without_card: of these, waiting for a place in a channel. card_late: the card has been out of date for a minute. decided: the marketplace has no rating yet. held: of these, waiting for their campaign.',
      ['state'],
      () =>
        Promise.all(
          Object.entries(counts).map(async ([state, count]) => [{ state }, await sumOf(count)] as const),
        ),
    ],
    [
      'proofdesk_oldest_waiting_seconds',
      'Age of the oldest task that is to be decided.',
      [],
      async () => [[{}, await ageOf((ref) => tasks.open.oldest(ref))]],
    ],
    [
      'proofdesk_last_poll_age_seconds',
      'Time since the last complete poll of the account that has waited longest.',
      [],
      async () => [[{}, await ageOf(lastPollAt)]],
    ],
    [
      'proofdesk_poll_interval_seconds',
      'Time from one poll of an account to the next (POLL_SECONDS).',
      [],
      async () => [[{}, marketplace.pollSeconds]],
    ],
    [
      'proofdesk_jobs',
      'Jobs by queue. failing: retried, and failed several times. failed: never retried automatically.',
      ['queue', 'state'],
      async () => (await jobs.counts()).map(({ queue, state, count }) => [{ queue, state }, count] as const),
    ],
    [
      'proofdesk_paused',
      'Number of workspaces (slack), channels and accounts (marketplace) that jobs do not call because calls fail.',
      ['dependency'],
      async () => {
        const all = await Promise.all((await workspaces()).map((each) => marketplace.pauses.all(each)));
        const paused = all.flatMap((each) => [...each.keys()]);
        const count = (isMeant: (name: string) => boolean) => paused.filter(isMeant).length;
        return [
          [{ dependency: 'slack' }, count((name) => name === slackPause)],
          [{ dependency: 'channel' }, count((name) => name.startsWith('channel '))],
          [{ dependency: 'marketplace' }, count((name) => name.startsWith('account '))],
        ];
      },
    ],
    [
      'proofdesk_redis_memory_ratio',
      'Used part of maxmemory, of the fullest node. Absent without maxmemory, or without the right to INFO.',
      [],
      async () => [[{}, await jobs.redisMemory.ratio()]],
    ],
  ];
  return rows;
}
