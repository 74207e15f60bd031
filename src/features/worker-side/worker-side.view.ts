import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { formatMoney } from '../../domain/money.ts';
import { AccountId, ratings } from '../../domain/terms.ts';
import type { ListedUser, Pager, WorkerTask } from '../../marketplace/index.ts';
import {
  actions,
  button,
  context,
  type Message,
  modal,
  pageButtons,
  pageOf,
  section,
} from '../../slack/blocks.ts';
import { Origin } from '../../slack/feature.ts';
import { codec } from '../../slack/form-values.ts';
import { date, inline, preformatted } from '../../slack/mrkdwn.ts';
import {
  blockStateCodec,
  choice,
  dayField,
  dayFilter,
  daysText,
  idsInput,
  listMessage,
  pageField,
  zoneNote,
} from '../../ui/list.view.ts';
import { campaignName, nameWithId, number, partOf, ratingEmoji, ratingWords } from '../../ui/words.ts';

/** Filter of the worker's task list. */
const taskList = z.object({
  account: AccountId.min(1),
  /** Absent: every rating. */
  rating: z.enum(ratings).optional().catch(undefined),
  /** Completion days, inclusive. */
  from: dayField,
  to: dayField,
  page: pageField,
});
export type TaskList = z.infer<typeof taskList>;

export const taskListCodec = blockStateCodec(taskList);

/** State of an employer list: which list, and its page. */
const employerList = z.object({
  account: AccountId.min(1),
  kind: z.enum(['excluded', 'included']).catch('excluded'),
  page: pageField,
});
export type EmployerList = z.infer<typeof employerList>;

export const employerListCodec = blockStateCodec(employerList);

/** State of the exclusion form: the list, and where it is. */
const formState = employerList.extend({ origin: Origin });
export type FormState = z.infer<typeof formState>;

export const formStateCodec = codec('form', formState, 'Open the form again: `/proofdesk worker-side`.');

/** Returns one page of a worker's submitted tasks, by the marketplace's pager. @param zone of the list's days (IANA) */
export function tasksMessage(
  list: TaskList,
  { tasks, pager }: { readonly tasks: readonly WorkerTask[]; readonly pager: Pager },
  zone: string,
): Message {
  return listMessage({
    intro: introText(list, pager),
    blocks: [
      filters(list),
      ...tasks.map(taskRow),
      ...pageButtons({
        blockId: taskListCodec.encode('worker.pages', list),
        actionId: 'worker.page',
        page: list.page,
        pages: pager.lastPage,
      }),
      lists({ account: list.account, kind: 'excluded', page: 0 }),
      ...zoneNote(list, zone),
    ],
    rows: tasks.map(
      (task) => `${ratingWords[task.rating]}: ${campaignName(task.campaignTitle, task.campaignId, 100)}`,
    ),
  });
}

/** Returns the ways to the tasks, to the lists of employers, and to what changes one of these. */
function lists(list: EmployerList): KnownBlock {
  return actions(employerListCodec.encode('worker.lists', list), [
    button('Your tasks', 'worker.tasks', 'tasks'),
    button('Excluded employers', 'worker.list.excluded', '0'),
    button('Included employers', 'worker.list.included', '0'),
    button('Exclude employers', 'worker.exclude', 'form'),
  ]);
}

function introText(list: TaskList, { totalEntries, first, last }: Pager): string {
  const rating = list.rating ? ratingWords[list.rating] : '';
  const filter = [rating, daysText(list)].filter((text) => text !== '');
  const title = `*Your submitted tasks*${filter.length > 0 ? ` (${filter.join(', ')})` : ''}`;
  if (totalEntries === 0) {
    return `${title}: none.${filter.length > 0 ? ' Choose another rating or other days to see more.' : ''}`;
  }
  const range = totalEntries > 1 ? `${number(first)} to ${number(last)} of ` : '';
  return `${title}: ${range}${number(totalEntries)}.`;
}

