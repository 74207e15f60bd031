import { parseArgs } from 'node:util';
import { createServer } from 'vite';
import config from './vite.config.ts';

const usage = 'Use "npm run gallery" or "npm run gallery -- --port N".';

/** Exits with a sentence that says what to do. */
function refuse(problem: string): never {
  console.error(`${problem}\n${usage}`);
  process.exit(2);
}

function readPort(): number {
  try {
    const { values } = parseArgs({ options: { port: { type: 'string', default: '4010' } } });
    const port = Number(values.port);
    return Number.isInteger(port) && port > 0 && port < 65_536
      ? port
      : refuse(`"${values.port}" is not a port from 1 to 65535.`);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

const port = readPort();
const server = await createServer({
  ...config,
  logLevel: 'error',
  server: { ...config.server, host: '127.0.0.1', port, strictPort: true },
});
await server
  .listen()
  .catch((error: unknown) => refuse(error instanceof Error ? error.message : String(error)));
console.log(`ready  gallery: http://127.0.0.1:${port}/`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    void server.close().finally(() => process.exit(0));
  });
}
