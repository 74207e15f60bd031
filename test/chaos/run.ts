import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { deskFaultPoints } from '../../src/domain/fault-points.ts';
import { groupBy } from '../../src/domain/group.ts';
import { createRandom, type Random } from '../../src/sandbox/marketplace/index.ts';
import { type ChannelView, createChannelView, dailyName } from './channel-view.ts';
import { createRequestCollector, createTrailCollector, type Evidence, gatherEvidence } from './evidence.ts';
import {
  failMarketplace,
  failSlack,
  type Kills,
  killBots,
  killWhilePostingSummary,
  killWhileTelling,
} from './faults.ts';
import { createHomeReader } from './home-reader.ts';
import { actsLine, createReviewLog, decisionsLine, type ReviewLog } from './log.ts';
import { createOutages, followSchedule } from './outages.ts';
import { ownChannel, sharedChannel } from './places.ts';
import { amendRoles, ownKeyReviewer, review, watchChannels } from './reviewers.ts';
import { type Outage, schedule } from './schedule.ts';
import { type ChaosSettings, chaosRateLimits, slackUpdateMs, timeScale } from './settings.ts';
import { writeState } from './state.ts';
import { type Findings, findingCounts, problemsFound, verify } from './verify.ts';
import {
  type ChaosWorld,
  campaignWithChannel,
  ownCampaigns,
  startChaosWorld,
  subscribes,
  type Transport,
} from './world.ts';

/** Up to this many problems are printed individually. */
const fewProblems = 3;
/** How often a run prints what has not settled yet (ms). */
const progressMs = 20_000;

/** How a day ended. */
export interface DayResult {
  readonly day: number;
  readonly transport: Transport;
  /** The time from the end of all faults until nothing was left to do, and its limit (ms). */
  readonly settledAfterMs: number;
  readonly settleWithinMs: number;
}

export interface Outcome {
  readonly settings: ChaosSettings;
  readonly findings: Findings;
  readonly evidence: Evidence;
  readonly outages: readonly Outage[];
  readonly days: readonly DayResult[];
  readonly kills: Kills;
  readonly log: ReviewLog;
  /** The numbers of failures that the sandboxes simulated, by target and kind. */
  readonly faults: ReadonlyMap<string, number>;
  readonly durationMs: number;
  /** The folder with the processes' logs, which are removed if the run finds no problem. */
  readonly logs: string;
}

/** Returns whether a run has a primary with replicas and sentinels, or one Redis as the bot starts it itself. */
export function hasSentinels({ seed }: Pick<ChaosSettings, 'seed'>): boolean {
  return Math.floor(seed / 2) % 2 === 1;
}

/** Returns the processes' transport from Slack on a day, which alternates daily. */
export function transportOf({ seed }: Pick<ChaosSettings, 'seed'>, day: number): Transport {
  return (seed + day) % 2 === 0 ? 'socket' : 'http';
}

/**
 * Runs the bots while everything fails and people work, day after day, and verifies the result of each day. Stops after the
 * first day with a problem.
 * @param only limits the run to outages whose kind contains this
 */
