import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { ShownPicture } from '../../domain/picture.ts';
import type { ProofFile } from '../../domain/task.ts';
import { AccountId, ChannelId, type MemberId, TaskId } from '../../domain/terms.ts';
import { button, context, modal, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { code, date, escaped, user } from '../../slack/mrkdwn.ts';
import type { FetchedFile } from '../../store/fetched-files.ts';
import { describeFile, formatSize, pictureBlocks } from '../../ui/proof.view.ts';

/** Files larger than this (bytes) are not posted in Slack, because each is held in memory on its way. */
export const maxFileBytes = 50_000_000;
/** Rows and pictures that fit into a modal, next to the other blocks. */
const maxRows = 65;
const maxPictures = 25;

const state = z.object({
  account: AccountId,
  task: TaskId,
  round: z.number(),
  /** The card whose thread files are posted in. */
  channel: ChannelId,
  ts: z.string(),
});
export type FilesState = z.infer<typeof state>;

/** Codec of the modal's state: the card from which it was opened. */
export const filesStateCodec = codec('form', state, 'Open the menu of the card again.');

/** What has become of a file: posted, or being fetched; or why it could not be posted, in mrkdwn. */
export type FileStatus = FetchedFile | string;

/** A task's pictures: their Slack files, and the number still being loaded. */
export interface LoadedPictures {
  readonly shown: readonly ShownPicture[];
  readonly loading: number;
}

/** Returns the modal with a task's files, each with its status and a button that posts or opens it. */
export function filesModal(
  card: FilesState,
  files: readonly ProofFile[],
  statuses: ReadonlyMap<number, FileStatus>,
  pictures: LoadedPictures = { shown: [], loading: 0 },
): ModalView {
  const rows = files.slice(0, maxRows).map((file) => fileRow(file, statuses.get(file.index)));
  const rest = files.length > maxRows ? [context('Open the other files on the website.')] : [];
  return modal({
    callbackId: 'task.files',
    title: 'Files of this task',
    state: filesStateCodec.encode(card),
    blocks: [
      ...loadedPictures(pictures, files),
      ...rows,
      ...rest,
      rows.length > 0
        ? context('Everyone in the channel can see files in the card’s thread.')
        : section('This task has no files.'),
    ],
  });
}

function loadedPictures({ shown, loading }: LoadedPictures, files: readonly ProofFile[]): KnownBlock[] {
  const more = shown.length - maxPictures;
  return [
    ...pictureBlocks(files, shown.slice(0, maxPictures)),
    ...(more > 0
      ? [context(`Open the other ${more === 1 ? 'picture' : `${more} pictures`} from the list below.`)]
      : []),
    ...(loading > 0 ? [context(`Loading ${loading === 1 ? 'a picture' : `${loading} pictures`}…`)] : []),
  ];
}

function fileRow(file: ProofFile, status: FileStatus | undefined): KnownBlock {
  const isTooLarge = file.size > maxFileBytes;
  const note = isTooLarge ? tooLarge(file.size) : status && statusText(status);
  const text = `${file.index}. ${describeFile(file)}${note ? `\n${note}` : ''}`;
  if (typeof status === 'object' && status.link) {
    const open = button('Open', 'task.files.open', String(file.index), { label: `Open file ${file.index}` });
    return section(text, { accessory: { ...open, url: status.link } });
  }
  if (isTooLarge || typeof status === 'object') return section(text);
  const [words, label] = status
    ? ['Try again', `Try again: post file ${file.index} in the thread`]
    : ['Post in thread', `Post in thread: file ${file.index}`];
  return section(text, { accessory: button(words, 'task.files.fetch', String(file.index), { label }) });
}

function statusText(status: FileStatus): string {
  if (typeof status === 'string') return `:warning: ${status}`;
  const { state, by, at } = status;
  return state === 'posted'
    ? `:white_check_mark: In the card’s thread, posted by ${user(by)}, ${date(at)}`
    : `:hourglass_flowing_sand: On its way, requested by ${user(by)}`;
}

/** Returns the modal shown while the list of files is loading, or after a failure. @param text mrkdwn */
export function filesStatusModal(text: string): ModalView {
  return modal({ callbackId: 'task.files', title: 'Files of this task', blocks: [section(text)] });
}

export const loadingFiles = 'Loading the list of files…';
export const filesLate =
  'The marketplace doesn’t have the files of this correction yet. Try again in a minute.';

/** Returns that a file is too large. @param size bytes; absent if the limit was exceeded during the download */
export function tooLarge(size?: number): string {
  const file = size === undefined ? 'This file' : `At ${formatSize(size)}, this file`;
  return `${file} is over the limit of ${formatSize(maxFileBytes)}, so it cannot be posted in Slack. ${openOnWebsite}`;
}

export const emptyFile = 'This file is empty, so there is nothing to post.';
export const incompleteDownload = 'The file did not arrive in full. Try again in a minute.';

/** A small download that decompresses to an enormous file does not occur by accident. */
export const unpackedTooFar =
  'This file unpacks to far more than was sent, so it was not posted. Be careful when you open it on the website.';

export const sharedUnconfirmed =
  'This channel is shared with another company, so files are not posted here until an owner of the account confirms the channel.';
/** What to do if Slack does not accept a file. */
const openOnWebsite = 'Open it on the website.';

/** Returns the comment posted with a file, in mrkdwn. @param total number of the task's files */
export function fileComment(file: ProofFile, total: number, by: MemberId): string {
  const number = total > 1 ? `Proof file ${file.index} of ${total}` : 'Proof file';
  // Formatted as code, because in a shared file's text a name such as `prize.example` would become a link.
  const described = `${code(file.filename)} (${code(file.contentType)}, ${formatSize(file.size)})`;
  return `${number}: ${described}, requested by ${user(by)}`;
}

/** Returns why Slack did not accept a file, in mrkdwn. @param code Slack's error; absent: unknown whether it was posted */
export function uploadErrorText(code: string | undefined): string {
  if (code === undefined)
    return 'Slack gave no answer, so the file may or may not have been posted. Look for it before you try again.';
  if (code === 'ratelimited') return 'Slack is limiting uploads right now. Try again in a minute.';
  if (code === 'upload_failed')
    return 'The file did not reach Slack, so it was not posted. Try again in a minute.';
  if (code === 'missing_scope')
    return 'Proofdesk may not post files here. Ask an admin to give it the scope `files:write`, then try again.';
  return `Slack rejected the file (\`${escaped(code)}\`). ${openOnWebsite} If it keeps happening, tell an admin.`;
}
