import { spawn } from 'node:child_process';
import { heard } from './bot-process.ts';
import { programPath } from './programs.ts';

/** Runs `npm run doctor` with this environment. Returns its exit code, its output, and the lines marked WRONG. */
export async function runDoctor(environment: Readonly<Record<string, string | undefined>>) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [await programPath('doctor')], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { said, exit } = heard(child);
  const code = await exit;
  const output = said.output + said.errors;
  return { code, output, wrong: output.split('\n').filter((line) => line.startsWith('WRONG')) };
}
