import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { ProofFile } from '../../domain/task.ts';
import { AccountId, ChannelId, type MemberId, TaskId } from '../../domain/terms.ts';
import { button, context, modal, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { date, escaped, user } from '../../slack/mrkdwn.ts';
import { describeFile, formatSize } from '../../slack/proof-file.ts';

/** Files larger than this (bytes) are not brought to Slack: each is held in memory on its way. */
export const largestFile = 50_000_000;
/** Rows that a modal has room for, beside everything else. */
const mostRows = 90;

const state = z.object({
  account: AccountId,
  task: TaskId,
  round: z.number(),
  /** The card in whose thread files are put. */
  channel: ChannelId,
  ts: z.string(),
});
export type FilesState = z.infer<typeof state>;

/** What the modal remembers: which card it was opened from. */
export const filesState = codec(state, 'Open the menu of the card again.');

/** How a file stands. @param sentence mrkdwn */
export type FileStanding =
  | { readonly kind: 'under-way' | 'posted'; readonly by: MemberId; readonly at: number }
  | { readonly kind: 'failed'; readonly sentence: string };

/** The files of a task, each with the way to fetch it and what came of that. */
export function filesModal(
  card: FilesState,
  files: readonly ProofFile[],
  standings: ReadonlyMap<number, FileStanding>,
): ModalView {
  const rows = files.slice(0, mostRows).map((file) => fileRow(file, standings.get(file.index)));
  const none = section('This task has no files.');
  const rest = files.length > mostRows ? [context('The other files are on the website only.')] : [];
  return modal({
    callbackId: 'task.files',
    title: 'Files of this task',
    state: filesState.encode(card),
    blocks: [
      ...(rows.length > 0 ? rows : [none]),
      ...rest,
      context('A file that you fetch is put into the thread of the card, for everybody in the channel.'),
    ],
  });
}

function fileRow(file: ProofFile, standing: FileStanding | undefined): KnownBlock {
  const isTooLarge = file.size > largestFile;
  const note = isTooLarge ? tooLarge(file.size) : standing && standingText(standing);
  const text = `${file.index}. ${describeFile(file)}${note ? `\n${note}` : ''}`;
  const canFetch = !isTooLarge && (standing === undefined || standing.kind === 'failed');
  if (!canFetch) return section(text);
  return section(text, {
    accessory: button(standing ? 'Try again' : 'Fetch', 'task.files.fetch', String(file.index), {
      label: `Fetch file ${file.index}`,
    }),
  });
}

function standingText(standing: FileStanding): string {
  switch (standing.kind) {
    case 'under-way':
      return `:hourglass_flowing_sand: On its way, asked for by ${user(standing.by)}`;
    case 'posted':
      return `:white_check_mark: In the thread of the card, fetched by ${user(standing.by)}, ${date(standing.at)}`;
    case 'failed':
      return `:warning: ${standing.sentence}`;
  }
}

/** While the marketplace is asked which files there are, or when it does not tell. @param text mrkdwn */
export function filesNote(text: string): ModalView {
  return modal({ callbackId: 'task.files', title: 'Files of this task', blocks: [section(text)] });
}

export const lookingForFiles = 'Asking the marketplace for the files…';

/** @param size bytes; absent when only known to be too many */
export function tooLarge(size?: number): string {
  const is = size === undefined ? 'This file is' : `With ${formatSize(size)} this file is`;
  return `${is} over the limit of ${formatSize(largestFile)}, so it is not brought to Slack. Look at it on the website.`;
}

export const emptyFile = 'This file is empty, so there is nothing to put into the thread.';
export const brokenOff = 'The file did not arrive in full. Try again in a minute.';

/** Slack's words for why it takes no file (files.getUploadURLExternal, files.completeUploadExternal). */
const refusals: ReadonlyMap<string, string> = new Map([
  ['ratelimited', 'Slack asks for a pause. Try again in a minute.'],
  [
    'not_in_channel',
    'The bot is not in this channel any more, so it cannot put the file there. Invite it, then try again.',
  ],
  [
    'channel_not_found',
    'The bot cannot see this channel any more, so it cannot put the file there. Invite it, then try again.',
  ],
  ['is_archived', 'This channel is archived, so nothing can be put there. Look at the file on the website.'],
  [
    'file_upload_size_restricted',
    'This file is over the limit of this workspace, so Slack did not take it. Look at it on the website.',
  ],
  [
    'storage_limit_reached',
    'This workspace has no room for more files, so Slack did not take it. Make room, or look at it on the website.',
  ],
  ['file_uploads_disabled', 'This workspace takes no files. Look at it on the website.'],
  ['upload_failed', 'The file did not reach Slack, so it is not in the thread. Try again in a minute.'],
  [
    'file_uploads_except_images_disabled',
    'This workspace takes no files but images. Look at it on the website.',
  ],
]);

/** Slack did not take the file. @param code Slack's own word for why; absent: nobody knows whether it did */
export function notTaken(code: string | undefined): string {
  if (code === undefined) {
    return 'Slack gave no answer, so the file may be in the thread or not. Look there before you try again.';
  }
  const known = refusals.get(code);
  if (known !== undefined) return known;
  return `Slack did not take the file (\`${escaped(code)}\`). Try again; if it stays so, tell your administrator.`;
}

/** What is written with a file in the thread, in mrkdwn. @param of how many files the task has */
export function fileComment(file: ProofFile, of: number, by: MemberId): string {
  const number = of > 1 ? `Proof file ${file.index} of ${of}` : 'Proof file';
  return `${number}: ${describeFile(file)}, asked for by ${user(by)}`;
}
