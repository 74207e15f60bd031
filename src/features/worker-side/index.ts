import { daysSpan } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { auditedAct, caughtMarketplaceErrorText, doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm, onList } from '../../kit/on.ts';
import { MarketplaceError } from '../../marketplace/index.ts';
import { type Message, rowsPerPage } from '../../slack/blocks.ts';
import type { Actor, Feature } from '../../slack/feature.ts';
import { parseIds, typed } from '../../slack/form-values.ts';
import { createList } from '../../ui/list.ts';
import {
  type EmployerList,
  employerListCodec,
  employersMessage,
  excludedText,
  excludeEmployersModal,
  excludeEmployersStatus,
  excluding,
  formStateCodec,
  notAWorker,
  type TaskList,
  taskListCodec,
  tasksMessage,
} from './worker-side.view.ts';

/** Creates the views for a key that acts as a worker: its submitted tasks, and its employer lists. */
export function createWorkerSide(deps: Modules): Feature {
  const { marketplace } = deps;

  /** Renders `GET worker/b_tasks` with its own pager. */
  async function renderTasks(ref: AccountRef, list: TaskList): Promise<Message> {
    const client = await marketplace.of(ref);
    const span = daysSpan(list.from, list.to, marketplace.zone);
    const request = {
      ...(list.rating ? { rating: list.rating } : {}),
      ...(span.from ? { finishedFrom: span.from } : {}),
      ...(span.to ? { finishedTo: span.to } : {}),
      page: list.page + 1,
      entriesPerPage: rowsPerPage,
    };
    const found = await asWorker(() => client.workerTasks(request));
    // Tasks may have been rated since the page before.
    const last = Math.max(0, found.pager.lastPage - 1);
    if (list.page > last) return renderTasks(ref, { ...list, page: last });
    return tasksMessage(list, found, marketplace.zone);
  }

  const tasks = createList<TaskList>({ codec: taskListCodec, render: renderTasks });
  const employers = createList<EmployerList>({
    codec: employerListCodec,
    async render(ref, list) {
      const client = await marketplace.of(ref);
      const listed = await asWorker(() =>
        list.kind === 'excluded' ? client.listExcludedEmployers() : client.listIncludedEmployers(),
      );
      return employersMessage(list, listed);
    },
  });

  /** Excludes employers. Returns the outcome, in mrkdwn. */
  async function exclude(
    ref: AccountRef,
    ids: readonly string[],
    actor: Pick<Actor, 'member' | 'how'>,
  ): Promise<string> {
    const client = await marketplace.of(ref);
    const entry = { what: 'exclude employers', after: ids.join(' '), ...doneBy(actor) } as const;
    const excluded = auditedAct(deps, ref, entry, () => client.excludeEmployers(ids), {
      endOf: ({ count }) => (count === undefined ? {} : { answer: `${count} added` }),
    });
    const { count } = await asWorker(() => excluded);
    return excludedText(count, ids.length);
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'worker-side',
        usage: '',
        // For workers, who have a key of their own: the help is for employers.
        help: '',
        needs: 'see',
        run: tasks.open((account) => ({ account, page: 0 })),
      },
    ],
    clicks: {
      'worker.rating': tasks.change((rating) => ({ rating })),
      'worker.from': tasks.change((from) => ({ from })),
      'worker.to': tasks.change((to) => ({ to })),
      'worker.anyday': tasks.change(() => ({ from: '', to: '' })),
      ...tasks.pages('worker.page'),
      'worker.tasks': onList(employerListCodec, 'see', async ({ ref, replace }) =>
        replace(await renderTasks(ref, { account: ref.account, page: 0 })),
      ),
      'worker.list.excluded': employers.change((page) => ({ kind: 'excluded', page })),
      'worker.list.included': employers.change((page) => ({ kind: 'included', page })),
      ...employers.pages('worker.list'),
      'worker.exclude': onList(employerListCodec, 'exclude', ({ list, origin, open }) =>
        open(excludeEmployersModal({ ...list, origin })),
      ),
    },
    submissions: {
      'worker.form': onForm(formStateCodec, 'exclude', async (submission) => {
        const { ref, state } = submission;
        const { origin, ...list } = state;
        const input = parseIds(typed(submission.values, 'ids'));
        if ('problem' in input) return { errors: { ids: input.problem } };
        return {
          update: excludeEmployersStatus(excluding),
          async afterwards() {
            const text = await exclude(ref, input.ids, submission).catch((error: unknown) =>
              error instanceof UserError ? error.message : caughtMarketplaceErrorText(error),
            );
            const here = { view: submission.id, channel: origin.channel };
            await submission.show(excludeEmployersStatus(text), text, here);
            await employers.refresh(submission, origin, ref, list);
          },
        };
      }),
    },
  };
}

/**
 * Makes a call of the worker role (paths under /worker/).
 * @throws UserError with the marketplace's answer if the key does not act as a worker
 */
async function asWorker<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof MarketplaceError && notAWorkerCodes.has(error.code)) {
      throw new UserError(notAWorker(error.text));
    }
    throw error;
  }
}

const notAWorkerCodes = new Set<string>(['API_NOT_ENABLED', 'API_FUNCTION_DOES_NOT_EXIST']);
