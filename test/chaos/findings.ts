import type { MarketplaceRequest } from '@proofdesk/marketplace-sandbox/testing';
import { Redis } from 'ioredis';
import { groupBy } from '../../src/domain/collections.ts';
import { ask } from '../harness/health.ts';
import { ratingKey, type Tried } from './people.ts';
import type { Card, View } from './view.ts';
import type { ChaosWorld } from './world.ts';

type State = Awaited<ReturnType<ChaosWorld['marketplace']['state']>>;
type Task = State['tasks'][number];

/** The promises, each with what breaks it. */
export const promises = [
  'accepted decision missing',
  'decision applied twice or otherwise',
  'restart or campaign made twice',
  'waiting task without exactly one card or place in a summary',
  'card that does not say what the marketplace says',
  'decision without its end in the audit',
  'job failed for ever',
  'process not ready',
] as const;
export type Findings = Readonly<Record<(typeof promises)[number], readonly string[]>>;

/** An entry of the audit, as far as it is read here. */
interface Entry {
  readonly what: string;
  readonly task?: string;
  readonly decision?: string;
}

/** Everything that a finding is about. */
export interface Evidence {
  readonly marketplace: Pick<State, 'tasks' | 'campaigns'>;
  readonly requests: readonly MarketplaceRequest[];
  readonly view: Pick<View, 'cards' | 'summaries' | 'accepted' | 'askedAgain'>;
  readonly tried: Pick<Tried, 'ratings' | 'undone' | 'created' | 'restarted'>;
  readonly audit: readonly Entry[];
  readonly failedJobs: readonly string[];
  readonly notReady: readonly string[];
}

/** Reads the evidence: what both sandboxes show, the audit's streams and the failed jobs in Redis, and the processes' readiness. */
export async function gather({ marketplace, redis, bots }: ChaosWorld, view: View, tried: Tried) {
  const notReady = await Promise.all(
    bots.map(async ({ port }, index) => {
      const answer = await ask(port, '/readyz');
      return answer?.text.startsWith('ready\n') ? [] : [`bot ${index + 1}: ${answer?.text ?? 'no answer'}`];
    }),
  );
  const client = new Redis(await redis.address());
  try {
    const keys = await client.keys('*');
    const failedOf = async (queue: string) => {
      const ids = await client.zrange(`${queue}failed`, '0', '-1');
      return Promise.all(
        ids.map(async (id) => `${id}: ${await client.hget(`${queue}${id}`, 'failedReason')}`),
      );
    };
    const queues = keys.filter((key) => key.endsWith(':failed')).map((key) => key.slice(0, -'failed'.length));
    const failed = await Promise.all(queues.map(failedOf));
    const streams = await Promise.all(
      keys.filter((key) => /\baudit$/.test(key)).map((key) => client.xrange(key, '-', '+')),
    );
    const isWrite = ({ path }: MarketplaceRequest) => /restart_campaign|rate_task/.test(path);
    const requests = (await marketplace.requests()).filter(isWrite);
    const state = await marketplace.state();
    await view.refresh();
    return {
      marketplace: state,
      requests,
      view,
      tried,
      audit: streams.flat().map(([, fields]) => JSON.parse(fields[1] ?? '{}') as Entry),
      failedJobs: failed.flat(),
      notReady: notReady.flat(),
    } satisfies Evidence;
  } finally {
    client.disconnect();
  }
}

/** Returns the decisions that were lost after they were accepted, so that people are asked again. */
export function askedAgain(evidence: Evidence): string[] {
  const { view, tried } = evidence;
  return [...new Set([...view.askedAgain, ...missing(evidence)])].filter((key) => !tried.undone.has(key));
}

