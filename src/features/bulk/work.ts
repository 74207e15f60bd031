import {
  type BulkRating,
  type BulkRatingId,
  type BulkResult,
  decisionIdOf,
  isPendingResult,
  isUndoable,
  resultOf,
} from '../../domain/bulk-rating.ts';
import { campaignTitleOf } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/collections.ts';
import { type Money, money } from '../../domain/money.ts';
import { may } from '../../domain/permissions.ts';
import { lengthOf, maxComment } from '../../domain/reason.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountRef, type MemberId, needsComment, type TaskId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Again, JobEnd } from '../../jobs/queue.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import type { AccessRequest } from '../../slack/feature.ts';
import { messageTag } from '../../slack/message-tags.ts';
import type { Decisions, FillReason } from '../decide/public.ts';
import { bulkMessage, type RatedTask, type ShownRating } from './progress.view.ts';

/** Number of tasks decided before their results are stored, and how many run concurrently. */
const tasksPerStep = 25;
const atOnce = 5;
/** Retry delay while rights cannot be checked (ms). */
const rightsRetryMs = 30_000;
/** Retry delay while another process works on the same bulk rating (ms). */
const otherProcessMs = 500;
/** Polling interval for the decisions' outcomes: initial and maximum (ms). */
const firstPollMs = 1_000;
const lastPollMs = 60_000;
/** Minimum interval between progress updates of a bulk rating (ms). */
const paceMs = 1_000;

type WorkDeps = Modules & {
  readonly decisions: Pick<Decisions, 'rate' | 'undo'>;
  readonly fill: FillReason;
};

/** Queues the job that continues a bulk rating. @param step its purpose, so that a waiting job blocks no other one */
export async function queueBulk(
  { jobs }: Modules,
  ref: AccountRef,
  rating: BulkRating['id'],
  step: string,
): Promise<void> {
  await jobs.add('bulk', { ...ref, rating }, { uniqueKey: `${ref.account} ${rating} ${step}` });
}

/**
 * Creates the worker of bulk ratings: each task is decided like a click. After a process died, its work is found in the
 * task records by decision id.
 */
