import { appendFileSync } from 'node:fs';

/** Smaller sizes and fewer rounds: `npm run bench -- --quick`. */
export const isQuick = process.env.BENCH_QUICK === '1';

export interface Figure {
  readonly what: string;
  /** The reference that it is measured against in the same run. */
  readonly against: string;
  readonly value: number;
  readonly most?: number;
  readonly least?: number;
  /** The raw measurements, for readers. */
  readonly measured?: string;
}

/** Prints a figure, and fails the benchmark if it misses its bar. The runner collects figures for its table. */
export function report(figure: Figure): void {
  const { what, value, most, least, measured } = figure;
  const bar =
    most === undefined
      ? least === undefined
        ? 'no bar'
        : `must be at least ${least}`
      : `must be at most ${most}`;
  console.log(`${what}: ${value.toFixed(2)} (${bar})${measured === undefined ? '' : `; ${measured}`}`);
  const isMet = (most === undefined || value <= most) && (least === undefined || value >= least);
  if (!isMet) process.exitCode = 1;
  const file = process.env.BENCH_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ ...figure, isMet })}\n`);
}

/** Returns the CPU time (ms) of a function in this process, including threads. */
export async function cpuOf(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
export const milliseconds = (ms: number) => `${ms.toFixed(0)} ms`;
