import type { KnownBlock, ModalView } from '@slack/types';
import type { AccountId } from '../../domain/terms.ts';
import type { ListedUser } from '../../marketplace/index.ts';
import { actions, button, context, input, type Message, modal, section } from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { inline, plain } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf } from '../../slack/paging.ts';
import { type EmployerList, encodeEmployerList, formState } from './values.ts';

export const excludeEmployersForm = 'worker.form';

/** One of the worker's lists of employers, a page at a time. `outcome`: what was done just now, in mrkdwn. */
export function employersMessage(
  list: EmployerList,
  employers: readonly ListedUser[],
  outcome?: string,
): Message {
  const { page, pages, here } = pageOf(employers, list.page);
  const place = { ...list, page };
  const isExcluded = list.kind === 'excluded';
  const title = isExcluded ? 'Excluded employers' : 'Included employers';
  const meaning = isExcluded ? 'You are not offered their work.' : 'Their work is offered to you.';
  const intro =
    employers.length === 0
      ? `*${title}*: none.`
      : `*${title}*: ${employers.length.toLocaleString('en')}. ${meaning}`;
  const other = isExcluded
    ? button('Included employers', 'worker.list.included', '0')
    : button('Excluded employers', 'worker.list.excluded', '0');
  const blocks: KnownBlock[] = [
    ...(outcome === undefined ? [] : [section(outcome)]),
    section(intro),
    ...here.map((employer, index) => row(place, employer, index)),
    ...pageButtons({
      blockId: encodeEmployerList('worker.pages', place),
      actionId: 'worker.list',
      page,
      pages,
    }),
    actions(encodeEmployerList('worker.lists', place), [
      button('Your tasks', 'worker.tasks', 'tasks'),
      other,
      button('Exclude employers', 'worker.exclude', 'form'),
    ]),
    ...(isExcluded
      ? [context('The API cannot take an employer off this list: do that on the website.')]
      : []),
  ];
  const lines = here.map(nameOf);
  const text = [...(outcome === undefined ? [] : [outcome]), intro, ...lines].join('\n');
  return { text: cut(plain(text), limits.fallbackText), blocks };
}

function row(place: EmployerList, employer: ListedUser, index: number): KnownBlock {
  if (place.kind === 'excluded') return section(nameOf(employer));
  return section(nameOf(employer), {
    block_id: encodeEmployerList(`worker.row${index}`, place),
    accessory: button('Exclude', 'worker.exclude.one', employer.userId, {
      label: `Exclude ${employer.username}`,
    }),
  });
}

function nameOf({ userId, username, country }: ListedUser): string {
  const where = country === '' ? '' : `, ${inline(country, 60)}`;
  const name = inline(username, 60);
  return name === '' ? `${inline(userId, 60)}${where}` : `${name} (${inline(userId, 60)})${where}`;
}

/** The form that asks for the ids of employers to exclude. */
export function excludeEmployersView(account: AccountId): ModalView {
  return modal({
    callbackId: excludeEmployersForm,
    title: 'Exclude employers',
    submit: 'Exclude',
    state: formState.encode({ account }),
    blocks: [
      input(
        'ids',
        'Employer ids',
        { type: 'plain_text_input', multiline: true, max_length: limits.inputText, focus_on_load: true },
        { hint: 'Separate several by spaces, commas or lines.' },
      ),
      context(
        'You are not offered their work any more. The API cannot take them off the list again: that is done on the website.',
      ),
    ],
  });
}

/** A modal that only says something. @param text mrkdwn */
export function noteView(text: string): ModalView {
  return modal({ callbackId: 'worker.note', title: 'Exclude employers', blocks: [section(text)] });
}

export const sending = 'Telling the marketplace…';

/** What became of employers that were to be excluded, in mrkdwn. `listed`: those asked for that are on the list now. */
export function excludedSentence(result: {
  readonly asked: readonly string[];
  readonly listed: readonly string[];
  /** How many were added, as the marketplace says; undefined when it does not. */
  readonly added: number | undefined;
}): string {
  const { asked, listed, added } = result;
  const missing = asked.filter((id) => !listed.includes(id));
  const lines = [
    ...(listed.length > 0 ? [`:white_check_mark: On your exclude list now: ${names(listed)}.`] : []),
    ...(added !== undefined && added < listed.length
      ? [`Of these, ${listed.length - added} had been on it before.`]
      : []),
    ...(missing.length > 0
      ? [
          `:warning: Not on the list: ${names(missing)}. The marketplace does not know employers of these ids. Check them.`,
        ]
      : []),
  ];
  return cut(lines.join('\n'), limits.sectionText);
}

function names(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).map((id) => inline(id, 60));
  return shown.join(', ') + (ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '');
}

/** To somebody whose key is no worker's. @param answer the marketplace's own words */
export function noWorker(answer: string): string {
  return `The marketplace answered “${inline(answer, 100)}”: the key you are connected with does not act as a worker there. Connect with the key of a worker to see this: \`/proofdesk connect\`.`;
}
