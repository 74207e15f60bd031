import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { messageOf } from '../../errors.ts';

/** Timeout of a picture after its last byte was passed on (ms); leaves time for the queue and the process start. */
const defaultWaitMs = 8_000;
/** Idle time after which the process ends (ms). */
const idleMs = 60_000;
/** Maximum number of pictures in progress; each may have 20 MB. */
const mostAtOnce = 8;

/**
 * The file of the process. The build bundles this module into a file at the top of `dist/`, and puts the process at its path
 * within `src/`.
 */
const decoderFile = import.meta.url.endsWith('.ts')
  ? new URL('./picture-decoder.ts', import.meta.url)
  : new URL('./features/evidence/picture-decoder.js', import.meta.url);

/** A chunk of a picture for the process. The last one has no bytes, also where nobody waits for the print any more. */
export interface Piece {
  readonly picture: number;
  readonly bytes?: Uint8Array;
}

/** Its answer: a picture's print, absent if the picture shows too little, or cannot be decoded. */
const Decoded = z.object({ picture: z.number(), print: z.string().length(43).exactOptional() });
export type Decoded = z.infer<typeof Decoded>;

/** Computes prints of pictures from their byte streams. */
export interface PictureReader {
  /** Begins a picture; undefined where pictures cannot be read. */
  begin(): PictureReading | undefined;
}

/** One picture being read. */
export interface PictureReading {
  /** Resolves when the process has taken them, or will not. */
  write(bytes: Buffer): Promise<void>;
  /** Called after the last byte: returns the print, if there is one. */
  end(): Promise<string | undefined>;
  /** Called when no more bytes will come. */
  leave(): void;
}

/** Reads no pictures, so prints stay unknown. */
export const noPictures: PictureReader = { begin: () => undefined };

/** Returns whether the picture decoder is installed; it is an optional dependency. */
export function canReadPictures(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp');
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates a picture reader that decodes in a separate process: a picture crafted to exhaust memory or time cannot affect
 * the process that answers people. The process starts with the first picture, and restarts after one that ended it.
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
    const file = fileURLToPath(decoderFile);
    const started = fork(file, {
      // In development, sources run directly.
      execArgv: [...(file.endsWith('.ts') ? ['--import', 'tsx'] : []), '--max-old-space-size=96'],
      // The process inherits nothing, such as keys.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // The process must not keep this one alive.
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

  function send(to: ChildProcess, piece: Piece, onSent: () => void = () => undefined): void {
    // If the process has ended, nothing waits for the result.
    if (to.connected) to.send(piece, onSent);
    else onSent();
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
        async write(bytes) {
          const sent = new Promise<void>((resolve) => send(to, { picture, bytes }, resolve));
          // A process that ends may leave messages unanswered.
          await Promise.race([sent, read]);
        },
        async end() {
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
          if (waiting.delete(picture)) send(to, { picture });
        },
      };
    },
  };
}
