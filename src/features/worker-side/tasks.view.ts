import type { KnownBlock } from '@slack/types';
import { formatMoney } from '../../domain/money.ts';
import { type Rating, ratings } from '../../domain/terms.ts';
import type { Pager, WorkerTask } from '../../marketplace/index.ts';
import { actions, button, type Message, option, plainText, section } from '../../slack/blocks.ts';
import { date, inline, preformatted } from '../../slack/mrkdwn.ts';
import { pageButtons } from '../../slack/paging.ts';
import { dayFilter, daysText, listMessage, zoneNote } from '../../ui/list.view.ts';
import { ratingEmoji } from '../../ui/words.ts';
import { employerListCodec, everyRating, type TaskList, taskListCodec } from './list-state.ts';

const ratingWords: Readonly<Record<Rating, string>> = {
  OK: 'OK',
  NOK: 'NOK',
  REVISE: 'To be corrected',
  NOTRATED: 'Waiting for a rating',
  NOTREVIEWED: 'In review by the marketplace',
};

/** Returns one page of a worker's submitted tasks, by the marketplace's pager. */
export function tasksMessage(page: {
  readonly list: TaskList;
  readonly tasks: readonly WorkerTask[];
  readonly pager: Pager;
  /** IANA zone of the list's days. */
  readonly zone: string;
}): Message {
  const { list, tasks, pager, zone } = page;
  const employers = { account: list.account, kind: 'excluded', page: 0 } as const;
  return listMessage({
    intro: introText(list, pager),
    blocks: [
      filters(list),
      ...tasks.map(taskRow),
      ...pageButtons({
        blockId: taskListCodec.encode('worker.pages', list),
        actionId: 'worker.page',
        page: list.page,
        pages: Math.max(1, pager.lastPage),
      }),
      actions(employerListCodec.encode('worker.lists', employers), [
        button('Excluded employers', 'worker.list.excluded', '0'),
        button('Included employers', 'worker.list.included', '0'),
        button('Exclude employers', 'worker.exclude', 'form'),
      ]),
      ...zoneNote(list, zone),
    ],
    rows: tasks.map((task) => `${ratingWords[task.rating]}: ${titleOf(task)}`),
  });
}

function introText(list: TaskList, { totalEntries, first, last }: Pager): string {
  const rating = list.rating ? ratingWords[list.rating] : '';
  const isAcronym = /^n?ok$/i.test(rating);
  const filter = [isAcronym ? rating : rating.toLowerCase(), daysText(list)].filter((text) => text !== '');
  const title = `*Your submitted tasks*${filter.length > 0 ? ` (${filter.join(', ')})` : ''}`;
  if (totalEntries === 0) {
    return `${title}: none.${filter.length > 0 ? ' Choose another rating or other days to see more.' : ''}`;
  }
  const range = totalEntries > 1 ? `${first.toLocaleString('en')} to ${last.toLocaleString('en')} of ` : '';
  return `${title}: ${range}${totalEntries.toLocaleString('en')}.`;
}

function filters(list: TaskList): KnownBlock {
  const every = option('Every rating', everyRating);
  const options = [every, ...ratings.map((rating) => option(ratingWords[rating], rating))];
  return actions(taskListCodec.encode('worker.filter', list), [
    {
      type: 'static_select',
      action_id: 'worker.rating',
      placeholder: plainText('Rating'),
      options,
      initial_option: options.find(({ value }) => value === list.rating) ?? every,
    },
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
  return section(`${ratingEmoji[task.rating]} *${titleOf(task)}*\n${facts.join(' · ')}${comment}${proof}`);
}

function titleOf({ campaignTitle, campaignId }: WorkerTask): string {
  return inline(campaignTitle, 100) || inline(campaignId, 60);
}
