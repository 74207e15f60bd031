import { settledDecision } from './daily-summary.ts';
import { isSamePrint } from './evidence/likeness.ts';
import { termsOf } from './find/terms.ts';
import { money } from './money.ts';
import { amountFields, maxUnits, unitsOf } from './spending.ts';
import {
  type Decision,
  dayIn,
  finishedAtOf,
  isOpen,
  isPending,
  reasonUsed,
  type Task,
  type TaskEvent,
} from './task.ts';
import type { CampaignId, ChannelId, MemberId, WorkerId } from './terms.ts';

/** A task before a change (undefined: it was not known), the event, and the task after it. */
export interface Change {
  readonly before: Task | undefined;
  readonly event: TaskEvent;
  readonly after: Task;
  /** The marketplace's IANA zone: bonuses count towards a day there. */
  readonly zone: string;
}

/** The keys of an account that follow from its tasks. */
export const keyOf = {
  /** Set: the campaigns with open tasks. */
  openCampaigns: 'tasks:open-campaigns',
  /** Sorted set: the open tasks of a campaign, by finish time. */
  openOf: (campaign: CampaignId) => `tasks:open-of:${campaign}`,
  /** Set: the campaigns with open tasks that have no card. */
  queuedCampaigns: 'window:queued-campaigns',
  /** Sorted set: the open tasks of a campaign without a card, by finish time. */
  queueOf: (campaign: CampaignId) => `window:queue:${campaign}`,
  /** Set: the open tasks that have a card in a channel, or are about to; each takes a place in its window. */
  window: (channel: ChannelId) => `window:cards:${channel}`,
  /** Hash: the tasks that somebody looks at in focus review, with who does. */
  focusLeases: 'focus:leases',
  /** Hash: all assigned tasks, each with its assignee. */
  assigneeByTask: 'assignments:by-task',
  /** Sorted set: the assignments that somebody must be told of, in the order in which they were made. */
  assignmentNews: 'assignments:news',
  assignmentNewsCount: 'assignments:news-count',
  /** Sorted set: tasks to be compared with others, by the state of their records. */
  evidencePending: 'evidence-pending',
  /** Sorted set: tasks to be indexed for find, by submission time. */
  findPending: 'find-pending',
  /** Hash: the decisions that became ratings on a day (UTC), counted by `<quarter> <what> <detail> <campaign>`. */
  reviewed: (day: number) => `reviewed:${day}`,
  /** Hash: the last task of each worker refused for a reason in a campaign. */
  refusals: (campaign: CampaignId, reason: string) => `refusals:${campaign}:${reason}`,
  /** Set: campaigns and reasons with refusals of which nobody was told yet. */
  refusalsDue: 'refusals-due',
  /** Hash: how often a worker was given each saved reason, by `<rating> <reason>`. */
  workerReasons: (worker: WorkerId) => `workers:reasons:${worker}`,
  /** Sorted set: a member's last decisions, by time. */
  decidedBy: (member: MemberId) => `decided-by:${member}`,
  /** Hash: what members have spent on a day of the marketplace; and the part that is only reserved. */
  spent: (day: string) => `spent:${day}`,
  reserved: (day: string) => `spent:${day}:reserved`,
  /** Hash: how often ratings were given with each saved reason. */
  reasonUses: 'reason-uses',
} as const;

/** Stands for an unknown finish time: such tasks come last. */
export const unknownTime = 3e15;

/** How many decisions of a member are listed, and for how long after the latest (s). */
export const listedDecisions = 20;
const listedSeconds = 30 * 86_400;
/** A day's counts are stored for two days longer than a summary may reach back (s). */
const countsSeconds = 9 * 86_400;
/** How long refusals for a reason are remembered after the latest (s). */
const refusalsSeconds = 14 * 86_400;
/** How long the reasons that a worker was given are remembered after the latest (s). */
const workerReasonsSeconds = 365 * 86_400;
/** How long a day's spending is kept (s): longer than that day lasts anywhere. */
export const spentSeconds = 3 * 86_400;

export const dayMs = 86_400_000;
/** Decisions are counted per quarter of an hour: all time zone offsets are multiples of it. */
export const quarterMs = 900_000;

/** Names a campaign and a saved reason in the set of refusals. */
export const refusalName = (campaign: CampaignId, reason: string) =>
  `${encodeURIComponent(campaign)} ${encodeURIComponent(reason)}`;

/** The text of a decision in its author's list. */
export const decisionText = ({ task, decision }: { readonly task: string; readonly decision: string }) =>
  JSON.stringify({ task, decision });

/** Returns everything that a change of a task touches besides its record. */
export function indexChanges(change: Change): Op[] {
  return [
    ...openChanges(change),
    ...queueChanges(change),
    ...windowChanges(change),
    ...assignmentChanges(change),
    ...pendingChanges(change),
    ...countChanges(change),
    ...refusalChanges(change),
    ...workerChanges(change),
    ...memberChanges(change),
    ...spendingChanges(change),
  ];
}

