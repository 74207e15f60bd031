import { daysSpan } from '../../domain/days.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { auditedAct, caughtMarketplaceErrorText, doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { hasUnknownOutcome, isCallFailure, MarketplaceError } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Actor, Click, Entry, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { rowsPerPage } from '../../slack/paging.ts';
import { parseIds } from '../../slack/parse-ids.ts';
import { clickedList, listOrOutcome } from '../../ui/list.ts';
import {
  employersMessage,
  excludeEmployersForm,
  excludeEmployersModal,
  excludeEmployersStatus,
  excluding,
  exclusionResultText,
  notAWorker,
} from './employers.view.ts';
import {
  type EmployerList,
  employerListCodec,
  formStateCodec,
  type TaskList,
  taskListCodec,
} from './list-state.ts';
import { tasksMessage } from './tasks.view.ts';

/** Creates the views for a key that acts as a worker: its submitted tasks, and its employer lists. */
export function createWorkerSide(deps: Modules): Feature {
  const { marketplace } = deps;

  /** Loads `GET worker/b_tasks` with its own pager; a page beyond the end becomes the last one. */
  async function renderTasks(ref: AccountRef, list: TaskList): Promise<Message> {
    const client = await deps.marketplace.of(ref);
    const span = daysSpan(list.from, list.to, marketplace.zone);
    const load = (page: number) =>
      asWorker(() =>
        client.workerTasks({
          ...(list.rating ? { rating: list.rating } : {}),
          ...(span.from ? { finishedFrom: span.from } : {}),
          ...(span.to ? { finishedTo: span.to } : {}),
          page: page + 1,
          entriesPerPage: rowsPerPage,
        }),
      );
    const { tasks, pager } = await load(list.page);
    const last = Math.max(0, pager.lastPage - 1);
    if (list.page <= last) return tasksMessage({ list, tasks, pager, zone: marketplace.zone });
    return tasksMessage({ list: { ...list, page: last }, ...(await load(last)), zone: marketplace.zone });
  }

  async function renderEmployers(ref: AccountRef, list: EmployerList, outcome?: string): Promise<Message> {
    const client = await deps.marketplace.of(ref);
    const employers = await asWorker(() =>
      list.kind === 'excluded' ? client.listExcludedEmployers() : client.listIncludedEmployers(),
    );
    return employersMessage(list, employers, outcome);
  }

  /** Excludes employers, then reads the list to verify it. Returns the outcome, in mrkdwn. */
  async function exclude(
    ref: AccountRef,
    ids: readonly string[],
    actor: Pick<Actor, 'member' | 'how'>,
  ): Promise<string> {
    const client = await deps.marketplace.of(ref);
    const entry = { what: 'exclude employers', after: ids.join(' '), ...doneBy(actor) } as const;
    const excluded = auditedAct(deps, ref, entry, () => client.excludeEmployers(ids), {
      endOf: ({ count }) => (count === undefined ? {} : { answer: `${count} added` }),
    });
    const added = await asWorker(() => excluded).then(
      ({ count }) => count ?? 'uncounted',
      (error: unknown) => {
        if (error instanceof MarketplaceError && error.code === 'NO_EMPLOYERS_ADDED') return 0;
        // The list may show whether it was applied.
        if (isCallFailure(error) && hasUnknownOutcome(error)) return undefined;
        throw error;
      },
    );
    const listed = await client.listExcludedEmployers().then(
      (employers) => {
        const listedIds = new Set(employers.map(({ userId }) => userId));
        return ids.filter((id) => listedIds.has(id));
      },
      (error: unknown) => {
        // The outcome is reported anyway.
        if (!isCallFailure(error)) throw error;
        return undefined;
      },
    );
    return exclusionResultText({ requested: ids, listed, added });
  }

  /** Excludes the employer of a row; the list then shows the outcome. */
  async function excludeFromRow(click: Click): Promise<void> {
    const { ref, list } = await clickedList(click, employerListCodec);
    const outcome = await exclude(ref, [click.value], click);
    const message = renderEmployers(ref, list, outcome);
    await click.show(await listOrOutcome(message, outcome, '/proofdesk worker-side'), outcome);
  }

  async function openExcludeForm(click: Click): Promise<void> {
    const { list } = await clickedList(click, employerListCodec);
    const form = excludeEmployersModal({ list, origin: click.origin });
    await click.open(form);
  }

  async function submitExcludeForm(submission: Submission): Promise<SubmissionAnswer> {
    const { list, origin } = formStateCodec.decode(submission.state);
    const ref = await submission.authorize({ account: list.account });
    const input = parseIds(typed(submission.values, 'ids'));
    if ('problem' in input) return { errors: { ids: input.problem } };
    return {
      update: excludeEmployersStatus(excluding),
      async afterwards() {
        const text = await exclude(ref, input.ids, submission).catch(errorText);
        const here = { view: submission.id, channel: origin.channel };
        await submission.show(excludeEmployersStatus(text), text, here);
        const shown = await listOrOutcome(renderEmployers(ref, list), text, '/proofdesk worker-side');
        await submission.replaceAt(origin, shown);
      },
    };
  }

  const showTasks =
    (change: (value: string) => Partial<Record<keyof TaskList, string>>) => async (click: Click) => {
      const { ref, list } = await clickedList(click, taskListCodec);
      await click.replace(await renderTasks(ref, taskListCodec.update(list, change(click.value))));
    };
  const showTaskPage = showTasks((page) => ({ page }));

  const showEmployers = (kind?: EmployerList['kind']) => async (click: Click) => {
    const { ref, list } = await clickedList(click, employerListCodec);
    const change = { ...(kind ? { kind } : {}), page: click.value };
    await click.replace(await renderEmployers(ref, employerListCodec.update(list, change)));
  };
  const showEmployerPage = showEmployers();

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'worker-side',
        usage: '',
        help: 'With a worker’s key: shows your submitted tasks and your lists of employers.',
        needs: 'see',
        async run({ authorize, answer }) {
          const ref = await authorize();
          await answer(await renderTasks(ref, { account: ref.account, page: 0 }));
        },
      },
    ],
    clicks: {
      'worker.rating': see(showTasks((rating) => ({ rating }))),
      'worker.from': see(showTasks((from) => ({ from }))),
      'worker.to': see(showTasks((to) => ({ to }))),
      'worker.anyday': see(showTasks(() => ({ from: '', to: '' }))),
      'worker.page.previous': see(showTaskPage),
      'worker.page.next': see(showTaskPage),
      'worker.tasks': see(async (click) => {
        const { ref } = await clickedList(click, employerListCodec);
        await click.replace(await renderTasks(ref, { account: ref.account, page: 0 }));
      }),
      'worker.list.excluded': see(showEmployers('excluded')),
      'worker.list.included': see(showEmployers('included')),
      'worker.list.previous': see(showEmployerPage),
      'worker.list.next': see(showEmployerPage),
      'worker.exclude': { needs: 'exclude', run: openExcludeForm },
      'worker.exclude.one': { needs: 'exclude', once: true, run: excludeFromRow },
    },
    submissions: { [excludeEmployersForm]: { needs: 'exclude', run: submitExcludeForm } },
  };
}

/** Declares the right to view. */
function see(run: (click: Click) => Promise<void>): Entry<Click> {
  return { needs: 'see', run };
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

function errorText(error: unknown): string {
  return error instanceof UserError ? error.message : caughtMarketplaceErrorText(error);
}
