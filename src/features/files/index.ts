import type { ProofFile, Task } from '../../domain/task.ts';
import { type AccountRef, type MemberId, TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { FileTooLarge, TransportError } from '../../marketplace/index.ts';
import { answerInModal, updateModalIfOpen, updateModalIfPossible } from '../../slack/answers.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import type { Authorized, Click, Feature } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';
import { DownloadFailed, EmptyFile, transferFile } from '../shared/file-transfer.ts';
import { caughtMarketplaceErrorText } from '../shared/marketplace-error.ts';
import { takeFromLimit } from '../shared/member-limits.ts';
import { uploadErrorText } from '../shared/upload-error.view.ts';
import {
  emptyFile,
  type FileStatus,
  type FilesState,
  fileComment,
  filesModal,
  filesStateCodec,
  filesStatusModal,
  incompleteDownload,
  loadingFiles,
  maxFileBytes,
  openOnWebsite,
  sharedUnconfirmed,
  tooLarge,
  unpackedTooFar,
} from './files.view.ts';

type Deps = Pick<
  FeatureContext,
  | 'tasks'
  | 'fetchedFiles'
  | 'marketplaceOf'
  | 'messengerOf'
  | 'memory'
  | 'memberLimits'
  | 'sharedChannels'
  | 'logger'
>;

/** Creates the feature of proof files: any file of a task is posted in its card's thread on request. */
export function createFiles(deps: Deps): Feature {
  const { tasks, fetchedFiles } = deps;

  /** Returns the task of a card, if the member may see it and the card is that of its newest round. */
  async function taskOf(
    { authorize }: Authorized,
    card: FilesState,
  ): Promise<{ ref: AccountRef; task: Task }> {
    const ref = await authorize({ account: card.account });
    const task = await tasks.get(ref, card.task);
    if (task === undefined) {
      throw new UserError('This task is no longer known here, so its files cannot be fetched.');
    }
    if (task.detailsRemovedAt !== undefined) {
      throw new UserError(
        'This task was decided long ago, so its files are no longer listed here. Open it on the website to see them.',
      );
    }
    if (task.round !== card.round) {
      throw new UserError(
        'The worker has corrected this task since then. Fetch the files from its newer card.',
      );
    }
    return { ref, task };
  }

  /** Loads the list of files of a task, which was not possible when its card was posted. */
  async function withDetails(ref: AccountRef, task: Task): Promise<Task> {
    const info = await (await deps.marketplaceOf(ref)).getTaskInfo(task.id);
    const outcome = await tasks.apply(ref, task.id, {
      type: 'detailed',
      round: task.round,
      worker: { ...task.worker, id: info.workerId, country: info.country, ip: info.ip },
      proof: { ...task.proof, slots: info.proof.filter((slot) => slot.trim() !== ''), files: info.files },
    });
    return outcome.task ?? task;
  }

  async function renderModal(
    ref: AccountRef,
    task: Task,
    card: FilesState,
    failed?: { readonly index: number; readonly sentence: string },
  ) {
    const known = await fetchedFiles.of({ account: ref, task: task.id, round: card.round });
    const statuses = new Map<number, FileStatus>();
    for (const [index, { state, by, at }] of known) statuses.set(index, { kind: state, by, at });
    if (failed) statuses.set(failed.index, { kind: 'failed', sentence: failed.sentence });
    return filesModal(card, task.proof.files, statuses);
  }

  async function open(click: Click): Promise<void> {
    const block = decodeCardBlock(click.blockId);
    if (block === undefined || click.message === undefined) return;
    const card = { ...block, ...click.message, task: TaskId.parse(click.value) };
    const { ref, task } = await taskOf(click, card);
    const messenger = deps.messengerOf(click.workspace);
    if (task.detailed)
      return void (await messenger.openModal(click.triggerId, await renderModal(ref, task, card)));
    const viewId = await messenger.openModal(click.triggerId, filesStatusModal(loadingFiles));
    const found = await withDetails(ref, task).catch(caughtMarketplaceErrorText);
    if (typeof found === 'string') {
      const address = { viewId, member: click.member, channel: card.channel };
      return answerInModal(messenger, address, filesStatusModal(found), found);
    }
    await updateModalIfOpen(messenger, viewId, await renderModal(ref, found, card));
  }

  /** Downloads a file and posts it in the thread. Returns undefined when it is there, else why not, in mrkdwn. */
  async function postFile(
    ref: AccountRef,
    task: Task,
    file: ProofFile,
    to: { card: FilesState; by: MemberId },
  ): Promise<string | undefined> {
    if (file.size > maxFileBytes) return tooLarge(file.size);
    const { channel, ts: threadTs } = to.card;
    if (!(await deps.sharedChannels.mayPost(ref, channel))) return sharedUnconfirmed;
    const comment = fileComment(file, task.proof.files.length, to.by);
    try {
      const download = await (await deps.marketplaceOf(ref)).downloadFileProof(task.id, file.index);
      await transferFile(deps, download, maxFileBytes, (content) =>
        deps
          .messengerOf(ref.workspace)
          .shareFile({ channel, threadTs }, { content, filename: file.filename, comment }),
      );
      return undefined;
    } catch (error) {
      deps.logger.warn({ err: error, task: task.id, file: file.index }, 'proof file not posted');
      return reasonOf(error);
    }
  }

  async function fetchFile(click: Click): Promise<void> {
    const { view } = click;
    if (view === undefined) return;
    const card = filesStateCodec.decode(view.state);
    const { ref, task } = await taskOf(click, card);
    const file = task.proof.files.find(({ index }) => String(index) === click.value);
    if (file === undefined) return;
    await takeFromLimit(deps, click, 'files');
    const messenger = deps.messengerOf(click.workspace);
    const claim = await fetchedFiles.claim(
      { account: ref, task: task.id, round: card.round, index: file.index },
      click.member,
    );
    await updateModalIfPossible(messenger, view.id, await renderModal(ref, task, card));
    if (claim === undefined) return;
    let sentence: string | undefined;
    try {
      sentence = await postFile(ref, task, file, { card, by: click.member });
    } catch (error) {
      await claim.dropped();
      throw error;
    }
    await (sentence === undefined ? claim.posted() : claim.dropped());
    const failed = sentence === undefined ? undefined : { index: file.index, sentence };
    const isShown = await updateModalIfPossible(
      messenger,
      view.id,
      await renderModal(ref, task, card, failed),
    );
    if (sentence !== undefined && !isShown) {
      await messenger.answer({ member: click.member, channel: card.channel }, notice(sentence));
    }
  }

  return {
    clicks: {
      'task.more.files': { needs: 'see', run: open },
      // Posts in the card's thread.
      'task.files.fetch': { needs: 'rate', run: fetchFile },
    },
  };
}

/** Returns why a file could not be posted, in mrkdwn. Throws what is a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof FileTooLarge) return tooLarge();
  if (error instanceof EmptyFile) return emptyFile;
  if (error instanceof DownloadFailed) return isUnpacked(error.cause) ? unpackedTooFar : incompleteDownload;
  if (error instanceof SlackError) {
    return uploadErrorText(error.kind === 'unreachable' ? undefined : error.code, openOnWebsite);
  }
  return caughtMarketplaceErrorText(error);
}

/** Returns whether a file broke off because it unpacked to far more than was sent. */
function isUnpacked(cause: unknown): boolean {
  return cause instanceof TransportError && cause.kind === 'unreadable';
}
