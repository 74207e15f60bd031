import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** `npm run demo` or `npm run dev`, running. */
export interface Demo {
  /** The workspace's page. */
  readonly url: string;
  readonly marketplaceUrl: string;
  /** The lines printed so far. */
  readonly output: readonly string[];
  /** Presses Ctrl-C. Resolves with the exit code. */
  interrupt(): Promise<number | null>;
}

/**
 * Starts the demo as a person does, on consecutive free ports, and waits for its line `ready`. `folder` is the project's
 * folder or a copy of it.
 */
export async function startDemo(command: 'demo' | 'dev' = 'demo', folder = process.cwd()): Promise<Demo> {
  const port = await freePorts();
  const child = spawn('npm', ['run', command, '--', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const output: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        output.push(line);
        if (line.startsWith('ready')) resolve();
      });
    }
    void ended.then((code) => reject(new Error(`${command} ended with code ${code}:\n${output.join('\n')}`)));
  });
  await ready;
  return {
    url: `http://localhost:${port}`,
    marketplaceUrl: `http://localhost:${port + 1}`,
    output,
    async interrupt() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/**
 * Returns the first of four consecutive free ports, which is how many either command needs. No other test uses ports of
 * this range: those of a process that restarts are free for a moment.
 */
async function freePorts(): Promise<number> {
  for (let port = 31_100 + 4 * Math.floor(Math.random() * 400); ; port += 4) {
    const free = await Promise.all([port, port + 1, port + 2, port + 3].map(isFree));
    if (free.every(Boolean)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen(port);
  const free = await listening;
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