/** Adds a member to a sorted set of a campaign or removes it, with the set of campaigns that have any. */
function listed(
  key: string,
  campaigns: string,
  { id, campaign }: Task,
  [was, is]: readonly [number | undefined, number | undefined],
): Op[] {
  if (was === is) return [];
  if (is === undefined)
    return [
      { run: 'ZREM', key, args: [id] },
      { run: 'remove if gone', key: campaigns, other: key, args: [campaign] },
    ];
  return [
    { run: 'ZADD', key, args: [is, id] },
    { run: 'SADD', key: campaigns, args: [campaign] },
  ];
}

const openSince = (task: Task | undefined) =>
  task && isOpen(task) ? (finishedAtOf(task) ?? unknownTime) : undefined;

const queuedSince = (task: Task | undefined) =>
  task?.card.state === 'backlog' ? openSince(task) : undefined;

function openChanges({ before, after }: Change): Op[] {
  const times = [openSince(before), openSince(after)] as const;
  return listed(keyOf.openOf(after.campaign), keyOf.openCampaigns, after, times);
}

function queueChanges({ before, after }: Change): Op[] {
  const times = [queuedSince(before), queuedSince(after)] as const;
  return listed(keyOf.queueOf(after.campaign), keyOf.queuedCampaigns, after, times);
}

/** Returns the channel in whose window a task's card is or will be. */
function channelOf({ card }: Task): ChannelId | undefined {
  if (card.state === 'posted') return card.channel;
  return card.state === 'wanted' ? (card.attempt?.channel ?? card.channel) : undefined;
}

/**
 * Takes or frees a task's place in a window. A task that is decided during somebody's focus review keeps its place until
 * nobody reviews there: otherwise the next cards would be decided before they are seen.
 */
function windowChanges({ before, after }: Change): Op[] {
  const [from, to] = [before && channelOf(before), channelOf(after)];
  const [wasOpen, isNowOpen] = [before !== undefined && isOpen(before), isOpen(after)];
  if (wasOpen && isNowOpen && from === to) return [];
  const { id } = after;
  const ops: Op[] = [];
  if (from !== undefined && isNowOpen && from !== to)
    ops.push({ run: 'SREM', key: keyOf.window(from), args: [id] });
  if (from !== undefined && !isNowOpen && wasOpen)
    ops.push({ run: 'leave window', key: keyOf.window(from), other: keyOf.focusLeases, args: [id] });
  if (to !== undefined && isNowOpen) ops.push({ run: 'SADD', key: keyOf.window(to), args: [id] });
  return ops;
}

function assignmentChanges({ before, event, after }: Change): Op[] {
  const [was, is] = [before, after].map((task) => task?.assignment?.to);
  if (was === is) return [];
  const { id } = after;
  const ops: Op[] = [];
  if (was !== undefined)
    ops.push(
      { run: 'HDEL', key: keyOf.assigneeByTask, args: [id] },
      { run: 'ZREM', key: keyOf.assignmentNews, args: [`${was} ${id}`] },
    );
  if (is === undefined) return ops;
  ops.push({ run: 'HSET', key: keyOf.assigneeByTask, args: [id, is] });
  // Nobody is told of what they have assigned to themselves.
  if (event.type === 'assigned' && is !== event.by)
    ops.push({
      run: 'add last',
      key: keyOf.assignmentNews,
      other: keyOf.assignmentNewsCount,
      args: [`${is} ${id}`],
    });
  return ops;
}

/** Returns a number that increases with the known parts of a task: pictures are uploaded without a new revision. */
export function evidenceState({ revision, pictures }: Task): number {
  return revision + (pictures === undefined ? 0 : 0.5);
}

/** Returns a task's submission time (ms), which orders the tasks to be indexed. */
export const findOrder = ({ submittedAt, proof }: Task) => submittedAt ?? proof.finishedAt ?? 0;

/** Has a task compared with others, and indexed for find, when what they go by has changed. */
function pendingChanges({ before, event, after }: Change): Op[] {
  if (after.detailsRemovedAt !== undefined) return [];
  const ops: Op[] = [];
  if (before === undefined || !isSamePrint(before, after))
    ops.push({ run: 'ZADD', key: keyOf.evidencePending, args: [evidenceState(after), after.id] });
  if (event.type.startsWith('note-') || before === undefined || !isFoundAlike(before, after))
    ops.push({ run: 'ZADD', key: keyOf.findPending, args: [findOrder(after), after.id] });
  return ops;
}

/** Whether two states of a task have the same terms. Its notes are stored separately. */
function isFoundAlike(one: Task, other: Task): boolean {
  const said = (task: Task) => JSON.stringify([task.round, termsOf(task, [])]);
  const isSameText =
    one.proof === other.proof &&
    one.worker === other.worker &&
    one.comment === other.comment &&
    one.decision?.comment === other.decision?.comment &&
    one.before === other.before &&
    one.round === other.round;
  return isSameText || said(one) === said(other);
}

