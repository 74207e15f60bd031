import { Redis } from 'ioredis';
import { groupBy } from '../../src/domain/group.ts';
import { isPending } from '../../src/domain/task.ts';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { backlogSummary } from '../../src/features/backlog/backlog.view.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { accountKey } from '../../src/store/keys.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId } from '../harness/ids.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import { type ChannelView, readChannel, type SeenCard } from './channel-view.ts';
import { keyOf, logDecision, type ReviewLog, roundOf } from './reviewers.ts';

type MarketplaceState = Awaited<ReturnType<MarketplaceHandle['state']>>;
type MarketplaceTask = MarketplaceState['tasks'][number];

interface AuditLine {
  readonly task: string;
  readonly round: number;
  readonly what: string;
  readonly verdict?: string;
  readonly rating: string;
  readonly comment: string;
}

/** Everything that is wrong, each as a sentence; and how much there was in all. */
export interface Findings {
  readonly cardsMissing: readonly string[];
  readonly cardsTwice: readonly string[];
  readonly announcementsWrong: readonly string[];
  readonly summariesWrong: readonly string[];
  readonly decisionsLost: readonly string[];
  readonly appliedTwice: readonly string[];
  readonly cardsWrong: readonly string[];
  readonly auditWrong: readonly string[];
  readonly unsettled: readonly string[];
  readonly counts: {
    readonly cards: number;
    readonly rounds: number;
    readonly applied: number;
    readonly accepted: number;
    readonly auditLines: number;
  };
}

/** What each finding is called in reports. */
const findingNames: Readonly<Record<Exclude<keyof Findings, 'counts'>, string>> = {
  cardsMissing: 'cards missing',
  cardsTwice: 'duplicate cards (per task and round)',
  announcementsWrong: 'inbox messages not announced exactly once',
  summariesWrong: 'backlog summaries missing, duplicate or wrong',
  decisionsLost: 'decisions lost (seen accepted, then neither applied nor undone, refused or overtaken)',
  appliedTwice: 'ratings applied twice',
  cardsWrong: 'cards in a wrong state',
  auditWrong: 'differences between the audit trail and the marketplace’s own record',
  unsettled: 'jobs left unfinished',
};

/** Returns every finding with its number; all of them must be 0. */
export function findingCounts(findings: Findings): [name: string, count: number][] {
  return typedKeys(findingNames).map((key) => [findingNames[key], findings[key].length]);
}

/** Returns every problem as a line. */
export function problemsFound(findings: Findings): string[] {
  return typedKeys(findingNames).flatMap((key) =>
    findings[key].map((problem) => `${findingNames[key]}: ${problem}`),
  );
}

function typedKeys<K extends string>(names: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(names) as K[];
}

const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };

