import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { ProofFile } from '../../domain/task.ts';
import { AccountId, ChannelId, type MemberId, TaskId } from '../../domain/terms.ts';
import { button, context, modal, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { code, date, user } from '../../slack/mrkdwn.ts';
import { describeFile, formatSize } from '../../slack/proof-file.ts';

/** Files larger than this (bytes) are not posted in Slack: each is held in memory on its way. */
export const maxFileBytes = 50_000_000;
/** Rows that fit into a modal, beside everything else. */
const maxRows = 90;

const state = z.object({
  account: AccountId,
  task: TaskId,
  round: z.number(),
  /** The card in whose thread files are posted. */
  channel: ChannelId,
  ts: z.string(),
});
export type FilesState = z.infer<typeof state>;

/** Encodes what the modal remembers: which card it was opened from. */
export const filesStateCodec = codec(state, 'Open the menu of the card again.');

/** Whether a file was posted. @param sentence mrkdwn */
export type FileStatus =
  | { readonly kind: 'under-way' | 'posted'; readonly by: MemberId; readonly at: number }
  | { readonly kind: 'failed'; readonly sentence: string };

/** Returns the modal that lists the files of a task, each with a button that fetches it, and its status. */
export function filesModal(
  card: FilesState,
  files: readonly ProofFile[],
  statuses: ReadonlyMap<number, FileStatus>,
): ModalView {
  const rows = files.slice(0, maxRows).map((file) => fileRow(file, statuses.get(file.index)));
  const rest = files.length > maxRows ? [context('Open the other files on the website.')] : [];
  return modal({
    callbackId: 'task.files',
    title: 'Files of this task',
    state: filesStateCodec.encode(card),
    blocks: [
      ...rows,
      ...rest,
      rows.length > 0
        ? context(
            'A file you fetch is posted in the card’s thread, where everyone in the channel can see it.',
          )
        : section('This task has no files.'),
    ],
  });
}

function fileRow(file: ProofFile, status: FileStatus | undefined): KnownBlock {
  const isTooLarge = file.size > maxFileBytes;
  const note = isTooLarge ? tooLarge(file.size) : status && statusText(status);
  const text = `${file.index}. ${describeFile(file)}${note ? `\n${note}` : ''}`;
  const canFetch = !isTooLarge && (status === undefined || status.kind === 'failed');
  if (!canFetch) return section(text);
  return section(text, {
    accessory: button(status ? 'Try again' : 'Fetch', 'task.files.fetch', String(file.index), {
      label: `Fetch file ${file.index}`,
    }),
  });
}

function statusText(status: FileStatus): string {
  switch (status.kind) {
    case 'under-way':
      return `:hourglass_flowing_sand: On its way, requested by ${user(status.by)}`;
    case 'posted':
      return `:white_check_mark: In the card’s thread, fetched by ${user(status.by)}, ${date(status.at)}`;
    case 'failed':
      return `:warning: ${status.sentence}`;
  }
}

/** Returns the modal shown while the list of files is loaded, or when that fails. @param text mrkdwn */
export function filesStatusModal(text: string): ModalView {
  return modal({ callbackId: 'task.files', title: 'Files of this task', blocks: [section(text)] });
}

export const loadingFiles = 'Loading the list of files…';

/** Returns that a file is too large. @param size bytes; absent when it only proved too large on its way */
export function tooLarge(size?: number): string {
  const file = size === undefined ? 'This file' : `At ${formatSize(size)}, this file`;
  return `${file} is over the limit of ${formatSize(maxFileBytes)}, so it cannot be posted in Slack. ${openOnWebsite}`;
}

export const emptyFile = 'This file is empty, so there is nothing to post.';
export const incompleteDownload = 'The file did not arrive in full. Try again in a minute.';

/** A small download unpacks to an enormous one, as nobody sends by accident. */
export const unpackedTooFar =
  'This file unpacks to far more than was sent, so it was not fetched. Be careful when you open it on the website.';

/** What to do when Slack does not accept a file. */
export const sharedUnconfirmed =
  'This channel is shared with another company, so files are not posted here until an owner of the account confirms the channel.';
export const openOnWebsite = 'Open it on the website.';

/** Returns the comment posted with a file, in mrkdwn. @param total how many files the task has */
export function fileComment(file: ProofFile, total: number, by: MemberId): string {
  const number = total > 1 ? `Proof file ${file.index} of ${total}` : 'Proof file';
  // As code: the text of a shared file is not verbatim, so that a name such as `prize.example` would become a link.
  const described = `${code(file.filename)} (${code(file.contentType)}, ${formatSize(file.size)})`;
  return `${number}: ${described}, requested by ${user(by)}`;
}
