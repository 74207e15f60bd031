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
  let output = '';
  let errors = '';
  child.stdout?.on('data', (data: Buffer) => {
    output += data.toString();
  });
  child.stderr?.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    exit,
    output: () => output,
    errors: () => errors,
    ready: () => eventually('the bot to be ready', () => output.includes('bot ready'), 60_000),
  };
}
