import type { KnownBlock } from '@slack/types';
import { formatMoney } from '../../domain/money.ts';
import { type Rating, ratings } from '../../domain/terms.ts';
import type { Pager, WorkerTask } from '../../marketplace/index.ts';
import {
  actions,
  button,
  context,
  dayPicker,
  type Message,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, inline, plain, preformatted } from '../../slack/mrkdwn.ts';
import { pageButtons } from '../../slack/paging.ts';
import { encodeEmployerList, encodeTaskList, everyRating, type TaskList } from './values.ts';

const ratingWords: Readonly<Record<Rating, string>> = {
  OK: 'OK',
  NOK: 'NOK',
  REVISE: 'To be corrected',
  NOTRATED: 'Waiting for a rating',
  NOTREVIEWED: 'In review by the marketplace',
};
const ratingEmoji: Readonly<Record<Rating, string>> = {
  OK: ':white_check_mark:',
  NOK: ':x:',
  REVISE: ':leftwards_arrow_with_hook:',
  NOTRATED: ':radio_button:',
  NOTREVIEWED: ':mag:',
};

/** The tasks that the worker of a key has submitted, a page at a time, as the marketplace's pager counts them. */
export function tasksMessage(shown: {
  readonly list: TaskList;
  readonly tasks: readonly WorkerTask[];
  readonly pager: Pager;
  /** The zone (IANA) in which the days of the list are meant. */
  readonly zone: string;
}): Message {
  const { list, tasks, pager, zone } = shown;
  const intro = introOf(list, pager);
  const { account } = list;
  const blocks: KnownBlock[] = [
    section(intro),
    filters(list),
    ...tasks.map(taskRow),
    ...pageButtons({
      blockId: encodeTaskList('worker.pages', list),
      actionId: 'worker.page',
      page: list.page,
      pages: Math.max(1, pager.lastPage),
    }),
    actions(encodeEmployerList('worker.lists', { account, kind: 'excluded', page: 0 }), [
      button('Excluded employers', 'worker.list.excluded', '0'),
      button('Included employers', 'worker.list.included', '0'),
      button('Exclude employers', 'worker.exclude', 'form'),
    ]),
    ...(list.from || list.to
      ? [context(`Days are those of the marketplace’s zone, ${inline(zone, 60)}.`)]
      : []),
  ];
  const lines = tasks.map((task) => `${ratingWords[task.rating]}: ${titleOf(task)}`);
  return { text: cut(plain([intro, ...lines].join('\n')), limits.fallbackText), blocks };
}

function introOf({ rating, from, to }: TaskList, { totalEntries, first, last }: Pager): string {
  const which = [
    rating ? ratingWords[rating].toLowerCase().replace(/^n?ok$/, (word) => word.toUpperCase()) : '',
    from ? `from ${from}` : '',
    to ? `to ${to}` : '',
  ].filter((part) => part !== '');
  const about = `*Your submitted tasks*${which.length > 0 ? ` (${which.join(', ')})` : ''}`;
  if (totalEntries === 0) {
    return `${about}: none.${which.length > 0 ? ' Choose another rating or other days to see more.' : ''}`;
  }
  const span = totalEntries > 1 ? `${first.toLocaleString('en')} to ${last.toLocaleString('en')} of ` : '';
  return `${about}: ${span}${totalEntries.toLocaleString('en')}.`;
}

function filters(list: TaskList): KnownBlock {
  const { rating, from, to } = list;
  const every = option('Every rating', everyRating);
  const options = [every, ...ratings.map((one) => option(ratingWords[one], one))];
  return actions(encodeTaskList('worker.filter', list), [
    {
      type: 'static_select',
      action_id: 'worker.rating',
      placeholder: plainText('Rating'),
      options,
      initial_option: options.find(({ value }) => value === rating) ?? every,
    },
    dayPicker('worker.from', 'From day', from),
    dayPicker('worker.to', 'To day', to),
    ...(from || to ? [button('Any day', 'worker.anyday', 'any')] : []),
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
  const comment = task.employerComment.trim() === '' ? '' : `\n“${inline(task.employerComment, 300)}”`;
  const proof = task.proof.trim() === '' ? '' : `\n${preformatted(task.proof, 200)}`;
  return section(`${ratingEmoji[task.rating]} *${titleOf(task)}*\n${facts.join(' · ')}${comment}${proof}`);
}

function titleOf({ campaignTitle, campaignId }: WorkerTask): string {
  return inline(campaignTitle, 150) || inline(campaignId, 60);
}
