import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** `npm run demo`, running. */
export interface Demo {
  /** The workspace's page. */
  readonly url: string;
  readonly marketplaceUrl: string;
  /** Ctrl-C. Gives the exit code. */
  interrupt(): Promise<number | null>;
}

/** Starts the demo as a person does, on three free ports in a row, and waits for its line `ready`. */
export async function startDemo(): Promise<Demo> {
  const port = await threeFreePorts();
  const child = spawn('npm', ['run', 'demo', '--', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const said: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      if (line.startsWith('ready')) resolve();
    });
    void ended.then((code) => reject(new Error(`the demo ended with code ${code}:\n${said.join('\n')}`)));
  });
  await ready;
  return {
    url: `http://localhost:${port}`,
    marketplaceUrl: `http://localhost:${port + 1}`,
    async interrupt() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

async function threeFreePorts(): Promise<number> {
  for (let port = 20_000 + Math.floor(Math.random() * 20_000); ; port += 3) {
    const free = await Promise.all([port, port + 1, port + 2].map(isFree));
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
