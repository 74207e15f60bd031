import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { createSandboxSlack, type Workspace } from './index.ts';
import { workspaceSchema } from './seed.ts';

const USAGE = 'Usage: npm run sandbox:slack -- --port N [--workspace FILE] [--panel URL] [--processes URL]';

/** Exits with status 2 and a sentence. */
function refuse(message: string): never {
  console.error(`${message}\n${USAGE}`);
  process.exit(2);
}

function readArguments(): { port: number; workspace: Workspace; panel: string; processes: string } {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '4000' },
        workspace: { type: 'string' },
        panel: { type: 'string', default: '' },
        processes: { type: 'string', default: '' },
      },
    });
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) refuse(`"${values.port}" is no port.`);
    const workspace = values.workspace === undefined ? {} : readWorkspace(values.workspace);
    return { port, workspace, panel: values.panel, processes: values.processes };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function readWorkspace(file: string): Workspace {
  const result = workspaceSchema.safeParse(parseYaml(readFileSync(file, 'utf8')));
  return result.success ? result.data : refuse(`${file} is no workspace:\n${z.prettifyError(result.error)}`);
}

const { port, workspace, panel, processes } = readArguments();
try {
  const sandbox = await createSandboxSlack({
    port,
    workspace,
    panel,
    processes,
    settings: { rateLimits: 'on' },
  });
  console.log(`sandbox workspace ready at ${sandbox.url}`);
  const stop = (): void => {
    sandbox.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  const inUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(
    inUse
      ? `Port ${port} is in use. Choose another with --port.`
      : `The sandbox workspace could not start: ${String(error)}`,
  );
  process.exit(1);
}
