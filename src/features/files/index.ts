import { addAbortSignal } from 'node:stream';
import type { ProofFile, Task } from '../../domain/task.ts';
import { type AccountRef, type MemberId, TaskId, type WorkspaceId } from '../../domain/terms.ts';
import { messageOf, UserError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { FileTooLarge, fileBytes, isCallFailure, type MarketplaceClient } from '../../marketplace/index.ts';
import { answerInModal, updateModalIfOpen, updateModalIfPossible } from '../../slack/answers.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import type { Actor, Click, Feature } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { FetchedFiles } from '../../store/fetched-files.ts';
import type { Tasks } from '../../store/tasks.ts';
import { requireAccess } from '../shared/access.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import {
  brokenOff,
  emptyFile,
  type FileStanding,
  type FilesState,
  fileComment,
  filesModal,
  filesNote,
  filesState,
  largestFile,
  lookingForFiles,
  notTaken,
  tooLarge,
} from './files.view.ts';

/** A file has this long to arrive. */
const arrivalMs = 120_000;

export interface FilesDeps {
  readonly accounts: Accounts;
  readonly tasks: Tasks;
  readonly fetchedFiles: FetchedFiles;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  readonly logger: Logger;
}

/** Proof files: any file of a task, brought into its card's thread when somebody asks for it. */
export function createFiles(deps: FilesDeps): Feature {
  const { tasks, fetchedFiles } = deps;

  /** The task of a card, if the person may see it and the card is that of its newest round. */
  async function taskOf(actor: Actor, card: FilesState): Promise<{ ref: AccountRef; task: Task }> {
    const ref = { workspace: actor.workspace, account: card.account };
    await requireAccess(deps.accounts, ref, actor.member);
    const task = await tasks.get(ref, card.task);
    if (task === undefined) {
      throw new UserError('This task is not known here any more, so its files cannot be fetched.');
    }
    if (task.round !== card.round) {
      throw new UserError('The worker has corrected this task since. Fetch the files from its newer card.');
    }
    return { ref, task };
  }

  /** The task with its list of files, which the marketplace is asked for where that was not possible before. */
  async function detailed(ref: AccountRef, task: Task): Promise<Task> {
    const info = await (await deps.marketplaceOf(ref)).getTaskInfo(task.id);
    const outcome = await tasks.apply(ref, task.id, {
      type: 'detailed',
      round: task.round,
      worker: { ...task.worker, id: info.workerId, country: info.country, ip: info.ip },
      proof: { ...task.proof, slots: info.proof.filter((slot) => slot.trim() !== ''), files: info.files },
    });
    return outcome.task ?? task;
  }

  async function modalOf(ref: AccountRef, task: Task, card: FilesState, failed?: [number, string]) {
    const known = await fetchedFiles.of({ account: ref, task: task.id, round: card.round });
    const standings = new Map<number, FileStanding>();
    for (const [index, { state, by, at }] of known) standings.set(index, { kind: state, by, at });
    if (failed) standings.set(failed[0], { kind: 'failed', sentence: failed[1] });
    return filesModal(card, task.proof.files, standings);
  }

  async function open(click: Click): Promise<void> {
    const block = decodeCardBlock(click.blockId);
    if (block === undefined || click.message === undefined) return;
    const card = { ...block, ...click.message, task: TaskId.parse(click.value) };
    const { ref, task } = await taskOf(click, card);
    const messenger = deps.messengerOf(click.workspace);
    if (task.detailed)
      return void (await messenger.openModal(click.triggerId, await modalOf(ref, task, card)));
    const viewId = await messenger.openModal(click.triggerId, filesNote(lookingForFiles));
    const found = await detailed(ref, task).catch(told);
    if (typeof found === 'string') {
      const place = { viewId, member: click.member, channel: card.channel };
      return answerInModal(messenger, place, filesNote(found), found);
    }
    await updateModalIfOpen(messenger, viewId, await modalOf(ref, found, card));
  }

  /** Downloads a file and puts it into the thread. Gives undefined when it is there, else why not, in mrkdwn. */
  async function bring(
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
      deps.logger.warn({ err: error, task: task.id, file: file.index }, 'a file was not put into its thread');
      return notTaken(error.kind === 'unreachable' ? undefined : error.code);
    }
  }

  /** A file's bytes, or why they cannot be had, in mrkdwn. */
  async function download(ref: AccountRef, task: Task, file: ProofFile): Promise<Buffer | string> {
    if (file.size > largestFile) return tooLarge(file.size);
    try {
      const marketplace = await deps.marketplaceOf(ref);
      const { stream, size } = await marketplace.downloadFileProof(task.id, file.index);
      if (size !== undefined && size > largestFile) {
        stream.destroy();
        return tooLarge(size);
      }
      addAbortSignal(AbortSignal.timeout(arrivalMs), stream);
      const bytes = await fileBytes(stream, largestFile).catch((error: unknown) => {
        deps.logger.warn({ task: task.id, file: file.index, reason: messageOf(error) }, 'a file broke off');
        return error instanceof FileTooLarge ? tooLarge() : brokenOff;
      });
      return bytes.length === 0 ? emptyFile : bytes;
    } catch (error) {
      return told(error);
    }
  }

  async function fetchFile(click: Click): Promise<void> {
    const { view } = click;
    if (view === undefined) return;
    const card = filesState.decode(view.state);
    const { ref, task } = await taskOf(click, card);
    const file = task.proof.files.find(({ index }) => String(index) === click.value);
    if (file === undefined) return;
    const messenger = deps.messengerOf(click.workspace);
    const claim = await fetchedFiles.claim(
      { account: ref, task: task.id, round: card.round, index: file.index },
      click.member,
    );
    await updateModalIfPossible(messenger, view.id, await modalOf(ref, task, card));
    if (claim === undefined) return;
    let failure: string | undefined;
    try {
      failure = await bring(ref, task, file, { card, by: click.member });
    } catch (error) {
      await claim.dropped();
      throw error;
    }
    await (failure === undefined ? claim.posted() : claim.dropped());
    const failed: [number, string] | undefined = failure === undefined ? undefined : [file.index, failure];
    const isShown = await updateModalIfPossible(messenger, view.id, await modalOf(ref, task, card, failed));
    if (failure !== undefined && !isShown) {
      await messenger.answer({ member: click.member, channel: card.channel }, notice(failure));
    }
  }

  return { clicks: { 'task.more.files': open, 'task.files.fetch': fetchFile } };
}

/** What people are told of a call that failed, in mrkdwn. Throws what is no failed call. */
function told(error: unknown): string {
  if (!isCallFailure(error)) throw error;
  return marketplaceErrorText(error);
}
