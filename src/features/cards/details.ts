import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isSubmittedBefore } from '../../domain/confirmed-transition.ts';
import {
  beginsLikePicture,
  filesForCard,
  isPicture,
  isVague,
  maxComparedBytes,
  maxPictureBytes,
  mayBePicture,
  unreadFiles,
  untilPicturesReady,
} from '../../domain/picture.ts';
import {
  deadlineOf,
  filledSlots,
  finishedAtOf,
  isOpen,
  type Picture,
  type ProofFile,
  type Task,
} from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { isFileProofStatusFine } from '../../marketplace/api-assumptions.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallSlack } from '../../slack/client.ts';
import type { FileContent } from '../../slack/files.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { TimesToRate } from '../../store/tasks.ts';
import type { PictureReading } from '../evidence/public.ts';
import { createEvidenceSearch } from '../evidence/public.ts';
import { transferFile } from './transfer.ts';

/** Creates the fetching and storing of task data that the results CSV lacks. */
export function createTaskDetails(parts: Modules) {
  const { marketplace, tasks } = parts;
  const evidence = createEvidenceSearch(parts);

  /** Fetches what {@link withDetails} adds. Throws a MarketplaceError if it is unavailable. */
  async function load(ref: AccountRef, task: Task): Promise<Task | undefined> {
    const info = await (await marketplace.of(ref)).getTaskInfo(task.id);
    // Details of the previous submission are worse than none.
    if (isSubmittedBefore(task.submittedAt, info.finishedAt?.getTime())) return task;
    const finishedAt = info.finishedAt?.getTime() ?? task.proof.finishedAt;
    const outcome = await tasks.apply(ref, task.id, {
      type: 'detailed',
      round: task.round,
      worker: { ...task.worker, id: info.workerId, country: info.country, ip: info.ip },
      proof: {
        ...filledSlots(info.proof),
        files: info.files,
        ...(finishedAt === undefined ? {} : { finishedAt }),
        ...(isFileProofStatusFine(info.fileProofStatus) ? {} : { filesWarning: info.fileProofStatus }),
      },
    });
    return outcome.kind === 'rejected' ? undefined : (outcome.task ?? task);
  }

  /**
   * Fetches files and every slot of the proof. Resolves to undefined if a correction arrived
   * meanwhile: then these belong to the earlier round.
   */
  async function withDetails(ref: AccountRef, task: Task): Promise<Task | undefined> {
    if (task.detailed) return task;
    try {
      return await load(ref, task);
    } catch (error) {
      // The task is shown with the results CSV's data only.
      if (!(error instanceof MarketplaceError) || error.isAuthentication) throw error;
      parts.log.warn({ task: task.id, code: error.code }, 'task details not loaded');
      return task;
    }
  }

  /**
   * Adds what its card shows: its details, its pictures unless their upload was already tried, and what it has in common
   * with other tasks. Slack can show the pictures a moment later. Resolves to undefined like {@link withDetails}.
   */
  async function forCard(ref: AccountRef, task: Task, callSlack: CallSlack): Promise<Task | undefined> {
    const detailed = await withDetails(ref, task);
    if (detailed === undefined) return undefined;
    const isTried = !detailed.detailed || detailed.pictures !== undefined;
    const files = isTried ? [] : filesForCard(detailed.proof.files);
    const pictured = await withPictures(parts, ref, detailed, files, {
      upload: (run) => callSlack({ method: 'files' }, run),
    });
    return evidence.searchForCard(ref, pictured);
  }

  return {
    load,
    withDetails,
    forCard,

    /** Adds the same for a modal, which is shown without what cannot be loaded. */
    async forModal(ref: AccountRef, task: Task): Promise<Task> {
      const loaded = await forCard(ref, task, parts.slack.callOf(ref.workspace)).catch((error: unknown) =>
        parts.log.info({ task: task.id, reason: messageOf(error) }, 'task of a modal not loaded'),
      );
      // What was loaded before its pictures could not be is stored.
      return loaded ?? (await parts.tasks.get(ref, task.id)) ?? task;
    },
  };
}

/** Maximum time that is waited for a task's details (ms); then it is shown as it is known, and again later. */
const detailsMs = 350;
/** The same where tasks are read ahead of their being shown. */
const aheadMs = 3_000;

