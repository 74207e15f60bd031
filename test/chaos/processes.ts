import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import { createNodeClock } from '../harness/clock.ts';
import { freePort } from '../harness/ports.ts';
import { programPath } from '../harness/programs.ts';
import type { BotMessage, KillOrder } from './bot.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A bot process that is restarted whenever it dies. */
export interface BotProcess {
  /** kill -9, now. */
  kill(): Promise<void>;
  /**
   * Orders a kill -9 at any of the points, in addition to other orders. `died` resolves with the point of death, or with
   * undefined if the order was canceled first or the process died otherwise.
   */
  dieAt(points: readonly FaultPoint[]): { readonly died: Promise<FaultPoint | undefined>; cancel(): void };
  /** Suspends it until `resume`. */
  pause(): void;
  resume(): void;
  /** Stops it gracefully and restarts it; `environment` replaces or removes settings. */
  restart(environment?: Environment): Promise<void>;
  /** Sets its clock `ms` ahead of the machine's. */
  shiftClock(ms: number): void;
  /** Serves health checks and, in HTTP mode, Slack. */
  readonly port: number;
  /** Waits until it runs. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Starts a bot in a separate process, which logs to a file in `folder`. */
export async function startBotProcess(
  name: string,
  environment: Environment,
  folder: string,
): Promise<BotProcess> {
  const [port, program] = await Promise.all([freePort(), programPath('chaos')]);
  const log = createWriteStream(join(folder, `${name}.log`));
  let stopping = false;
  let child: ChildProcess;
  let running: Promise<void>;
  let settings = environment;
  const orders = new Set<readonly FaultPoint[]>();
  const clock = createNodeClock();

  const start = (): void => {
    child = spawn(process.execPath, [program], {
      cwd: root,
      env: { ...process.env, ...settings, ...clock.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.on('error', () => undefined);
    const own = child;
    running = new Promise((resolve) => {
      own.on('message', (message: BotMessage) => {
        if (message === 'ready') resolve();
      });
    });
    own.once('exit', (code, signal) => {
      log.write(`--- ended: ${signal ?? code}\n`);
      if (!stopping) start();
    });
  };
  start();

  return {
    port,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    shiftClock: clock.shift,
    async restart(changes = {}) {
      settings = { ...settings, ...changes };
      await end(child);
    },
    async kill() {
      const own = child;
      const gone = once(own, 'exit');
      own.kill('SIGKILL');
      await gone;
    },
    dieAt(points) {
      const own = child;
      const cancelled = new AbortController();
      const send = () =>
        own.connected && own.send({ dieAt: [...orders].flat() } satisfies KillOrder, () => undefined);
      orders.add(points);
      send();
      return {
        died: pointOfDeath(own, points, cancelled.signal),
        cancel() {
          cancelled.abort();
          orders.delete(points);
          send();
        },
      };
    },
    ready: async () => {
      for (;;) {
        const own = child;
        const waited = new AbortController();
        await Promise.race([running, once(own, 'exit', { signal: waited.signal }).catch(() => undefined)]);
        waited.abort();
        if (own === child && own.exitCode === null && own.signalCode === null) return;
      }
    },
    async stop() {
      stopping = true;
      await end(child);
      clock.remove();
      log.end();
    },
  };
}

/** Stops a process as systemd would: SIGTERM first. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  child.kill('SIGCONT');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(timer);
}

/** Resolves with the point at which a process dies; undefined if it ends elsewhere or the signal is aborted first. */
async function pointOfDeath(
  child: ChildProcess,
  points: readonly FaultPoint[],
  signal: AbortSignal,
): Promise<FaultPoint | undefined> {
  try {
    for await (const [message] of on(child, 'message', { signal, close: ['disconnect'] })) {
      if (message === 'ready') continue;
      const { dyingAt } = message as Exclude<BotMessage, 'ready'>;
      return points.includes(dyingAt) ? dyingAt : undefined;
    }
  } catch {
    // Canceled, or the process can no longer be reached.
  }
  return undefined;
}
