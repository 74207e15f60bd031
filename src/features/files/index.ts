import { addAbortSignal } from 'node:stream';
import type { ProofFile, Task } from '../../domain/task.ts';
import { type AccountRef, type MemberId, TaskId } from '../../domain/terms.ts';
import { messageOf, UserError } from '../../errors.ts';
import { FileTooLarge, fileBytes } from '../../marketplace/index.ts';
import { answerInModal, updateModalIfOpen, updateModalIfPossible } from '../../slack/answers.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import type { Authorized, Click, Feature } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';
import { caughtMarketplaceErrorText } from '../shared/marketplace-error.ts';
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
  tooLarge,
} from './files.view.ts';

const downloadTimeoutMs = 120_000;

type Deps = Pick<FeatureContext, 'tasks' | 'fetchedFiles' | 'marketplaceOf' | 'messengerOf' | 'logger'>;

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
    const bytes = await download(ref, task, file);
    if (typeof bytes === 'string') return bytes;
    const { channel, ts: threadTs } = to.card;
    const comment = fileComment(file, task.proof.files.length, to.by);
    try {
      await deps
        .messengerOf(ref.workspace)
        .shareFile({ channel, threadTs }, { parts: [bytes], filename: file.filename, comment });
      return undefined;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      deps.logger.warn({ err: error, task: task.id, file: file.index }, 'proof file not posted');
      return uploadErrorText(error.kind === 'unreachable' ? undefined : error.code, openOnWebsite);
    }
  }

  /** Returns a file's bytes, or why it cannot be downloaded, in mrkdwn. */
  async function download(ref: AccountRef, task: Task, file: ProofFile): Promise<Buffer | string> {
    if (file.size > maxFileBytes) return tooLarge(file.size);
    try {
      const marketplace = await deps.marketplaceOf(ref);
      const { stream, size } = await marketplace.downloadFileProof(task.id, file.index);
      if (size !== undefined && size > maxFileBytes) {
        stream.destroy();
        return tooLarge(size);
      }
      addAbortSignal(AbortSignal.timeout(downloadTimeoutMs), stream);
      const bytes = await fileBytes(stream, maxFileBytes).catch((error: unknown) => {
        deps.logger.warn(
          { task: task.id, file: file.index, reason: messageOf(error) },
          'proof file download interrupted',
        );
        return error instanceof FileTooLarge ? tooLarge() : incompleteDownload;
      });
      return bytes.length === 0 ? emptyFile : bytes;
    } catch (error) {
      return caughtMarketplaceErrorText(error);
    }
  }

  async function fetchFile(click: Click): Promise<void> {
    const { view } = click;
    if (view === undefined) return;
    const card = filesStateCodec.decode(view.state);
    const { ref, task } = await taskOf(click, card);
    const file = task.proof.files.find(({ index }) => String(index) === click.value);
    if (file === undefined) return;
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