/** Compares what people see, what the marketplace holds and what the bot has recorded. */
export async function verify(
  parts: { readonly slackUrl: string; readonly redisUrl: string; readonly marketplace: MarketplaceHandle },
  log: ReviewLog,
): Promise<Findings> {
  const redis = new Redis(parts.redisUrl, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  try {
    const tasks = createTasks(redis);
    const [outdated, due] = await Promise.all([tasks.find(ref, 'needs-render'), tasks.find(ref, 'due')]);
    const view = await readChannel(parts.slackUrl);
    for (const card of view.cards) logDecision(log, card);
    const state = await parts.marketplace.state();
    const audit = await readAudit(redis);
    const stored = await tasks.getMany(
      ref,
      state.tasks.map(({ task_id: id }) => asId(id)),
    );
    const cards = groupBy(view.cards, ({ task }) => task);
    return {
      cardsMissing: state.tasks.flatMap((task) => missing(task, cards.get(task.task_id) ?? [])),
      cardsTwice: twice(view.cards.map(roundOf)),
      announcementsWrong: announcements(state, view),
      summariesWrong: summaries(view),
      decisionsLost: [...log.accepted.values()].flatMap((seen) => lost(seen, log, state)),
      appliedTwice: state.tasks.flatMap(ratedTwice),
      cardsWrong: state.tasks.flatMap((task) => wrong(task, cards.get(task.task_id) ?? [])),
      auditWrong: auditAgainst(audit, state),
      unsettled: [
        ...outdated.map((id) => `the card of ${id} is out of date`),
        ...due.map((id) => `the decision on ${id} is pending`),
        ...stored.filter(isPending).map(({ id }) => `the decision on ${id} has not ended`),
      ],
      counts: {
        cards: view.cards.length,
        rounds: state.tasks.reduce((sum, task) => sum + roundsOf(task), 0),
        applied: state.tasks.reduce((sum, task) => sum + byApi(task).length, 0),
        accepted: log.accepted.size,
        auditLines: audit.length,
      },
    };
  } finally {
    redis.disconnect();
  }
}

async function readAudit(redis: Redis): Promise<AuditLine[]> {
  const entries = await redis.xrange(accountKey(ref, 'audit'), '-', '+');
  return entries.map(([, [, text]]) => JSON.parse(text ?? '{}') as AuditLine);
}

const roundsOf = ({ history }: MarketplaceTask): number => history.filter(({ by }) => by === 'worker').length;
const byApi = ({ history }: MarketplaceTask) => history.filter(({ by }) => by === 'api');

function missing(task: MarketplaceTask, cards: readonly SeenCard[]): string[] {
  const rounds = new Set(cards.map(({ round }) => round));
  const wanted = Array.from({ length: roundsOf(task) }, (_, index) => index + 1);
  return wanted.filter((round) => !rounds.has(round)).map((round) => `${task.task_id} round ${round}`);
}

function twice(names: readonly string[]): string[] {
  return [...groupBy(names, (name) => name)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.length}`);
}

function announcements({ messages }: MarketplaceState, { announced }: ChannelView): string[] {
  const inbox = messages.filter(({ folder }) => folder === 'INBOX').map(({ message_id: id }) => id);
  return [
    ...inbox.filter((id) => !announced.includes(id)).map((id) => `${id} was not announced`),
    ...twice(announced).map((name) => `announced more than once: ${name}`),
  ];
}

/** There is exactly one summary; in the end it says that every task has its card, and offers no more. */
function summaries({ summaries: seen }: ChannelView): string[] {
  const settled = backlogSummary(ref.account, 0, 0).text;
  return [
    ...(seen.length === 1 ? [] : [`there are ${seen.length} summaries in the channel`]),
    ...seen.filter(({ text }) => text !== settled).map(({ text }) => `a summary still says: ${text}`),
    ...seen.filter(({ button }) => button !== undefined).map(({ ts }) => `summary ${ts} still has a button`),
  ];
}

/** A decision that people saw accepted must be a rating, or visibly undone, refused or overtaken. */
function lost(
  seen: Parameters<typeof keyOf>[0],
  { undone, refused, elsewhere }: ReviewLog,
  { tasks }: MarketplaceState,
): string[] {
  const task = tasks.find(({ task_id: id }) => id === seen.task);
  const isRated =
    task && byApi(task).some((rated) => rated.task_rating === seen.verdict && rated.comment === seen.comment);
  const isExplained = undone.has(roundOf(seen)) || refused.has(keyOf(seen)) || elsewhere.has(roundOf(seen));
  return isRated || isExplained ? [] : [keyOf(seen)];
}

/** From one submission to the next there is at most one rating. */
function ratedTwice({ task_id: id, history }: MarketplaceTask): string[] {
  let rated = 0;
  for (const { by } of history) {
    rated = by === 'worker' ? 0 : rated + 1;
    if (rated > 1) return [id];
  }
  return [];
}

function wrong(task: MarketplaceTask, cards: readonly SeenCard[]): string[] {
  const { task_id: id, task_rating: rating } = task;
  const last = roundsOf(task);
  return cards.flatMap((card) => {
    const isOpen = card.buttons['task.ok'] !== undefined;
    const name = `${id} round ${card.round}`;
    if (card.round < last)
      return card.superseded && !isOpen
        ? []
        : [`${name}: still shown as current although the task was corrected`];
    if (rating === 'NOTRATED') return isOpen ? [] : [`${name}: cannot be decided although it is open`];
    const shown = card.elsewhere ?? (card.decision?.state === 'applied' ? card.decision.verdict : undefined);
    return shown === rating && !isOpen ? [] : [`${name}: shows ${shown ?? 'nothing'} for ${rating}`];
  });
}

/** The audit trail has the marketplace's ratings, and every decision in it ends exactly once. */
function auditAgainst(audit: readonly AuditLine[], { tasks }: MarketplaceState): string[] {
  const found: string[] = [];
  const lines = groupBy(audit, ({ task }) => task);
  for (const task of tasks) {
    const own = lines.get(task.task_id) ?? [];
    const ours = own
      .filter(({ what }) => what === 'applied')
      .map((line) => `${line.verdict} ${line.comment}`);
    const theirs = byApi(task).map((rated) => `${rated.task_rating} ${rated.comment}`);
    if (ours.join('\n') !== theirs.join('\n')) {
      found.push(`${task.task_id}: the marketplace has ${theirs.join(', ')}; the trail ${ours.join(', ')}`);
    }
    const elsewhere = own.filter(({ what }) => what === 'overtaken' || what === 'rated elsewhere').length;
    const website = task.history.filter(({ by }) => by === 'website').length;
    if (elsewhere !== website)
      found.push(`${task.task_id}: ${website} ratings elsewhere, the trail has ${elsewhere}`);
    let open = 0;
    for (const { what } of own) {
      if (what === 'decided') open += 1;
      if (['applied', 'refused', 'overtaken', 'undone'].includes(what)) open -= 1;
      if (open < 0 || open > 1) found.push(`${task.task_id}: ${what} at the wrong time`);
    }
    if (open !== 0) found.push(`${task.task_id}: a decision in the trail has no end`);
  }
  return found;
}
