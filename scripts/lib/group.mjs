import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, lastLines, root } from './processes.mjs';

/** Longer than the bot needs at most to finish its work in flight. */
const stopTimeoutMs = 15_000;

/**
 * Runs processes that start and stop together. Each gets its own process group: Ctrl-C then reaches only this process,
 * which stops the others in order, together with their children.
 *
 * @param {(problem: Failure) => void} onDeath called with the last lines of the log if a process exits unexpectedly
 */
export function processGroup(onDeath) {
  const members = [];
  let stopping = false;

  /**
   * Starts a TypeScript program of the project; its output is appended to the log file.
   *
   * @param {{ script: string, args?: string[], nodeArgs?: string[], env?: NodeJS.ProcessEnv, log: string }} options
   */
  function start(name, { script, args = [], nodeArgs = [], env = process.env, log }) {
    if (stopping) {
      throw new Failure(`The ${name} was not started, because everything is being stopped.`);
    }
    const file = openSync(log, 'a');
    const { size: begin } = fstatSync(file);
    const child = spawn(process.execPath, [...nodeArgs, '--import', 'tsx', script, ...args], {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const exited = new Promise((done) => child.once('exit', done));
    const member = { name, child, exited, stopping: false, isReady: false };
    members.push(member);
    const report = async (why) => {
      const written = (await readFile(log).catch(() => Buffer.alloc(0))).subarray(begin).toString().trimEnd();
      // Where a start fails, the cause may stand anywhere.
      const shown = member.isReady ? lastLines(written, 20) : written;
      onDeath(new Failure(`The ${name} ended by itself (${why}):\n${shown}\nLog: ${log}`));
    };
    child.once('exit', (code, signal) => {
      members.splice(members.indexOf(member), 1);
      if (!member.stopping) void report(signal ?? `exit code ${code}`);
    });
    return member;
  }

  /** Stops one process, waits until it has ended, and kills it if it does not end in time. */
  async function stop(member) {
    member.stopping = true;
    signalGroup(member.child, 'SIGTERM');
    const alive = await Promise.race([
      member.exited.then(() => false),
      delay(stopTimeoutMs, true, { ref: false }),
    ]);
    if (alive) {
      signalGroup(member.child, 'SIGKILL');
      await member.exited;
    }
  }

  /** Kills one process with its group, and waits until it is gone. */
  async function kill(member) {
    member.stopping = true;
    signalGroup(member.child, 'SIGKILL');
    await member.exited;
  }

  /** Stops every process, most recently started first. No process can be started after that. */
  async function stopAll() {
    stopping = true;
    for (const member of members.toReversed()) {
      await stop(member);
    }
  }

  /** Kills every process without waiting. */
  function killAll() {
    stopping = true;
    for (const member of members) {
      member.stopping = true;
      signalGroup(member.child, 'SIGKILL');
    }
  }

  return { start, stop, kill, stopAll, killAll, isRunning: ({ child }) => isRunning(child) };
}

function signalGroup(child, signal) {
  if (isRunning(child) && child.pid !== undefined) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has already ended.
    }
  }
}

function isRunning(child) {
  return child.exitCode === null && child.signalCode === null;
}

/**
 * Waits until a process answers a request successfully. Returns false if the process ends before that; throws Failure
 * after `timeoutMs`.
 */
export async function isReady(member, url, timeoutMs = 60_000) {
  const { name, child } = member;
  const deadline = Date.now() + timeoutMs;
  let last = '';
  while (Date.now() < deadline) {
    if (!isRunning(child)) {
      return false;
    }
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
      await response.body?.cancel();
      if (response.ok) {
        member.isReady = true;
        return true;
      }
      last = `it responds with status ${response.status}`;
    } catch (error) {
      last = error.cause?.message ?? error.message;
    }
    await delay(100);
  }
  throw new Failure(`The ${name} is not ready at ${url} after ${timeoutMs / 1000} seconds: ${last}`);
}

/** Throws Failure if one of the ports is in use. `command` is the npm script in the suggestion to use another port. */
export async function checkPorts(command, ports) {
  for (const port of ports) {
    for (const host of ['127.0.0.1', undefined]) {
      if (!(await isFree(port, host))) {
        throw new Failure(
          `Port ${port} is in use, perhaps by another demo. Stop the program that uses it, or choose other ports: ` +
            `"npm run ${command} -- --port 5000".`,
        );
      }
    }
  }
}

function isFree(port, host) {
  return new Promise((done) => {
    const server = createServer();
    // Other errors do not count: a machine without IPv6, for example, refuses the address.
    server.once('error', (error) => done(error.code !== 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(true)));
  });
}
