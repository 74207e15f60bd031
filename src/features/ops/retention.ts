import type { NewAuditEntry } from '../../domain/audit.ts';
import { type Campaign, countsOf } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/collections.ts';
import { dealtWithAt, decidedAt } from '../../domain/retention.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Modules } from '../../kit/modules.ts';
import type { RetentionMark } from '../../store/retention.ts';
import { counted } from '../../ui/words.ts';

/** Batch size for loading records, and maximum changes per job; then the next job follows, after other work. */
const recordsAtOnce = 200;
const mostPerJob = 1_000;
/** How long an outdated card of a decided task keeps its details (ms), in case its channel returns. */
const outdatedMs = 86_400_000;
/** The status of a campaign last listed longer ago than this (ms) is unknown. */
const abandonedMs = 30 * 86_400_000;
/** Maximum time that unreadable values are kept for inspection by a person (ms). */
const unreadableMs = 30 * 86_400_000;

/** How long the messages about a request are known (ms): longer than it may be answered. */
const requestMs = 8 * 86_400_000;

const inbox = 'inbox';

type Parts = Modules & {
  /** How long details are kept (ms), and the search interval. */
  readonly retentionMs: number;
  readonly everyMs: number;
  /** Removes values set aside before a time (ms). */
  readonly removeUnreadable: (before: number) => Promise<number>;
};

/** Returns a fingerprint that changes when a campaign may have data again, since an import stores its workers' names. */
const stateOf = (campaign: Campaign, importedAt: number) => `${countsOf(campaign)} ${importedAt}`;

/** How many more changes a job may make. */
interface Budget {
  left: number;
}

/**
 * Creates the removal of data past their retention (docs/retention.md). Every step is safe in several processes at once,
 * and is repeated if interrupted: campaigns are marked as searched only when the search is complete.
 */
