import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../errors.ts';
import { programFile } from '../../../threads.ts';
import { Decoded, decodingMs, type Piece } from './decoding.ts';

/** So long is a picture waited for, once all of it was passed on (ms): others may be decoded first, the process may start. */
const defaultWaitMs = 2 * decodingMs;
/** The process ends when nothing was decoded for so long (ms). */
const idleMs = 60_000;
/** So many pictures are passed on at a time; each may have 5 MB. */
const mostAtOnce = 8;

/** Reads what pictures look like, while their bytes pass. */
export interface PictureReader {
  /** Begins with a picture; undefined where pictures cannot be read. */
  begin(): PictureReading | undefined;
}

/** One picture that is read. */
export interface PictureReading {
  write(bytes: Buffer): void;
  /** All of it was written: returns its print, unless it has none. */
  end(): Promise<string | undefined>;
  /** No more of it will come. */
  leave(): void;
}

/** Reads no pictures: what they look like stays unknown. */
export const noPictures: PictureReader = { begin: () => undefined };

/** Returns whether what decodes pictures is installed: it is an optional dependency. */
export function canReadPictures(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp');
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates what reads pictures in a process of its own: a picture that is made to take all memory, or forever, takes nothing
 * from the process that answers people. Started with the first picture, and again after one that ended it.
 */
export function createPictureReader({
  logger,
  mostWaitMs = defaultWaitMs,
}: {
  readonly logger: { warn(fields: object, text: string): void };
  readonly mostWaitMs?: number;
}): PictureReader {
  if (!canReadPictures()) return noPictures;
  const waiting = new Map<number, (print: string | undefined) => void>();
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let begun = 0;

  function stop(): void {
    child?.kill('SIGKILL');
    child = undefined;
    for (const answer of waiting.values()) answer(undefined);
    waiting.clear();
  }

  function start(): ChildProcess {
    const file = fileURLToPath(programFile('features/shared/pictures/decoder'));
    const started = fork(file, {
      // Sources are run as they are in development.
      execArgv: [...(file.endsWith('.ts') ? ['--import', 'tsx'] : []), '--max-old-space-size=96'],
      // Nothing of what this process was given, such as keys.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // It must not keep this process alive.
    started.unref();
    started.channel?.unref();
    started.on('message', (message) => {
      const decoded = Decoded.safeParse(message);
      if (!decoded.success) return;
      waiting.get(decoded.data.picture)?.(decoded.data.print);
      waiting.delete(decoded.data.picture);
    });
    const ended = (reason: string) => {
      if (child !== started) return;
      if (waiting.size > 0) logger.warn({ reason, pictures: waiting.size }, 'decoding of pictures ended');
      stop();
    };
    started.on('error', (error) => ended(messageOf(error)));
    started.on('exit', (code, signal) => ended(`exit ${signal ?? code}`));
    child = started;
    return started;
  }

  function send(to: ChildProcess, piece: Piece): void {
    // It may have ended: then nothing waits for it any more.
    if (to.connected) to.send(piece, () => undefined);
  }

  return {
    begin() {
      if (waiting.size >= mostAtOnce) return undefined;
      const to = child ?? start();
      begun += 1;
      const picture = begun;
      let answer: (print: string | undefined) => void = () => undefined;
      const read = new Promise<string | undefined>((resolve) => {
        answer = resolve;
      });
      waiting.set(picture, answer);
      clearTimeout(idle);
      idle = setTimeout(() => (waiting.size === 0 ? stop() : idle?.refresh()), idleMs).unref();
      return {
        write(bytes) {
          if (waiting.has(picture)) send(to, { picture, bytes });
        },
        async end() {
          if (!waiting.has(picture)) return undefined;
          send(to, { picture });
          const late = setTimeout(() => {
            logger.warn({ pictures: waiting.size }, 'decoding of a picture took too long');
            stop();
          }, mostWaitMs);
          try {
            return await read;
          } finally {
            clearTimeout(late);
          }
        },
        leave() {
          if (!waiting.delete(picture)) return;
          send(to, { picture, isLeft: true });
        },
      };
    },
  };
}
