import { daysSpan } from '../../domain/days.ts';
import type { AccountId, AccountRef, WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import {
  isCallFailure,
  isUnsure,
  type MarketplaceClient,
  MarketplaceError,
} from '../../marketplace/index.ts';
import { answerInModal, answerInPlace } from '../../slack/answers.ts';
import type { Message } from '../../slack/blocks.ts';
import { type Actor, type Click, type Feature, type Submission, typed } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { notice } from '../../slack/notice.ts';
import { pageAsked, rowsPerPage } from '../../slack/paging.ts';
import { parseIds } from '../../slack/parse-ids.ts';
import type { Accounts } from '../../store/accounts.ts';
import { requireAccess } from '../shared/access.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import {
  employersMessage,
  excludedSentence,
  excludeEmployersForm,
  excludeEmployersView,
  listAway,
  noteView,
  noWorker,
  sending,
} from './employers.view.ts';
import { tasksMessage } from './tasks.view.ts';
import {
  decodeEmployerList,
  decodeTaskList,
  type EmployerList,
  type EmployerListKind,
  filtered,
  formState,
  type TaskList,
} from './values.ts';

export interface WorkerSideDeps {
  readonly accounts: Accounts;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** The first time something is delivered: true; when it was delivered before (to any process): false. */
  readonly claimOnce: (workspace: WorkspaceId, id: string) => Promise<boolean>;
  /** IANA zone of the marketplace's datetimes. */
  readonly zone: string;
}