/** Returns all that breaks a promise, each with its task. @param isLossy whether the last seconds may be lost */
export function findingsOf(evidence: Evidence, isLossy: boolean): Findings {
  const placesWrong = isLossy ? undecidable : misplaced;
  const unlessLost = (check: (given: Evidence) => string[]) => (isLossy ? [] : check(evidence));
  return {
    'accepted decision missing': unlessLost(missing),
    'decision applied twice or otherwise': [...appliedWrongly(evidence), ...unlessLost(sentAgain)],
    'restart or campaign made twice': madeTwice(evidence),
    'waiting task without exactly one card or place in a summary': placesWrong(evidence),
    'card that does not say what the marketplace says': unlessLost(cardsWrong),
    'decision without its end in the audit': unlessLost(auditWrong),
    'job failed for ever': evidence.failedJobs,
    'process not ready': evidence.notReady,
  };
}

type Rating = Task['history'][number];

/** Returns the ratings of each round: what a worker submits or corrects begins one. */
function roundsOf({ history }: Task): Rating[][] {
  const rounds: Rating[][] = [];
  for (const event of history) {
    if (event.by === 'worker') rounds.push([]);
    else if (event.by !== 'marketplace') rounds.at(-1)?.push(event);
  }
  return rounds;
}

/** A decision that a card showed is applied, unless somebody undid it or a rating on the website came first. */
function missing({ view, marketplace, tried }: Evidence): string[] {
  const tasks = new Map(marketplace.tasks.map((task) => [task.task_id, roundsOf(task)]));
  return [...view.accepted].flatMap(([key, { task, round, verdict, comment }]) => {
    const ratings = tasks.get(task)?.[round - 1] ?? [];
    const ours = ratings.filter(({ by }) => by === 'api');
    const isApplied = ours.some((one) => one.task_rating === verdict && one.comment === comment);
    return isApplied || tried.undone.has(key) || ratings.some(({ by }) => by === 'website') ? [] : [key];
  });
}

/** A round is rated from here at most once, as somebody here has tried to. */
function appliedWrongly({ marketplace, tried }: Evidence): string[] {
  return marketplace.tasks.flatMap((task) =>
    roundsOf(task).flatMap((ratings, index) => {
      const ours = ratings.filter(({ by }) => by === 'api');
      const words = ours.map((one) => ratingKey(one.task_rating, one.comment, one.bonus || '0'));
      const name = `${task.task_id} round ${index + 1}`;
      if (ours.length > 1) return [`${name}: ${words.join(', then ')}`];
      return words
        .filter((key) => !tried.ratings.has(key) || tried.ratings.get(key)?.has(task.task_id) === false)
        .map((key) => `${name}: nobody made ${key}`);
    }),
  );
}

/** What was applied is not sent again in its round, even if the marketplace would refuse it: first it is read back. */
function sentAgain({ marketplace, requests }: Evidence): string[] {
  return marketplace.tasks.flatMap(({ task_id: id, history }) => {
    const starts = history.filter(({ by }) => by === 'worker').map(({ at }) => at);
    const sends = requests.filter(({ form }) => [form.id_task, form['id_task[]']].flat().includes(id));
    const rounds = groupBy(sends, ({ at }) => starts.filter((start) => start <= at).length);
    return [...rounds].flatMap(([round, all]) => {
      const first = all.findIndex(({ applied, taskErrors }) => applied && taskErrors?.[id] === undefined);
      const again = first === -1 ? [] : all.slice(first + 1);
      return again.map(({ at, n }) => `${id} round ${round}: sent again at ${at} (request ${n})`);
    });
  });
}

function madeTwice({ requests, marketplace, tried }: Evidence): string[] {
  const restarts = [...tried.restarted].flatMap((positions) => {
    const made = requests.filter(({ form, applied }) => applied && form.positions === positions).length;
    return made > 1 ? [`restart by ${positions} positions: ${made} times`] : [];
  });
  const campaigns = [...tried.created].flatMap((title) => {
    const made = marketplace.campaigns.filter((campaign) => campaign.title === title).length;
    return made > 1 ? [`${title}: ${made} times`] : [];
  });
  return [...restarts, ...campaigns];
}

const nameOf = ({ task, round }: Pick<Card, 'task' | 'round'>) => `${task} round ${round}`;

