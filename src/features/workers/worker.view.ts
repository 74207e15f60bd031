import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { AccountId } from '../../domain/terms.ts';
import type { Listing, WorkerRecord } from '../../domain/worker.ts';
import { actions, button, confirmation, context, type Message, modal, section } from '../../slack/blocks.ts';
import type { Origin } from '../../slack/feature.ts';
import { code, date, inline, user } from '../../slack/mrkdwn.ts';
import { listMessage } from '../../ui/list.view.ts';
import { nameWithId, plainNameWithId } from '../../ui/words.ts';
import { type WorkerHistory, workerHistoryLines, workerRecordLine } from '../../ui/worker.view.ts';
import { workersForm } from './changes.view.ts';
import { formStateCodec, workersListCodec } from './list-state.ts';

/** Note wherever the exclude list is shown. */
export const mirrorNote =
  'The marketplace does not show its exclude list. Proofdesk knows only the workers who were excluded in Slack, or were found to be excluded already.';

/** Facts about one worker. */
export interface WorkerProfile {
  readonly account: AccountId;
  readonly record: WorkerRecord;
  readonly exclusion?: Listing | undefined;
  readonly favorite?: Listing | undefined;
  /** Their record by campaign, by reason and over time; absent if unknown. */
  readonly history?: WorkerHistory;
}

/** Returns whether anything is known of a worker. */
export function isKnown({ record, exclusion, favorite }: WorkerProfile): boolean {
  return record.campaigns > 0 || exclusion !== undefined || favorite !== undefined;
}

export const unknownWorker =
  'No tasks from this worker have been seen here. Check the id or the name on a card. To exclude an id that is not known here, type `/proofdesk workers` and use *Exclude by id*.';

/** Says that a name is not enough. */
export function severalNamed(name: string, ids: readonly string[]): string {
  const commands = ids.slice(0, 10).map((id) => `\n• ${code(`/proofdesk workers ${id}`)}`);
  return `${ids.length} workers are called “${inline(name.trim(), 80)}”. Look one up by id:${commands.join('')}`;
}

/** Returns a worker's facts, with a button that excludes them or removes them from the list. */
export function workerMessage({
  outcome,
  ...profile
}: WorkerProfile & { readonly outcome?: string }): Message {
  const { account, record, exclusion } = profile;
  const change = exclusion
    ? button('Remove from exclude list', 'workers.one.include', record.id, {
        confirm: confirmRemoval(record, record.id),
      })
    : button('Exclude', 'workers.one.exclude', record.id, {
        style: 'danger',
        confirm: confirmExclusion(record, record.id),
      });
  const blocks: KnownBlock[] = [
    actions(workersListCodec.encode('workers.one', { account, page: 0 }), [change]),
    context(mirrorNote),
  ];
  return listMessage({ outcome, intro: profileText(profile), blocks, rows: [] });
}

/** Returns the modal a card opens on its worker: known facts, with exclusion or its removal. */
export function workerModal(profile: WorkerProfile, origin: Origin): ModalView {
  const { account, record, exclusion } = profile;
  const change = exclusion ? 'include' : 'exclude';
  const effect = exclusion
    ? 'Once removed from the list, the worker can take your campaigns again.'
    : exclusionEffect('Excluded workers');
  return modal({
    callbackId: workersForm,
    title: exclusion ? 'Excluded worker' : 'Worker',
    submit: exclusion ? 'Remove from list' : 'Exclude',
    state: formStateCodec.encode({ account, worker: record.id, change, origin }),
    blocks: [section(profileText(profile)), section(effect), context(mirrorNote)],
  });
}

function profileText({ record, exclusion, favorite, history }: WorkerProfile): string {
  return [
    `*${workerName(record, record.id)}*`,
    recordText(record),
    ...(history ? workerHistoryLines(history) : []),
    ...(exclusion ? [exclusionText(exclusion)] : []),
    ...(favorite?.by ? [`Made a favorite by ${user(favorite.by)}, ${date(favorite.at)}`] : []),
  ].join('\n');
}

/** Returns who excluded a worker, and when. */
export function exclusionText({ by, at }: Listing): string {
  return by
    ? `Excluded by ${user(by)}, ${date(at)}`
    : `Already excluded at the marketplace, seen ${date(at)}`;
}

function exclusionEffect(who: string): string {
  return `${who} can no longer take your campaigns. Tasks already submitted stay as they are.`;
}

/** Returns the confirmation before a worker is removed from the exclude list. */
export function confirmRemoval(record: WorkerRecord | undefined, id: string): NonNullable<Button['confirm']> {
  return confirmation({
    title: 'Remove this worker from the list?',
    text: `${plainNameWithId(record?.name ?? '', id)} can take your campaigns again.`,
    confirm: 'Remove',
    deny: 'Keep excluded',
  });
}

function confirmExclusion(record: WorkerRecord, id: string): NonNullable<Button['confirm']> {
  return confirmation({
    title: 'Exclude this worker?',
    text: exclusionEffect(plainNameWithId(record.name ?? '', id)),
    confirm: 'Exclude',
    deny: 'Do not exclude',
    isDanger: true,
  });
}

/** Returns a worker's name and id, in mrkdwn. */
export function workerName(record: WorkerRecord | undefined, id: string): string {
  return nameWithId(record?.name ?? '', id);
}

/** Returns a worker's tasks by rating over all campaigns, in words. */
export function recordText(record: WorkerRecord | undefined): string {
  return (record && workerRecordLine(record)) ?? 'No tasks from this worker have been seen here.';
}