/** What a key sees that acts as a worker: its own submitted tasks, and its lists of employers. */
export function createWorkerSide(deps: WorkerSideDeps): Feature {
  const { messengerOf, zone } = deps;

  async function allowed(
    actor: Pick<Actor, 'workspace' | 'member'>,
    account: AccountId,
  ): Promise<AccountRef> {
    const ref = { workspace: actor.workspace, account };
    await requireAccess(deps.accounts, ref, actor.member);
    return ref;
  }

  /** `GET worker/b_tasks`, by its own pager; a page behind the last one becomes the last one. */
  async function tasksOf(ref: AccountRef, wanted: TaskList): Promise<Message> {
    const marketplace = await deps.marketplaceOf(ref);
    const span = daysSpan(wanted.from, wanted.to, zone);
    const ask = (page: number) =>
      asWorker(() =>
        marketplace.workerTasks({
          ...(wanted.rating ? { rating: wanted.rating } : {}),
          ...(span.from ? { finishedFrom: span.from } : {}),
          ...(span.to ? { finishedTo: span.to } : {}),
          page: page + 1,
          entriesPerPage: rowsPerPage,
        }),
      );
    const { tasks, pager } = await ask(wanted.page);
    const last = Math.max(0, pager.lastPage - 1);
    if (wanted.page <= last) return tasksMessage({ list: wanted, tasks, pager, zone });
    return tasksMessage({ list: { ...wanted, page: last }, ...(await ask(last)), zone });
  }

  async function employersOf(ref: AccountRef, list: EmployerList, outcome?: string): Promise<Message> {
    const marketplace = await deps.marketplaceOf(ref);
    const employers = await asWorker(() =>
      list.kind === 'excluded' ? marketplace.listExcludedEmployers() : marketplace.listIncludedEmployers(),
    );
    return employersMessage(list, employers, outcome);
  }

  /** Excludes employers, and looks at the list to tell which of them are on it now. Gives what came of it, in mrkdwn. */
  async function exclude(ref: AccountRef, ids: readonly string[]): Promise<string> {
    const marketplace = await deps.marketplaceOf(ref);
    const added = await asWorker(() => marketplace.excludeEmployers(ids)).then(
      ({ count }) => count ?? 'unsaid',
      (error: unknown) => {
        if (error instanceof MarketplaceError && error.code === 'NO_EMPLOYERS_ADDED') return 0;
        // The list may tell whether it was applied.
        if (isCallFailure(error) && isUnsure(error)) return undefined;
        throw error;
      },
    );
    const listed = await marketplace.listExcludedEmployers().then(
      (employers) => {
        const now = new Set(employers.map(({ userId }) => userId));
        return ids.filter((id) => now.has(id));
      },
      (error: unknown) => {
        // What was done is told all the same.
        if (!isCallFailure(error)) throw error;
        return undefined;
      },
    );
    return excludedSentence({ asked: ids, listed, added });
  }

  /** Excludes an employer of a list; the list then shows what came of it, if it can be read. */
  async function excludeOne(click: Click): Promise<void> {
    const list = decodeEmployerList(click.blockId);
    const ref = await allowed(click, list.account);
    if (!(await deps.claimOnce(click.workspace, `worker-side ${click.id}`))) return;
    const outcome = await exclude(ref, [click.value]);
    const shown = await employersOf(ref, list, outcome).catch((error: unknown) => {
      if (!isCallFailure(error) && !(error instanceof UserError)) throw error;
      return notice(listAway(outcome));
    });
    await answerInPlace(click, shown, outcome);
  }

  const redrawn = (change: (list: TaskList, value: string) => TaskList) => async (click: Click) => {
    const list = decodeTaskList(click.blockId);
    const ref = await allowed(click, list.account);
    await click.replace(await tasksOf(ref, change(list, click.value)));
  };

  const toEmployers = (kind?: EmployerListKind) => async (click: Click) => {
    const list = decodeEmployerList(click.blockId);
    const ref = await allowed(click, list.account);
    const page = pageAsked(click.value);
    await click.replace(await employersOf(ref, { ...list, kind: kind ?? list.kind, page }));
  };

  const turn = redrawn((list, page) => ({ ...list, page: pageAsked(page) }));

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'worker-side',
        usage: '',
        help: 'For keys that act as workers: your submitted tasks and your lists of employers.',
        async run({ workspace, member, answer }) {
          const ref = await deps.accounts.require(workspace, member);
          await answer(await tasksOf(ref, { account: ref.account, page: 0 }));
        },
      },
    ],
    clicks: {
      'worker.rating': redrawn((list, rating) => filtered(list, { rating })),
      'worker.from': redrawn((list, from) => filtered(list, { from })),
      'worker.to': redrawn((list, to) => filtered(list, { to })),
      'worker.anyday': redrawn((list) => filtered(list, { from: '', to: '' })),
      'worker.page.previous': turn,
      'worker.page.next': turn,
      async 'worker.tasks'(click) {
        const { account } = decodeEmployerList(click.blockId);
        const ref = await allowed(click, account);
        await click.replace(await tasksOf(ref, { account, page: 0 }));
      },
      'worker.list.excluded': toEmployers('excluded'),
      'worker.list.included': toEmployers('included'),
      'worker.list.previous': toEmployers(),
      'worker.list.next': toEmployers(),
      async 'worker.exclude'(click) {
        const { account } = await allowed(click, decodeEmployerList(click.blockId).account);
        const form = excludeEmployersView({ account, ...(click.channel ? { channel: click.channel } : {}) });
        await messengerOf(click.workspace).openModal(click.triggerId, form);
      },
      'worker.exclude.one': excludeOne,
    },
    submissions: {
      async [excludeEmployersForm](submission: Submission) {
        const { account, channel } = formState.decode(submission.state);
        const ref = await allowed(submission, account);
        const read = parseIds(typed(submission.values, 'ids'));
        if ('problem' in read) return { errors: { ids: read.problem } };
        const { workspace, member, id: viewId } = submission;
        return {
          update: noteView(sending),
          async afterwards() {
            if (!(await deps.claimOnce(workspace, `worker-side ${viewId}`))) return;
            const text = await exclude(ref, read.ids).catch(explained);
            await answerInModal(messengerOf(workspace), { viewId, member, channel }, noteView(text), text);
          },
        };
      },
    },
  };
}

/**
 * Makes a call of the worker role. Throws a UserError that says what the marketplace answered when the key does not act
 * as a worker ("Authentication": paths under /worker/ act for the worker role).
 */
async function asWorker<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof MarketplaceError && notWorkers.has(error.code)) {
      throw new UserError(noWorker(error.text));
    }
    throw error;
  }
}

const notWorkers = new Set<string>(['API_NOT_ENABLED', 'API_FUNCTION_DOES_NOT_EXIST']);

/** What people are told of a failed call, in mrkdwn. Throws what is no such failure. */
function explained(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (!isCallFailure(error)) throw error;
  return marketplaceErrorText(error);
}