function filters(list: TaskList): KnownBlock {
  const words = { ALL: 'Every rating', ...ratingWords };
  return actions(taskListCodec.encode('worker.filter', list), [
    choice('worker.rating', 'Rating', words, list.rating ?? 'ALL'),
    ...dayFilter({ from: 'worker.from', to: 'worker.to', clear: 'worker.anyday' }, list),
  ]);
}

function taskRow(task: WorkerTask): KnownBlock {
  const facts = [
    ratingWords[task.rating],
    task.finishedAt ? date(task.finishedAt.getTime()) : undefined,
    `earned ${formatMoney(task.workerEarned)}`,
    task.bonusWorkerEarned.gt(0) ? `bonus ${formatMoney(task.bonusWorkerEarned)}` : undefined,
    task.hasFile ? 'with a file' : undefined,
  ].filter((fact) => fact !== undefined);
  const comment = task.employerComment.trim() === '' ? '' : `\n“${inline(task.employerComment, 200)}”`;
  const proof = task.proof.trim() === '' ? '' : `\n${preformatted(task.proof, 200, 300)}`;
  return section(
    `${ratingEmoji[task.rating]} *${campaignName(task.campaignTitle, task.campaignId, 100)}*\n${facts.join(' · ')}${comment}${proof}`,
  );
}

/** Returns a page of one of the worker's employer lists. */
export function employersMessage(
  { page: wanted, ...list }: EmployerList,
  employers: readonly ListedUser[],
): Message {
  const { page, pages, here } = pageOf(employers, wanted);
  const shown = { ...list, page };
  const { title, meaning } = listWords[list.kind];
  return listMessage({
    intro:
      employers.length === 0 ? `*${title}*: none.` : `*${title}*: ${number(employers.length)}. ${meaning}`,
    blocks: [
      ...here.map((employer) => section(nameOf(employer))),
      ...pageButtons({
        blockId: employerListCodec.encode('worker.pages', shown),
        actionId: 'worker.list',
        page,
        pages,
      }),
      lists(shown),
    ],
    rows: here.map(nameOf),
  });
}

const listWords = {
  excluded: {
    title: 'Excluded employers',
    meaning: 'You are not offered their work. To take one off the list, use the website.',
  },
  included: { title: 'Included employers', meaning: 'You are offered their work.' },
} as const;

function nameOf({ userId, username, country }: ListedUser): string {
  return nameWithId(username, userId) + (country === '' ? '' : `, ${inline(country, 60)}`);
}

/** Returns the form for the ids of employers to exclude. */
export function excludeEmployersModal(state: FormState): ModalView {
  return modal({
    callbackId: 'worker.form',
    title: 'Exclude employers',
    submit: 'Exclude',
    state: formStateCodec.encode(state),
    blocks: [
      idsInput('Employer ids'),
      context('You will no longer be offered their work. To take one off the list, use the website.'),
    ],
  });
}

/** Returns the modal that replaces the submitted form. @param text mrkdwn */
export function excludeEmployersStatus(text: string): ModalView {
  return modal({ callbackId: 'worker.note', title: 'Exclude employers', blocks: [section(text)] });
}

export const excluding = 'Updating your exclude list…';

/** Returns the outcome of excluding employers, in mrkdwn. @param count those added; undefined: the marketplace did not say */
export function excludedText(count: number | undefined, asked: number): string {
  if (count === undefined || count >= asked) return ':white_check_mark: They are on your exclude list now.';
  return `:white_check_mark: ${partOf(count, asked, 'added')}. The others are on the list already, or unknown: check their ids.`;
}

/** Returns the answer for a key that is no worker's. @param answer the marketplace's own words */
export function notAWorker(answer: string): string {
  return `The marketplace answered “${inline(answer, 100)}”: your API key does not act as a worker. To see this, connect with a worker’s key: \`/proofdesk connect\`.`;
}
