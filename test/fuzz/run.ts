import { setTimeout as wait } from 'node:timers/promises';
import fc, { type Arbitrary } from 'fast-check';
import { messageOf } from '../../src/errors.ts';
import { secretsIn } from './secrets.ts';

/** Longer than this, and a case counts as one that hangs (ms). */
const hangMs = 1_000;
/** How long a case that never ends is waited for (ms). */
const giveUpMs = 15_000;
/** How many cases are under way at once. */
const batchSize = 10;
/** For how long the work that a case leaves behind is waited for when it is looked at alone (ms). */
const settleMs = 150;
/** Before a case that took long is tried again (ms). */
const busyPausesMs = [200, 1_000, 3_000];
/** How long a failing case is made smaller (ms). */
const shrinkMs = 20_000;
const mostFindings = 5;
/** The session is opened anew after this many cases: what they do changes it. */
const sessionCases = 1_000;

/** What an entry point runs its cases against: opened once, for many cases. */
export interface Session<Case = unknown> {
  readonly cases: Arbitrary<Case>;
  /**
   * Sends one case and resolves to everything that came back, once it is answered. Rejects when the answer is wrong: then
   * the message says how.
   */
  run(one: Case): Promise<string>;
  /** Returns what was emitted elsewhere since the last call, such as log lines and calls of Slack's Web API. */
  emitted?(): Promise<readonly string[]>;
  /** Returns how the session is now that this many cases have run; rejects when it serves no longer. */
  afterBatch?(ran: number): Promise<void>;
  /** Ends it and returns what was emitted until the end. Rejects when it does not end. */
  close(): Promise<readonly string[]>;
}

/** A place at which something from outside enters, with the generator of what may arrive there. */
export interface EntryPoint<Case = unknown> {
  readonly name: string;
  open(): Promise<Session<Case>>;
}

/** Fixes the type of the cases, which differs between entry points. */
export function entryPoint<Case>(name: string, open: () => Promise<Session<Case>>): EntryPoint {
  return { name, open: open as unknown as EntryPoint['open'] };
}

export interface FuzzOptions {
  readonly cases: number;
  readonly seed: number;
}

/** Something that must not happen, and the case it happened with. */
export interface Finding {
  readonly problem: string;
  readonly seed: number;
  /** The number of the case, for `--path`; undefined when it could not be told which case it was. */
  readonly path?: string;
  /** The smallest case found that shows it. */
  readonly example: string;
}

export interface FuzzReport {
  readonly name: string;
  readonly cases: number;
  readonly seed: number;
  readonly longestMs: number;
  readonly findings: readonly Finding[];
}

