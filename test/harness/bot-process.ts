import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.ts';
import { programPath } from './programs.ts';

export type BotProcess = Awaited<ReturnType<typeof startBotProcess>>;

/**
 * Starts the bot as a separate process.
 * @param program the built bot, by default the one that all tests share
 */
export async function startBotProcess(
  environment: Readonly<Record<string, string | undefined>>,
  program?: string,
) {
  const { PATH, HOME } = process.env;
  const child: ChildProcess = spawn(process.execPath, [program ?? (await programPath('main'))], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { said, exit } = heard(child);
  return {
    child,
    exit,
    output: () => said.output,
    errors: () => said.errors,
    ready: () => eventually('the bot to be ready', () => said.output.includes('bot ready'), 60_000),
  };
}

/** Collects what a process says until it ends, and with which code. */
export function heard(child: ChildProcess) {
  const said = { output: '', errors: '' };
  child.stdout?.on('data', (data: Buffer) => {
    said.output += data.toString();
  });
  child.stderr?.on('data', (data: Buffer) => {
    said.errors += data.toString();
  });
  return { said, exit: once(child, 'close').then(([code]) => code as number | null) };
}