/** Creates the loading of what is shown of a task beyond the results CSV, for whoever looks at it outside its card. */
export function createTaskLoading(modules: Modules) {
  const { clock, tasks } = modules;
  const details = createTaskDetails(modules);

  /** The loads under way: whoever asks for the same round of a task waits for the same one. */
  const underWay = new Map<string, Promise<void>>();

  /** Loads a task's files, every slot of its proof, and its pictures. */
  async function load(ref: AccountRef, id: TaskId): Promise<void> {
    const task = await tasks.get(ref, id);
    if (task === undefined || !isOpen(task)) return;
    const all = async () => delay(untilPicturesReady(await details.forModal(ref, task), clock.now()));
    const key = [ref.workspace, ref.account, id, task.round].join(' ');
    const loading = underWay.get(key) ?? all().finally(() => underWay.delete(key));
    underWay.set(key, loading);
    return loading;
  }

  const isLoaded = ({ detailed, pictures, proof }: Task) =>
    detailed &&
    (pictures === undefined
      ? !proof.files.some(mayBePicture)
      : untilPicturesReady({ pictures }, clock.now()) === 0);

  return {
    load,
    isLoaded,
    /** Returns a task, loaded if that does not take long. */
    async loaded(ref: AccountRef, id: TaskId): Promise<Task | undefined> {
      const task = await tasks.get(ref, id);
      if (task === undefined || isLoaded(task)) return task;
      await Promise.race([load(ref, id), delay(detailsMs)]);
      return tasks.get(ref, id);
    },
    /** Returns a task with its details, if these do not take long. The rest is loaded meanwhile: for Slack, and as evidence. */
    async detailed(ref: AccountRef, id: TaskId): Promise<Task | undefined> {
      const task = await tasks.get(ref, id);
      if (task === undefined || isLoaded(task) || !isOpen(task)) return task;
      const known = details.withDetails(ref, task).catch(() => undefined);
      void known.then(async (found) => found?.detailed && load(ref, id)).catch(() => undefined);
      return (await Promise.race([known, delay(aheadMs)])) ?? tasks.get(ref, id);
    },
  };
}

/** Creates the lookup of task deadlines: after its deadline, the marketplace may approve a task on its own. */
export function createDeadlines(timesToRate: Pick<TimesToRate, 'getMany'>) {
  return {
    /**
     * Returns the deadlines of these tasks (ms). Tasks with an unknown deadline are left out: the campaign's time to
     * rate was not set, or the marketplace gave no time.
     */
    async dueAt(
      ref: AccountRef,
      tasks: readonly Pick<Task, 'id' | 'campaign' | 'proof' | 'submittedAt'>[],
    ): Promise<Map<TaskId, number>> {
      const days = await timesToRate.getMany(ref, [...new Set(tasks.map(({ campaign }) => campaign))]);
      return new Map(
        tasks.flatMap((task) => {
          const at = deadlineOf(finishedAtOf(task), days.get(task.campaign));
          return at === undefined ? [] : [[task.id, at] as const];
        }),
      );
    },
  };
}

interface Read extends Picture {
  readonly filename: string;
}

type OnSkipped = (file: number, error: unknown) => void;

/**
 * Uploads images of a task to Slack for its card or a modal; they are never linked. Images that cannot be shown are only
 * read, to be compared. An image that cannot be uploaded or read is skipped and only counted. Throws the SlackError when
 * Slack asks to wait, so that none is skipped for that. Slack can show them a moment later.
 * @param onSkipped called with each file that is skipped
 */
