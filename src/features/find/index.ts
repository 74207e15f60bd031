import { maxQuery, type Query, queryOf, termsOf } from '../../domain/find/terms.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { inBackground } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand } from '../../kit/on.ts';
import type { Message } from '../../slack/blocks.ts';
import { messageModal } from '../../slack/blocks.ts';
import type { Actor, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { cut } from '../../slack/mrkdwn.ts';
import type { Candidate } from '../../store/find.ts';
import type { StoredNote } from '../../store/notes.ts';
import {
  type FindState,
  type FoundTask,
  findForm,
  findModal,
  findState,
  foundMessage,
  foundPerPage,
  nothingToFind,
  queryInput,
} from './find.view.ts';

/** Maximum number of recent changes indexed before a search. */
const mostIndexedFirst = 200;

/** Creates `/proofdesk find`: an account's tasks by words, worker, address or code, newest first. */
export function createFind(deps: Modules) {
  const { people, campaigns, jobs } = deps;
  const indexing = createIndexing(deps);
  const search = createSearch(deps);

  async function render(
    ref: AccountRef,
    actor: Pick<Actor, 'workspace' | 'team' | 'member'>,
    { text, pages }: Pick<FindState, 'text' | 'pages'>,
  ): Promise<Message> {
    const query = queryOf(text, { seesAddresses: await people.access.has(actor, ref, 'addresses') });
    const pending = await indexing.catchUp(ref, mostIndexedFirst);
    const page = await search.page(ref, actor.member, query, pages.at(-1));
    return foundMessage({ state: { account: ref.account, text, pages }, query, pending, ...page });
  }

  async function submit(submission: Submission): Promise<SubmissionAnswer> {
    const ref = await submission.authorize();
    const asked = typed(submission.values, queryInput);
    if (asked === '') return { errors: { [queryInput]: nothingToFind } };
    const message = await render(ref, submission, { text: asked, pages: [] });
    return { update: messageModal('Find tasks', message) };
  }

  const turn = onButton(findState, 'see', async (click) =>
    click.replace(await render(click.ref, click, click.value)),
  );

  /** Queues the indexing job if any task is waiting. */
  async function queueIndexing(ref: AccountRef): Promise<void> {
    if ((await campaigns.findIndex.countPending(ref)) === 0) return;
    await jobs.add('index-tasks', ref, { uniqueKey: ref.account });
  }

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/proofdesk',
          word: 'find',
          usage: '[words, worker, IP or code]',
          help: 'Finds tasks by what their proofs, comments, notes and file names say.',
          needs: 'see',
        },
        async (asked) => {
          const text = cut(asked.text.trim(), maxQuery);
          if (text === '') return void (await asked.open(findModal()));
          await asked.answer(await render(asked.ref, asked, { text, pages: [] }));
        },
      ),
    ],
    clicks: {
      'find.page.previous': turn,
      'find.page.next': turn,
      'find.worker': onButton(findState, 'see', async (click) =>
        click.answer(await render(click.ref, click, click.value)),
      ),
    },
    submissions: { [findForm]: { needs: 'see', run: submit } },
  };

  return {
    feature,
    jobs: {
      async 'index-tasks'(ref: Payload<'index-tasks'>): Promise<void> {
        await inBackground(() => indexing.indexSome(ref));
        await queueIndexing(ref);
      },
    },
    afterImport: queueIndexing,
    afterPoll: queueIndexing,
  };
}

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
  readonly older?: number | undefined;
}

/** Creates the search: candidates from the index are verified against their current record and notes. */
export function createSearch({ campaigns, slack, tasks, people }: Modules) {
  /** Returns the candidates that match the whole query. */
  async function verified(
    ref: AccountRef,
    { terms }: Query,
    candidates: readonly Candidate[],
  ): Promise<Found[]> {
    const byId = await tasks.byId(
      ref,
      candidates.map(({ task }) => task),
    );
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
    if (!(await people.slack.isIn(workspace, card.channel, member, { isFresh: false }))) return undefined;
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
    return { shown, older };
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
      const titleOf = await campaigns.titlesOf(
        ref,
        shown.map(({ task }) => task.campaign),
      );
      const rows = await Promise.all(
        shown.map(async ({ task, notes: own }): Promise<FoundTask> => {
          const card = await cardFor(ref.workspace, member, task);
          return { task, notes: own, campaignTitle: titleOf(task.campaign), card };
        }),
      );
      return { tasks: rows, older };
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
