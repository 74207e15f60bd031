import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { programPath } from './programs.ts';

/** Runs `npm run doctor` with this environment. Returns its exit code, its output, and the lines marked WRONG. */
export async function runDoctor(environment: Readonly<Record<string, string | undefined>>) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [await programPath('doctor')], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, output, wrong: output.split('\n').filter((line) => line.startsWith('WRONG')) };
}
