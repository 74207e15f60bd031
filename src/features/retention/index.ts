import type { NewAuditEntry } from '../../domain/audit.ts';
import { type Campaign, countsOf } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/group.ts';
import { dealtWithAt, decidedAt } from '../../domain/retention.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, MessageId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { RetentionMark } from '../../store/retention-marks.ts';
import type { FeatureContext } from '../shared/context.ts';

/** How many records are loaded at once, and how many one job changes: then another one follows, after other work. */
const recordsAtOnce = 200;
const mostPerJob = 1_000;
/** How long a card that does not show its decision yet keeps the details (ms): its channel may be back. */
const outdatedMs = 86_400_000;
/** What became of a campaign that was listed longer ago (ms) is not known. */
const abandonedMs = 30 * 86_400_000;
/** Values that could not be read are set aside for a person, for so long at most (ms). */
const unreadableMs = 30 * 86_400_000;

const inbox = 'inbox';

type Parts = Pick<
  FeatureContext,
  | 'accounts'
  | 'announcements'
  | 'audit'
  | 'briefs'
  | 'campaigns'
  | 'evidence'
  | 'fetchedFiles'
  | 'findIndex'
  | 'jobs'
  | 'leases'
  | 'logger'
  | 'notes'
  | 'now'
  | 'refusals'
  | 'retentionMarks'
  | 'subscriptions'
  | 'tasks'
  | 'timeouts'
  | 'typedTexts'
  | 'workers'
> & {
  /** How long details stay (ms), and how often they are looked at. */
  readonly retentionMs: number;
  readonly everyMs: number;
  /** Removes values that were set aside before a moment (ms). */
  readonly removeUnreadable: (before: number) => Promise<number>;
};

/**
 * Returns what changes when a campaign may have data again: an import stores the names of its workers. Earlier versions did
 * not archive: what they marked as searched is searched once more.
 */
const stateOf = (campaign: Campaign, importedAt: number) => `${countsOf(campaign)} ${importedAt} archived`;

/** What one job may still change, and has changed. */
interface Budget {
  left: number;
  tasks: number;
  messages: number;
}

/**
 * Removes what need not be stored any more (docs/retention.md). Every step is safe in several processes at once, and one
 * that was interrupted is done again: what is marked as searched was searched to its end.
 */
