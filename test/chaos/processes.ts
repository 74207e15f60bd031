import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import { freePort } from '../harness/ports.ts';
import { programPath } from '../harness/programs.ts';
import type { Order } from './bot.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A bot process that is started again whenever it dies. */
export interface BotProcess {
  /** kill -9, now. */
  kill(): Promise<void>;
  /** kill -9 at the n-th passing of a point, unless that is cancelled before; `died` gives which it was. */
  dieAt(point: FaultPoint, passings: number): { readonly died: Promise<boolean>; cancel(): void };
  /** Waits until it runs. */
  ready(): Promise<void>;
  /** How often it was started. */
  starts(): number;
  stop(): Promise<void>;
}

/** Starts a bot in a process of its own, its log going to a file in `folder`. */
export async function startBotProcess(
  name: string,
  environment: Readonly<Record<string, string>>,
  folder: string,
): Promise<BotProcess> {
  const [port, program] = await Promise.all([freePort(), programPath('chaos')]);
  const log = createWriteStream(join(folder, `${name}.log`));
  let starts = 0;
  let stopping = false;
  let child: ChildProcess;
  let running: Promise<void>;

  const start = (): void => {
    starts += 1;
    child = spawn(process.execPath, [program], {
      cwd: root,
      env: { ...process.env, ...environment, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.on('error', () => undefined);
    const own = child;
    running = new Promise((resolve) => own.on('message', () => resolve()));
    own.once('exit', (code, signal) => {
      log.write(`--- ended: ${signal ?? code}\n`);
      if (!stopping) start();
    });
  };
  start();

  return {
    async kill() {
      const own = child;
      const gone = once(own, 'exit');
      own.kill('SIGKILL');
      await gone;
    },
    dieAt(point, passings) {
      const own = child;
      const abort = new AbortController();
      const died = once(own, 'exit', { signal: abort.signal }).then(
        () => true,
        () => false,
      );
      const tell = (order: Order) => own.connected && own.send(order, () => undefined);
      tell({ dieAt: { point, passings } });
      return {
        died,
        cancel() {
          abort.abort();
          tell({ dieAt: null });
        },
      };
    },
    ready: async () => {
      for (;;) {
        const own = child;
        await Promise.race([running, once(own, 'exit')]);
        if (own === child && own.exitCode === null && own.signalCode === null) return;
      }
    },
    starts: () => starts,
    async stop() {
      stopping = true;
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit');
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
        await gone;
        clearTimeout(timer);
      }
      log.end();
    },
  };
}
