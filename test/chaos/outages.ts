import { setTimeout as wait } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { groupBy } from '../../src/domain/group.ts';
import { messageOf } from '../../src/errors.ts';
import { ask } from '../harness/health.ts';
import type { Loss, Pause } from './evidence.ts';
import { ownChannel } from './places.ts';
import { type Outage, type OutageKind, placeOf } from './schedule.ts';
import { chaosTimeouts } from './settings.ts';
import type { ChaosWorld } from './world.ts';

/** Ends an outage. */
type End = () => unknown;

/** How far a clock is moved (ms); not scaled. */
const clockSteps = [20 * 60_000, -20 * 60_000, 86_400_000, -86_400_000] as const;
/** How far Slack's clock is off (ms), within the tolerance of its signatures. */
const slackSkews = [120_000, -120_000, 240_000, -240_000] as const;

/** How long before a primary's failure its writes may be missing on all replicas (ms). */
const replicaLagMs = 5_000;

/** How long a process has to notice that Redis does not serve, before `/readyz` is checked (ms). */
const noticedWithinMs = 1_500;

/** Creates the outages of a running world. */
export function createOutages(
  world: ChaosWorld,
  {
    readyWithoutRedis,
    beforeLoss,
    losses,
    pauses,
  }: {
    /** Receives the findings. */
    readonly readyWithoutRedis: string[];
    /** Reads from a Redis the data that it is about to lose. */
    readonly beforeLoss: (client: Redis) => Promise<unknown>;
    /** Receives the times in which Redis may have lost writes. */
    readonly losses: Loss[];
    /** Receives each pause of a campaign. */
    readonly pauses: Pause[];
  },
) {
  const { slack, marketplace, redis, bots } = world;
  const { slackMs, marketplaceMs } = chaosTimeouts;

  async function slackFault(...faults: Parameters<typeof slack.fault>[0][]): Promise<End> {
    const ids = await Promise.all(faults.map((fault) => slack.fault({ times: 0, ...fault })));
    return () => Promise.all(ids.map((id) => slack.clearFaults(id)));
  }

  async function marketplaceFault(...faults: Parameters<typeof marketplace.fault>[0][]): Promise<End> {
    const ids = await Promise.all(faults.map((fault) => marketplace.fault({ times: 0, ...fault })));
    return () => Promise.all(ids.map((id) => marketplace.clearFaults(id)));
  }

  async function paused({ target }: Outage, status: 'PAUSED' | 'PAUSED_ADMIN'): Promise<End> {
    const campaign = world.campaigns[target % world.campaigns.length] ?? '';
    pauses.push({ campaign, status });
    await marketplace.patchCampaign(campaign, { status });
    return () => marketplace.patchCampaign(campaign, { status: 'RUNNING' });
  }

  const csv = { path: 'results_csv' };
  const botOf = ({ target }: Outage) => {
    const bot = bots[target % bots.length];
    if (bot === undefined) throw new Error('there are no processes');
    return bot;
  };
  const variant = <T>({ target }: Outage, ...variants: readonly [T, ...T[]]): T =>
    variants[target % variants.length] ?? variants[0];

  /** Notes that writes from a given time until the end of an outage may be lost. */
  function mayLose(from: number, end: End): End {
    return async () => {
      await end();
      losses.push({ from, to: Date.now() });
    };
  }

  /** Notes the writes that a replaced primary has not replicated as possibly lost. */
  function lostByFailover(end: End): End {
    return redis.failsOver ? mayLose(Date.now() - replicaLagMs, end) : end;
  }

  const begin: Record<OutageKind, (outage: Outage) => Promise<End> | End> = {
    'Slack answers 500': (outage) => slackFault({ kind: variant(outage, '500', 'html') }),
    async 'Slack is unreachable'() {
      const end = await slackFault({ kind: 'drop-before' }, { kind: 'lost' });
      await slack.disconnect({ hard: true });
      return end;
    },
    'Slack is slow': (outage) =>
      // Applied after the bot's call has timed out, or just before.
      slackFault({ kind: 'latency', delayMs: variant(outage, slackMs + 300, slackMs * 0.7) }),
    async 'Slack’s clock is wrong'(outage) {
      await slack.settings({ clockSkewMs: variant(outage, ...slackSkews) });
      return () => slack.settings({ clockSkewMs: 0 });
    },
    'marketplace is unreachable': () => marketplaceFault({ kind: 'drop-before' }),
    'marketplace answers 500': (outage) => marketplaceFault({ kind: variant(outage, '500', 'html') }),
    'marketplace is slow': () =>
      marketplaceFault(
        // Longer than a decision's lease, so that another process reconciles it while this one is still sending.
        { match: { path: 'rate_task' }, kind: 'slow-after', delayMs: chaosTimeouts.sendLeaseMs + 1_000 },
        { kind: 'slow-after', delayMs: marketplaceMs * 0.6 },
      ),
    'marketplace refuses the key': () => marketplaceFault({ kind: 'error', error: 'API NOT ENABLED' }),
    'results lag': () =>
      marketplaceFault(
        { match: csv, kind: 'stale', lagSeconds: 6 },
        { match: { path: 'list_extend' }, kind: 'stale', lagSeconds: 3, probability: 0.5 },
      ),
    'results are garbage': (outage) =>
      marketplaceFault({
        match: csv,
        kind: 'lie',
        lie: variant(outage, 'no csv', 'no header', 'other columns'),
      }),
    'results are cut': (outage) =>
      marketplaceFault({ match: csv, kind: 'lie', lie: variant(outage, 'cut end', 'unreadable rows') }),
    'results have fewer rows': () => marketplaceFault({ match: csv, kind: 'lie', lie: 'fewer rows' }),
    async 'Redis is killed'(outage) {
      await redis.kill();
      watchReadiness(outage);
      return lostByFailover(() => redis.restart());
    },
    async 'Redis hangs'(outage) {
      await redis.pause();
      watchReadiness(outage);
      return lostByFailover(() => redis.resume());
    },
    async 'Redis is full'(outage) {
      await redis.refuse('OOM');
      watchReadiness(outage);
      return () => redis.accept();
    },
    async 'Redis is read-only'(outage) {
      await redis.refuse('READONLY');
      watchReadiness(outage);
      return () => redis.accept();
    },
    async 'Redis is an older copy'() {
      const from = Date.now();
      await redis.copy();
      return mayLose(from, () => redis.restoreCopy(beforeLoss));
    },
    async 'Redis fails over'() {
      await redis.kill();
      return lostByFailover(() => redis.restart());
    },
    async 'process is killed'(outage) {
      await botOf(outage).kill();
      return () => undefined;
    },
    'process stands still'(outage) {
      const bot = botOf(outage);
      bot.pause();
      return () => bot.resume();
    },
    'process has another time'(outage) {
      const bot = botOf(outage);
      bot.shiftClock(variant(outage, ...clockSteps));
      return () => bot.shiftClock(0);
    },
    'process is restarted'(outage) {
      void botOf(outage).restart();
      return () => undefined;
    },
    async 'key is replaced'() {
      const former = world.ownKey;
      world.ownKey = `own-key-${Date.now()}`;
      await marketplace.addKey(world.ownKey, former);
      await marketplace.revokeKey(former);
      return () => world.connectOwnKey();
    },
    async 'channel is archived'() {
      const channel = world.campaignChannel;
      await slack.channelPatch(channel, { archived: true });
      return () => slack.channelPatch(channel, { archived: false });
    },
    async 'bot is removed'() {
      await slack.channelPatch(ownChannel, { botIsMember: false });
      return () => slack.channelPatch(ownChannel, { botIsMember: true });
    },
    async 'channel is deleted'() {
      await slack.deletesChannel(world.campaignChannel);
      return () => world.subscribeNextChannel();
    },
    'campaign is paused': (outage) => paused(outage, 'PAUSED'),
    // The marketplace accepts no ratings in the meantime.
    'campaign is paused by an administrator': (outage) => paused(outage, 'PAUSED_ADMIN'),
  };

  /** Checks that no process reports ready while Redis does not serve. Another server may replace a lost one. */
  function watchReadiness({ kind, duration }: Outage): void {
    const isReplaced = redis.failsOver && (kind === 'Redis is killed' || kind === 'Redis hangs');
    if (isReplaced || duration < noticedWithinMs + 500) return;
    const end = Date.now() + duration;
    for (const [index, { port }] of bots.entries()) {
      void wait(noticedWithinMs)
        .then(() => ask(port, '/readyz'))
        .then((answer) => {
          // A suspended process answers only when the outage is over.
          if (answer?.status === 200 && Date.now() < end)
            readyWithoutRedis.push(`process ${index + 1} while ${kind}`);
        });
    }
  }

  return { begin: async (outage: Outage): Promise<End> => begin[outage.kind](outage) };
}

/**
 * Runs a day's scheduled outages, one after the other in each place. Resolves once all have ended.
 * @param print receives a line for each beginning and end
 */
export async function followSchedule(
  outages: readonly Outage[],
  { begin }: ReturnType<typeof createOutages>,
  print: (line: string) => void,
): Promise<void> {
  const began = Date.now();
  const until = (at: number) => wait(Math.max(0, began + at - Date.now()));
  await Promise.all(
    [...groupBy(outages, ({ kind }) => placeOf(kind))].map(async ([, ofPlace]) => {
      for (const outage of ofPlace) {
        const { kind, at, duration } = outage;
        await until(at);
        print(`${kind} (${Math.round(duration)} ms)`);
        const end = await begin(outage);
        await wait(duration);
        try {
          await end();
        } catch (error) {
          throw new Error(`"${kind}" could not be ended: ${messageOf(error)}`, { cause: error });
        }
      }
    }),
  );
}
