import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** An error whose message is sufficient for people, so it is printed without a stack. */
export class Failure extends Error {}

/** Runs a script and sets the exit code: the return value of `body`, or 1 if it throws. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error);
    process.exitCode = 1;
  }
}

/** Returns the full path of a program, or undefined if it is not in PATH. */
export function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** Returns whether the path is an executable file. */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Runs a program without input in the project's folder until it ends. Returns its exit code and output.
 *
 * @param {{ show?: boolean, env?: NodeJS.ProcessEnv }} options `show`: prints the output instead
 */
export function run(command, args, { show = false, env = process.env } = {}) {
  return new Promise((done) => {
    const output = show ? 'inherit' : 'pipe';
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', output, output] });
    let text = '';
    const collect = (chunk) => {
      text += chunk;
    };
    child.stdout?.setEncoding('utf8').on('data', collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    // Ctrl-C in a terminal also reaches the child, so this process only waits for it to end.
    const wait = () => {};
    process.on('SIGINT', wait);
    const end = (code) => {
      process.off('SIGINT', wait);
      done({ code, output: text.trim() });
    };
    child.once('error', (error) => {
      text += error.message;
      end(127);
    });
    child.once('close', (code, signal) => end(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

/** Returns the last lines of a text. */
export function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
