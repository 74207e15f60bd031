import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { root } from './processes.mjs';

const file = join(root, 'docs/performance.md');

const intro = `# Performance

Written by \`npm run bench\`: each benchmark replaces its own section, which says when it ran, on what, and for how long.

Each figure is a ratio to what stands beside it, measured in the same run, so that it says the same on another machine. Where there is
a bar, the benchmark fails when it is missed. CPU is the time of the process with its threads, not time on the clock. What is
measured is what is shipped: \`dist\`, with the flags of \`npm start\`. The short form, with \`--quick\`, takes fewer rounds and the
smaller of the sizes. Benchmarks that count, or that wait most of the time, run beside each other; each of the others has the machine
to itself. \`npm run bench\` runs the benchmarks of what every team depends on; \`--all\` also runs those of single parts, such as evidence,
focus review and the sandbox's page. Sections measured on different processors say which.
`;

/**
 * Updates the sections of the benchmarks that have run in docs/performance.md. Other sections stay as they are.
 *
 * @param {{ name: string, seconds: number, figures: object[] }[]} found the figures that each benchmark has reported
 * @param {{ isQuick: boolean, names: string[] }} options `names`: the names of all existing benchmarks
 */
export async function writePerformance(found, { isQuick, names }) {
  const sections = sectionsIn(await readFile(file, 'utf8').catch(() => ''));
  for (const one of found) if (one.figures.length > 0) sections.set(one.name, sectionOf(one, isQuick));
  const kept = names.flatMap((name) => sections.get(name) ?? []);
  await writeFile(file, `${intro}\n${kept.join('\n')}`);
}

function sectionsIn(text) {
  const parts = text.split(/^(?=## )/m).slice(1);
  return new Map(parts.map((part) => [part.slice(3, part.indexOf('\n')), `${part.trimEnd()}\n`]));
}

function sectionOf({ name, seconds, figures }, isQuick) {
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GB`;
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${memory}`;
  return `## ${name}

${new Date().toISOString().slice(0, 10)}, ${isQuick ? 'short' : 'full'} form, ${seconds} s; ${machine}.

| What | Against | Figure | Bar | |
|---|---|---|---|---|
${figures.map(row).join('\n')}
`;
}

function row({ what, against, value, most, least, measured = '', isMet }) {
  const bar = [most === undefined ? '' : `≤ ${most}`, least === undefined ? '' : `≥ ${least}`]
    .filter(Boolean)
    .join(', ');
  return `| ${what} | ${against} | ${value.toFixed(2)}${isMet ? '' : ' **missed**'} | ${bar || '–'} | ${measured} |`;
}