export function createRetention(parts: Parts) {
  const { people, slack, audit, campaigns, marketplace, jobs, tasks } = parts;
  const cutoff = () => parts.clock.now() - parts.retentionMs;

  const isDue = (mark: RetentionMark | undefined, state: string) =>
    mark === undefined || mark.state !== state || (mark.oldest !== undefined && mark.oldest <= cutoff());

  /** Returns whether the campaign is over. One not listed for long, because nobody has its key, counts as over. */
  const isOver = ({ status }: Campaign, listedAt: number) =>
    status === 'FINISHED' || listedAt <= parts.clock.now() - Math.max(parts.retentionMs, abandonedMs);

  /**
   * Archives a task whose details are removed. Its search entries derive from a field of its record, so they are removed
   * first.
   */
  async function archive(ref: AccountRef, { id }: Task): Promise<boolean> {
    await parts.campaigns.findIndex.forget(ref, id);
    return tasks.forget(ref, id);
  }

  async function removeDetails(ref: AccountRef, task: Task, budget: Budget): Promise<void> {
    // Its index entries derive from the details.
    await parts.campaigns.evidence.forget(ref, task);
    await parts.campaigns.refusals.forget(ref, task);
    const { kind } = await tasks.apply(ref, task.id, { type: 'details-expired', at: parts.clock.now() });
    if (kind !== 'done') return;
    await marketplace.fetchedFiles.forget({ account: ref, task: task.id, round: task.round });
    await parts.tasks.typedTexts.forget(ref, task.id);
    await parts.tasks.notes.forget(ref, task.id);
    await tasks.clearNeedsRender(ref, task.id);
    await archive(ref, task);
    budget.left -= 1;
  }

  /** Removes expired data from a campaign's tasks. Returns when the oldest remaining ones were decided (ms). */
  async function searchTasks(ref: AccountRef, campaign: CampaignId, budget: Budget): Promise<number[]> {
    const stay: number[] = [];
    for (const some of chunksOf(await tasks.ratedWithRecords(ref, campaign), recordsAtOnce)) {
      if (budget.left <= 0) return stay;
      const expired: Task[] = [];
      for (const task of await tasks.getMany(ref, some)) {
        const at = decidedAt(task);
        if (at === undefined) continue;
        if (task.detailsRemovedAt !== undefined) {
          if (await archive(ref, task)) budget.left -= 1;
          continue;
        }
        const isOutdated = at > cutoff() - outdatedMs && (await tasks.needsRender(ref, task.id));
        if (at > cutoff() || isOutdated) stay.push(at);
        else expired.push(task);
      }
      // First: a process that dies in between leaves no name of a task without details.
      await campaigns.workers.removeNames(
        ref,
        campaign,
        expired.map(({ worker }) => worker.id),
      );
      for (const task of expired) await removeDetails(ref, task, budget);
    }
    return stay;
  }

  /**
   * Removes a campaign's expired data; and the names of its workers and the rows of its template, once none of its tasks
   * has details.
   */
  async function searchCampaign(
    ref: AccountRef,
    campaign: Campaign,
    importedAt: number,
    budget: Budget,
  ): Promise<void> {
    const before = budget.left;
    const stay = await searchTasks(ref, campaign.id, budget);
    const removed = before - budget.left;
    if (removed > 0) await recordRemoved(ref, { campaign: campaign.id, before: counted(removed, 'task') });
    if (budget.left <= 0) return;
    if (importedAt > cutoff()) stay.push(importedAt);
    else if (stay.length === 0 && campaign.tasksNotRated === 0) {
      await campaigns.workers.removeNames(ref, campaign.id);
      await campaigns.briefs.removeRows(ref, campaign.id);
    }
    await mark(ref, campaign.id, stateOf(campaign, importedAt), stay);
  }

  async function searchInbox(
    ref: AccountRef,
    marked: RetentionMark | undefined,
    budget: Budget,
  ): Promise<void> {
    const known = [...(await slack.announcements.known(ref))].filter(([, state]) => state !== 'unread');
    const state = String(known.length);
    if (!isDue(marked, state)) return;
    const before = budget.left;
    const stay: number[] = [];
    for (const [id] of known) {
      if (budget.left <= 0) break;
      const record = await slack.announcements.get(ref, id);
      const at = record && dealtWithAt(record);
      if (at === undefined || record?.subjectRemovedAt !== undefined) continue;
      if (at > cutoff()) stay.push(at);
      else {
        await slack.announcements.apply(ref, id, { type: 'subject-expired', at: parts.clock.now() });
        budget.left -= 1;
      }
    }
    const removed = before - budget.left;
    if (removed > 0) await recordRemoved(ref, { before: counted(removed, 'message') });
    if (budget.left > 0) await mark(ref, inbox, state, stay);
  }

  /** Adds one audit entry for many removed records. */
  async function recordRemoved(
    ref: AccountRef,
    what: Pick<NewAuditEntry, 'campaign' | 'before'>,
  ): Promise<void> {
    await audit.append(ref, { what: 'remove details', how: 'job', ...what });
  }

  async function mark(ref: AccountRef, name: string, state: string, stay: readonly number[]): Promise<void> {
    const oldest = stay.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    await jobs.retentionMarks.put(ref, name, Number.isFinite(oldest) ? { state, oldest } : { state });
  }

  async function searchAccount(ref: AccountRef, budget: Budget): Promise<void> {
    const marks = await jobs.retentionMarks.all(ref);
    const listedAt = (await campaigns.storedAt(ref)) ?? 0;
    const imports = await campaigns.lastImports(ref);
    for (const campaign of await campaigns.all(ref)) {
      const importedAt = imports.get(campaign.id)?.at ?? 0;
      if (isOver(campaign, listedAt) && isDue(marks.get(campaign.id), stateOf(campaign, importedAt)))
        await searchCampaign(ref, campaign, importedAt, budget);
    }
    await searchInbox(ref, marks.get(inbox), budget);
    for (const { messages } of [people.approvals, people.roleRequests])
      await messages.removeOld(ref, parts.clock.now() - requestMs);
  }

  return {
    jobs: {
      async 'remove-old-data'({ workspace }: Payload<'remove-old-data'>): Promise<void> {
        const budget: Budget = { left: mostPerJob };
        for (const ref of await people.accounts.all(workspace)) await searchAccount(ref, budget);
        const unreadable = await parts.removeUnreadable(Math.max(cutoff(), parts.clock.now() - unreadableMs));
        const removed = mostPerJob - budget.left;
        if (removed + unreadable > 0) parts.log.info({ workspace, removed, unreadable }, 'old data removed');
        if (budget.left <= 0)
          await jobs.add('remove-old-data', { workspace }, { uniqueKey: `${workspace} rest` });
      },
    },

    /** Starts the periodic search for expired data. */
    start: (workspace: WorkspaceId): Promise<void> =>
      jobs.repeat('remove-old-data', workspace, parts.everyMs, { workspace }),

    stop: (workspace: WorkspaceId): Promise<void> => jobs.stopRepeating('remove-old-data', workspace),
  };
}
