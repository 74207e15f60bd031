import type { MessageRef } from '../../domain/live-message.ts';
import { byIndex, isPicture, missingPictures, withoutPictures } from '../../domain/picture.ts';
import type { ProofFile, Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { takeFromLimit } from '../../kit/budgets.ts';
import { caughtMarketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard, onView } from '../../kit/on.ts';
import { TransportError } from '../../marketplace/index.ts';
import { notice } from '../../slack/blocks.ts';
import type { Asker, Click, Feature } from '../../slack/feature.ts';
import { updateModalIfOpen } from '../../slack/interactions.ts';
import { ignoreSlackError, SlackError } from '../../slack/slack-error.ts';
import { taskRemoved } from '../../ui/task.view.ts';
import {
  createTaskDetails,
  DownloadFailed,
  EmptyFile,
  FileTooLarge,
  transferFile,
  withAllPictures,
} from '../cards/public.ts';
import {
  emptyFile,
  type FileStatus,
  type FilesState,
  fileComment,
  filesLate,
  filesModal,
  filesStateCodec,
  filesStatusModal,
  incompleteDownload,
  type LoadedPictures,
  loadingFiles,
  maxFileBytes,
  sharedUnconfirmed,
  tooLarge,
  unpackedTooFar,
  uploadErrorText,
} from './files.view.ts';

/** Maximum number and size (bytes) of files fetched immediately on opening. */
const openedAtOnce = 10;
const openedBytes = 10_000_000;

/** Why files could not be posted, by index, in mrkdwn. */
type Failures = ReadonlyMap<number, string>;

/** A task's files open in somebody's modal. */
interface OpenFiles {
  readonly ref: AccountRef;
  readonly task: Task;
  readonly card: FilesState;
  readonly viewId: string;
}

/** A modal above a task that will show its files. */
export type FilesPlace = Omit<OpenFiles, 'card'> & { readonly card: MessageRef };

/** What opening and fetching take of a click. */
type FilesClick = Pick<Click, 'workspace' | 'team' | 'member'> & Pick<Asker, 'show'>;

/** Creates the proof files: any file of a task is posted in its card's thread on request. */
export function createFiles(deps: Modules) {
  const { tasks, marketplace } = deps;
  const details = createTaskDetails(deps);

  /** Throws if a card does not show the newest round of its task. */
  function assertNewest(task: Task, { round }: Pick<FilesState, 'round'>): void {
    if (task.round === round) return;
    throw new UserError('The worker has corrected this task since then. Open the files from its newer card.');
  }

  async function renderModal(
    ref: AccountRef,
    task: Task,
    card: FilesState,
    { failed, pictures }: { readonly failed?: Failures; readonly pictures?: LoadedPictures } = {},
  ) {
    const known = await marketplace.fetchedFiles.of({ account: ref, task: task.id, round: card.round });
    const statuses = new Map<number, FileStatus>([...known, ...(failed ?? [])]);
    return filesModal(card, task.proof.files, statuses, pictures);
  }

  /** Shows the list of files in a modal that waits for it. Returns undefined if it is unavailable; the modal says why. */
  async function list(
    { workspace, show }: FilesClick,
    { ref, task, card, viewId }: OpenFiles,
  ): Promise<OpenFiles | undefined> {
    const found = task.detailed ? task : await details.load(ref, task).catch(caughtMarketplaceErrorText);
    if (typeof found === 'string' || found?.detailed !== true) {
      const problem = typeof found === 'string' ? found : filesLate;
      await show(filesStatusModal(problem), problem, { view: viewId, channel: card.channel });
      return undefined;
    }
    await updateModalIfOpen(deps.slack.messengerOf(workspace), viewId, () => renderModal(ref, found, card));
    return { ref, task: found, card, viewId };
  }

  /** A click that opens the list of files. @param then runs once they are listed */
  const opens = (then: (click: FilesClick, opened: OpenFiles) => Promise<unknown>) =>
    onCard(deps, 'see', async (click) => {
      const { ref, task } = click;
      const message = click.message ?? (task.card.state === 'posted' ? task.card : undefined);
      if (message === undefined)
        throw new UserError('This task’s card is gone, and its files are posted under it.');
      assertNewest(task, click);
      const card = {
        account: ref.account,
        task: task.id,
        round: task.round,
        channel: message.channel,
        ts: message.ts,
      };
      const view = task.detailed ? await renderModal(ref, task, card) : filesStatusModal(loadingFiles);
      const opened = { ref, task, card, viewId: await click.open(view) };
      const listed = task.detailed ? opened : await list(click, opened);
      if (listed !== undefined) await then(click, listed);
    });

  /**
   * Opens a task's files: all pictures in the modal, the others as links to the card's thread, where they are posted. If
   * there are problems or too many files, they are only listed.
   */
  async function showAll(click: FilesClick, { ref, task: opened, card, viewId }: OpenFiles): Promise<void> {
    const messenger = deps.slack.messengerOf(click.workspace);
    const failed = new Map<number, string>();
    // Pictures that Slack refuses can be fetched like other files.
    const show = (known: Task, loading = 0) =>
      updateModalIfOpen(messenger, viewId, (isRefused) => {
        const shown = byIndex(withoutPictures(known, isRefused).pictures ?? []);
        return renderModal(ref, known, card, { failed, pictures: { shown, loading } });
      });
    const missing = missingPictures(opened).length;
    // It only says that they are loading.
    if (missing > 0) await show(opened, missing).catch(ignoreSlackError);
    const task = await withAllPictures(deps, ref, opened, (index, error) => {
      failed.set(index, reasonOf(error));
    });
    await show(task);
    const mayPost =
      task.proof.filesWarning === undefined && (await deps.people.access.has(click, ref, 'rate'));
    const isShown = ({ index }: ProofFile) => byIndex(task.pictures ?? []).some((one) => one.index === index);
    const wanted = task.proof.files.filter(
      (file) => !isPicture(file) && !isShown(file) && file.size <= openedBytes,
    );
    for (const file of mayPost ? wanted.slice(0, openedAtOnce) : []) {
      const sentence = await fetchOnce(click, { ref, task, card, file });
      if (sentence !== undefined) failed.set(file.index, sentence);
      if (!(await show(task))) return;
    }
  }

  /**
   * Shows a task's files in a modal that waits for them, for features that show the task outside its card.
   * @param isOpening also opens them, like the card's button
   */
  async function showIn(
    click: FilesClick,
    { card: { channel, ts }, ...place }: FilesPlace,
    isOpening: boolean,
  ): Promise<void> {
    const { ref, task } = place;
    const card = { account: ref.account, task: task.id, round: task.round, channel, ts };
    const listed = await list(click, { ...place, card });
    if (listed !== undefined && isOpening) await showAll(click, listed);
  }

  /** Downloads a file and posts it in the thread. Returns its link in Slack, or why it failed, in mrkdwn. */
  async function postFile(
    ref: AccountRef,
    task: Task,
    file: ProofFile,
    to: { card: FilesState; by: MemberId },
  ): Promise<{ readonly link?: string | undefined; readonly sentence?: string }> {
    if (file.size > maxFileBytes) return { sentence: tooLarge(file.size) };
    const { channel, ts: threadTs } = to.card;
    if (!(await deps.channels.shared.mayPost(ref, channel))) return { sentence: sharedUnconfirmed };
    const comment = fileComment(file, task.proof.files.length, to.by);
    try {
      const download = await (await deps.marketplace.of(ref)).downloadFileProof(task.id, file.index);
      const link = await transferFile(deps, download, maxFileBytes, (content) =>
        deps.slack
          .messengerOf(ref.workspace)
          .shareFile({ channel, threadTs }, { content, filename: file.filename, comment }),
      );
      return { link };
    } catch (error) {
      deps.log.warn({ err: error, task: task.id, file: file.index }, 'proof file not posted');
      return { sentence: reasonOf(error) };
    }
  }

  /** Posts a file unless that was done or is in progress. Returns why it failed, in mrkdwn. */
  async function fetchOnce(
    click: FilesClick,
    { ref, task, card, file }: { ref: AccountRef; task: Task; card: FilesState; file: ProofFile },
    onClaimed: () => Promise<unknown> = async () => undefined,
  ): Promise<string | undefined> {
    const claim = await marketplace.fetchedFiles.claim(
      { account: ref, task: task.id, round: card.round, index: file.index },
      click.member,
    );
    try {
      // Files that are there already, or on their way, count for nothing.
      if (claim !== undefined) await takeFromLimit(deps, click, 'files');
      await onClaimed();
      if (claim === undefined) return undefined;
      const { link, sentence } = await postFile(ref, task, file, { card, by: click.member });
      await (sentence === undefined ? claim.posted(link) : claim.dropped());
      return sentence;
    } catch (error) {
      await claim?.dropped();
      throw error;
    }
  }

  const fetchFile = onView(filesStateCodec, 'rate', async (click) => {
    const { ref, state: card } = click;
    const task = await tasks.get(ref, card.task);
    if (task === undefined || task.detailsRemovedAt !== undefined) throw new UserError(taskRemoved);
    assertNewest(task, card);
    const file = task.proof.files.find(({ index }) => String(index) === click.value);
    if (file === undefined) return;
    const show = async (failed?: Failures) =>
      click.replaceAt(click.origin, await renderModal(ref, task, card, failed ? { failed } : {}));
    const sentence = await fetchOnce(click, { ref, task, card, file }, show);
    const isShown = await show(sentence === undefined ? undefined : new Map([[file.index, sentence]]));
    if (sentence !== undefined && !isShown)
      await deps.slack
        .messengerOf(click.workspace)
        .answer({ member: click.member, channel: card.channel }, notice(sentence));
  });

  const feature: Feature = {
    clicks: {
      'task.files': opens(showAll),
      'task.more.files': opens(async () => undefined),
      // Posts in the card's thread.
      'task.files.fetch': fetchFile,
    },
  };
  return { feature, showIn };
}

/** Returns why a file could not be posted, in mrkdwn. Rethrows bugs. */
function reasonOf(error: unknown): string {
  if (error instanceof FileTooLarge) return tooLarge();
  if (error instanceof EmptyFile) return emptyFile;
  if (error instanceof DownloadFailed) return isUnpacked(error.cause) ? unpackedTooFar : incompleteDownload;
  if (error instanceof SlackError)
    return uploadErrorText(error.kind === 'unreachable' ? undefined : error.code);
  return caughtMarketplaceErrorText(error);
}

/** Returns whether a download was aborted because it decompressed to far more than was sent. */
function isUnpacked(cause: unknown): boolean {
  return cause instanceof TransportError && cause.kind === 'unreadable';
}
