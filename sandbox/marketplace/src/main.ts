import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Scenario } from './index.ts';
import { createSandboxMarketplace } from './index.ts';

const usage = 'Usage: npm run sandbox:marketplace -- --port N [--scenario FILE] [--workers]';

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Exits with a message and code 2, for an invalid command line. */
function refuse(message: string): never {
  process.stderr.write(`${message}\n${usage}\n`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: '0' },
        scenario: { type: 'string' },
        workers: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(messageOf(error));
  }
}

/** Reads the file without validating it: createSandboxMarketplace does that. */
function readScenario(file: string): Scenario {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Scenario;
  } catch (error) {
    return refuse(`The scenario ${file} cannot be read: ${messageOf(error)}`);
  }
}

const { port: portText, scenario: file, workers } = readArguments();
if (!/^\d{1,5}$/.test(portText) || Number(portText) > 65_535) {
  refuse(`--port must be a number from 0 to 65535, not "${portText}".`);
}
try {
  const marketplace = await createSandboxMarketplace({
    port: Number(portText),
    ...(file === undefined ? {} : { scenario: readScenario(file) }),
    workers,
  });
  process.stdout.write(`Sandbox marketplace at ${marketplace.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void marketplace.close();
    });
  }
} catch (error) {
  if (error instanceof z.ZodError) refuse(`The scenario is not valid:\n${z.prettifyError(error)}`);
  if (error instanceof RangeError) refuse(`The scenario is not valid: ${error.message}`);
  process.stderr.write(`The sandbox marketplace could not start: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