export function createRetention(parts: Parts) {
  const {
    accounts,
    announcements,
    audit,
    briefs,
    campaigns,
    fetchedFiles,
    jobs,
    retentionMarks,
    tasks,
    workers,
  } = parts;
  const cutoff = () => parts.now() - parts.retentionMs;

  const isDue = (mark: RetentionMark | undefined, state: string) =>
    mark === undefined || mark.state !== state || (mark.oldest !== undefined && mark.oldest <= cutoff());

  /** Whether the campaign is over. One that nobody has looked at for long, because nobody has its key, counts as such. */
  const isOver = ({ status }: Campaign, listedAt: number) =>
    status === 'FINISHED' || listedAt <= parts.now() - Math.max(parts.retentionMs, abandonedMs);

  /** Archives a task whose details are removed. What it is found by is a field of its record, so it goes before that. */
  async function archive(ref: AccountRef, { id }: Task): Promise<boolean> {
    await parts.findIndex.forget(ref, id);
    return tasks.archive(ref, id);
  }

  async function removeDetails(ref: AccountRef, task: Task, budget: Budget): Promise<void> {
    // Its places in the index follow from the details.
    await parts.evidence.forget(ref, task);
    await parts.refusals.forget(ref, task);
    const { kind } = await tasks.apply(ref, task.id, { type: 'details-expired', at: parts.now() });
    if (kind !== 'done') return;
    await fetchedFiles.forget({ account: ref, task: task.id, round: task.round });
    await parts.typedTexts.forget(ref, task.id);
    await parts.notes.forget(ref, task.id);
    await tasks.clearNeedsRender(ref, task.id);
    await archive(ref, task);
    budget.tasks += 1;
    budget.left -= 1;
  }

  /** Removes what is old of a campaign's tasks. Returns when the oldest of the others were decided (ms). */
  async function searchTasks(ref: AccountRef, campaign: CampaignId, budget: Budget): Promise<number[]> {
    const stay: number[] = [];
    for (const some of chunksOf(await tasks.ratedWithRecords(ref, campaign), recordsAtOnce)) {
      if (budget.left <= 0) return stay;
      for (const task of await tasks.withRecords(ref, some)) {
        const at = decidedAt(task);
        if (at === undefined) continue;
        if (task.detailsRemovedAt !== undefined) {
          if (await archive(ref, task)) budget.left -= 1;
          continue;
        }
        const isOutdated = at > cutoff() - outdatedMs && (await tasks.needsRender(ref, task.id));
        if (at > cutoff() || isOutdated) stay.push(at);
        else await removeDetails(ref, task, budget);
      }
    }
    return stay;
  }

  /** Removes what is old of a campaign, and the names of its workers and the rows of its template once none of its tasks has details. */
  async function searchCampaign(
    ref: AccountRef,
    campaign: Campaign,
    importedAt: number,
    budget: Budget,
  ): Promise<void> {
    const before = budget.tasks;
    const stay = await searchTasks(ref, campaign.id, budget);
    const removed = budget.tasks - before;
    if (removed > 0) await recordRemoved(ref, { campaign: campaign.id, before: counted(removed, 'task') });
    if (budget.left <= 0) return;
    if (importedAt > cutoff()) stay.push(importedAt);
    else if (stay.length === 0 && campaign.tasksNotRated === 0) {
      await workers.removeNames(ref, campaign.id);
      await briefs.removeRows(ref, campaign.id);
    }
    await mark(ref, campaign.id, stateOf(campaign, importedAt), stay);
  }

  async function searchInbox(
    ref: AccountRef,
    marked: RetentionMark | undefined,
    budget: Budget,
  ): Promise<void> {
    const known = [...(await announcements.known(ref))].filter(([, state]) => state !== 'unread');
    const state = String(known.length);
    if (!isDue(marked, state)) return;
    const before = budget.messages;
    const stay = await removeSubjects(
      ref,
      known.map(([id]) => id),
      budget,
    );
    const removed = budget.messages - before;
    if (removed > 0) await recordRemoved(ref, { before: counted(removed, 'message') });
    if (budget.left > 0) await mark(ref, inbox, state, stay);
  }

  /** Removes what is old of messages. Returns when the oldest of the others were sent (ms). */
  async function removeSubjects(
    ref: AccountRef,
    known: readonly MessageId[],
    budget: Budget,
  ): Promise<number[]> {
    const stay: number[] = [];
    for (const id of known) {
      if (budget.left <= 0) return stay;
      const record = await announcements.get(ref, id);
      const at = record && dealtWithAt(record);
      if (at === undefined || record?.subjectRemovedAt !== undefined) continue;
      if (at > cutoff()) stay.push(at);
      else {
        await announcements.apply(ref, id, { type: 'subject-expired', at: parts.now() });
        budget.messages += 1;
        budget.left -= 1;
      }
    }
    return stay;
  }

  /** Adds to the audit what was removed; one entry for many records. */
  async function recordRemoved(
    ref: AccountRef,
    what: Pick<NewAuditEntry, 'campaign' | 'before'>,
  ): Promise<void> {
    await audit.append(ref, { what: 'remove details', how: 'job', ...what });
  }

  async function mark(ref: AccountRef, name: string, state: string, stay: readonly number[]): Promise<void> {
    const oldest = stay.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    await retentionMarks.put(ref, name, Number.isFinite(oldest) ? { state, oldest } : { state });
  }

  async function searchAccount(ref: AccountRef, budget: Budget): Promise<void> {
    const lease = await parts.leases.acquire(ref, 'retention', parts.timeouts.leaseMs);
    if (lease === undefined) return;
    try {
      const marks = await retentionMarks.all(ref);
      const listedAt = (await campaigns.storedAt(ref)) ?? 0;
      const imports = await campaigns.lastImports(ref);
      for (const campaign of await campaigns.all(ref)) {
        if (budget.left <= 0) return;
        const importedAt = imports.get(campaign.id)?.at ?? 0;
        if (isOver(campaign, listedAt) && isDue(marks.get(campaign.id), stateOf(campaign, importedAt)))
          await searchCampaign(ref, campaign, importedAt, budget);
      }
      await searchInbox(ref, marks.get(inbox), budget);
    } finally {
      await lease.release();
    }
  }

  async function accountsOf(workspace: WorkspaceId): Promise<AccountRef[]> {
    const polled = (await parts.subscriptions.polledAccounts()).filter((ref) => ref.workspace === workspace);
    const all = [...(await accounts.all(workspace)), ...polled];
    return [...new Map(all.map((ref) => [ref.account, ref])).values()];
  }

  return {
    jobs: {
      async 'remove-old-data'({ workspace }: Payload<'remove-old-data'>): Promise<void> {
        const budget: Budget = { left: mostPerJob, tasks: 0, messages: 0 };
        for (const ref of await accountsOf(workspace)) await searchAccount(ref, budget);
        const unreadable = await parts.removeUnreadable(Math.max(cutoff(), parts.now() - unreadableMs));
        const { tasks: removed, messages, left } = budget;
        if (removed + messages + unreadable > 0)
          parts.logger.info({ workspace, tasks: removed, messages, unreadable }, 'old data removed');
        if (left <= 0) await jobs.add('remove-old-data', { workspace }, { uniqueKey: `${workspace} rest` });
      },
    },

    /** Starts to look for old data regularly. */
    start: (workspace: WorkspaceId): Promise<void> =>
      jobs.repeat('remove-old-data', workspace, parts.everyMs, { workspace }),

    stop: (workspace: WorkspaceId): Promise<void> => jobs.stopRepeating('remove-old-data', workspace),
  };
}

function counted(count: number, of: string): string {
  return `${count} ${of}${count === 1 ? '' : 's'}`;
}