export function createBulkWork(deps: WorkDeps) {
  const { people, tasks, clock } = deps;

  /** Returns the member as an actor: what they undo here is their own. */
  function actorOf({ workspace }: AccountRef, { member, team }: BulkRating) {
    const someone = { workspace, team, member };
    const authorize = (request: AccessRequest = {}) => people.access.authorize(someone, ['undo'], request);
    return { ...someone, how: 'form' as const, authorize };
  }

  /** Returns whether the member may rate; undefined while that cannot be checked. */
  async function mayRate(ref: AccountRef, { member, team }: BulkRating): Promise<boolean | undefined> {
    const someone = { workspace: ref.workspace, team, member };
    const { role, refusal } = await people.access.roleIn(someone, ref, { enough: 'reviewer' });
    return may(role, 'rate') || (refusal === 'unchecked' ? undefined : false);
  }

  /** Decides on one task. Returns what became of it, or why it was skipped. */
  async function decide(
    ref: AccountRef,
    rating: BulkRating,
    part: Part,
    reviewers: ReadonlyMap<TaskId, MemberId>,
  ): Promise<BulkResult> {
    const { item, decision: id } = part;
    const by = reviewers.get(item.task);
    if (by !== undefined) return { kind: 'reviewed', by };
    const task = await tasks.get(ref, item.task);
    if (task === undefined) return { kind: 'unknown' };
    const comment = await deps.fill(ref, task, item.comment ?? rating.text);
    if (lengthOf(comment) > maxComment) return { kind: 'too long' };
    // Nobody is refused without a reason, even if the text was lost on the way.
    if (needsComment(rating.verdict) && comment.trim() === '') return { kind: 'failed' };
    const { verdict, reason } = rating;
    const made = { id, verdict, comment, ...(reason === undefined ? {} : { reason }) };
    const outcome = await deps.decisions.rate(actorOf(ref, rating), { ref, ...item }, made, {
      isOfMany: true,
    });
    const after = outcome.kind === 'missed' ? outcome.lost?.task : outcome.task;
    return resultOf(after, part) ?? { kind: 'failed' };
  }

  /** Returns the results in the records of some tasks, by index, except for open, undecided ones. */
  async function read(ref: AccountRef, parts: readonly Part[]): Promise<Map<number, BulkResult>> {
    const found = await tasks.byId(
      ref,
      parts.map(({ item }) => item.task),
    );
    return new Map(
      parts.flatMap((part) => {
        const result = resultOf(found.get(part.item.task), part);
        return result === undefined ? [] : [[part.index, result] as const];
      }),
    );
  }

  /** Stores results. Returns the bulk rating as it then is. */
  async function store(
    ref: AccountRef,
    { id }: BulkRating,
    results: ReadonlyMap<number, BulkResult>,
    isUndone?: true,
  ): Promise<BulkRating | undefined> {
    const event = { type: 'results', results, at: clock.now(), ...(isUndone && { isUndone }) } as const;
    return (await tasks.bulkRatings.apply(ref, id, event)).record;
  }

  /** Decides on the next tasks, and stores their results. */
  async function decideSome(ref: AccountRef, rating: BulkRating): Promise<Again | undefined> {
    const open = partsOf(rating, (result) => result === null).slice(0, tasksPerStep);
    const results = await read(ref, open);
    const left = open.filter(({ index }) => !results.has(index));
    const isAllowed = left.length === 0 || (await mayRate(ref, rating));
    if (isAllowed === undefined) return { again: rightsRetryMs };
    if (!isAllowed) {
      for (const { index } of left) results.set(index, { kind: 'barred' });
      await store(ref, rating, results);
      return undefined;
    }
    const own = left.map(({ item }) => item.task);
    const reviewers = await reviewersOf(deps, ref, rating.member, own);
    for (const some of chunksOf(left, atOnce)) {
      // It may have been undone: by a click, or by another process while this one was stalled and lost its lease.
      if ((await tasks.bulkRatings.get(ref, rating.id))?.state !== 'deciding') return undefined;
      await Promise.all(
        some.map(async (part) => {
          results.set(part.index, await decide(ref, rating, part, reviewers));
        }),
      );
    }
    await store(ref, rating, results);
    return undefined;
  }

  /** Undoes every decision that still can be, including those of a process that died before recording them. */
  async function undoAll(ref: AccountRef, rating: BulkRating): Promise<void> {
    const open = partsOf(rating, isPendingResult);
    const before = await read(ref, open);
    const actor = actorOf(ref, rating);
    for (const some of chunksOf(open, atOnce))
      await Promise.all(
        some.map(async ({ index, item, decision }) => {
          if (isUndoable(before.get(index) ?? null))
            await deps.decisions.undo(actor, { ref, ...item }, decision);
        }),
      );
    const results = await read(ref, open);
    for (const { index } of open) if (!results.has(index)) results.set(index, { kind: 'undone' });
    await store(ref, rating, results, true);
  }

  /** Polls the outcomes of the decisions until all have ended. */
  async function pollOutcomes(ref: AccountRef, rating: BulkRating): Promise<JobEnd> {
    const record = await store(ref, rating, await read(ref, partsOf(rating, isPendingResult)));
    if (record?.state !== 'sending') return;
    const age = clock.now() - record.changedAt;
    return { again: Math.min(Math.max(firstPollMs, age / 10), lastPollMs) };
  }

  return {
    /**
     * Continues a bulk rating from any state, in one process at a time, so that nothing is decided while it is being
     * undone.
     */
    async run({ rating: id, ...ref }: Payload<'bulk'>): Promise<JobEnd> {
      const lease = await deps.jobs.leases.acquire(ref, `bulk ${id}`, deps.jobs.timeouts.leaseMs);
      if (lease === undefined) return { again: otherProcessMs };
      try {
        for (;;) {
          const rating = await tasks.bulkRatings.get(ref, id);
          if (rating === undefined || rating.state === 'done') return;
          if (rating.state === 'sending') return await pollOutcomes(ref, rating);
          const wait =
            rating.state === 'deciding' ? await decideSome(ref, rating) : await undoAll(ref, rating);
          if (wait) return wait;
        }
      } finally {
        await lease.release();
      }
    },
  };
}

