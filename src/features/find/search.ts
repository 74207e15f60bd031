import { campaignTitleOf } from '../../domain/campaign.ts';
import { type Query, termsOf } from '../../domain/find/terms.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Candidate } from '../../store/find.ts';
import type { StoredNote } from '../../store/notes.ts';
import { type FoundTask, foundPerPage } from './find.view.ts';

/** Maximum number of searches of the index per page; the next page continues. */
const mostSearches = 12;

/** Batch size for reading records; parsing them blocks the process. */
const recordsAtOnce = 12;

interface Found {
  readonly task: Task;
  readonly notes: readonly StoredNote[];
  readonly number: number;
}

/** A page of matches. */
export interface FoundPage {
  readonly tasks: readonly FoundTask[];
  readonly older?: number;
}

/** Creates the search: candidates from the index are verified against their current record and notes. */
export function createSearch({ campaigns, slack, tasks, people }: Modules) {
  /** Returns the candidates that match the whole query. */
  async function verified(
    ref: AccountRef,
    { terms }: Query,
    candidates: readonly Candidate[],
  ): Promise<Found[]> {
    const records = await tasks.getMany(
      ref,
      candidates.map(({ task }) => task),
    );
    const byId = new Map(records.map((task) => [task.id, task]));
    const found = await Promise.all(
      candidates.map(async ({ task: id, number }): Promise<Found[]> => {
        const task = byId.get(id);
        if (task === undefined || task.detailsRemovedAt !== undefined) return [];
        const own = await tasks.notes.on(ref, task);
        const has = new Set(
          termsOf(
            task,
            own.map(({ text }) => text),
          ),
        );
        return terms.every((term) => has.has(term)) ? [{ task, notes: own, number }] : [];
      }),
    );
    return found.flat();
  }

  /** Returns the link to a task's card; undefined if it has none, or the reader is not in its channel. */
  async function cardFor(
    workspace: WorkspaceId,
    member: MemberId,
    { card }: Task,
  ): Promise<string | undefined> {
    if (card.state !== 'posted') return undefined;
    const group = { kind: 'channel', id: card.channel } as const;
    if (!(await people.slack.isIn(workspace, group, member, { isFresh: false }))) return undefined;
    return slack.cards.linkTo({ workspace }, { card });
  }

  /** Returns the newest tasks that match. @param before the number before which to search */
  async function find(ref: AccountRef, query: Query, before: number | undefined) {
    const found: Found[] = [];
    let next = before;
    let hasMore = query.terms.length > 0;
    for (
      let searches = 0;
      hasMore && searches < mostSearches && found.length <= foundPerPage;
      searches += 1
    ) {
      const page = await campaigns.findIndex.search(ref, query.terms, {
        before: next,
        most: foundPerPage + 1,
      });
      found.push(...(await verified(ref, query, page.found)));
      next = page.before;
      hasMore = next !== undefined;
    }
    const shown = found.slice(0, foundPerPage);
    const last = shown.at(-1);
    const older = found.length > foundPerPage ? last?.number : next;
    return { shown, ...(older === undefined ? {} : { older }) };
  }

  return {
    find,

    /** Returns a page for a member. */
    async page(
      ref: AccountRef,
      member: MemberId,
      query: Query,
      before: number | undefined,
    ): Promise<FoundPage> {
      const { shown, older } = await find(ref, query, before);
      const titles = await campaigns.getMany(ref, [...new Set(shown.map(({ task }) => task.campaign))]);
      const rows = await Promise.all(
        shown.map(async ({ task, notes: own }): Promise<FoundTask> => {
          const card = await cardFor(ref.workspace, member, task);
          const campaignTitle = campaignTitleOf(task.campaign, titles.get(task.campaign)?.title);
          return { task, notes: own, campaignTitle, ...(card === undefined ? {} : { card }) };
        }),
      );
      return { tasks: rows, ...(older === undefined ? {} : { older }) };
    },
  };
}

/** Creates the updates of the search index: each change of a task marks it for indexing. */
export function createIndexing({ campaigns, tasks }: Modules) {
  /** Indexes a batch of changed tasks. A task that changes meanwhile stays marked. Returns whether there were any. */
  async function indexSome(ref: AccountRef): Promise<boolean> {
    const pending = await campaigns.findIndex.pending(ref, recordsAtOnce);
    const records = await tasks.loadMany(ref, pending);
    for (const [index, id] of pending.entries()) {
      const record = records[index];
      if (record?.value === undefined || record.value.detailsRemovedAt !== undefined)
        await campaigns.findIndex.forget(ref, id);
      else {
        const own = await tasks.notes.on(ref, record.value);
        await campaigns.findIndex.put(
          ref,
          record,
          own.map(({ text }) => text),
        );
      }
    }
    return pending.length > 0;
  }

  return {
    indexSome,

    /** Indexes recent changes, so that they are found immediately. @param most approximate maximum number of tasks */
    async catchUp(ref: AccountRef, most: number): Promise<number> {
      for (let done = 0; done < most; done += recordsAtOnce) if (!(await indexSome(ref))) break;
      return campaigns.findIndex.countPending(ref);
    },
  };
}
