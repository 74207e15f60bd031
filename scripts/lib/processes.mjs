import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A failure whose message says all that is to be said: shown without a stack. */
export class Failure extends Error {}

/** Runs a script's body; a Failure is printed and ends with code 1. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error);
    process.exitCode = 1;
  }
}

/** The full path of a program, or undefined when PATH has none of that name. */
export function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** Whether the path is a file that may be executed. */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Runs a program to its end in the project's folder and answers its exit code and what it printed. It reads nothing.
 *
 * @param {{ show?: boolean, env?: NodeJS.ProcessEnv }} options `show`: its output goes to ours instead.
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
    // The terminal's Ctrl-C reaches the child as well: its end is ours.
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

/** The last lines of a text. */
export function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
