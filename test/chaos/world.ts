import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { defaultLimits } from '../../src/domain/spending.ts';
import type { ChannelId, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import type { Random } from '../../src/sandbox/marketplace/index.ts';
import { createSandboxMarketplace } from '../../src/sandbox/marketplace/index.ts';
import { createSandboxSlack } from '../../src/sandbox/slack/index.ts';
import { createAuditWriter } from '../../src/store/audit/writer.ts';
import { createChannelSettings } from '../../src/store/channel-settings.ts';
import { createGrants } from '../../src/store/grants.ts';
import { createInboxChannels } from '../../src/store/inbox-channels.ts';
import { createSpendingStore } from '../../src/store/spending.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { createTimesToRate } from '../../src/store/times-to-rate.ts';
import { asId } from '../harness/ids.ts';
import { type MarketplaceHandle, marketplaceHandle } from '../harness/marketplace.ts';
import { type Person, type SlackHandle, slackHandle } from '../harness/slack.ts';
import { startBalancer } from './balancer.ts';
import type { ExpectedDaily } from './evidence.ts';
import { bonusLimit, owners } from './money.ts';
import { encryptionKey, ownChannel, sharedChannel, workspace as workspaceId } from './places.ts';
import { type BotProcess, type Environment, startBotProcess } from './processes.ts';
import { type ChaosRedis, startChaosRedis } from './redis.ts';
import { startSentinelRedis } from './redis-sentinel.ts';
import { ownKeyReviewer, ownTitle, reviewers } from './reviewers.ts';
import { type ChaosSettings, chaosRequestsPerSecond } from './settings.ts';

/** The campaign of the shared account that has its own channel. */
export const campaignWithChannel = 'c1';

export const sharedKey = 'employer-demo-key';
const firstOwnKey = 'other-employer-demo-key';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
/** This long after the start, tasks in every channel have been rated (ms). */
const ratedWithinMs = 3 * minuteMs;

const workspace = asId<WorkspaceId>(workspaceId);

/** How often a person tries an act, twice a second, before giving up: longer than outages last. */
const attempts = 400;

export type Transport = 'socket' | 'http';

export interface ChaosWorld {
  readonly slack: SlackHandle;
  readonly marketplace: MarketplaceHandle;
  readonly redis: ChaosRedis;
  readonly bots: readonly BotProcess[];
  readonly campaigns: readonly string[];
  /** The current channel of {@link campaignWithChannel}. */
  campaignChannel: string;
  /** The current key of the account that is not shared. */
  ownKey: string;
  /** Reviewers who are currently doing something else. */
  readonly absent: Set<string>;
  /** The folder of the processes' logs. */
  readonly logs: string;
  /** Switches all processes to a transport, each by a restart. */
  receiveBy(transport: Transport): Promise<void>;
  /** Subscribes another channel to the campaign whose channel was deleted. */
  subscribeNextChannel(): Promise<void>;
  /**
   * Changes settings: tasks of all campaigns may wait for a day, so that all are due soon; the channel of the account that
   * is not shared has unlimited open cards; replies leave notes; managers get their role and limit; and everybody is reminded at
   * any time.
   */
  changeSettings(): Promise<void>;
  /** The daily summaries requested by {@link askForDaily}. */
  readonly dailies: readonly ExpectedDaily[];
  /**
   * Schedules a channel's daily summary within a minute, once it has something to report. Each call uses another channel,
   * because each gets one summary a day.
   */
  askForDaily(): Promise<void>;
  /** Enters the account's current key as its reviewer does, retrying until that succeeds. */
  connectOwnKey(): Promise<void>;
  close(): Promise<void>;
}

/** Returns how many of the given number of campaigns, the last ones, belong to the account that is not shared. */
export function ownCampaigns(campaigns: number): number {
  return Math.max(1, Math.floor(campaigns * 0.4));
}

/** Starts both sandboxes, Redis, and then all bot processes, which find the backlog. */
export async function startChaosWorld(
  settings: ChaosSettings,
  { transport, sentinels }: { readonly transport: Transport; readonly sentinels: boolean },
  random: Random,
): Promise<ChaosWorld> {
  const logs = await mkdtemp(join(tmpdir(), 'proofdesk-chaos-'));
  const campaigns = Array.from({ length: settings.campaigns }, (_, index) => {
    const isOwn = index >= settings.campaigns - ownCampaigns(settings.campaigns);
    return {
      campaign_id: `c${index + 1}`,
      title: `${isOwn ? ownTitle : 'Shared'} ${index + 1}`,
      status: 'RUNNING' as const,
      available_positions: 1_000_000,
      payment_per_task: '0.10000',
      ...(isOwn ? { key: firstOwnKey } : {}),
    };
  });
  const campaignChannels = Array.from({ length: settings.days * 8 + 1 }, (_, index) => `C1${index}CAMPAIGN`);
  const channels = [sharedChannel, ownChannel, ...campaignChannels].map((id) => ({
    id,
    name: id.toLowerCase(),
    topic: '',
  }));
  const [redis, slackServer, market] = await Promise.all([
    sentinels ? startSentinelRedis() : startChaosRedis(),
    createSandboxSlack({ workspace: { users: reviewers.map(person), channels } }),
    createSandboxMarketplace({
      scenario: { seed: false, campaigns },
      settings: { requestsPerSecond: chaosRequestsPerSecond * settings.processes },
    }),
  ]);
  const marketplace = marketplaceHandle(market.url);
  const slack = slackHandle(slackServer.url);
  const ids = campaigns.map(({ campaign_id: id }) => id);
  for (let task = 0; task < settings.backlog; task += 1) {
    await marketplace.submit({ campaign_id: random.pick(ids) });
  }
  const environment: Environment = {
    SLACK_BOT_TOKEN: 'xoxb-sandbox',
    ...transportSettings(transport),
    SLACK_API_URL: slackServer.apiUrl,
    MARKETPLACE_BASE_URL: market.url,
    MARKETPLACE_API_KEY: sharedKey,
    ACCOUNT_OWNERS: owners.join(','),
    REVIEW_CHANNEL: sharedChannel,
    INBOX_CHANNEL: sharedChannel,
    REDIS_URL: redis.url,
    PROOFDESK_ENCRYPTION_KEYS: encryptionKey.toString('base64'),
    LOG_LEVEL: 'info',
  };
  const bots = await Promise.all(
    Array.from({ length: settings.processes }, (_, index) =>
      startBotProcess(`bot-${index + 1}`, environment, logs),
    ),
  );
  const balancer = await startBalancer(bots.map(({ port }) => port));
  await slack.settings({ requestUrl: `${balancer.url}/slack/events` });
  const owner = slack.person(ownKeyReviewer);
  const ann = slack.person('U01ANN');
  let channel = 0;

  const dailies: ExpectedDaily[] = [];
  const begunAt = Date.now();

  const world: ChaosWorld = {
    slack,
    marketplace,
    redis,
    bots,
    campaigns: ids,
    campaignChannel: campaignChannels[0] ?? '',
    ownKey: firstOwnKey,
    absent: new Set(),
    dailies,
    logs,
    async receiveBy(next) {
      for (const bot of bots) await bot.restart(transportSettings(next));
    },
    async subscribeNextChannel() {
      channel += 1;
      world.campaignChannel = campaignChannels[channel] ?? '';
      await subscribes(ann, world.campaignChannel, campaignWithChannel);
    },
    async changeSettings() {
      await redis.onPrimary(async (client) => {
        const writer = createAuditWriter();
        const byOwner = { by: asId<MemberId>(ownKeyReviewer), how: 'form' } as const;
        await createChannelSettings(client, undefined, writer).change(
          workspace,
          asId<ChannelId>(ownChannel),
          (before) => ({ ...before, openCards: 0, threads: true }),
          byOwner,
        );
        await createChannelSettings(client, undefined, writer).change(
          workspace,
          asId<ChannelId>(sharedChannel),
          (before) => ({ ...before, threads: true }),
          byOwner,
        );
        const accounts = (await createSubscriptions(client).polledAccounts()).map(({ account }) => account);
        for (const account of accounts) {
          const ref = { workspace, account };
          const inbox = { channel: asId<ChannelId>(sharedChannel), by: asId<MemberId>(ownKeyReviewer) };
          await createInboxChannels(client, undefined, writer).choose(
            ref,
            { ...inbox, at: Date.now() },
            { how: 'form' },
          );
          for (const id of reviewers.filter((one) => !owners.includes(one))) {
            const grant = { to: { kind: 'member', id: asId<MemberId>(id) }, role: 'manager', at: 1 } as const;
            await createGrants(client, undefined, writer).change(ref, { type: 'granted', grant }, byOwner);
          }
          const limits = {
            ...defaultLimits,
            manager: { ...defaultLimits.manager, bonus: { each: bonusLimit } },
          };
          await createSpendingStore(client, 'UTC').setLimits(
            ref,
            limits,
            writer.step(ref, { what: 'set limits', ...byOwner }),
          );
          for (const id of ids) await createTimesToRate(client).put(ref, asId(id), 1);
        }
      });
    },
    async askForDaily() {
      const channels = [sharedChannel, ownChannel, world.campaignChannel];
      const asked = channels.find((id) => !dailies.some(({ channel: before }) => before === id));
      const askedAt = Date.now();
      const at = Math.ceil(askedAt / minuteMs) * minuteMs;
      // A summary counts whole quarters of an hour; without ratings in those, there is none.
      const countedUntil = Math.floor(at / quarterMs) * quarterMs;
      if (asked === undefined || countedUntil < begunAt + ratedWithinMs) return;
      await redis.onPrimary((client) =>
        createChannelSettings(client, undefined, createAuditWriter()).change(
          workspace,
          asId<ChannelId>(asked),
          (before) => ({ ...before, dailyAt: new Date(at).toISOString().slice(11, 16) }),
          { by: asId<MemberId>(ownKeyReviewer), how: 'form' },
        ),
      );
      dailies.push({ channel: asked, at, askedAt });
    },
    async connectOwnKey() {
      world.absent.add(ownKeyReviewer);
      try {
        for (let attempt = 1; !(await connects(owner, world.ownKey).catch(() => false)); attempt += 1) {
          if (attempt === attempts) throw new Error(`${ownKeyReviewer} could not connect`);
          await wait(500);
        }
      } finally {
        world.absent.delete(ownKeyReviewer);
      }
    },
    async close() {
      await Promise.all(bots.map((bot) => bot.stop()));
      await balancer.close();
      await Promise.all([slackServer.close(), market.close(), redis.stop()]);
    },
  };
  return world;
}

/** The button that moves the subscription of another working channel to this one. */
const moveHere = 'Move it here';

/** Subscribes a channel, retrying until the person reads that it is subscribed. */
export async function subscribes(person: Person, channel: string, scope = ''): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await person.types(channel, `/proofdesk subscribe ${scope}`).catch(() => undefined);
    await wait(500);
    const read = await person.reads(channel);
    const question = read.findLast(({ buttons }) => buttons.includes(moveHere));
    if (question) await person.clicks(question, moveHere).catch(() => undefined);
    if (read.some(({ text }) => /are posted in this channel|already subscribed/.test(text))) return;
    if (attempt === attempts) throw new Error(`${person.id} could not subscribe ${channel}`);
  }
}

/** Enters a key, as a new one for the same account if asked. Resolves with true once the person reads that it works. */
async function connects(person: Person, key: string): Promise<boolean> {
  await person.types(ownChannel, '/proofdesk connect');
  const modal = await person.modal(/Enter the API key/, 2_000);
  await modal.fill('API key', key);
  await modal.submit();
  const answer = await person.modal(/You are (?:not )?connected|Use it as its new key/, 4_000);
  if (!answer.buttons.includes('Use as its new key')) return /You are connected/.test(answer.text);
  await answer.clicks('Use as its new key');
  await person.modal(/You are connected/, 4_000);
  return true;
}

function transportSettings(transport: Transport): Environment {
  return transport === 'socket'
    ? { SLACK_APP_TOKEN: 'xapp-sandbox', SLACK_SIGNING_SECRET: undefined }
    : { SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET: 'sandbox-signing-secret' };
}

function person(id: string) {
  const name = id.slice(3).toLowerCase();
  return { id, name, real_name: name, tz: 'UTC' };
}