/** Counts a decision that has become a rating, and the use of its saved reason. */
function countChanges({ before, after }: Change): Op[] {
  const settled = settledDecision(before, after);
  if (settled === undefined) return [];
  const { at, campaign, by, verdict, reason, bonus } = settled;
  const key = keyOf.reviewed(Math.floor(at / dayMs));
  const count = (what: string, detail: string, by = '1'): Op => ({
    run: 'HINCRBY',
    key,
    args: [`${Math.floor(at / quarterMs)} ${what} ${detail} ${campaign}`, by],
  });
  const used = reasonUsed(before, after);
  return [
    count('rated', `${verdict}:${by}`),
    ...(verdict === 'OK' ? [] : [count('why', `${verdict}:${encodeURIComponent(reason ?? '')}`)]),
    ...(bonus === undefined ? [] : [count('bonus', '-', unitsOf(money(bonus)))]),
    { run: 'EXPIRE', key, args: [countsSeconds] },
    ...(used === undefined ? [] : [{ run: 'HINCRBY', key: keyOf.reasonUses, args: [used, 1] } satisfies Op]),
  ];
}

/** Remembers a worker who was refused with a saved reason: if there are many, the instructions may be at fault. */
function refusalChanges({ before, after }: Change): Op[] {
  const reason = reasonUsed(before, after);
  if (reason === undefined || after.decision?.verdict !== 'NOK') return [];
  const { campaign, worker, id } = after;
  const key = keyOf.refusals(campaign, reason);
  return [
    { run: 'HSET', key, args: [worker.id, id] },
    { run: 'EXPIRE', key, args: [refusalsSeconds] },
    { run: 'SADD', key: keyOf.refusalsDue, args: [refusalName(campaign, reason)] },
  ];
}

/** Counts a saved reason that a worker was given. */
function workerChanges({ before, after }: Change): Op[] {
  const reason = reasonUsed(before, after);
  if (reason === undefined || after.worker.id === '') return [];
  const key = keyOf.workerReasons(after.worker.id);
  return [
    { run: 'HINCRBY', key, args: [`${after.rating} ${reason}`, 1] },
    { run: 'EXPIRE', key, args: [workerReasonsSeconds] },
  ];
}

/** Adds a decision to the list of its author's last ones. */
function memberChanges({ event, after }: Change): Op[] {
  if (event.type !== 'decided') return [];
  const { id, by } = event.decision;
  const key = keyOf.decidedBy(by);
  return [
    { run: 'ZADD', key, args: [event.at, decisionText({ task: after.id, decision: id })] },
    { run: 'ZREMRANGEBYRANK', key, args: [0, -listedDecisions - 1] },
    { run: 'EXPIRE', key, args: [listedSeconds] },
  ];
}

/**
 * Counts a decision's bonus towards its author's day, or gives it back when the decision was undone, refused or overtaken; a
 * refused one that a late answer shows to be applied counts again. A bonus that a manager has approved counts towards
 * nobody's day.
 */
function spendingChanges({ before, event, after, zone }: Change): Op[] {
  const isLate = before?.decision?.state === 'refused' && after.decision?.state === 'applied';
  if (isLate) return spending('spend again', after.decision, zone);
  if (event.type === 'decided' && event.approvedBy === undefined)
    return spending('spend', after.decision, zone);
  const was = before && isPending(before) ? before.decision : undefined;
  const isStill = isPending(after) || after.decision?.state === 'applied';
  return isStill && after.decision?.id === was?.id ? [] : spending('give back', was, zone);
}

function spending(
  run: 'spend' | 'give back' | 'spend again',
  decision: Pick<Decision, 'id' | 'by' | 'at' | 'bonus'> | undefined,
  zone: string,
): Op[] {
  if (decision?.bonus === undefined) return [];
  const { id, by: member, at, bonus } = decision;
  const day = dayIn(at, zone);
  const { memberField, idField } = amountFields({ id, member, budget: 'bonus' });
  const more = run === 'spend' ? [unitsOf(money(bonus)), maxUnits, spentSeconds] : [];
  return [{ run, key: keyOf.spent(day), other: keyOf.reserved(day), args: [memberField, idField, ...more] }];
}

/**
 * An operation on one of an account's keys, made in the same step as the write of a record: a command of Redis, or one of
 * those defined in commit.lua.
 */
export interface Op {
  readonly run:
    | 'EXPIRE'
    | 'HDEL'
    | 'HINCRBY'
    | 'HSET'
    | 'SADD'
    | 'SREM'
    | 'XADD'
    | 'ZADD'
    | 'ZREM'
    | 'ZREMRANGEBYRANK'
    | 'add last'
    | 'give back'
    | 'leave window'
    | 'remove if gone'
    | 'spend again'
    | 'spend';
  readonly key: string;
  /** The second key of those defined in commit.lua. */
  readonly other?: string;
  readonly args: readonly (string | number)[];
}