export async function runChaos(
  settings: ChaosSettings,
  print: (line: string) => void,
  only = '',
): Promise<Outcome> {
  const began = Date.now();
  const say = (line: string) => print(`${seconds(Date.now() - began)}  ${line}`);
  const random = createRandom(settings.seed);
  const outages = schedule(settings.seed, settings).filter(({ kind }) => kind.includes(only));
  const world = await startChaosWorld(
    settings,
    { transport: transportOf(settings, 1), sentinels: hasSentinels(settings) },
    random,
  );
  const view = createChannelView(world.slack.url);
  const log = createReviewLog();
  const kills: Kills = { atPoints: new Map(), anywhere: 0 };
  const collector = createRequestCollector(world.marketplace);
  const trail = createTrailCollector();
  const slackFaults = new Map<string, number>();
  const readyWithoutRedis: string[] = [];
  const ending = new AbortController();
  const parts = {
    slackUrl: world.slack.url,
    marketplace: world.marketplace,
    campaigns: world.campaigns,
    view,
    log,
    random,
    absent: world.absent,
  };
  const days: DayResult[] = [];
  let background: Promise<unknown> = Promise.resolve();
  try {
    await setUp(world, view, settings, kills, random);
    say('the first import is done');
    await world.slack.settings({ rateLimits: timeScale });
    background = Promise.all([
      watchChannels(parts, ending.signal),
      collectAll(world, collector.collect, slackFaults, ending.signal),
    ]);
    const injector = createOutages(world, {
      readyWithoutRedis,
      beforeLoss: trail.collect,
      losses: trail.losses,
      pauses: trail.pauses,
    });
    let findings: Findings | undefined;
    let evidence: Evidence | undefined;
    for (let day = 1; day <= settings.days; day += 1) {
      const transport = transportOf(settings, day);
      if (day > 1) await world.receiveBy(transport);
      await Promise.all(world.bots.map((bot) => bot.ready()));
      // They were lost with Redis.
      await world.changeSettings();
      await world.askForDaily();
      say(`day ${day} begins, by ${transport === 'socket' ? 'Socket Mode' : 'HTTP'}`);
      const ofDay = (whole: number) => Math.round(whole / settings.days);
      await failSlack(world.slack, settings.failureRate);
      await failMarketplace(world.marketplace, settings.failureRate);
      const spanMs = settings.dayMs;
      await Promise.all([
        followSchedule(
          outages.filter((outage) => outage.day === day),
          injector,
          say,
        ),
        submitAll(world, settings, day, random),
        killBots(world.bots, { kills: ofDay(settings.kills), spanMs }, random, kills),
        killWhileTelling(world.bots, spanMs, random, kills),
        review(parts, { decisions: ofDay(settings.decisions), spanMs, until: 'outages are over' }),
      ]);
      say(`day ${day}: the outages are over; ${decisionsLine(log)}`);
      const { eveningMs } = settings;
      const evening = { kills: ofDay(settings.eveningKills), spanMs: eveningMs };
      await Promise.all([
        killBots(world.bots, evening, random, kills, deskFaultPoints),
        submitMore(world, settings.eveningTasks, random),
        review(parts, { decisions: ofDay(settings.eveningDecisions), spanMs: eveningMs, until: 'evening' }),
      ]);
      await Promise.all([world.slack.clearFaults(), world.marketplace.clearFaults()]);
      await review(parts, { decisions: Infinity, spanMs: settings.lastActsMs, until: 'each act done' });
      await amendRoles(parts);
      const faultsOverAt = Date.now();
      say(`day ${day}: all faults are over; ${decisionsLine(log)}, ${view.cards.size} cards`);
      say(`day ${day}: ${actsLine(log)}`);
      say(`day ${day}: ${toldLine(view)}`);
      let limit: number | undefined;
      let saidAt = Date.now();
      const asked = createHomeReader(world);
      for (;;) {
        const checkedAt = Date.now();
        await collector.collect();
        evidence = await gatherEvidence(world, view, log, [...collector.requests.values()], trail);
        findings = verify(evidence, { readyWithoutRedis });
        limit ??= settings.settleWithinMs + slackPaceMs(findings);
        for (const done of await asked.follow(evidence)) say(`day ${day}: ${done}`);
        if (Date.now() - saidAt >= progressMs) {
          saidAt = Date.now();
          say(`day ${day}: ${whatIsLeft(findings)}`);
        }
        // Ratings sent or applied twice cannot be corrected later.
        const isHopeless = findings.appliedTwice.length + findings.sentAgain.length > 0;
        const isOver = isHopeless || problemsFound(findings).length === 0 || checkedAt - faultsOverAt > limit;
        if (isOver) break;
        // Checks of many tasks leave most of the machine to the checked work.
        await wait(Math.max(500, 2 * (Date.now() - checkedAt)));
      }
      const settledAfterMs = Date.now() - faultsOverAt;
      days.push({ day, transport, settledAfterMs, settleWithinMs: limit });
      const problems = problemsFound(findings).length;
      say(
        `day ${day}: ${problems === 0 ? 'settled' : `${problems} findings`} after ${seconds(settledAfterMs)}`,
      );
      if (problems > 0) break;
    }
    if (findings === undefined || evidence === undefined) throw new Error('a run has at least one day');
    if (problemsFound(findings).length > 0) await writeState(world.redis, evidence, view, world.logs);
    const faults = new Map(slackFaults);
    for (const [kind, all] of groupBy([...collector.faults.values()], (kind) => kind)) {
      faults.set(`marketplace call, ${kind}`, all.length);
    }
    const durationMs = Date.now() - began;
    const { logs } = world;
    return { settings, findings, evidence, outages, days, kills, log, faults, durationMs, logs };
  } finally {
    ending.abort();
    await background.catch(() => undefined);
    await world.close();
  }
}

/** Removes the logs of a run that found no problem. */
export async function removeLogs({ logs }: Outcome): Promise<void> {
  await rm(logs, { recursive: true, force: true });
}

