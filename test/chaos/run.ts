import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '@proofdesk/marketplace-sandbox';
import { groupBy } from '../../src/domain/collections.ts';
import { eventually } from '../harness/eventually.ts';
import { ask } from '../harness/health.ts';
import { askedAgain, type Evidence, type Findings, findingsOf, gather } from './findings.ts';
import { type Loss, livesThrough } from './kills.ts';
import { createOutages } from './outages.ts';
import { createPeople } from './people.ts';
import { type Death, type Happening, schedule, usualDayMs } from './schedule.ts';
import { createView } from './view.ts';
import { type ChaosWorld, finished, startChaosWorld } from './world.ts';

/** How long everything may take to settle once all that fails has ended (ms). */
const settleMs = 60_000;

/** Returns every finding on a line of its own, with its promise. */
export function linesOf(findings: Findings): string[] {
  return Object.entries(findings).flatMap(([promise, all]) => all.map((one) => `${promise}: ${one}`));
}

/**
 * Lets two bots live through a day of outages and deaths while people work, and checks every promise once it has settled.
 * @param kills what fails, and how often, in place of the day; how long it then took until people could decide again is returned
 */
export async function runChaos(
  seed: number,
  print: (line: string) => void,
  kills?: { readonly loss: Loss; readonly count: number },
) {
  const began = Date.now();
  const say = (text: string) => print(`${((Date.now() - began) / 1_000).toFixed(1)} s  ${text}`);
  say(`seed ${seed}`);
  const world = await startChaosWorld(kills?.loss);
  const view = createView(world.slack.url);
  const crew = createPeople(world, view);
  const watching = new AbortController();
  try {
    const areReady = async () => {
      const answers = await Promise.all(world.bots.map(({ port }) => ask(port, '/readyz')));
      return answers.every((answer) => answer?.status === 200);
    };
    const ready = () => eventually('both bots to be ready', areReady, 60_000);
    await ready();
    for (const { campaign, count } of firstTasks)
      await world.marketplace.submit({ campaign_id: campaign, count });
    await eventually('the first cards', async () => view.refresh().then(() => view.cards.size >= 10), 30_000);
    const watched = watch(world, view, watching.signal);
    say('the day begins');
    let isOver = false;
    const [deaths, usableAfter] = await Promise.all([
      lives(world, kills ? workOnly(seed) : schedule(seed), crew, () => isOver),
      (kills ? livesThrough(world, view, createRandom(seed), kills) : wait(usualDayMs, [])).finally(() => {
        isOver = true;
      }),
    ]);
    say(`the day is over: ${view.accepted.size} decisions accepted, ${view.cards.size} cards`);
    await Promise.all([world.slack.clearFaults(), world.marketplace.clearFaults()]);
    await ready();
    const overAt = Date.now();
    let evidence: Evidence;
    let findings: Findings;
    let quiet = 0;
    do {
      await wait(1_000);
      evidence = await gather(world, view, crew.tried);
      findings = findingsOf(evidence, (kills?.loss ?? 'always') !== 'always');
      // Looks twice: what was posted or sent twice may come late.
      quiet = linesOf(findings).length === 0 ? quiet + 1 : 0;
    } while (quiet < 3 && Date.now() - overAt < settleMs);
    say(`${quiet > 0 ? 'settled' : 'not settled'} after ${((Date.now() - overAt) / 1_000).toFixed(1)} s`);
    watching.abort();
    await watched;
    const { logs } = world;
    if (quiet > 0) await rm(logs, { recursive: true, force: true });
    else await appendFile(join(logs, 'findings.txt'), linesOf(findings).join('\n'));
    const accepted = view.accepted.size;
    const { done } = crew.tried;
    return { findings, deaths, usableAfter, accepted, askedAgain: askedAgain(evidence), done, logs };
  } finally {
    watching.abort();
    await world.close();
  }
}

/** Returns what people do and workers submit, for as long as the kills last. */
const workOnly = (seed: number) =>
  schedule(seed, 3_600_000).filter(({ what }) => what !== 'outage' && what !== 'kill');

const firstTasks = [
  { campaign: 'c1', count: 14 },
  { campaign: 'c2', count: 10 },
];

/** Reads the channel all the time, as what a card has shown once counts, and lets restarted campaigns finish again. */
async function watch(
  { marketplace }: ChaosWorld,
  view: ReturnType<typeof createView>,
  signal: AbortSignal,
): Promise<void> {
  for (let look = 1; !signal.aborted; look += 1) {
    await view.refresh();
    if (look % 10 === 0)
      for (const id of finished)
        await marketplace.patchCampaign(id, { status: 'FINISHED' }).catch(() => undefined);
    await wait(100);
  }
}

/** Lets everything happen at its time. Each person does one thing after the other, and leaves what the day was too short for. */
async function lives(
  world: ChaosWorld,
  happenings: readonly Happening[],
  crew: ReturnType<typeof createPeople>,
  isOver: () => boolean,
): Promise<ReadonlyMap<Death, number>> {
  const { marketplace } = world;
  const began = Date.now();
  const deaths = new Map<Death, number>();
  const outage = createOutages(world);

  /** Chooses a task with this rating at the marketplace. */
  async function taskWith(rating: string, pick: number): Promise<string | undefined> {
    const found = (await marketplace.state()).tasks.filter(({ task_rating }) => task_rating === rating);
    return found[Math.floor(pick * found.length)]?.task_id;
  }

  async function happens(one: Happening): Promise<void> {
    switch (one.what) {
      case 'submit':
        return void (await marketplace.submit({ campaign_id: one.campaign, count: one.count }));
      case 'act':
        return crew.does(one.who, one.act, one.pick);
      case 'correct': {
        const task = await taskWith('REVISE', one.pick);
        return task === undefined ? undefined : marketplace.correct(task).catch(() => undefined);
      }
      case 'rate on the website': {
        const task = await taskWith('NOTRATED', one.pick);
        return task === undefined
          ? undefined
          : marketplace.rate(task, 'NOK', 'elsewhere').catch(() => undefined);
      }
      case 'outage':
        return outage(one.place, one.kind, one.ms);
      case 'kill': {
        const died = await world.kill(one.bot, one.moment);
        if (died) deaths.set(died, (deaths.get(died) ?? 0) + 1);
      }
    }
  }

  await Promise.all(
    [...groupBy(happenings, laneOf).values()].map(async (lane) => {
      for (const one of lane) {
        await wait(Math.max(0, began + one.at - Date.now()));
        if (isOver()) return;
        await happens(one);
      }
    }),
  );
  return deaths;
}

/** What happens in one lane happens one after the other. */
function laneOf(one: Happening): string {
  if (one.what === 'act') return one.who;
  if (one.what === 'outage') return one.place;
  return one.what;
}
