import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { AccountId, ChannelId } from '../../domain/terms.ts';
import type { Listing, RatingCounts, WorkerRecord } from '../../domain/worker.ts';
import { actions, button, context, type Message, modal, section } from '../../slack/blocks.ts';
import { confirmation } from '../../slack/confirmation.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, inline, plain, user } from '../../slack/mrkdwn.ts';
import { workersForm } from './changes.view.ts';
import { encodeWorkersBlock, formState } from './values.ts';

export const keptHere =
  'The marketplace does not show its exclude list: this one is kept here, and holds what was done in Slack only.';

/** What is known of one worker, with the way to exclude them. */
export interface WorkerState {
  readonly account: AccountId;
  readonly record: WorkerRecord;
  readonly exclusion?: Listing | undefined;
  readonly favorite?: Listing | undefined;
}

export function workerMessage({ outcome, ...state }: WorkerState & { readonly outcome?: string }): Message {
  const { account, record, exclusion } = state;
  const lines = stateLines(state);
  const change = exclusion
    ? button('Take off the exclude list', 'workers.one.include', record.id, {
        confirm: askTakeOff(record, record.id),
      })
    : button('Exclude', 'workers.one.exclude', record.id, {
        style: 'danger',
        confirm: askExclude(record, record.id),
      });
  const blocks: KnownBlock[] = [
    ...(outcome === undefined ? [] : [section(outcome)]),
    section(lines.join('\n')),
    actions(encodeWorkersBlock('workers.one', { account, page: 0 }), [change]),
    context(keptHere),
  ];
  const text = [...(outcome === undefined ? [] : [outcome]), ...lines].join('\n');
  return { text: cut(plain(text), limits.fallbackText), blocks };
}

/** From a card: what is known of its worker, and excluding them or taking them off the list. */
export function workerModal(state: WorkerState, channel: ChannelId | undefined): ModalView {
  const { account, record, exclusion } = state;
  const change = exclusion ? 'include' : 'exclude';
  const effect = exclusion
    ? 'Off the list, the worker can take your campaigns again.'
    : 'Excluded workers cannot take your campaigns any more. Tasks they have handed in stay as they are.';
  return modal({
    callbackId: workersForm,
    title: exclusion ? 'Excluded worker' : 'Exclude this worker',
    submit: exclusion ? 'Take off the list' : 'Exclude',
    state: formState.encode({ account, worker: record.id, change, ...(channel ? { channel } : {}) }),
    blocks: [section(stateLines(state).join('\n')), section(effect), context(keptHere)],
  });
}

function stateLines({ record, exclusion, favorite }: WorkerState): string[] {
  return [
    `*${nameOf(record, record.id)}*`,
    recordText(record),
    ...(exclusion
      ? [
          exclusion.by
            ? `Excluded by ${user(exclusion.by)}, ${date(exclusion.at)}`
            : `Was excluded already, seen ${date(exclusion.at)}`,
        ]
      : []),
    ...(favorite?.by ? [`Made a favorite by ${user(favorite.by)}, ${date(favorite.at)}`] : []),
  ];
}

/** Asked before a worker is taken off the exclude list. */
export function askTakeOff(record: WorkerRecord | undefined, id: string): NonNullable<Button['confirm']> {
  return confirmation({
    title: 'Take this worker off the list?',
    text: `${plainNameOf(record, id)} can take your campaigns again.`,
    confirm: 'Take off',
    deny: 'Keep excluded',
  });
}

function askExclude(record: WorkerRecord, id: string): NonNullable<Button['confirm']> {
  return confirmation({
    title: 'Exclude this worker?',
    text: `${plainNameOf(record, id)} cannot take your campaigns any more. Tasks they have handed in stay as they are.`,
    confirm: 'Exclude',
    deny: 'Do not exclude',
    isDanger: true,
  });
}

/** A worker's name and id, in mrkdwn. */
export function nameOf(record: WorkerRecord | undefined, id: string): string {
  return record?.name ? `${inline(record.name, 60)} (${inline(id, 60)})` : inline(id, 60);
}

/** The same where nothing is formatted. */
function plainNameOf(record: WorkerRecord | undefined, id: string): string {
  const [name, shownId] = [record?.name ?? '', id].map((text) => cut(text.replace(/\s+/g, ' ').trim(), 60));
  return name === '' ? `${shownId}` : `${name} (${shownId})`;
}

/** A worker's tasks by rating over all campaigns, in words. */
export function recordText(record: WorkerRecord | undefined): string {
  if (record === undefined || record.campaigns === 0) return 'No tasks of theirs were seen here.';
  const { counts, campaigns } = record;
  const parts = countWords.flatMap(([rating, words]) =>
    counts[rating] > 0 ? [`${counts[rating].toLocaleString('en')} ${words}`] : [],
  );
  return `${parts.join(' · ')}, in ${campaigns === 1 ? '1 campaign' : `${campaigns.toLocaleString('en')} campaigns`}`;
}

const countWords: readonly (readonly [keyof RatingCounts, string])[] = [
  ['OK', 'OK'],
  ['NOK', 'NOK'],
  ['REVISE', 'to be corrected'],
  ['NOTRATED', 'waiting'],
  ['NOTREVIEWED', 'not reviewed yet'],
];