async function uploadPictures(
  modules: Modules,
  ref: AccountRef,
  task: Task,
  files: readonly ProofFile[],
  onSkipped: OnSkipped = () => undefined,
): Promise<Picture[]> {
  const { log, marketplace, clock } = modules;
  const messenger = modules.slack.messengerOf(ref.workspace);
  const client = await marketplace.of(ref);

  async function unlessRefused<T>(file: number | undefined, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (isRateLimited(error)) throw error;
      log.warn({ task: task.id, file, reason: messageOf(error) }, 'proof image not uploaded');
      if (file !== undefined) onSkipped(file, error);
      return undefined;
    }
  }

  const read = (file: ProofFile) =>
    unlessRefused(file.index, async (): Promise<Read> => {
      const { index, filename, size } = file;
      const download = await marketplace.proofFile(client, ref, task, file);
      if (isVague(file) && !beginsLikePicture(await firstBytes(download.stream))) {
        download.stream.destroy();
        return { index, filename };
      }
      const isShown = isPicture(file) || (isVague(file) && size <= maxPictureBytes);
      return transferFile(
        modules,
        download,
        isShown ? maxPictureBytes : maxComparedBytes,
        async (content) => {
          const reading = marketplace.pictureReader.begin();
          const { hashed, digest } = hashedContent(content, reading);
          try {
            const uploaded = isShown
              ? { file: await messenger.uploadFile(hashed, filename, `Proof file ${index}`) }
              : await finished(hashed.chunks.resume()).then(() => ({}));
            const bytesHash = digest();
            if (bytesHash === undefined) return { index, filename, ...uploaded };
            const print = await reading?.end();
            return { index, filename, ...uploaded, bytesHash, ...(print === undefined ? {} : { print }) };
          } finally {
            reading?.leave();
          }
        },
      );
    });

  const results = await Promise.allSettled(files.map(read));
  const pictures = results.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value ?? [];
  });
  const uploaded = pictures.flatMap(({ file: id, filename }) => (id === undefined ? [] : { id, filename }));
  const isTaken =
    uploaded.length > 0 &&
    (await unlessRefused(undefined, () => messenger.completeUploads(uploaded).then(() => true)));
  const uploadedAt = clock.now();
  return pictures.map((one) => {
    const { filename: _, file, ...compared } = one;
    return isTaken && file ? { ...compared, file, uploadedAt } : compared;
  });
}

/** Returns the beginning of a stream, which stays in it; empty if it has no bytes. */
async function firstBytes(stream: Readable): Promise<Buffer> {
  await once(stream, 'readable');
  const bytes: Buffer = stream.read() ?? Buffer.alloc(0);
  stream.unshift(bytes);
  return bytes;
}

/** Returns a file's content, hashed and read while streaming, and a function that returns the hash after the last byte. */
function hashedContent({ length, chunks }: FileContent, reading: PictureReading | undefined) {
  const hash = createHash('sha256');
  let passed = 0;
  async function* passing() {
    for await (const chunk of chunks as AsyncIterable<Buffer> | readonly Buffer[]) {
      hash.update(chunk);
      await reading?.write(chunk);
      passed += chunk.byteLength;
      yield chunk;
    }
  }
  return {
    hashed: { length, chunks: Readable.from(passing(), { objectMode: false }) },
    /** 128 bits of SHA-256; undefined if some bytes were not sent. */
    digest: () => (passed === length ? hash.digest().subarray(0, 16).toString('base64url') : undefined),
  };
}

function isRateLimited(error: unknown): boolean {
  return error instanceof SlackError && error.kind === 'rate-limited';
}

/**
 * Uploads the pictures that Slack does not have yet: cards and reviews start with only the first three. Waits until Slack can
 * show all of them.
 */
export async function withAllPictures(
  deps: Modules,
  ref: AccountRef,
  task: Task,
  onSkipped?: OnSkipped,
): Promise<Task> {
  const whole = await withPictures(deps, ref, task, unreadFiles(task), { onSkipped });
  await delay(untilPicturesReady(whole, deps.clock.now()));
  return whole;
}

/** Returns a task with all pictures that can be loaded, for a modal. */
export async function withPicturesIfPossible(deps: Modules, ref: AccountRef, task: Task): Promise<Task> {
  return withAllPictures(deps, ref, task).catch((error: unknown) => {
    deps.log.info({ task: task.id, reason: messageOf(error) }, 'pictures of a modal not loaded');
    return task;
  });
}

/** Uploads files of a task, and stores them with it. @param options.upload runs the upload */
async function withPictures(
  modules: Modules,
  ref: AccountRef,
  task: Task,
  files: readonly ProofFile[],
  {
    upload = (run) => run(),
    onSkipped,
  }: {
    readonly upload?: (run: () => Promise<Picture[]>) => Promise<Picture[]>;
    readonly onSkipped?: OnSkipped | undefined;
  },
): Promise<Task> {
  if (files.length === 0) return task;
  const uploaded = await upload(() => uploadPictures(modules, ref, task, files, onSkipped));
  const kept = (task.pictures ?? []).filter((one) => !uploaded.some(({ index }) => index === one.index));
  const pictures = [...kept, ...uploaded];
  const { round } = task;
  const stored = await modules.tasks.apply(ref, task.id, { type: 'images-uploaded', round, pictures });
  return stored.task ?? task;
}