/** Runs an entry point's cases and reports what must not happen: crashes, hangs, wrong answers, secrets. */
export async function fuzz(entry: EntryPoint, { cases, seed }: FuzzOptions): Promise<FuzzReport> {
  const crashes = watchCrashes();
  const findings: Finding[] = [];
  let longestMs = 0;
  let session: Session | undefined;
  try {
    for (let from = 0; from < cases && findings.length < mostFindings; from += batchSize) {
      if (session === undefined || from % sessionCases === 0) {
        await close(session);
        session = await entry.open();
      }
      const count = Math.min(batchSize, cases - from);
      const batch = fc.sample(session.cases, { seed, path: String(from), numRuns: count });
      const results = await Promise.all(batch.map((one) => examine(session as Session, one)));
      longestMs = Math.max(longestMs, ...results.map(({ ms }) => ms));
      const emitted = [...((await session.emitted?.()) ?? [])].flatMap(secretsIn);
      const problems = [...results.flatMap(({ problem }) => problem ?? []), ...emitted, ...crashes.take()];
      const [problem] = problems;
      if (problem !== undefined) {
        const suspects = results.flatMap(({ problem: own }, index) => (own === undefined ? [] : [index]));
        const found = await isolate(session, suspects.length > 0 ? suspects : [...batch.keys()], from);
        // A hang that does not happen again was the machine's.
        if (found !== undefined) findings.push(found);
        else if (!problem.startsWith('took '))
          findings.push({ problem, seed, example: `one of the cases ${from} to ${from + count - 1}` });
      }
      try {
        await session.afterBatch?.(from + count);
      } catch (error) {
        const example = `after the cases up to ${from + count - 1}`;
        findings.push({ problem: messageOf(error), seed, example });
      }
    }
    await close(session);
    session = undefined;
  } finally {
    await session?.close().catch(() => undefined);
    crashes.stop();
  }
  return { name: entry.name, cases, seed, longestMs, findings };

  async function close(open: Session | undefined): Promise<void> {
    if (open === undefined) return;
    const last = await open.close().catch((error: unknown) => {
      findings.push({ problem: messageOf(error), seed, example: 'at the end' });
      return [];
    });
    for (const problem of [...last.flatMap(secretsIn), ...crashes.take()])
      findings.push({ problem, seed, example: 'at the end' });
  }

  /** Runs the cases of a batch one by one and returns the first that shows something, as small as it can be made. */
  async function isolate(
    open: Session,
    suspects: readonly number[],
    from: number,
  ): Promise<Finding | undefined> {
    for (const index of suspects) {
      const path = String(from + index);
      const property = fc.asyncProperty(open.cases, async (one) => {
        const { problem } = await examineAlone(open, one, crashes);
        if (problem !== undefined) throw new Error(problem);
      });
      const limits = { interruptAfterTimeLimit: shrinkMs, markInterruptAsFailure: false };
      const result = await fc.check(property, { seed, path, numRuns: 1, ...limits });
      if (!result.failed) continue;
      return {
        problem: messageOf(result.errorInstance),
        seed,
        path: result.counterexamplePath ?? path,
        example: fc.stringify(result.counterexample?.[0]),
      };
    }
    return undefined;
  }
}

interface Examined {
  readonly ms: number;
  readonly problem?: string;
}

/** Runs one case. */
async function examine(session: Session, one: unknown): Promise<Examined> {
  const began = performance.now();
  const age = () => performance.now() - began;
  const ending = new AbortController();
  const late = wait(giveUpMs, undefined, { signal: ending.signal }).then(
    () => Promise.reject(new Error(`was not answered within ${giveUpMs} ms`)),
    () => '',
  );
  try {
    const answered = await Promise.race([session.run(one), late]);
    const ms = age();
    const [secret] = secretsIn(answered);
    if (secret !== undefined) return { ms, problem: `answered with ${secret}` };
    return ms > hangMs ? { ms, problem: `took ${Math.round(ms)} ms` } : { ms };
  } catch (error) {
    return { ms: age(), problem: messageOf(error) };
  } finally {
    ending.abort();
    await late.catch(() => undefined);
  }
}

/** Runs one case alone, with all it leaves behind; one that takes long several times, since the machine may be busy. */
async function examineAlone(session: Session, one: unknown, crashes: Crashes): Promise<Examined> {
  let examined: Examined = { ms: 0 };
  for (const pauseMs of [0, ...busyPausesMs]) {
    await wait(pauseMs);
    examined = await examine(session, one);
    if (examined.problem?.startsWith('took ') !== true) break;
  }
  if (examined.problem !== undefined) return examined;
  if (session.emitted !== undefined) await wait(settleMs);
  const [problem] = [...((await session.emitted?.()) ?? []).flatMap(secretsIn), ...crashes.take()];
  return problem === undefined ? examined : { ...examined, problem };
}

type Crashes = ReturnType<typeof watchCrashes>;

/** Collects what would end a process, or what nobody waits for. */
function watchCrashes() {
  const seen: string[] = [];
  const note = (kind: string) => (error: unknown) => {
    seen.push(`${kind}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  };
  const listeners = [
    ['uncaughtException', note('uncaught exception')],
    ['unhandledRejection', note('unhandled rejection')],
  ] as const;
  for (const [name, listener] of listeners) process.on(name, listener);
  return {
    take: () => seen.splice(0),
    stop(): void {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