type Part = ReturnType<typeof partsOf>[number];

/** Returns those tasks of a bulk rating whose result holds, with the ids of their decisions. */
function partsOf(rating: BulkRating, holds: (result: BulkResult | null) => boolean) {
  const { verdict, items, results } = rating;
  return items.flatMap((item, index) => {
    const before = results[index] ?? null;
    return holds(before) ? [{ index, item, before, verdict, decision: decisionIdOf(rating, index) }] : [];
  });
}

/** Returns who else is looking at which of these tasks in a focus review right now. */
export async function reviewersOf(
  { tasks }: Modules,
  ref: AccountRef,
  member: MemberId,
  shown: readonly TaskId[],
): Promise<Map<TaskId, MemberId>> {
  const owners = await tasks.leases.owners(ref, shown);
  const sessions = [...new Set(owners.values())].map((id) => tasks.focusSessions.get(ref, id));
  const members = new Map((await Promise.all(sessions)).map((one) => [one?.id, one?.member]));
  return new Map(
    [...owners].flatMap(([task, owner]) => {
      const by = members.get(owner);
      return by === undefined || by === member ? [] : [[task, by] as const];
    }),
  );
}

/** Creates the progress messages of bulk ratings: one each, in the direct messages of the confirming member. */
export function createBulkProgress(deps: Modules) {
  const { tasks, campaigns, clock } = deps;

  /** Returns a bulk rating with the displayed data of its tasks. */
  async function shown(ref: AccountRef, rating: BulkRating): Promise<ShownRating> {
    const byId = await tasks.byId(
      ref,
      rating.items.map(({ task }) => task),
    );
    const known = [...byId.values()];
    const listed = await campaigns.getMany(ref, [...new Set(known.map(({ campaign }) => campaign))]);
    let paid: Money | undefined = money(0);
    let sentAt: number | undefined;
    for (const [index, { task: id }] of rating.items.entries()) {
      const task = byId.get(id);
      const result = rating.results[index] ?? null;
      const payment = task && listed.get(task.campaign)?.paymentPerTask;
      if (result?.kind === 'applied') paid = payment === undefined ? undefined : paid?.plus(money(payment));
      const dueAt = isPendingResult(result) ? task?.decision?.dueAt : undefined;
      if (dueAt !== undefined && dueAt > clock.now()) sentAt = Math.min(sentAt ?? dueAt, dueAt);
    }
    const shownOf = ({ worker, campaign: id }: Task): RatedTask => ({
      worker: worker.name ?? worker.id,
      campaign: campaignTitleOf(id, listed.get(id)?.title),
    });
    const rated = new Map(known.map((task) => [task.id, shownOf(task)]));
    return { account: ref.account, rating, tasks: rated, paid, sentAt };
  }

  const kind: LiveMessageKind<BulkRating, BulkRatingId> = {
    records: tasks.bulkRatings,
    channelFor: ({ workspace }, { member }) => deps.slack.messengerOf(workspace).directChannel(member),
    tagFor: ({ account }, { id }) => messageTag('bulk', account, { rating: id }),
    waitMs: ({ shownAt = 0 }) => shownAt + paceMs - clock.now(),
    render: async (ref, rating) => bulkMessage(await shown(ref, rating)),
    async afterRender(ref, { id }) {
      await tasks.bulkRatings.apply(ref, id, { type: 'shown', at: clock.now() });
      return undefined;
    },
  };
  return { shown, kind };
}