/** Connects and subscribes everything, and waits for the first imports. */
async function setUp(
  world: ChaosWorld,
  view: ChannelView,
  settings: ChaosSettings,
  kills: Kills,
  random: Random,
): Promise<void> {
  await Promise.all(world.bots.map((bot) => bot.ready()));
  await world.marketplace.write({ subject: 'Message 0' });
  await killWhilePostingSummary(world.bots, random, kills);
  await Promise.all(world.bots.map((bot) => bot.ready()));
  await world.connectOwnKey();
  await world.changeSettings();
  await subscribes(world.slack.person(ownKeyReviewer), ownChannel);
  await subscribes(world.slack.person('U01ANN'), world.campaignChannel, campaignWithChannel);
  await waitUntil(
    'the first imports',
    async () => {
      await view.refresh();
      const channels = [sharedChannel, ownChannel, world.campaignChannel];
      const counted = [...view.summaries.values()].reduce((sum, { count }) => sum + count, 0);
      const summarized = channels.filter((channel) =>
        [...view.summaries.values()].some((summary) => summary.channel === channel),
      );
      return (
        view.announced.size > 0 && summarized.length > 0 && view.cards.size + counted >= settings.backlog
      );
    },
    firstImportsMs,
  );
}

/** Submits a day's tasks and writes its messages, evenly over most of the day. */
async function submitAll(
  world: ChaosWorld,
  { tasks, backlog, messages, days, dayMs }: ChaosSettings,
  day: number,
  random: Random,
): Promise<void> {
  const { marketplace, campaigns } = world;
  const began = Date.now();
  const batches = Math.max(1, Math.floor((dayMs * 0.8) / 1_000));
  const share = (whole: number, batch: number) =>
    Math.floor((whole / days) * (day - 1 + (batch + 1) / batches)) -
    Math.floor((whole / days) * (day - 1 + batch / batches));
  for (let batch = 0; batch < batches; batch += 1) {
    for (let count = share(tasks - backlog, batch); count > 0; count -= 1) {
      await marketplace.submit({ campaign_id: random.pick(campaigns) });
    }
    for (let count = share(messages - 1, batch); count > 0; count -= 1) {
      const key = random.next() < 0.3 ? { key: world.ownKey } : {};
      // The key may have been replaced in the meantime.
      await marketplace.write({ subject: `A message of day ${day}`, ...key }).catch(() => undefined);
    }
    await wait(Math.max(0, began + (batch + 1) * 1_000 - Date.now()));
  }
}

/** Submits tasks to the shared account. */
async function submitMore(
  { marketplace, campaigns }: ChaosWorld,
  tasks: number,
  random: Random,
): Promise<void> {
  const shared = campaigns.slice(0, -ownCampaigns(campaigns.length));
  for (let count = 0; count < tasks; count += 1) {
    await marketplace.submit({ campaign_id: random.pick(shared) });
  }
}

/** Reads the logs of both sandboxes before they drop entries. */
async function collectAll(
  world: ChaosWorld,
  collect: () => Promise<void>,
  slackFaults: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  let since = 0;
  while (!signal.aborted) {
    await collect();
    for (const { n, fault, direction } of await world.slack.requests({}, since)) {
      since = Math.max(since, n);
      if (!fault) continue;
      const name = `${direction === 'in' ? 'Slack call' : 'Slack delivery'}, ${fault}`;
      slackFaults.set(name, (slackFaults.get(name) ?? 0) + 1);
    }
    await wait(2_000, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns a line with the numbers of messages that the bot sent on its own. */
function toldLine({ campaignNotices, unique }: ChannelView): string {
  const dailies = [...unique.values()].filter((name) => name.startsWith(dailyName)).length;
  return `${campaignNotices.size} messages of paused campaigns, ${dailies} daily summaries`;
}

/** Returns a line with the number of open problems of each kind. */
function whatIsLeft(findings: Findings): string {
  const left = findingCounts(findings).filter(([, count]) => count > 0);
  const problems = problemsFound(findings);
  if (problems.length > 0 && problems.length <= fewProblems) return problems.join(' · ');
  return left.map(([name, count]) => `${name} ${count}`).join(' · ') || 'nothing is left';
}

/** Returns the minimum time (ms) that Slack's rate limits need for the remaining posts, one after the other in a channel. */
function slackPaceMs({ cardsMissing, announcementsWrong, summariesWrong, unsettled }: Findings): number {
  const posts = cardsMissing.length + announcementsWrong.length + summariesWrong.length;
  // An outdated card may not be posted yet.
  return (
    posts * chaosRateLimits.channelMs + unsettled.length * Math.max(chaosRateLimits.channelMs, slackUpdateMs)
  );
}

/** The time for the first imports (ms): without a limit on open cards, a backlog is posted at Slack's rate limit. */
const firstImportsMs = 180_000;

async function waitUntil(what: string, holds: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await wait(300);
  }
}

export function seconds(ms: number): string {
  return `${(Math.round(ms / 100) / 10).toFixed(1)} s`;
}
