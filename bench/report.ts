import { appendFileSync } from 'node:fs';

/** Smaller sizes and fewer rounds: `npm run bench -- --quick`. */
export const isQuick = process.env.BENCH_QUICK === '1';

export interface Figure {
  readonly what: string;
  /** What it is measured against, in the same run. */
  readonly against: string;
  readonly value: number;
  readonly most?: number;
  readonly least?: number;
  /** What was measured, for whoever reads it. */
  readonly measured?: string;
}

/** Prints a figure; the benchmark fails when it is not within its bar. The runner collects them for docs/performance.md. */
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

/** Returns the CPU time that something takes in this process, threads included (ms). */
export async function cpuOf(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
export const milliseconds = (ms: number) => `${ms.toFixed(0)} ms`;
