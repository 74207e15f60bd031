import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, lastLines, root } from './processes.mjs';

/**
 * Processes that live and end together. Each gets a process group of its own, so that Ctrl-C reaches us alone and we
 * end them in order, whatever they started included.
 *
 * @param {(problem: Failure) => void} onDeath told when one of them ends by itself, with its last words
 */
export function processGroup(onDeath) {
  const members = [];
  let stopping = false;

  /** Starts a TypeScript program of the project; what it prints goes to the log file. */
  function start(name, { script, args = [], env = process.env, log }) {
    if (stopping) {
      throw new Failure(`The ${name} was not started: all of it is being stopped.`);
    }
    const file = openSync(log, 'w');
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const member = { name, child, log, ended: new Promise((done) => child.once('exit', done)) };
    members.push(member);
    child.once('exit', async (code, signal) => {
      if (!stopping) {
        const said = lastLines(await readFile(log, 'utf8').catch(() => ''), 20);
        onDeath(
          new Failure(
            `The ${name} ended by itself (${signal ?? `exit code ${code}`}):\n${said}\nIts log: ${log}`,
          ),
        );
      }
    });
    return member;
  }

  /** Ends all, the last started first; what does not end within `ms` is killed. */
  async function stop(ms) {
    stopping = true;
    for (const { child, ended } of members.toReversed()) {
      signalGroup(child, 'SIGTERM');
      const alive = await Promise.race([ended.then(() => false), delay(ms, true, { ref: false })]);
      if (alive) {
        signalGroup(child, 'SIGKILL');
        await ended;
      }
    }
  }

  /** Ends all at once, without waiting. */
  function kill() {
    stopping = true;
    for (const { child } of members) {
      signalGroup(child, 'SIGKILL');
    }
  }

  return { start, stop, kill };
}

function signalGroup(child, signal) {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It ended in the meantime.
    }
  }
}

/** Waits until the address answers with a success. Throws Failure after `ms`. */
export async function untilAnswers(name, url, ms) {
  const deadline = Date.now() + ms;
  let last = '';
  while (Date.now() < deadline) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
      await answer.body?.cancel();
      if (answer.ok) {
        return;
      }
      last = `it answers with status ${answer.status}`;
    } catch (error) {
      last = error.cause?.message ?? error.message;
    }
    await delay(100);
  }
  throw new Failure(`The ${name} is not ready at ${url} after ${ms / 1000} seconds: ${last}`);
}

/** Throws Failure when one of the ports is taken. */
export async function checkPorts(ports) {
  for (const port of ports) {
    for (const host of ['127.0.0.1', undefined]) {
      if (!(await isFree(port, host))) {
        throw new Failure(
          `Port ${port} is in use by another program, perhaps another demo. Stop that, or choose where to start with ` +
            '"npm run demo -- --port 5000".',
        );
      }
    }
  }
}

function isFree(port, host) {
  return new Promise((done) => {
    const server = createServer();
    // Only what is taken counts: a machine without IPv6 refuses in other words.
    server.once('error', (error) => done(error.code !== 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(true)));
  });
}
