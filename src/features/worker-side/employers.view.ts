import type { KnownBlock, ModalView } from '@slack/types';
import type { ListedUser } from '../../marketplace/index.ts';
import { actions, button, context, input, type Message, modal, section } from '../../slack/blocks.ts';
import { confirmation } from '../../slack/confirmation.ts';
import { cut, limits } from '../../slack/limits.ts';
import { inline, plain } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf } from '../../slack/paging.ts';
import { type EmployerList, encodeEmployerList, type FormState, formState } from './values.ts';

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
      confirm: confirmation({
        title: 'Exclude this employer?',
        text: `You are not offered the work of ${plainNameOf(employer)} any more. The API cannot take them off the list again: that is done on the website.`,
        confirm: 'Exclude',
        deny: 'Do not exclude',
        isDanger: true,
      }),
    }),
  });
}

function nameOf({ userId, username, country }: ListedUser): string {
  const where = country === '' ? '' : `, ${inline(country, 60)}`;
  const name = inline(username, 60);
  return name === '' ? `${inline(userId, 60)}${where}` : `${name} (${inline(userId, 60)})${where}`;
}

/** The same where nothing is formatted. */
function plainNameOf({ userId, username }: ListedUser): string {
  const [name, id] = [username, userId].map((text) => cut(text.replace(/\s+/g, ' ').trim(), 60));
  return name === '' ? `${id}` : `${name} (${id})`;
}

/** The form that asks for the ids of employers to exclude. */
export function excludeEmployersView(state: FormState): ModalView {
  return modal({
    callbackId: excludeEmployersForm,
    title: 'Exclude employers',
    submit: 'Exclude',
    state: formState.encode(state),
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

/** What became of employers that were to be excluded. */
export interface Excluded {
  readonly asked: readonly string[];
  /** Those asked for that are on the list now; undefined when the list cannot be read. */
  readonly listed: readonly string[] | undefined;
  /** How many were added; `unsaid`: it was done, without a number; undefined: nobody knows whether it was done. */
  readonly added: number | 'unsaid' | undefined;
}

/** What became of employers that were to be excluded, in mrkdwn. */
export function excludedSentence({ asked, listed, added }: Excluded): string {
  const lines = listed === undefined ? unlistedLines(asked, added) : listedLines(asked, listed, added);
  return cut(lines.join('\n'), limits.sectionText);
}

function listedLines(
  asked: readonly string[],
  listed: readonly string[],
  added: Excluded['added'],
): readonly string[] {
  const missing = asked.filter((id) => !listed.includes(id));
  const why =
    added === undefined
      ? 'The marketplace gave no clear answer, so it is not known whether this was done. Look at the list in a minute, then try again.'
      : 'The marketplace does not know employers of these ids. Check them.';
  return [
    ...(listed.length > 0 ? [`:white_check_mark: On your exclude list now: ${names(listed)}.`] : []),
    ...(typeof added === 'number' && added < listed.length
      ? [`Of these, ${listed.length - added} had been on it before.`]
      : []),
    ...(missing.length > 0 ? [`:warning: Not on the list: ${names(missing)}. ${why}`] : []),
  ];
}

/** All that can be said without the list: the marketplace tells a number at the most. */
function unlistedLines(asked: readonly string[], added: Excluded['added']): readonly string[] {
  const look = 'The list cannot be read at present: look at it in a minute.';
  if (added === undefined) {
    return [
      `:warning: Not known whether excluded: ${names(asked)}. The marketplace gave no clear answer, and its list cannot be read at present. Look at the list in a minute, then try again.`,
    ];
  }
  if (added === 0) {
    return [
      `:warning: The marketplace added nobody for ${names(asked)}: they are on the list already, or unknown. ${look}`,
    ];
  }
  if (added === 'unsaid') {
    return [`:white_check_mark: The marketplace took this for your exclude list: ${names(asked)}. ${look}`];
  }
  if (added >= asked.length) return [`:white_check_mark: On your exclude list now: ${names(asked)}.`];
  return [
    `:white_check_mark: The marketplace added ${added} of these ${asked.length} to your exclude list: ${names(asked)}. The others were on it already, or are unknown. ${look}`,
  ];
}

/** In place of a list that cannot be read. @param outcome what was done before, in mrkdwn */
export function listAway(outcome: string): string {
  return `${outcome}\nThis list cannot be read at present. Open it again in a minute: \`/proofdesk worker-side\`.`;
}

function names(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).map((id) => inline(id, 60));
  return shown.join(', ') + (ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '');
}

/** To somebody whose key is no worker's. @param answer the marketplace's own words */
export function noWorker(answer: string): string {
  return `The marketplace answered “${inline(answer, 100)}”: the key you are connected with does not act as a worker there. Connect with the key of a worker to see this: \`/proofdesk connect\`.`;
}