function misplaced({ view, marketplace }: Evidence): string[] {
  const cards = groupBy([...view.cards.values()], nameOf);
  const twice = [...cards]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.length} cards, ${all.map(({ ts }) => ts).join(', ')}`);
  const without = waitingTasks(marketplace).filter((name) => !cards.has(name));
  const counted = countedIn(view);
  return counted === without.length
    ? twice
    : [...twice, `summaries count ${counted}; without a card wait ${without.length}: ${without.join(', ')}`];
}

function waitingTasks({ tasks }: Evidence['marketplace']): string[] {
  return tasks.flatMap((task) => {
    const rounds = roundsOf(task);
    return rounds.at(-1)?.length === 0 ? [nameOf({ task: task.task_id, round: rounds.length })] : [];
  });
}

const countedIn = ({ summaries }: Evidence['view']) =>
  [...summaries.values()].reduce((sum, count) => sum + count, 0);

/** A waiting task has a card with buttons, perhaps beside another that was forgotten, or is counted. */
function undecidable({ view, marketplace }: Evidence): string[] {
  const decidable = [...view.cards.values()].filter(({ buttons }) => buttons.includes('OK'));
  const open = new Set(decidable.map(nameOf));
  const without = waitingTasks(marketplace).filter((name) => !open.has(name));
  return countedIn(view) < without.length ? without : [];
}

function cardsWrong({ view, marketplace }: Evidence): string[] {
  const tasks = new Map(marketplace.tasks.map((task) => [task.task_id, roundsOf(task)]));
  return [...view.cards.values()].flatMap((card) => {
    const problem = wrongOn(card, tasks.get(card.task) ?? []);
    return problem === undefined ? [] : [`${nameOf(card)} (${card.ts}): ${problem}: ${oneLine(card.text)}`];
  });
}

function wrongOn({ round, text, buttons, decision }: Card, rounds: readonly Rating[][]): string | undefined {
  const isOpen = buttons.includes('OK');
  if (round > rounds.length) return `there are ${rounds.length} rounds`;
  if (round < rounds.length)
    return isOpen || !text.includes('Review it on') ? 'is not of the last round' : undefined;
  const rating = rounds[round - 1]?.at(-1);
  if (rating === undefined) {
    if (!isOpen) return 'is open, and cannot be decided';
    const isUndecided = decision === undefined || decision.state === 'refused';
    return isUndecided ? undefined : 'is open, and shown as decided';
  }
  const { by, task_rating: verdict, comment } = rating;
  if (isOpen) return `is rated ${verdict}, and can be decided`;
  const says =
    by === 'website'
      ? text.includes(`*${verdict}*, `)
      : decision?.state === 'applied' && decision.verdict === verdict && decision.comment === comment;
  return says ? undefined : `is rated ${verdict} “${comment}” by ${by}`;
}

/** How a decision can end in the audit. */
const ends = ['applied', 'refused', 'overtaken', 'undone'];

function auditWrong({ audit, marketplace }: Evidence): string[] {
  const ofDecisions = audit.filter(({ decision }) => decision !== undefined);
  const byDecision = groupBy(ofDecisions, ({ decision }) => decision ?? '');
  const open = [...byDecision].flatMap(([decision, entries]) => {
    const ended = entries.filter(({ what }) => ends.includes(what)).map(({ what }) => what);
    const isMade = entries.some(({ what }) => what === 'decided');
    const isRight = !isMade || ended.length === 1;
    return isRight ? [] : [`${entries[0]?.task}: ${decision}: ${ended.join(', ') || 'no end'}`];
  });
  const ratings = audit.filter(({ what }) => what === 'applied');
  const applied = groupBy(ratings, ({ task }) => task ?? '');
  const unequal = marketplace.tasks.flatMap((task) => {
    const made = roundsOf(task).flatMap((all) => all.filter(({ by }) => by === 'api')).length;
    const entries = applied.get(task.task_id)?.length ?? 0;
    return made === entries ? [] : [`${task.task_id}: ${made} ratings, ${entries} of them in the audit`];
  });
  return [...open, ...unequal];
}

const oneLine = (text: string) => text.replaceAll('\n', ' · ').slice(0, 200);
